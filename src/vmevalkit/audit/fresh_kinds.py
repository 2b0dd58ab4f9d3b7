"""How often a scorer errs on fresh kinds of videos: kinds that were labelled before any of them was scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from vmevalkit.audit.audit import Trial, TrialSpec, plan_kind_trials
from vmevalkit.audit.certificate import WrongVerdict, describe_wrong_verdict
from vmevalkit.audit.kinds import ROUNDS, VideoKind
from vmevalkit.core.errors import UnknownName, UsageError
from vmevalkit.core.jsonable import to_json
from vmevalkit.core.randomness import rng_for
from vmevalkit.stats.rates import pooled_rate
from vmevalkit.stats.records import Estimate
from vmevalkit.tasks.task import AnyTask

MAX_WRONG_PASSES, MAX_WRONG_FAILS = 0.03, 0.05
"""Highest shares of cheats that pass, and of honest videos that fail."""
MIN_VIDEOS = 40
"""Cheats and honest videos of a task, at least, of which all kinds together may report rates."""
ALL = "all"
"""The name of all rounds together, and of all tasks together."""


@dataclass(frozen=True, slots=True)
class KindRates:
    """The errors on the videos of one task, or of all."""

    task: str
    cheats: int
    """Videos that deserve to fail."""
    wrong_passes: int
    honest: int
    """Videos that deserve to pass."""
    wrong_fails: int
    """Honest videos that failed or got no verdict."""
    wrong_pass_rate: Estimate
    """By video, with an interval that counts kinds."""
    wrong_fail_rate: Estimate


@dataclass(frozen=True, slots=True)
class FreshKindsReport:
    """The errors of a scorer on kinds of videos."""

    scorer: str
    kinds: str
    """``round_1``, ``round_2``, ``parts`` or ``all``."""
    seed: int
    videos: int
    cheat_kinds: int
    honest_kinds: int
    versions: Mapping[str, str]
    """Of the scorer, by task."""
    rates: tuple[KindRates, ...]
    """Of each task, and last of all together."""
    wrong_kinds: Mapping[str, str]
    """For each kind with a wrong verdict, the number of them and of its videos: ``3 of 35``."""
    failures: tuple[WrongVerdict, ...]
    sample: int | None = None
    """Most cheats, and most honest videos, that were drawn of each task; None means all."""

    @property
    def total(self) -> KindRates:
        return self.rates[-1]

    @property
    def ok(self) -> bool:
        """Whether both rates are as low as wanted."""
        passes, fails = self.total.wrong_pass_rate.value, self.total.wrong_fail_rate.value
        return (passes or 0.0) <= MAX_WRONG_PASSES and (fails or 0.0) <= MAX_WRONG_FAILS


def select_kinds(name: str) -> tuple[VideoKind, ...]:
    """Return the kinds of a round, or of all. Raises UnknownName."""
    if name == ALL:
        return tuple(kind for kinds in ROUNDS.values() for kind in kinds)
    if name not in ROUNDS:
        raise UnknownName("round of kinds", name, (*ROUNDS, ALL))
    return ROUNDS[name]


def plan_round(task: AnyTask, name: str, videos: int, seed: int, sample: int | None = None) -> list[TrialSpec]:
    """Return the trials of the kinds of a round, or of all, that a task has. Raises UsageError where there are too few
    to say anything.

    With ``sample``, at most so many cheats and so many honest videos are drawn from them, by the seed and the task's
    name: over many tasks they say what all would, in less time."""
    specs = plan_kind_trials(task, select_kinds(name), videos, seed)
    if not specs:
        raise UsageError(
            f"{task.name}: no kind of {name} is written for it, so nothing would be audited; "
            "audit it by tricks (without --kinds), or name other tasks with --task"
        )
    if sample is not None:
        return _draw_sample(specs, sample, rng_for("kinds sample", seed, task.name))
    cheats = sum(spec.expected == "fail" for spec in specs)
    honest = len(specs) - cheats
    if name == ALL and min(cheats, honest) < MIN_VIDEOS:
        raise UsageError(
            f"{task.name}: {cheats} cheats and {honest} honest videos; an error rate needs at least {MIN_VIDEOS} of "
            f"each: raise --videos, which is {videos}"
        )
    return specs


def _draw_sample(specs: Sequence[TrialSpec], sample: int, rng: Random) -> list[TrialSpec]:
    chosen: list[int] = []
    for expected in ("fail", "pass"):
        places = [place for place, spec in enumerate(specs) if spec.expected == expected]
        chosen += rng.sample(places, min(sample, len(places)))
    return [specs[place] for place in sorted(chosen)]


def measure_errors(
    trials: Sequence[Trial], scorer: str, kinds: str, seed: int, sample: int | None = None
) -> FreshKindsReport:
    """Return how often the trials got a wrong verdict."""
    tasks = list(dict.fromkeys(trial.trial_id.task for trial in trials))
    by_kind: dict[str, list[Trial]] = {}
    for trial in trials:
        by_kind.setdefault(trial.trial_id.trick, []).append(trial)
    wrong = {name: sum(not trial.is_right for trial in group) for name, group in by_kind.items()}
    return FreshKindsReport(
        scorer=scorer,
        kinds=kinds,
        seed=seed,
        videos=len(trials),
        cheat_kinds=sum(group[0].expected == "fail" for group in by_kind.values()),
        honest_kinds=sum(group[0].expected == "pass" for group in by_kind.values()),
        versions={
            task: ", ".join(sorted({t.score.version for t in trials if t.score and t.trial_id.task == task}))
            for task in tasks
        },
        rates=(
            *(_measure_rates(task, [trial for trial in trials if trial.trial_id.task == task]) for task in tasks),
            _measure_rates(ALL, trials),
        ),
        wrong_kinds={
            name: f"{count} of {len(by_kind[name])}" for name, count in sorted(wrong.items(), key=_order) if count
        },
        failures=tuple(describe_wrong_verdict(trial) for trial in trials if not trial.is_right),
        sample=sample,
    )


def _order(entry: tuple[str, int]) -> tuple[int, str]:
    return -entry[1], entry[0]


def _measure_rates(task: str, trials: Sequence[Trial]) -> KindRates:
    cheats = [trial for trial in trials if trial.expected == "fail"]
    honest = [trial for trial in trials if trial.expected == "pass"]
    return KindRates(
        task,
        len(cheats),
        _count_wrong(cheats),
        len(honest),
        _count_wrong(honest),
        _rate_errors(cheats),
        _rate_errors(honest),
    )


def _count_wrong(trials: Sequence[Trial]) -> int:
    return sum(not trial.is_right for trial in trials)


def _rate_errors(trials: Sequence[Trial]) -> Estimate:
    return pooled_rate([not trial.is_right for trial in trials], [trial.trial_id.trick for trial in trials])


def summarise_kinds(report: FreshKindsReport) -> str:
    """Return the report in a sentence or two."""
    total = report.total
    parts = [
        f"{wrong} of {count} {what} ({format_rate(rate)})"
        for wrong, count, what, rate in (
            (total.wrong_passes, total.cheats, "cheats passed", total.wrong_pass_rate),
            (total.wrong_fails, total.honest, "honest videos failed", total.wrong_fail_rate),
        )
    ]
    wanted = f"wanted: at most {MAX_WRONG_PASSES:.0%} and {MAX_WRONG_FAILS:.0%}"
    return f"{'; '.join(parts)}; {wanted}."


def format_rate(rate: Estimate) -> str:
    if rate.value is None or rate.low is None or rate.high is None:
        return "-"
    return f"{rate.value:.1%}, {100 * rate.low:.1f} - {100 * rate.high:.1f}%"


def format_kinds_markdown(report: FreshKindsReport) -> str:
    """Return the report as a document. It has no date: equal audits give equal documents."""
    versions = ", ".join(f"{task} {version}" for task, version in report.versions.items())
    rows = [
        f"| {rates.task} | {rates.wrong_passes} of {rates.cheats} | {format_rate(rates.wrong_pass_rate)} | "
        f"{rates.wrong_fails} of {rates.honest} | {format_rate(rates.wrong_fail_rate)} |"
        for rates in report.rates
    ]
    kinds = [f"| `{name}` | {count} |" for name, count in report.wrong_kinds.items()]
    wrong = ["| kind | wrong verdicts |", "| --- | --- |", *kinds] if kinds else ["None."]
    return "\n".join(
        [
            f"# Kinds of videos: the scorer `{report.scorer}` on {report.kinds}",
            "",
            summarise_kinds(report),
            "",
            f"Rules: {versions}; seed {report.seed}; {report.videos} videos of {report.cheat_kinds} kinds of cheats "
            f"and {report.honest_kinds} of honest videos. Rates are by video; the 95% bounds count kinds, since the "
            "videos of one kind are not independent. A video without a verdict is wrong.",
            "",
            "| task | cheats that passed | rate | honest videos that failed | rate |",
            "| --- | --- | --- | --- | --- |",
            *rows,
            "",
            "## Kinds with wrong verdicts",
            "",
            *wrong,
            "",
        ]
    )


def to_kinds_record(report: FreshKindsReport) -> dict[str, Any]:
    """Return the report as plain JSON values."""
    return {**to_json(report), "ok": report.ok}
