"""How the squares turn from reading to reading, and which turns are none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal

from vmevalkit.tasks.rotation_puzzle_task.scene import Scene, between_deg, off_quarter_deg
from vmevalkit.tasks.task import Trace

IN_BETWEEN_DEG = 5.0
"""A pipe that is farther than this from all quarters is on its way."""
REST_DEG = 2.0
"""Smaller steps are noise of a pipe at rest."""
JUMP_DEG = 55.0
"""The largest step that always may be."""
LEAP_DEG, FASTEST_DEG_S = 30.0, 1000.0
"""A larger step at a higher speed than this is a jump, however fast the film is."""
HASTE = 2.8
"""How much faster than the fastest of the other turns a step may be."""
_GHOST = 0.2
"""A second pipe in the same square counts from this opacity on."""
_FAINT = 0.75
"""A pipe that is less opaque than this is fading."""
_BLURRED_S = 0.25
"""What is no pipe may be one that turns too fast to be seen, for so long."""
_SAME_DEG, _LONGEST_HOLD_S = 0.5, 0.2

LookKind = Literal["clear", "ghost", "gone", "other", "hidden"]


@dataclass(frozen=True, slots=True)
class Look:
    """What one reading says of one square."""

    seconds: float
    kind: LookKind
    angle_deg: float = 0.0
    faint: bool = False
    """Whether the pipe is fading."""

    @property
    def on_its_way(self) -> bool:
        return self.kind == "clear" and abs(off_quarter_deg(self.angle_deg)) > IN_BETWEEN_DEG


@dataclass(frozen=True, slots=True)
class Step:
    """From one angle of a square to the next."""

    home: int
    seconds: float
    """When it ends."""
    gap_s: float
    """How long the square had for it."""
    turn_deg: float
    """The short way, clockwise if positive."""
    on_its_way: bool
    """Whether the square was seen on its way, at the beginning or the end."""
    ghost: bool
    """Whether two pipes were seen in the square, at the beginning or the end."""
    faint: bool
    """Whether the pipe was fading then, or gone in between."""

    @property
    def speed_deg_s(self) -> float:
        return abs(self.turn_deg) / self.gap_s


def looks_of(kinds: Sequence[str], trace: Trace[Scene]) -> list[list[Look]]:
    """For each square, what the readings say. A frame that could not be read hides all."""
    return [[_look(glimpse.seconds, glimpse.state, home, kind) for glimpse in trace] for home, kind in enumerate(kinds)]


def _look(seconds: float, scene: Scene | None, home: int, kind: str) -> Look:
    if scene is None:
        return Look(seconds, "hidden")
    pipes = scene.at(home)
    if not pipes:
        return Look(seconds, "gone")
    if not pipes[0].seen:
        return Look(seconds, "hidden")
    if pipes[0].shape != kind:
        return Look(seconds, "other")
    double = len(pipes) > 1 and pipes[1].opacity >= _GHOST
    faint = not double and pipes[0].opacity < _FAINT
    return Look(seconds, "ghost" if double else "clear", pipes[0].angle_deg, faint)


def steps_of(kinds: Sequence[str], looks: Sequence[Sequence[Look]]) -> list[Step]:
    """The steps of all squares, by time.

    A square that cannot be seen may turn. One that is plainly not there, or shows two pipes at once, does not.
    """
    steps = [step for home, kind in enumerate(kinds) for step in _steps(home, kind, looks[home])]
    hold_s = _hold(kinds, looks)
    return sorted((replace(step, gap_s=max(step.gap_s, hold_s)) for step in steps), key=lambda step: step.seconds)


def _steps(home: int, kind: str, looks: Sequence[Look]) -> list[Step]:
    steps = []
    last: Look | None = None
    still_s = blurred_s = 0.0
    gone = False
    for place, look in enumerate(looks):
        lasts_s = looks[place + 1].seconds - look.seconds if place + 1 < len(looks) else 0.0
        if look.kind == "gone":
            still_s += lasts_s
            gone = True
        elif look.kind == "other":
            blurred_s += lasts_s
        if look.kind not in ("clear", "ghost"):
            continue
        if last is not None:
            gap_s = look.seconds - last.seconds - still_s - max(0.0, blurred_s - _BLURRED_S)
            turn = between_deg(kind, last.angle_deg, look.angle_deg)
            on_its_way = look.on_its_way or last.on_its_way
            ghost, faint = "ghost" in (look.kind, last.kind), gone or look.faint or last.faint
            steps.append(Step(home, look.seconds, max(gap_s, 1e-3), turn, on_its_way, ghost, faint))
        last, still_s, blurred_s, gone = look, 0.0, 0.0, False
    return steps


def _hold(kinds: Sequence[str], looks: Sequence[Sequence[Look]]) -> float:
    """How long a picture stands while something turns: a film may show each of its pictures several times."""
    holds = []
    for home, kind in enumerate(kinds):
        since: Look | None = None
        for look in looks[home]:
            if since is not None and look.kind == "clear":
                if abs(between_deg(kind, since.angle_deg, look.angle_deg)) < _SAME_DEG:
                    continue
                holds.append(look.seconds - since.seconds)
            since = look if look.on_its_way else None
    return min(median(holds), _LONGEST_HOLD_S) if holds else 0.0


def jumps(steps: Sequence[Step]) -> list[Step]:
    """Steps that no turn explains: by way of two pipes or none, or faster than the film ever turns."""
    return [step for step in steps if _is_jump(step, steps)]


def _is_jump(step: Step, steps: Sequence[Step]) -> bool:
    size = abs(step.turn_deg)
    if size > LEAP_DEG and step.speed_deg_s > FASTEST_DEG_S:
        return True
    if size <= JUMP_DEG:
        return False
    if step.ghost or step.faint:
        return True
    others = (other.speed_deg_s for other in steps if other is not step and other.on_its_way and not other.ghost)
    return size > HASTE * max(others, default=0.0) * step.gap_s


def turned_deg(kinds: Sequence[str], looks: Sequence[Sequence[Look]]) -> float:
    """All turning of all squares, without the trembling of squares at rest."""
    whole = 0.0
    for kind, square in zip(kinds, looks, strict=True):
        angles = [look.angle_deg for look in square if look.kind == "clear"]
        anchor = angles[0] if angles else 0.0
        for angle in angles:
            turn = abs(between_deg(kind, anchor, angle))
            if turn > REST_DEG:
                whole, anchor = whole + turn, angle
    return whole
