"""From a trace of states to a verdict: the rules that all tasks share. No pixels here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from vmevalkit.core.records import FailureMode, Finding, Score
from vmevalkit.tasks.task import AnyTask, Glimpse, readable

SETTLED_S = 0.5
"""The final state is read over the last half second."""
END_CARD_S = 1.0
"""A fade or an end card of at most this length is passed over."""
STARTS_DONE = 0.5
"""A film whose first readable state has more progress than this did not start from the question."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What a film amounts to at its end."""

    state: Any
    """The settled final state; None where there is no readable end."""
    reason: str = ""


def ending(task: AnyTask, puzzle: Any, trace: Sequence[Glimpse[Any]]) -> Ending:
    """The majority of the readable states of the last half second."""
    read = readable(trace)
    if not read:
        return Ending(None, "no frame could be read as this puzzle")
    last_s = read[-1][0]
    # Half a frame of slack: the last glimpse stands for the time until the film's end.
    if trace[-1].seconds - last_s > END_CARD_S + 1e-6:
        return Ending(None, f"nothing can be read after {last_s:.2f} s")
    return Ending(task.settle(puzzle, [state for seconds, state in read if seconds > last_s - SETTLED_S]))


def judge(
    task: AnyTask, puzzle: Any, trace: Sequence[Glimpse[Any]], scorer: str, seen: Sequence[Finding] = ()
) -> Score:
    """The verdict over a whole film. ``seen`` are findings that perception made on the way."""
    version = task.version
    end = ending(task, puzzle, trace)
    if end.state is None:
        return broken(scorer, version, end.reason)
    read = readable(trace)
    checked = task.check(puzzle, trace)
    findings = (*_wrong_start(task, puzzle, read[0]), *checked.findings, *seen)
    gating = [finding for finding in findings if finding.gating]

    solved = task.accepted(puzzle, end.state)
    still = not solved and _still(task, puzzle, read, end.state)
    outcome = _outcome(task, puzzle, end.state, solved, still)
    passed = solved and not gating
    accepted_at = [(seconds, task.accepted(puzzle, state)) for seconds, state in read]
    ever_solved = solved or _held_once(accepted_at)
    first_violation_s = min((f.seconds for f in gating if f.seconds is not None), default=None)
    moved = task.identity(puzzle, end.state) != task.identity(puzzle, task.solution(puzzle, 0.0))
    mode = _failure_mode(solved, still, bool(gating), ever_solved, outcome, moved)
    return Score(
        scorer=scorer,
        version=version,
        value=_value(solved, bool(gating), bool(findings), outcome),
        solved=solved,
        passed=passed,
        outcome=round(outcome, 4),
        process=round(_process(trace, gating, first_violation_s, mode), 4),
        findings=findings,
        metrics={name: float(value) for name, value in checked.metrics.items()},
        failure_mode=mode,
        ever_solved=ever_solved,
        solved_at_s=next((seconds for seconds, accepted in accepted_at if accepted), None) if ever_solved else None,
        held_s=_held(accepted_at) if solved else None,
        first_violation_s=first_violation_s,
        explanation=_explanation(solved, outcome, mode, findings),
    )


def broken(scorer: str, version: str, reason: str) -> Score:
    """The lowest verdict: the film does not show this puzzle, or ends in rubble."""
    return Score(scorer=scorer, version=version, value=1, failure_mode="scene_broken", explanation=reason)


def _wrong_start(task: AnyTask, puzzle: Any, first: tuple[float, Any]) -> tuple[Finding, ...]:
    seconds, state = first
    if task.accepted(puzzle, state) or task.progress(puzzle, state) > STARTS_DONE:
        detail = "The film does not start from the question's first frame: the puzzle is solved or nearly so at once."
        return (Finding("wrong_start", True, detail, seconds),)
    return ()


def _held_once(accepted_at: Sequence[tuple[float, bool]]) -> bool:
    """Two readings in a row: a single one may be a misreading."""
    return any(now and then for (_, now), (_, then) in pairwise(accepted_at))


def _held(accepted_at: Sequence[tuple[float, bool]]) -> float:
    end_s = accepted_at[-1][0]
    since = end_s
    for seconds, accepted in reversed(accepted_at):
        if not accepted:
            break
        since = seconds
    return round(end_s - since, 4)


def _value(solved: bool, gated: bool, any_finding: bool, outcome: float) -> int:
    if solved:
        return 2 if gated else 4 if any_finding else 5
    if outcome >= 0.5:
        return 3
    return 2 if outcome > 0 else 1


def _process(
    trace: Sequence[Glimpse[Any]], gating: Sequence[Finding], first_violation_s: float | None, mode: FailureMode
) -> float:
    """The share of the film before the first violation; a film in which nothing happens has none."""
    if mode in ("static", "scene_broken"):
        return 0.0
    if not gating:
        return 1.0
    whole = trace[-1].seconds - trace[0].seconds
    if first_violation_s is None or whole <= 0:
        return 0.0
    return min(max((first_violation_s - trace[0].seconds) / whole, 0.0), 1.0)


def _still(task: AnyTask, puzzle: Any, read: Sequence[tuple[float, Any]], final: Any) -> bool:
    """Whether nothing ever happens."""
    start = task.identity(puzzle, task.solution(puzzle, 0.0))
    moved = sum(task.identity(puzzle, state) != start for _, state in read)
    # A few stray readings do not make a still film a moving one.
    return moved <= max(1, len(read) // 50) and task.identity(puzzle, final) == start


def _outcome(task: AnyTask, puzzle: Any, final: Any, solved: bool, still: bool) -> float:
    if solved:
        return 1.0
    # The readings of a still film tremble; what they tremble by is no progress.
    return 0.0 if still else min(max(task.progress(puzzle, final), 0.0), 1.0)


def _failure_mode(
    solved: bool, still: bool, gated: bool, ever_solved: bool, outcome: float, moved: bool
) -> FailureMode:
    if solved:
        return "illegal_process" if gated else "none"
    if still:
        return "static"
    if gated:
        return "illegal_process"
    if ever_solved:
        return "incorrect_termination"
    if outcome > 0:
        return "partial"
    return "incorrect_termination" if moved else "misunderstood"


def _explanation(solved: bool, outcome: float, mode: FailureMode, findings: Sequence[Finding]) -> str:
    if solved and not findings:
        return "Solved, and nothing is wrong on the way."
    verdict = "Solved" if solved else f"Not solved ({mode.replace('_', ' ')}, outcome {outcome:.2f})"
    if not findings:
        return verdict + "."
    told = sorted(findings, key=lambda f: (not f.gating, f.seconds if f.seconds is not None else 0.0))
    return f"{verdict}. " + " ".join(finding.detail for finding in told[:4])
