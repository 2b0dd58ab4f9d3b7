"""Statistics: pure functions, arrays in, results out."""
