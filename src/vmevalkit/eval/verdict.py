"""From a trace of states to a verdict: the rules that all tasks share, without pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from vmevalkit.core.records import FailureMode, Finding, Score
from vmevalkit.eval.leftovers import find_leftovers, find_overlays, find_passing_content, find_unseen_parts
from vmevalkit.tasks.evidence import check_motion
from vmevalkit.tasks.task import AnyTask, FrameReading, readable

SETTLED_S = 0.5
"""Length of the time at the end over which the final state is read."""
HELD_S = 0.25
"""An answer that is reached in that time is held at least so long, where the final state matters."""
HELD_SHARE = 0.8
"""Share of the readings of that time that show the answer where it is not reached in it, and since it was reached."""
END_CARD_S = 1.0
"""Longest fade or end card that is skipped."""
CARD_SHARE = 1 / 16
"""Share of the frames of a fade or card that may look otherwise, because they are coded badly."""
START_PROGRESS, START_PROGRESS_PER_S, START_DELAY_S = 0.2, 0.4, 1.0
"""Most progress of the first readable state, more for each second that it comes late, for at most so many seconds."""
START_STEPS, START_STEPS_PER_S = 0.7, 4.0
"""Most steps of a moving part in the first readable state: a share of its free steps, and more for each second."""
FOREIGN_PENALTY = 0.75
"""What is left of an outcome where something foreign is in the scene, or a part of it cannot be seen."""


_ROUNDING_S = 1e-6
"""Times of frames are rounded."""


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a video."""

    state: Any
    """The final state; None where the end cannot be read."""
    reason: str = ""


def read_ending(task: AnyTask, puzzle: Any, trace: Sequence[FrameReading[Any]]) -> Ending:
    """Return the state on which the readings of the last half second agree.

    A fade or a still card after it is skipped. Anything else that cannot be read is no end: nothing was shown there.
    """
    read = readable(trace)
    if not read:
        return Ending(None, "no frame could be read as this puzzle")
    last_s = read[-1][0]
    tail = [reading for reading in trace if reading.seconds > last_s]
    other = sum(not reading.is_card for reading in tail)
    # The slack is for rounding: the last reading holds until the end of the video.
    if trace[-1].seconds - last_s > END_CARD_S + 1e-6 or other > CARD_SHARE * len(tail):
        return Ending(None, f"the video is unreadable after {last_s:.2f} s")
    return Ending(task.consensus_state(puzzle, [state for seconds, state in read if seconds > last_s - SETTLED_S]))


def judge(task: AnyTask, puzzle: Any, trace: Sequence[FrameReading[Any]], scorer: str) -> Score:
    """Return the verdict on a whole video."""
    version = task.version
    end = read_ending(task, puzzle, trace)
    if end.state is None:
        return make_broken_score(scorer, version, end.reason)
    read = readable(trace)
    checked = task.check(puzzle, trace)
    overlays = find_overlays(trace)
    leftovers = find_leftovers(task, puzzle, trace, overlays)
    foreign = [finding for finding in leftovers if finding.gating]
    unseen = find_unseen_parts(task, puzzle, trace, overlays)
    start = _check_start(task, puzzle, trace)
    way = (*checked.findings, *_leave_out_reported(check_motion(task, puzzle, trace), checked.findings))
    findings = (
        *start,
        *way,
        *leftovers,
        *unseen,
        *find_passing_content(trace),
    )
    gating = [finding for finding in findings if finding.gating]
    accepted_at = [(seconds, task.accepted(puzzle, state)) for seconds, state in read]

    is_accepted = task.accepted(puzzle, end.state)
    held_s = HELD_S if task.motion is None else 0.0
    is_answer = is_accepted and _is_settled(accepted_at, held_s, _measure_frame_s(trace))
    solved = is_answer and not foreign and not unseen
    static = not is_answer and _is_static(task, puzzle, read, end.state)
    progress = _compute_outcome(task, puzzle, end.state, is_answer, static)
    outcome = progress * (FOREIGN_PENALTY if foreign or unseen else 1.0)
    # Where only the final state matters, damage lowers the outcome whenever it was done.
    # Elsewhere what moves on beside a thing that was added, or after a part was hidden, has not been shown legally.
    broken = (*way, *leftovers, *unseen) if task.motion is not None else ()
    violations = [finding for finding in (*start, *broken) if finding.gating]
    passed = solved and not gating
    ever_solved = is_answer or _was_accepted(accepted_at)
    first_violation_s = min((f.seconds for f in gating if f.seconds is not None), default=None)
    moved = task.state_key(puzzle, end.state) != task.state_key(puzzle, task.solution(puzzle, 0.0))
    mode = _choose_failure_mode(is_answer, static, gating, ever_solved, outcome, moved)
    return Score(
        scorer=scorer,
        version=version,
        value=_compute_value(solved, bool(gating), bool(findings), outcome),
        solved=solved,
        passed=passed,
        outcome=round(outcome, 4),
        process=round(_compute_process(trace, gating, first_violation_s, mode), 4),
        legal_progress=round(_measure_legal_progress(task, puzzle, read, violations) if violations else progress, 4),
        findings=findings,
        metrics={name: float(value) for name, value in checked.metrics.items()},
        failure_mode=mode,
        ever_solved=ever_solved,
        solved_at_s=next((seconds for seconds, accepted in accepted_at if accepted), None) if ever_solved else None,
        held_s=_measure_held_s(accepted_at) if solved else None,
        first_violation_s=first_violation_s,
        explanation=_write_explanation(solved, outcome, mode, findings, is_accepted and not is_answer),
    )


def _leave_out_reported(shared: Sequence[Finding], own: Sequence[Finding]) -> list[Finding]:
    """Leave out jumps that the task reports itself, in its own words: a wall that is crossed, a pipe repainted."""
    reported = {finding.seconds for finding in own if finding.gating}
    return [finding for finding in shared if finding.name != "jump" or finding.seconds not in reported]


def _is_settled(accepted_at: Sequence[tuple[float, bool]], held_s: float, frame_s: float) -> bool:
    """Return whether the answer is there at the end, and stays once it is there.

    The last reading shows it, and so do most readings of the last half second, or since it is reached in that time. It
    is held for ``held_s``: what cannot be read before a single sighting is no hold. Where every move must be visible,
    the last sighting after a legal way is enough: there ``held_s`` is 0. The last reading holds for ``frame_s``.
    """
    end_s = accepted_at[-1][0]
    settling = [(seconds, flag) for seconds, flag in accepted_at if seconds > end_s - SETTLED_S]
    if not settling[-1][1]:
        return False
    first = next(place for place, (_, flag) in enumerate(settling) if flag)
    after = [flag for _, flag in settling[first:]]
    since_s = min(settling[first][0], end_s - _measure_held_s(accepted_at))
    return after.count(True) >= HELD_SHARE * len(after) and end_s - since_s + frame_s >= held_s - _ROUNDING_S


def _measure_frame_s(trace: Sequence[FrameReading[Any]]) -> float:
    """Return the mean time from one frame to the next."""
    return (trace[-1].seconds - trace[0].seconds) / (len(trace) - 1) if len(trace) > 1 else 0.0


def make_broken_score(scorer: str, version: str, reason: str) -> Score:
    """Return the lowest verdict: the video does not show this puzzle, or is unreadable at the end."""
    return Score(
        scorer=scorer, version=version, value=1, solved=False, passed=False, outcome=0.0, process=0.0,
        legal_progress=0.0, failure_mode="scene_broken", ever_solved=False, explanation=reason,
    )  # fmt: skip


def _check_start(task: AnyTask, puzzle: Any, trace: Sequence[FrameReading[Any]]) -> tuple[Finding, ...]:
    """Return a finding where the first readable state is not that of the question's first frame.

    A video may begin with a fade or a short title: the later the first reading, the further the motion may be.
    """
    seconds, state = readable(trace)[0]
    if task.state_key(puzzle, state) == task.state_key(puzzle, task.solution(puzzle, 0.0)):
        return ()
    delay_s = min(seconds - trace[0].seconds, START_DELAY_S)
    allowed = START_PROGRESS + delay_s * START_PROGRESS_PER_S
    is_wrong = task.accepted(puzzle, state) or task.progress(puzzle, state) > allowed
    if task.motion is not None:
        steps = _count_start_steps(task, puzzle, state)
        is_wrong = is_wrong or steps > START_STEPS * task.motion.free_steps + delay_s * START_STEPS_PER_S
    if not is_wrong:
        return ()
    detail = "The video does not start from the question's first frame."
    return (Finding("wrong_start", True, detail, seconds),)


def _count_start_steps(task: AnyTask, puzzle: Any, state: Any) -> float:
    start = task.moving_parts(puzzle, task.solution(puzzle, 0.0))
    parts = task.moving_parts(puzzle, state)
    return max(
        (task.count_steps(puzzle, name, start[name], parts[name]) for name in start if name in parts), default=0.0
    )


def _was_accepted(accepted_at: Sequence[tuple[float, bool]]) -> bool:
    """Return whether two readings in a row were accepted: a single one may be a misreading."""
    return any(now and then for (_, now), (_, then) in pairwise(accepted_at))


def _measure_held_s(accepted_at: Sequence[tuple[float, bool]]) -> float:
    end_s = accepted_at[-1][0]
    since = end_s
    for seconds, accepted in reversed(accepted_at):
        if not accepted:
            break
        since = seconds
    return round(end_s - since, 4)


def _compute_value(solved: bool, gated: bool, any_finding: bool, outcome: float) -> int:
    if solved:
        return 2 if gated else 4 if any_finding else 5
    if outcome >= 0.5:
        return 3
    return 2 if outcome > 0 else 1


def _compute_process(
    trace: Sequence[FrameReading[Any]], gating: Sequence[Finding], first_violation_s: float | None, mode: FailureMode
) -> float:
    """Return the share of the video before the first violation; 0 for a static video."""
    if mode in ("static", "scene_broken"):
        return 0.0
    if not gating:
        return 1.0
    whole = trace[-1].seconds - trace[0].seconds
    if first_violation_s is None or whole <= 0:
        return 0.0
    return min(max((first_violation_s - trace[0].seconds) / whole, 0.0), 1.0)


def _measure_legal_progress(
    task: AnyTask, puzzle: Any, read: Sequence[tuple[float, Any]], violations: Sequence[Finding]
) -> float:
    """Return the progress at which the video stood when the first violation began: that of the video cut off there.

    A violation without a time may be anywhere, so nothing was surely shown before it."""
    first_s = min(read[0][0] if finding.seconds is None else finding.seconds for finding in violations)
    before = [(seconds, state) for seconds, state in read if seconds < first_s]
    if not before:
        return 0.0
    settled = task.consensus_state(puzzle, [state for seconds, state in before if seconds > before[-1][0] - SETTLED_S])
    # What goes back is at its last reading when the violation comes, and not where it was most of the last half second.
    return min(
        _compute_outcome(task, puzzle, state, task.accepted(puzzle, state), _is_static(task, puzzle, before, state))
        for state in (settled, before[-1][1])
    )


def _is_static(task: AnyTask, puzzle: Any, read: Sequence[tuple[float, Any]], final: Any) -> bool:
    """Return whether nothing ever changes."""
    start = task.state_key(puzzle, task.solution(puzzle, 0.0))
    moved = sum(task.state_key(puzzle, state) != start for _, state in read)
    # A few wrong readings do not make a static video a moving one.
    return moved <= max(1, len(read) // 50) and task.state_key(puzzle, final) == start


def _compute_outcome(task: AnyTask, puzzle: Any, final: Any, solved: bool, static: bool) -> float:
    if solved:
        return 1.0
    # The readings of a static video jitter; that is not progress.
    return 0.0 if static else min(max(task.progress(puzzle, final), 0.0), 1.0)


def _choose_failure_mode(
    is_answer: bool, static: bool, gating: Sequence[Finding], ever_solved: bool, outcome: float, moved: bool
) -> FailureMode:
    names = {finding.name for finding in gating}
    if static:
        return "static"
    if "foreign_content" in names:
        return "scene_broken"
    if names:
        return "not_shown" if names <= {"not_shown", "unseen_at_end"} else "illegal_process"
    if is_answer:
        return "none"
    if ever_solved:
        return "incorrect_termination"
    if outcome > 0:
        return "partial"
    return "incorrect_termination" if moved else "misunderstood"


def _write_explanation(
    solved: bool, outcome: float, mode: FailureMode, findings: Sequence[Finding], is_fleeting: bool
) -> str:
    if solved and not findings:
        return "Solved, and nothing is wrong on the way."
    verdict = "Solved" if solved else f"Not solved ({mode.replace('_', ' ')}, outcome {outcome:.2f})"
    if is_fleeting:
        verdict += ". The answer is shown too late or too briefly to be held at the end"
    if not findings:
        return verdict + "."
    ordered = sorted(findings, key=lambda f: (not f.gating, f.seconds if f.seconds is not None else 0.0))
    return f"{verdict}. " + " ".join(finding.detail for finding in ordered[:4])
