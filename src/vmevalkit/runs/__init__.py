"""Runs of models on questions: planning, cost estimates, local and remote execution, and resuming."""
