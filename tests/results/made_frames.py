"""Tidy tables made from values, without files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from vmevalkit.results.columns import make_frame

Values = Sequence[int | None]


def make_rows(
    values: Mapping[str, Mapping[str, Values]],
    scorer: str = "RuleEvaluator",
    experiment: str = "first",
    sample: int = 0,
) -> list[dict[str, Any]]:
    """Return a row for each value of each model and domain. A None is a video that the scorer could not score."""
    return [
        {
            "experiment": experiment, "model": model, "domain": domain, "question": f"{domain}_{index:04d}",
            "sample": sample, "scorer": scorer, "value": value, "success": None if value is None else value >= 4,
            "failure_mode": None if value is None else "none" if value >= 4 else "partial", "is_current": True,
            "status": "success", "metrics": {}, "params": {}, "tags": [], "pattern_tags": [], "findings": [],
            "puzzle_digest": f"p{index}", "reason": "unreadable" if value is None else None,
        }
        for model, domains in values.items()
        for domain, of_domain in domains.items()
        for index, value in enumerate(of_domain)
    ]  # fmt: skip


def make_scores(values: Mapping[str, Mapping[str, Values]], **given: Any) -> pd.DataFrame:
    """Return the table of these rows."""
    return make_frame(make_rows(values, **given))
