"""The trick baselines that every ranking is compared with."""

from __future__ import annotations

from collections.abc import Iterable

REFERENCE_BASELINES = ("static", "cut_to_final", "noise")
"""Videos that show no reasoning: the first frame only, a cut to the solved state, and noise. ``cut_to_final`` knows the
answer, so it succeeds where only the final state matters; its rate is what a score owes to the answer alone."""


def add_reference_baselines(models: Iterable[str]) -> list[str]:
    """Return the models followed by the trick baselines that are not among them."""
    return list(dict.fromkeys([*models, *REFERENCE_BASELINES]))
