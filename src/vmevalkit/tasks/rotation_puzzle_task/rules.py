"""Rules of a rotation puzzle's video: when it is solved, how far it got, and what went wrong. No pixels here."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

from vmevalkit.core.records import Finding
from vmevalkit.tasks.evidence import find_spans
from vmevalkit.tasks.rotation_puzzle_task.metrics import compute_end_metrics, compute_step_metrics
from vmevalkit.tasks.rotation_puzzle_task.motion import TurnStep, find_jumps, find_steps, read_squares, sum_turning_deg
from vmevalkit.tasks.rotation_puzzle_task.pipes import QUARTERS, find_group_sizes, get_sides
from vmevalkit.tasks.rotation_puzzle_task.puzzle import (
    RotationPuzzle,
    count_fewest_quarter_turns,
    get_pipe_kinds,
    get_start_pieces,
)
from vmevalkit.tasks.rotation_puzzle_task.scene import BLUE, PipeScene, compute_turn_deg
from vmevalkit.tasks.rotation_puzzle_task.solving import find_cheapest_layout
from vmevalkit.tasks.rotation_puzzle_task.states import (
    SNAP_DEG,
    find_consensus_state,
    get_pieces,
    get_visible_pipe,
    is_double,
    is_moved,
    is_sound,
)
from vmevalkit.tasks.task import CheckResult, Trace, readable

DAMAGE = 0.25
"""What each moved, lost, changed or added pipe subtracts from the progress."""
_ANGLE_BIN_DEG = 30

Readings = Sequence[tuple[float, PipeScene]]


def _count_damages(puzzle: RotationPuzzle, scene: PipeScene) -> int:
    """Return how many pipes are lost, moved, changed, doubled or new."""
    count = len(scene.new_pipes)
    for home, kind in enumerate(get_pipe_kinds(puzzle)):
        count += _is_damaged(puzzle, scene, home, kind)
    return count


def _is_damaged(puzzle: RotationPuzzle, scene: PipeScene, home: int, kind: str) -> bool:
    own = get_visible_pipe(scene, home)
    return own is None or not is_sound(puzzle, own, kind) or is_double(scene, home)


def is_intact(puzzle: RotationPuzzle, state: PipeScene) -> bool:
    """Return whether every pipe is at its place as it was, but for its angle, and nothing is new."""
    return _count_damages(puzzle, state) == 0


def is_accepted(puzzle: RotationPuzzle, state: PipeScene) -> bool:
    """Return whether all squares are connected in any layout, with every pipe intact and at its place."""
    groups = find_group_sizes(puzzle.rows, puzzle.cols, get_pieces(puzzle, state))
    return groups[0] == puzzle.rows * puzzle.cols and not _count_damages(puzzle, state)


def measure_progress(puzzle: RotationPuzzle, state: PipeScene) -> float:
    """Return how much less is left to rotate than at the start, minus the damage."""
    if is_accepted(puzzle, state):
        return 1.0
    options = []
    for home, kind in enumerate(get_pipe_kinds(puzzle)):
        own = get_visible_pipe(state, home)
        angle = own.angle_deg if own is not None and own.shape == kind else None
        options.append([(get_sides(kind, q), _measure_remaining_turns(kind, angle, q)) for q in range(QUARTERS[kind])])
    best = find_cheapest_layout(puzzle.rows, puzzle.cols, options)
    assert best is not None
    progress = 1 - best[0] / max(count_fewest_quarter_turns(puzzle.rows, puzzle.cols, get_start_pieces(puzzle)), 1)
    return min(max(progress - DAMAGE * _count_damages(puzzle, state), 0.0), 1.0)


def _measure_remaining_turns(kind: str, angle_deg: float | None, quarter: int) -> float:
    """Return how many quarter turns are left to rotate; a pipe that is nearly at one counts as being there."""
    if angle_deg is None:
        return 1.0
    whole, rest_deg = divmod(abs(compute_turn_deg(kind, angle_deg, 90 * quarter)), 90)
    return whole + min(max((rest_deg - SNAP_DEG) / (90 - 2 * SNAP_DEG), 0.0), 1.0)


def build_state_key(puzzle: RotationPuzzle, state: PipeScene) -> Hashable:
    """Return for each square its rounded angle and whether it is damaged, and the number of new pipes."""
    squares: list[Hashable] = []
    for home, kind in enumerate(get_pipe_kinds(puzzle)):
        own = get_visible_pipe(state, home)
        pose = None if own is None else (own.shape, round(own.angle_deg / _ANGLE_BIN_DEG) % (3 * QUARTERS[kind]))
        squares.append((pose, _is_damaged(puzzle, state, home, kind)))
    return tuple(squares), len(state.new_pipes)


def check_trace(puzzle: RotationPuzzle, trace: Trace[PipeScene]) -> CheckResult:
    """Return the findings and metrics of a video."""
    readings = readable(trace)
    if not readings:
        return CheckResult()
    kinds = get_pipe_kinds(puzzle)
    squares = read_squares(kinds, trace)
    steps = find_steps(kinds, squares)
    jumps = find_jumps(steps)
    findings = [
        *_report_jumps(puzzle, jumps),
        *_report_moved(puzzle, readings),
        *_report_change(readings, "pipe_vanished", "A pipe vanishes", lambda scene: _has_lost_pipe(puzzle, scene)),
        *_report_change(
            readings, "pipe_changed", "A pipe becomes another shape", lambda scene: _has_reshaped_pipe(puzzle, scene)
        ),
        *_report_change(readings, "recoloured", "A pipe has another colour", _has_recoloured_pipe),
        *_report_change(readings, "pipe_added", "There is an additional pipe", lambda scene: len(scene.new_pipes) > 0),
    ]
    final_s = readings[-1][0]
    final = find_consensus_state(puzzle, [scene for seconds, scene in readings if seconds > final_s - 0.5])
    turned_deg = sum_turning_deg(kinds, squares)
    metrics = compute_end_metrics(puzzle, final, turned_deg, is_accepted(puzzle, final))
    return CheckResult(tuple(findings), metrics | compute_step_metrics(steps, jumps, len(readings) / len(trace)))


def _report_jumps(puzzle: RotationPuzzle, jumps: Sequence[TurnStep]) -> Iterator[Finding]:
    for name, is_ghost, verb in (("repainted", True, "is painted over"), ("jump", False, "jumps")):
        found = [step for step in jumps if step.is_ghost == is_ghost]
        if found:
            further = f", and {len(found) - 1} more like it" if len(found) > 1 else ""
            where = _name_place(puzzle, found[0].home)
            angle = f"{abs(found[0].turn_deg):.0f} degrees away"
            detail = f"The pipe {where} {verb} from one angle to another, {angle}{further}."
            yield Finding(name, True, detail, found[0].seconds)


def _name_place(puzzle: RotationPuzzle, home: int) -> str:
    row, col = divmod(home, puzzle.cols)
    return f"in row {row + 1}, column {col + 1}"


def _report_moved(puzzle: RotationPuzzle, readings: Readings) -> Iterator[Finding]:
    for home in range(puzzle.rows * puzzle.cols):

        def has_left(scene: PipeScene, home: int = home) -> bool:
            return any(is_moved(puzzle, pipe) for pipe in scene.pipes_at(home))

        spans = find_spans(readings, has_left)
        if spans:
            detail = f"The square {_name_place(puzzle, home)} leaves its place."
            yield Finding("square_moved", True, detail, spans[0].start_s)
            return


def _has_lost_pipe(puzzle: RotationPuzzle, scene: PipeScene) -> bool:
    return any(get_visible_pipe(scene, home) is None for home in range(puzzle.rows * puzzle.cols))


def _has_reshaped_pipe(puzzle: RotationPuzzle, scene: PipeScene) -> bool:
    kinds = get_pipe_kinds(puzzle)
    return any(pipe.home >= 0 and pipe.shape != kinds[pipe.home] for pipe in scene.pipes)


def _has_recoloured_pipe(scene: PipeScene) -> bool:
    return any(pipe.colour != BLUE and pipe.home >= 0 for pipe in scene.pipes)


def _report_change(
    readings: Readings, name: str, detail: str, is_changed: Callable[[PipeScene], bool]
) -> Iterator[Finding]:
    """Yield a finding that gates when the change lasts until the end, and does not gate when it is restored."""
    spans = find_spans(readings, is_changed)
    if spans:
        is_final = spans[-1].reaches_end
        yield Finding(name, is_final, f"{detail}{'' if is_final else ' for a while'}.", spans[0].start_s)
