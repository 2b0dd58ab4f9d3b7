"""The trick baselines that every ranking is read against."""

from __future__ import annotations

from collections.abc import Iterable

YARDSTICK = ("static", "cut_to_final", "noise")
"""Videos that show no reasoning: the first frame only, a cut to the solved state, and noise. ``cut_to_final`` knows the
answer, so it succeeds where only the final state counts; its rate is what a score owes to the answer alone."""


def add_yardstick(models: Iterable[str]) -> list[str]:
    """Return the models followed by the trick baselines that are not among them."""
    return list(dict.fromkeys([*models, *YARDSTICK]))
