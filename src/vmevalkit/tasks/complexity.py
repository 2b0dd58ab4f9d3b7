"""What a task states about the complexity of its puzzles, for the specification's domain complexity table."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Complexity(NamedTuple):
    """Four numbers about the puzzles of the default difficulty."""

    state_space: int
    """Number of states that a puzzle can have."""
    constraint_types: int
    """Number of kinds of rules that a solution must satisfy."""
    solution_uniqueness: float
    """Share of puzzles with exactly one solution."""
    visual_complexity: Literal["low", "medium", "high", "extreme"]
