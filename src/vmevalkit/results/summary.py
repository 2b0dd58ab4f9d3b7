"""Success rates of groups of videos, with intervals over questions and what they leave out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vmevalkit.core.errors import UnknownName, UsageError
from vmevalkit.results.selection import SCORED, LeftOut, count_left_out, list_names, select_scorer
from vmevalkit.stats.rates import RateWithUnscored, delivery_rates, mean_score, success_rate
from vmevalkit.stats.records import Estimate, missing_estimate
from vmevalkit.store import layout

if TYPE_CHECKING:
    import pandas as pd

GROUPS = (
    "experiment", "model", "family", "domain", "group", "difficulty", "tag", "failure_mode", "level", "rule_type",
    "rule", "prompt_variant", "question",
)  # fmt: skip
"""What rates can be grouped by. A video counts once under each of its tags."""
NO_NAME = "(none)"
"""Group of the videos that do not have what is grouped by."""
ALL = "all"


@dataclass(frozen=True, slots=True)
class GroupRate:
    """The rate of one group of videos by one scorer."""

    scorer: str
    """Name of the scorer's files."""
    group: dict[str, str]
    """Name of the group in each thing that is grouped by."""
    rate: Estimate
    """Share of successes, or of videos with this failure mode, with the error of questions."""
    value: Estimate
    """Mean value from 1 to 5; without a number where grouped by failure mode."""
    videos: int
    """Number of scored videos."""
    left_out: LeftOut
    """What the rate does not count."""
    attempted: RateWithUnscored
    """Bounds of the rate over all attempted videos: those left out may all have failed, or passed if there is one."""


def check_groups(by: Sequence[str]) -> list[str]:
    """Return what to group by, each once. Raises UnknownName with the nearest."""
    for name in by:
        if name not in GROUPS:
            raise UnknownName("group", name, GROUPS)
    if not by:
        raise UsageError(f"nothing to group by; give one or several of {', '.join(GROUPS)}")
    return list(dict.fromkeys(by))


def summarize(frame: pd.DataFrame, by: Sequence[str], scorers: Sequence[str] | None = None) -> list[GroupRate]:
    """Return the rate of each group, for each scorer separately. The best model is first."""
    by = check_groups(by)
    found: list[GroupRate] = []
    for scorer in list_names(frame, "scorer") if scorers is None else scorers:
        videos = select_scorer(frame, scorer)
        order = _order_models(videos)
        groups = _failure_rates(scorer, videos, by) if "failure_mode" in by else _success_rates(scorer, videos, by)
        found += sorted(groups, key=lambda each: _sort_key(each, order))
    return found


def _success_rates(scorer: str, videos: pd.DataFrame, by: list[str]) -> Iterator[GroupRate]:
    for group, part in _split(videos, by):
        scored = part[part["state"] == SCORED]
        yield GroupRate(
            scorer,
            group,
            success_rate(scored["success"].to_numpy(float), scored["item"].to_numpy()),
            mean_score(scored["value"].to_numpy(float), scored["item"].to_numpy()),
            len(scored),
            count_left_out(part),
            _attempted(part, scored),
        )


def _failure_rates(scorer: str, videos: pd.DataFrame, by: list[str]) -> Iterator[GroupRate]:
    """Yield the share of each failure mode in the groups of everything else."""
    no_value = missing_estimate("videos with one failure mode are not a sample of all videos", "none")
    for group, part in _split(videos, [name for name in by if name != "failure_mode"]):
        judged = part[(part["state"] == SCORED) & part["failure_mode"].notna()]
        for mode in list_names(judged, "failure_mode"):
            is_mode = (judged["failure_mode"] == mode).to_numpy(float)
            yield GroupRate(
                scorer,
                {name: mode if name == "failure_mode" else group[name] for name in by},
                success_rate(is_mode, judged["item"].to_numpy()),
                no_value,
                len(judged),
                count_left_out(part),
                _attempted(part, judged.assign(success=is_mode)),
            )


def _attempted(part: pd.DataFrame, scored: pd.DataFrame) -> RateWithUnscored:
    """Return the rate over attempted videos. Of a video that several people judged, the share who pass it counts."""
    left_out = count_left_out(part)
    counted = len(scored)
    passed = min(float(scored["success"].sum()), float(counted))
    total = counted + left_out.total
    return delivery_rates(total, total - left_out.without_video, counted, passed).per_attempted


def _split(videos: pd.DataFrame, by: list[str]) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
    if not by:
        yield {}, videos
        return
    if "tag" in by:
        videos = videos.assign(tag=[tags or [NO_NAME] for tags in videos["tags"]]).explode("tag")
    labels = videos[by].astype("string").fillna(NO_NAME)
    keyed = videos.drop(columns=by).join(labels) if "tag" not in by else _join_labels(videos, labels, by)
    for names, part in keyed.groupby(by, sort=False):
        yield dict(zip(by, (str(name) for name in names), strict=True)), part


def _join_labels(videos: pd.DataFrame, labels: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the rows with their labels; exploded rows share an index, so they are joined by position."""
    return videos.reset_index(drop=True).drop(columns=by).join(labels.reset_index(drop=True))


def _order_models(videos: pd.DataFrame) -> dict[str, int]:
    """Return the place of each model by its success rate, mean value and name."""
    import pandas as pd

    scored = videos[videos["state"] == SCORED].astype({"success": float, "value": float})
    means = scored.groupby(["model", "item"])[["success", "value"]].mean().groupby("model").mean()
    means = means.reindex(pd.Index(list_names(videos, "model"), name="model")).fillna(-1.0)
    names = sorted(means.index, key=lambda name: (-means.success[name], -means.value[name], layout.natural_key(name)))
    return {name: place for place, name in enumerate(names)}


def _sort_key(rate: GroupRate, order: dict[str, int]) -> tuple[Any, ...]:
    model = order.get(rate.group.get("model", ""), 0)
    return (model, *(layout.natural_key(name) for key, name in rate.group.items() if key != "model"))
