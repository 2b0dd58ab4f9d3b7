"""How often a scorer errs on random programs: by task, by track and by operation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vmevalkit.audit.attack.operations import OPERATIONS, TRACKS
from vmevalkit.audit.attack.program import to_record
from vmevalkit.audit.attack.trials import Trial
from vmevalkit.audit.fresh_kinds import format_rate
from vmevalkit.core.jsonable import to_json
from vmevalkit.stats.rates import pooled_rate
from vmevalkit.stats.records import Estimate

MAX_WRONG_PASSES, MAX_WRONG_FAILS = 0.01, 0.03
"""Highest shares of videos that deserve to fail and pass, and the other way round."""
ALL = "all"
_LISTED_REASONS = 8


@dataclass(frozen=True, slots=True)
class AttackRates:
    """The errors on a group of programs."""

    name: str
    programs: int
    dropped: int
    """Programs that are too close to a limit to have a label."""
    cheats: int
    wrong_passes: int
    honest: int
    wrong_fails: int
    """Honest videos that failed or got no verdict."""
    wrong_pass_rate: Estimate
    """With an interval that counts puzzles."""
    wrong_fail_rate: Estimate

    @property
    def dropped_share(self) -> float:
        return self.dropped / self.programs if self.programs else 0.0


@dataclass(frozen=True, slots=True)
class AttackReport:
    """The errors of a scorer on random programs."""

    scorer: str
    seed: int
    total: AttackRates
    tasks: tuple[AttackRates, ...]
    tracks: tuple[AttackRates, ...]
    """Programs that have an operation of the track; of the states, one beside rests and the plain solution."""
    operations: tuple[AttackRates, ...]
    drop_reasons: tuple[tuple[str, int], ...]
    """The most frequent reasons to leave a program out."""
    wrong: tuple[dict[str, Any], ...]
    """Programs with a wrong verdict, with their labels and the scorer's explanations."""
    label_cpu_s: float
    """Mean CPU time to label a program."""
    draw_cpu_s: float
    """Mean CPU time to draw a video that was scored."""
    score_cpu_s: float

    @property
    def is_within(self) -> bool:
        """Whether both rates are as low as wanted, in every task."""
        return all(
            (rates.wrong_pass_rate.value or 0.0) <= MAX_WRONG_PASSES
            and (rates.wrong_fail_rate.value or 0.0) <= MAX_WRONG_FAILS
            for rates in self.tasks
        )


def measure_rates(trials: Sequence[Trial], scorer: str, seed: int) -> AttackReport:
    """Return how often the trials got a wrong verdict."""
    tasks = list(dict.fromkeys(trial.program.task for trial in trials))
    scored = [trial for trial in trials if trial.is_scored]
    reasons = Counter(_shorten(trial.label.reason) for trial in trials if not trial.is_scored)
    by_operation = [(name, [t for t in trials if any(o.name == name for o in t.program.operations)])
                    for name in OPERATIONS]  # fmt: skip
    return AttackReport(
        scorer,
        seed,
        _measure(ALL, trials),
        tuple(_measure(name, [trial for trial in trials if trial.program.task == name]) for name in tasks),
        tuple(_measure(track, [trial for trial in trials if _uses(trial, track)]) for track in TRACKS),
        tuple(_measure(name, group) for name, group in by_operation if group),
        tuple(reasons.most_common(_LISTED_REASONS)),
        tuple(_describe(trial) for trial in trials if trial.is_wrong),
        sum(trial.label_cpu_s for trial in trials) / max(1, len(trials)),
        sum(trial.draw_cpu_s for trial in scored) / max(1, len(scored)),
        sum(trial.score_cpu_s for trial in scored) / max(1, len(scored)),
    )


def _uses(trial: Trial, track: str) -> bool:
    return any(
        OPERATIONS[each.name].track == track and each.name not in ("rest", "solve") for each in trial.program.operations
    )


def _shorten(reason: str) -> str:
    """Return a reason without its numbers and names, so that equal ones are counted together."""
    head = reason.split("(")[0].split(" / ")[0]
    words = ["N" if any(c.isdigit() for c in word) else word for word in head.split() if "=" not in word]
    return " ".join(words).strip(",: ")


def _describe(trial: Trial) -> dict[str, Any]:
    return {
        "program": to_record(trial.program), "deserves": trial.label.verdict, "reason": trial.label.reason,
        "explanation": trial.explanation,
    }  # fmt: skip


def _measure(name: str, trials: Sequence[Trial]) -> AttackRates:
    cheats = [trial for trial in trials if trial.label.verdict == "fail"]
    honest = [trial for trial in trials if trial.label.verdict == "pass"]
    return AttackRates(
        name,
        len(trials),
        sum(not trial.is_scored for trial in trials),
        len(cheats),
        sum(trial.is_wrong for trial in cheats),
        len(honest),
        sum(trial.is_wrong for trial in honest),
        _rate(cheats),
        _rate(honest),
    )


def _rate(trials: Sequence[Trial]) -> Estimate:
    puzzles = [f"{t.program.task}/{t.program.difficulty}/{t.program.seed}/{t.program.index}" for t in trials]
    return pooled_rate([trial.is_wrong for trial in trials], puzzles)


def summarise(report: AttackReport) -> str:
    """Return the report in a sentence or two."""
    total = report.total
    return (
        f"{total.wrong_passes} of {total.cheats} cheats passed ({format_rate(total.wrong_pass_rate)}), "
        f"{total.wrong_fails} of {total.honest} honest videos failed ({format_rate(total.wrong_fail_rate)}); "
        f"{total.dropped_share:.0%} of {total.programs} programs were too close to a limit to have a label. "
        f"Wanted in every task: at most {MAX_WRONG_PASSES:.0%} and {MAX_WRONG_FAILS:.0%}."
    )


def format_table(rows: Sequence[AttackRates], what: str) -> str:
    """Return the rates of groups as a Markdown table."""
    lines = [
        f"| {what} | cheats that passed | rate | honest videos that failed | rate | left out |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        lines.append(
            f"| {row.name} | {row.wrong_passes} of {row.cheats} | {format_rate(row.wrong_pass_rate)} | "
            f"{row.wrong_fails} of {row.honest} | {format_rate(row.wrong_fail_rate)} | {row.dropped_share:.0%} |"
        )
    return "\n".join(lines)


def format_report(report: AttackReport) -> str:
    """Return the report as a document. It has no date: equal attacks give equal documents."""
    reasons = [f"- {count} times: {reason}" for reason, count in report.drop_reasons]
    wrong = [
        f"- deserves {each['deserves']} ({each['reason']}): {each['explanation']}\n\n"
        f"  `{_format_line(each['program'])}`"
        for each in report.wrong
    ]
    return "\n\n".join(
        [
            f"# Random programs: the scorer `{report.scorer}`",
            summarise(report),
            f"Seed {report.seed}. Rates are by video; the 95% bounds count puzzles. A video without a verdict is "
            "wrong.",
            format_table([*report.tasks, report.total], "task"),
            "## By track",
            format_table(report.tracks, "track"),
            "## By operation",
            format_table(report.operations, "operation"),
            "## Why programs were left out",
            "\n".join(reasons) or "None was.",
            "## Wrong verdicts",
            "\n".join(wrong) or "None.",
        ]
    ) + "\n"  # fmt: skip


def _format_line(record: dict[str, Any]) -> str:
    operations = "; ".join(
        " ".join([str(each["op"]), *(f"{key}={value}" for key, value in each.items() if key != "op")])
        for each in record["operations"]
    )
    return f"{record['task']}/{record['difficulty']}/{record['seed']}/{record['index']}: {operations}"


def to_report_record(report: AttackReport) -> dict[str, Any]:
    """Return the report as plain JSON values."""
    return {**to_json(report), "is_within": report.is_within}
