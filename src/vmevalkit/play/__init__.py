"""People as models: a page on which a person solves puzzles of the scene kit, and what they do becomes a video."""
