"""Questions whose pictures somebody else drew: where they show the board, how things look in them, and reading them."""
