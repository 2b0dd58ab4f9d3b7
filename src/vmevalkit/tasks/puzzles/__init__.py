"""Puzzles of the scene kit: one puzzle, one file, found by its name."""
