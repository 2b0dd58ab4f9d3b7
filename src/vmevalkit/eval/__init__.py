"""Scoring: films read back into puzzle states by rules; later by judges and by people."""
