"""The logic of a rotation puzzle's film: when it is solved, how far it got, and what went wrong. No pixels here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import lru_cache
from math import dist
from statistics import median

from vmevalkit.core.records import Finding
from vmevalkit.tasks.rotation_puzzle_task.motion import Step, jumps, looks_of, steps_of, turned_deg
from vmevalkit.tasks.rotation_puzzle_task.pipes import QUARTERS, components, sides_of
from vmevalkit.tasks.rotation_puzzle_task.rotation_puzzle_reasoning import RotationPuzzle, kinds_of, start_of
from vmevalkit.tasks.rotation_puzzle_task.scene import (
    BLUE,
    GHOST,
    WHOLE,
    Pipe,
    Scene,
    between_deg,
    layout_of,
    off_quarter_deg,
    quarter_of,
    scene_of,
)
from vmevalkit.tasks.rotation_puzzle_task.solving import cheapest
from vmevalkit.tasks.task import Checked, Trace, readable

SNAP_DEG = 12.0
"""A pipe that is no farther than this from a quarter opens to its sides."""
MOVED_PX = 12.0
"""A pipe that is farther than this from its place has been moved, in a square of 140."""
DAMAGE = 0.25
"""What each moved, lost, changed or added pipe takes from the progress."""
BELIEVED, BELIEVED_S = 3, 0.2
"""So many readings in a row are believed, or two that span this time."""
_SETTLING = 3
"""The last readings, whose median is the angle at the end."""
_BIN_DEG = 30

Seen = Sequence[tuple[float, Scene]]


def _own(scene: Scene, home: int) -> Pipe | None:
    """The pipe of a square, if it is there."""
    pipes = scene.at(home)
    return pipes[0] if pipes and pipes[0].opacity >= GHOST else None


def _is_moved(puzzle: RotationPuzzle, pipe: Pipe) -> bool:
    layout = layout_of(puzzle.rows, puzzle.cols)
    return dist((pipe.x, pipe.y), layout.homes[pipe.home]) > MOVED_PX * layout.unit


def _is_sound(puzzle: RotationPuzzle, pipe: Pipe, kind: str) -> bool:
    kept = pipe.shape == kind and pipe.colour == BLUE and pipe.opacity >= WHOLE
    return kept and not _is_moved(puzzle, pipe)


def _is_double(scene: Scene, home: int) -> bool:
    pipes = scene.at(home)
    return len(pipes) > 1 and pipes[1].opacity >= GHOST


def _damages(puzzle: RotationPuzzle, scene: Scene) -> int:
    """How many pipes are lost, moved, changed, doubled or new."""
    count = len(scene.new)
    for home, kind in enumerate(kinds_of(puzzle)):
        own = _own(scene, home)
        count += own is None or not _is_sound(puzzle, own, kind) or _is_double(scene, home)
    return count


def pieces_of(puzzle: RotationPuzzle, scene: Scene) -> tuple[int, ...]:
    """The sides to which the squares open; a pipe that is between two quarters opens to none."""
    pieces = []
    for home, kind in enumerate(kinds_of(puzzle)):
        own = _own(scene, home)
        rests = own is not None and own.shape == kind and abs(off_quarter_deg(own.angle_deg)) <= SNAP_DEG
        pieces.append(sides_of(kind, quarter_of(kind, own.angle_deg)) if own is not None and rests else 0)
    return tuple(pieces)


def accepted(puzzle: RotationPuzzle, scene: Scene) -> bool:
    """All squares connected, whichever way; and every pipe in its place, whole and as it was."""
    whole = puzzle.rows * puzzle.cols
    return components(puzzle.rows, puzzle.cols, pieces_of(puzzle, scene))[0] == whole and not _damages(puzzle, scene)


def progress(puzzle: RotationPuzzle, scene: Scene) -> float:
    """How much less is left to turn than at the start, less the damage."""
    if accepted(puzzle, scene):
        return 1.0
    options = []
    for home, kind in enumerate(kinds_of(puzzle)):
        own = _own(scene, home)
        angle = own.angle_deg if own is not None and own.shape == kind else None
        options.append([(sides_of(kind, quarter), _left(kind, angle, quarter)) for quarter in range(QUARTERS[kind])])
    best = cheapest(puzzle.rows, puzzle.cols, options)
    assert best is not None
    done = 1 - best[0] / len(puzzle.to_turn)
    return min(max(done - DAMAGE * _damages(puzzle, scene), 0.0), 1.0)


def _left(kind: str, angle_deg: float | None, quarter: int) -> float:
    """What is left to turn to a quarter: nothing when it lies there, 1 for a quarter turn and more."""
    if angle_deg is None:
        return 1.0
    off = abs(between_deg(kind, angle_deg, 90 * quarter))
    return min(max((off - SNAP_DEG) / (90 - 2 * SNAP_DEG), 0.0), 1.0)


def identity(puzzle: RotationPuzzle, scene: Scene) -> Hashable:
    """How each square lies, in steps of some degrees, and what is wrong with it."""
    squares: list[Hashable] = []
    for home, kind in enumerate(kinds_of(puzzle)):
        own = _own(scene, home)
        lies = None if own is None else (own.shape, round(own.angle_deg / _BIN_DEG) % (3 * QUARTERS[kind]))
        wrong = own is None or not _is_sound(puzzle, own, kind) or _is_double(scene, home)
        squares.append((lies, wrong))
    return tuple(squares), len(scene.new)


def settle(puzzle: RotationPuzzle, scenes: Sequence[Scene]) -> Scene:
    """The scene as it is mostly, with each pipe at its latest angle: squares may turn until the last frame."""
    pipes: list[Pipe] = []
    for home in range(puzzle.rows * puzzle.cols):
        pipes += _settled([scene.at(home) for scene in scenes])
    count = Counter(len(scene.new) for scene in scenes).most_common(1)[0][0]
    pipes += next(scene.new for scene in reversed(scenes) if len(scene.new) == count)
    return scene_of(pipes, scenes[-1].camera)


def _settled(readings: Sequence[tuple[Pipe, ...]]) -> tuple[Pipe, ...]:
    """The pipes of one square."""
    kinds = [tuple((pipe.shape, pipe.colour == BLUE) for pipe in pipes) for pipes in readings]
    usual = Counter(kinds).most_common(1)[0][0]
    alike = [pipes for pipes, kind in zip(readings, kinds, strict=True) if kind == usual]
    if len(usual) != 1:
        return alike[-1]
    last = alike[-1][0]
    some = [pipes[0] for pipes in alike[-_SETTLING:]]
    angle = last.angle_deg + median(between_deg(last.shape, last.angle_deg, pipe.angle_deg) for pipe in some)
    x, y = median(pipe.x for pipe in some), median(pipe.y for pipe in some)
    return (Pipe(last.home, last.shape, angle, x, y, last.colour, median(p.opacity for p in some), last.seen),)


def check(puzzle: RotationPuzzle, trace: Trace[Scene]) -> Checked:
    seen = readable(trace)
    if not seen:
        return Checked()
    kinds = kinds_of(puzzle)
    looks = looks_of(kinds, trace)
    steps = steps_of(kinds, looks)
    jumped = jumps(steps)
    findings = [
        *_jumped(puzzle, jumped),
        *_moved(puzzle, seen),
        *_at_end(seen, "pipe_vanished", "A pipe vanishes", lambda scene: _missing(puzzle, scene)),
        *_at_end(seen, "pipe_changed", "A pipe becomes another shape", lambda scene: _reshaped(puzzle, scene)),
        *_at_end(seen, "recoloured", "A pipe has another colour", _repainted),
        *_at_end(seen, "pipe_added", "There is a pipe too many", lambda scene: len(scene.new) > 0),
    ]
    return Checked(
        tuple(findings),
        {**_metrics(puzzle, seen, turned_deg(kinds, looks)), **_of_steps(steps, jumped, len(seen) / len(trace))},
    )


def _jumped(puzzle: RotationPuzzle, jumped: Sequence[Step]) -> Iterator[Finding]:
    for name, ghost, verb in (("repainted", True, "is painted over"), ("jump", False, "jumps")):
        some = [step for step in jumped if step.ghost == ghost]
        if some:
            more = f", and {len(some) - 1} more like it" if len(some) > 1 else ""
            where = _named(puzzle, some[0].home)
            detail = (
                f"The pipe {where} {verb} from one angle to another, {abs(some[0].turn_deg):.0f} degrees away{more}."
            )
            yield Finding(name, True, detail, some[0].seconds)


def _named(puzzle: RotationPuzzle, home: int) -> str:
    row, col = divmod(home, puzzle.cols)
    return f"in row {row + 1}, column {col + 1}"


def _moved(puzzle: RotationPuzzle, seen: Seen) -> Iterator[Finding]:
    for home in range(puzzle.rows * puzzle.cols):

        def away(scene: Scene, home: int = home) -> bool:
            return any(_is_moved(puzzle, pipe) for pipe in scene.at(home))

        runs = _runs(seen, away)
        if runs:
            yield Finding("square_moved", True, f"The square {_named(puzzle, home)} leaves its place.", runs[0][0])
            return


def _missing(puzzle: RotationPuzzle, scene: Scene) -> bool:
    return any(_own(scene, home) is None for home in range(puzzle.rows * puzzle.cols))


def _reshaped(puzzle: RotationPuzzle, scene: Scene) -> bool:
    kinds = kinds_of(puzzle)
    return any(pipe.home >= 0 and pipe.shape != kinds[pipe.home] for pipe in scene.pipes)


def _repainted(scene: Scene) -> bool:
    return any(pipe.colour != BLUE and pipe.home >= 0 for pipe in scene.pipes)


def _at_end(seen: Seen, name: str, detail: str, holds: Callable[[Scene], bool]) -> Iterator[Finding]:
    """What gates when it lasts until the end, and else is worth a remark."""
    runs = _runs(seen, holds)
    if runs:
        lasts = runs[-1][1] == seen[-1][0]
        yield Finding(name, lasts, f"{detail}{'' if lasts else ' for a while'}.", runs[0][0])


def _runs(seen: Seen, holds: Callable[[Scene], bool]) -> list[tuple[float, float]]:
    """When something holds for long enough to be believed: the first and the last reading of each such time."""
    runs: list[tuple[float, float]] = []
    began, count = 0.0, 0
    flags = [holds(scene) for _, scene in seen]
    for place, (seconds, _) in enumerate(seen):
        if not flags[place]:
            count = 0
            continue
        began, count = (seconds, 1) if not count else (began, count + 1)
        ends = place + 1 == len(seen) or not flags[place + 1]
        if ends and (count >= BELIEVED or (count >= 2 and seconds - began >= BELIEVED_S)):
            runs.append((began, seconds))
    return runs


def _metrics(puzzle: RotationPuzzle, seen: Seen, turned: float) -> dict[str, float]:
    end_s = seen[-1][0]
    end = settle(puzzle, [scene for seconds, scene in seen if seconds > end_s - 0.5])
    kinds, start, pieces = kinds_of(puzzle), start_of(puzzle), pieces_of(puzzle, end)
    own = [pipe for home in range(len(kinds)) if (pipe := _own(end, home)) and pipe.shape == kinds[home]]
    errors = [abs(off_quarter_deg(pipe.angle_deg)) for pipe in own]
    needed = _needed_deg(puzzle)
    homes = layout_of(puzzle.rows, puzzle.cols).homes
    return {
        "angle_error_deg": round(max(errors, default=45.0), 3),
        "mean_angle_error_deg": round(sum(errors) / len(errors), 3) if errors else 45.0,
        "squares_turned": float(sum(one != other for one, other in zip(start, pieces, strict=True))),
        "fewest_turns": float(len(puzzle.to_turn)),
        "connected_share": round(components(puzzle.rows, puzzle.cols, pieces)[0] / len(pieces), 4),
        "turned_deg": round(turned, 2),
        "turning_efficiency": round(min(1.0, needed / turned), 4) if turned and accepted(puzzle, end) else 0.0,
        "largest_offset_px": round(max((dist((p.x, p.y), homes[p.home]) for p in own), default=0.0), 2),
    }


def _of_steps(steps: Sequence[Step], jumped: Sequence[Step], readable_share: float) -> dict[str, float]:
    return {
        "largest_step_deg": round(max((abs(step.turn_deg) for step in steps), default=0.0), 2),
        "jumps": float(len(jumped)),
        "readable_share": round(readable_share, 4),
    }


@lru_cache(maxsize=64)
def _needed_deg(puzzle: RotationPuzzle) -> float:
    """The turning of the reference solution."""
    kinds = kinds_of(puzzle)
    return sum(
        min(square.initial_angle, 90 * QUARTERS[kind] - square.initial_angle)
        for kind, square in zip(kinds, puzzle.squares, strict=True)
    )
