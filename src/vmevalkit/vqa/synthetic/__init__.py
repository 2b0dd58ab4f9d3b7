"""A synthetic set of multi-image questions of the five kinds, drawn by this package's own tasks, with known answers."""
