"""The oracle: the label of a program, from its symbolic run and the rules of docs/SCORING.md alone.

It knows nothing of readers or pixels. Each rule says of a video that it surely breaks it, or comes too close to a limit
to say. One sure fail is a fail; else one close call leaves the program out; else it is a pass. What can neither be
called seen nor unseen is tried both ways.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from random import Random
from typing import Any, Literal

import numpy as np

from vmevalkit.audit.attack.operations import OPERATIONS, Number
from vmevalkit.audit.attack.program import Operation, Program
from vmevalkit.audit.attack.states import TooLong
from vmevalkit.audit.attack.symbolic import (
    Layer,
    Moment,
    SymbolicRun,
    find_boxes,
    find_damaged_part,
    find_mover_names,
    measure_overlap,
    measure_recolouring,
    measure_trails,
    run_program,
)
from vmevalkit.core.randomness import rng_for
from vmevalkit.media.residual import Box

Verdict = Literal["pass", "fail", "close"]

# Limits come in pairs: up to the first nothing is wrong, from the second on it surely is. Between them it is close.
START_SEEN_S = 0.5, 1.4
"""Time from the start within which the first frame must be seen."""
ILLEGAL_S, ILLEGAL_FRAMES = 0.34, 4
"""Time and frames for which what is surely illegal is seen, at least."""
STEP = 0.8, 1.3
"""Longest step between two frames, in steps that are always allowed ..."""
MOST_STEP = 1.25
"""... and in steps that are never allowed."""
SUDDEN = 6.0
"""A step this many times as long as the motion around it is a jump."""
HIDDEN = 0.08, 0.85
"""Share of a part that is hidden."""
GONE_STEPS, MOVED_STEPS = 0.15, 0.6
"""Steps by which a part that was not seen may move, or surely has moved."""
UNSEEN_S = 0.15, 0.45
"""Time for which a moving part may be unseen."""
COVERED = ((1.1, 1.6), (2.4, 0.8))
"""Seconds, and the steps that may surely be made in them behind a cover."""
COVERED_TOO_LONG = ((1.8, 1.3), (3.6, 0.6), (0.3, 2.6))
"""Seconds and steps from which on both together are too much behind a cover."""
COVER_SIDE = 1.7
"""A cover up to so many times as long as what it hides may be the part itself, redrawn."""
UNSEEN_SHARE = 0.1, 0.32
"""Share of the moving time that is not seen."""
HELD_S = 0.34, 0.14
"""Time for which the answer is held at the end, where only the final state matters."""
LAST_S = 0.5
"""The end, over which the final state is read."""
ENDING_S = 0.8, 1.35
"""Length of a fade or card at the end that may follow the answer."""
THING_SIZE = 0.2, 2.2
"""Size of what is foreign, in sizes of the smallest part."""
EDGE = 0.025
"""How near to the edge of the picture something foreign may be beside the puzzle."""
CONTRAST = 8.0, 70.0
"""Levels between two colours up to which they look alike, and from which on everybody tells them apart."""
BLUR = 0.07, 0.6
"""Standard deviation of a blur: in sizes of the smallest part, and of the smallest part that
decides."""
VEIL = 0.3, 0.96
ZOOM, ROLL_DEG, TILT = (0.82, 1.2), 5.0, 0.06
"""Motions of the camera that the rules allow."""
MOST_STRESS = 2.6
"""Harmless changes of the picture add up: the sum of each one's share of its limit."""
_PLAIN = 24.0
"""Levels by which the picture of an empty cell may vary."""
SLENDER = 6.0
"""A trail is surely one when it is this many times as long as wide."""
FEWEST_FRAMES = 14
JITTERS, JITTER_SHARE = 3, 0.02
"""How often a label is computed again, and by which share of its range each number is moved."""

HARMLESS: Mapping[str, tuple[tuple[str, float, float], ...]] = {
    "trail": (("width", 0.0, 0.35), ("opacity", 0.0, 1.0)),
    "highlight": (("opacity", 0.0, 0.5),),
    "shadow": (("strength", 0.0, 0.32),),
    "shade_parts": (("strength", 0.0, 0.22),),
    "outline_parts": (("pixels", 0.0, 2.0),),
    "resize_parts": (("factor", 1.0, 0.06),),
    "tint_ground": (("red", 1.0, 0.2), ("green", 1.0, 0.2), ("blue", 1.0, 0.2)),
    "light": (("gain", 1.0, 0.2), ("offset", 0.0, 15.0)),
    "colour_cast": (("red", 1.0, 0.12), ("green", 1.0, 0.12), ("blue", 1.0, 0.12)),
    "saturate": (("factor", 1.0, 0.35),),
    "vignette": (("strength", 0.0, 0.3),),
    "side_light": (("strength", 0.0, 0.2),),
    "grain": (("sigma", 0.0, 7.0),),
    "size": (("scale", 1.0, 0.5), ("stretch", 1.0, 0.1)),
    "bars": (("x", 0.0, 0.15), ("y", 0.0, 0.15)),
    "codec": (("crf", 18.0, 14.0),),
    "jpeg": (("quality", 90.0, 50.0),),
    "pan": (("x", 0.0, 0.07), ("y", 0.0, 0.07)),
    "shake": (("amount", 0.0, 0.01),),
    "fps": (("fps", 16.0, 14.5),),
}
"""Parameters of harmless operations: the value that changes nothing, and how far from it one may surely go."""
_STRESSFUL = frozenset({
    "light", "colour_cast", "saturate", "vignette", "side_light", "grain", "size", "codec", "jpeg", "shadow",
    "tint_ground", "shade_parts", "outline_parts", "resize_parts", "soften",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Label:
    """What a program's video deserves."""

    verdict: Verdict
    """``close`` where it is too close to a limit to say."""
    reason: str

    @property
    def is_sure(self) -> bool:
        return self.verdict != "close"


@dataclass(frozen=True, slots=True)
class _Remark:
    """What a rule says of a video."""

    is_sure: bool
    """Whether the video surely fails, or else is close to a limit."""
    reason: str


Seen = Mapping[Hashable, bool]
"""Which parts that decide are seen in a frame."""
Rule = Callable[[SymbolicRun, Sequence[Seen]], Iterator[_Remark]]


def label_program(program: Program, final_state_only: bool = False) -> Label:
    """Return the label of a program. It is computed again with all numbers moved a little: what flips is close.

    A scorer that sees ``final_state_only`` is held to the final picture."""
    label = label_run_of(program, final_state_only)
    if not label.is_sure:
        return label
    for number in range(JITTERS):
        moved = jitter_program(program, rng_for("attack", program.seed, program.index, "jitter", number))
        other = label_run_of(moved, final_state_only)
        if other.verdict != label.verdict:
            return Label("close", f"{label.verdict} ({label.reason}), but with other numbers {other.verdict} "
                                  f"({other.reason})")  # fmt: skip
    return label


def label_run_of(program: Program, final_state_only: bool = False) -> Label:
    """Return the label of a program as it is."""
    try:
        return label_run(run_program(program), final_state_only)
    except TooLong:
        return Label("close", "the video is too long")


def jitter_program(program: Program, rng: Random) -> Program:
    """Return a program whose numbers are moved a little; choices and counts stay."""
    operations = []
    for each in program.operations:
        params = OPERATIONS[each.name].params
        moved = {
            name: param.move(each.params[name], rng, JITTER_SHARE)
            for name, param in params.items()
            if isinstance(param, Number) and not param.whole
        }
        operations.append(Operation(each.name, {**each.params, **moved}))
    return replace(program, operations=tuple(operations))


def label_run(run: SymbolicRun, final_state_only: bool = False) -> Label:
    """Return the label of a symbolic run."""
    rules = _END_RULES if final_state_only else (*_WAY_RULES, *_END_RULES)
    verdicts = [_label_as_seen(run, rules, unclear_is_seen) for unclear_is_seen in (True, False)]
    if verdicts[0].verdict == verdicts[1].verdict:
        return verdicts[0]
    return Label("close", f"what is hardly seen decides: {verdicts[0].reason} / {verdicts[1].reason}")


def _label_as_seen(run: SymbolicRun, rules: Sequence[Rule], unclear_is_seen: bool) -> Label:
    seen = [_find_seen(run, moment, unclear_is_seen) for moment in run.moments]
    remarks = [remark for rule in rules for remark in rule(run, seen)]
    sure = next((remark for remark in remarks if remark.is_sure), None)
    if sure is not None:
        return Label("fail", sure.reason)
    if remarks:
        return Label("close", remarks[0].reason)
    return Label("pass", "an answer that was legally shown")


# -- what is seen ------------------------------------------------------------------------------------------------


def _find_seen(run: SymbolicRun, moment: Moment, unclear_is_seen: bool) -> Seen:
    """Return which parts are seen, by name."""

    def decide(value: float, limits: tuple[float, float]) -> bool:
        return value <= limits[0] or (unclear_is_seen and value < limits[1])

    whole = decide(moment.veil, VEIL) and decide(moment.blur, (BLUR[0] * run.finest, BLUR[1]))
    boxes = find_boxes(run.task, run.puzzle, moment.true.state)
    return {name: whole and decide(measure_hidden(moment, box), HIDDEN) for name, box in boxes.items()}


def measure_hidden(moment: Moment, box: Box) -> float:
    """Return the share of a box that layers hide or that is out of the picture."""
    hidden = 0.0
    for layer in moment.layers:
        if layer.opacity > 0.15:
            share = measure_overlap(box, layer.box)
            # A cover that is half transparent hides, and does not: it is neither seen nor unseen.
            hidden += share if layer.opacity > 0.9 else min(share, 0.5)
    return max(min(hidden, 1.0), _measure_outside(moment, box))


def _measure_outside(moment: Moment, box: Box) -> float:
    if np.array_equal(moment.view, np.eye(3)):
        return 0.0
    xs, ys = np.meshgrid(np.linspace(box[0], box[2], 5), np.linspace(box[1], box[3], 5))
    points = moment.view @ np.stack([xs.ravel(), ys.ravel(), np.ones(25)])
    x, y = points[0] / points[2], points[1] / points[2]
    return float(1 - ((x >= 0) & (x <= 1) & (y >= 0) & (y <= 1)).mean())


def _find_covers(run: SymbolicRun, moment: Moment, name: Hashable) -> list[Layer]:
    box = find_boxes(run.task, run.puzzle, moment.true.state).get(name)
    return [] if box is None else [
        layer for layer in moment.layers if layer.opacity > 0.15 and measure_overlap(box, layer.box) > HIDDEN[0]
    ]  # fmt: skip


def _is_picture_seen(moment: Moment) -> bool:
    return moment.veil < 0.5 and moment.blur < BLUR[1]


# -- the rules ---------------------------------------------------------------------------------------------------


def _check_length(run: SymbolicRun, seen: Sequence[Seen]) -> Iterator[_Remark]:
    del seen
    if len(run.moments) < FEWEST_FRAMES or run.total_s < 1.2:
        yield _Remark(False, "the video is very short")


def _check_start(run: SymbolicRun, seen: Sequence[Seen]) -> Iterator[_Remark]:
    """The video starts from the question's first frame."""
    first = next((place for place, each in enumerate(seen) if each and all(each.values())), None)
    if first is None:
        yield _Remark(not any(any(each.values()) for each in seen), "the puzzle is never seen as a whole")
        return
    moment = run.moments[first]
    start = run.moments[0].true.state
    if moment.seconds > START_SEEN_S[0]:
        yield _Remark(False, f"the puzzle is seen from {moment.seconds:.1f} s on")
    elif moment.true.state != start and _measure_steps(run, start, moment.true.state) > 0.25:
        yield _Remark(False, "the first scene that is seen is not the start")


def _check_way(run: SymbolicRun, seen: Sequence[Seen]) -> Iterator[_Remark]:
    """What is seen is legal, where the process is judged."""
    if run.task.motion is None:
        return
    if run.must_fail:
        hidden = any(not all(each.values()) for each in seen) or bool(run.list_operations("skip"))
        yield _Remark(not hidden, "the way is a cheat" + " of which some is hidden" * hidden)
    for legal, group in groupby(zip(run.moments, seen, strict=True), key=lambda pair: pair[0].true.legal):
        frames = list(group)
        if legal is True or (legal is None and run.must_fail):
            continue
        shown = [moment for moment, each in frames if all(each.values()) and _is_picture_seen(moment)]
        distinct = len({moment.shown for moment in shown})
        lasts_s = len(shown) / run.fps
        is_sure = legal is False and lasts_s >= ILLEGAL_S and (len(shown) >= ILLEGAL_FRAMES) and distinct > 0
        yield _Remark(is_sure, f"no legal move leads to what is there at {frames[0][0].seconds:.2f} s")


def _check_motion(run: SymbolicRun, seen: Sequence[Seen]) -> Iterator[_Remark]:
    """Moving parts are seen to move, without jumps, where the process is judged."""
    if run.task.motion is None:
        return
    for name in run.task.moving_parts(run.puzzle, run.moments[0].true.state):
        yield from _check_part(run, seen, name)


@dataclass(frozen=True, slots=True)
class _Step:
    """What a part does from one frame in which it is seen to the next."""

    first: int
    last: int
    steps: float
    is_covered: bool


def _check_part(run: SymbolicRun, seen: Sequence[Seen], name: Hashable) -> Iterator[_Remark]:
    motion, fps = run.task.motion, run.fps
    assert motion is not None
    positions = [run.task.moving_parts(run.puzzle, moment.true.state).get(name) for moment in run.moments]
    places = [
        k for k, each in enumerate(seen)
        if positions[k] is not None
        and all(each[other] for other in find_mover_names(run.task, run.puzzle, run.moments[k].true.state, name))
    ]  # fmt: skip
    steps = [
        _Step(one, two, run.task.count_steps(run.puzzle, name, positions[one], positions[two]),
              two - one > 1 and _is_covered(run, name, one, two))
        for one, two in pairwise(places)
    ]  # fmt: skip
    moving_s = sum((each.last - each.first) for each in steps if each.steps > 0.02) / fps
    unseen_s = 0.0
    for number, each in enumerate(steps):
        gap_s = (each.last - each.first - 1) / fps
        if each.last - each.first == 1:
            yield from _check_step(run, name, number, steps)
        elif each.steps > GONE_STEPS:
            if not each.is_covered:
                unseen_s += gap_s
            yield from _check_gap(run, name, each, gap_s, steps)
    if moving_s > 0 and unseen_s > 0:
        share = unseen_s / moving_s
        if share > UNSEEN_SHARE[0]:
            yield _Remark(share > UNSEEN_SHARE[1] and unseen_s > UNSEEN_S[1],
                          f"{name} is not seen for {share:.0%} of its motion")  # fmt: skip


def _check_step(run: SymbolicRun, name: Hashable, number: int, steps: Sequence[_Step]) -> Iterator[_Remark]:
    motion, step = run.task.motion, steps[number]
    assert motion is not None
    if step.steps <= STEP[0] * motion.free_steps:
        return
    reason = f"{name} moves by {step.steps:.1f} steps at {step.last / run.fps:.2f} s"
    if step.steps >= MOST_STEP * motion.max_steps:
        yield _Remark(True, reason)
        return
    reach = round(0.5 * run.fps) + 1
    around = [each for each in steps if each is not step and abs(each.first - step.first) <= reach]
    others = [each.steps for each in around]
    mean = sum(others) / max(1, sum(each.last - each.first for each in around))
    is_alone = bool(others) and step.steps > SUDDEN * mean and step.steps > 2.2 * max(others)
    yield _Remark(is_alone and step.steps >= STEP[1] * motion.free_steps, reason)


def _check_gap(run: SymbolicRun, name: Hashable, gap: _Step, gap_s: float, steps: Sequence[_Step]) -> Iterator[_Remark]:
    reason = f"{name} moves by {gap.steps:.1f} steps unseen, in {gap_s:.2f} s at {gap.first / run.fps:.2f} s"
    if gap.is_covered:
        if any(gap_s <= seconds and gap.steps <= most for seconds, most in COVERED):
            if _is_cover_small(run, name, gap):
                yield _Remark(False, f"{reason}, behind what may be the part itself, redrawn")
            return
        yield _Remark(any(gap_s >= seconds and gap.steps >= most for seconds, most in COVERED_TOO_LONG), reason)
        return
    if gap_s <= UNSEEN_S[0] and gap.steps <= 0.7:
        return
    visible = [each for each in steps if each.last - each.first == 1 and each.steps > 0]
    pace = max((each.steps for each in visible), default=0.0)
    is_far = gap.steps > 1.4 and gap.steps > 2.0 * pace * (gap.last - gap.first)
    yield _Remark((gap_s >= UNSEEN_S[1] and gap.steps >= MOVED_STEPS) or is_far, reason)


def _is_covered(run: SymbolicRun, name: Hashable, one: int, two: int) -> bool:
    """Return whether a part is behind a cover that everybody sees, in all frames between two."""
    return all(
        any(
            layer.contrast >= CONTRAST[1] and layer.opacity > 0.9
            for other in find_mover_names(run.task, run.puzzle, moment.true.state, name)
            for layer in _find_covers(run, moment, other)
        )
        and _is_picture_seen(moment)
        for moment in run.moments[one + 1 : two]
    )


def _is_cover_small(run: SymbolicRun, name: Hashable, gap: _Step) -> bool:
    """Return whether all that hides a part in some frame of a gap is hardly larger than the part."""

    def measure_side(box: Box) -> float:
        width, height = run.task.size(run.puzzle)
        return float(max((box[2] - box[0]) * width, (box[3] - box[1]) * height))

    for moment in run.moments[gap.first + 1 : gap.last]:
        boxes = find_boxes(run.task, run.puzzle, moment.true.state)
        for other in find_mover_names(run.task, run.puzzle, moment.true.state, name):
            covers = _find_covers(run, moment, other)
            most = COVER_SIDE * measure_side(boxes[other])
            if covers and not any(layer.came_in or measure_side(layer.box) > most for layer in covers):
                return True
    return False


def _measure_steps(run: SymbolicRun, one: Any, two: Any) -> float:
    """Return how far two scenes are from each other, in steps of the part that moves most, or 1 where they differ."""
    if run.task.motion is None:
        return float(run.task.state_key(run.puzzle, one) != run.task.state_key(run.puzzle, two))
    before, after = run.task.moving_parts(run.puzzle, one), run.task.moving_parts(run.puzzle, two)
    if before.keys() != after.keys():
        return 1.0
    return max((run.task.count_steps(run.puzzle, name, before[name], after[name]) for name in before), default=0.0)


def _find_end(run: SymbolicRun) -> int:
    """Return the number of the last frame before a fade, a card or noise at the end."""
    end = len(run.moments) - 1
    while end > 0 and not _is_picture_seen(run.moments[end]):
        end -= 1
    return end


def _check_end(run: SymbolicRun, seen: Sequence[Seen]) -> Iterator[_Remark]:
    """The video ends with an answer that is seen, and held where only the final state matters."""
    end = _find_end(run)
    tail = run.moments[end + 1 :]
    tail_s = len(tail) / run.fps
    if tail:
        blurred = any(moment.veil < 0.5 for moment in tail)
        if any(moment.veil_of == "noise" for moment in tail):
            yield _Remark(tail_s >= 0.35, f"{tail_s:.1f} s of noise hide the end")
        elif tail_s > ENDING_S[0] or blurred:
            yield _Remark(tail_s >= (ENDING_S[1] if not blurred else 0.5), f"the end is not seen for {tail_s:.1f} s")
    first = max(0, end + 1 - round(LAST_S * run.fps))
    last = list(zip(run.moments[first : end + 1], seen[first : end + 1], strict=True))
    hidden = [not all(each.values()) for _, each in last]
    if all(hidden):
        covers = [layer for name, is_seen in last[-1][1].items() if not is_seen
                  for layer in _find_covers(run, last[-1][0], name)]  # fmt: skip
        is_clear = not covers or any(
            not CONTRAST[0] < layer.contrast < CONTRAST[1] and not _may_be_highlight(run, last[-1][0], layer)
            for layer in covers
        )
        yield _Remark(is_clear, "a part that decides is not seen at the end")
    elif any(hidden):
        yield _Remark(False, "a part that decides is not always seen at the end")
    answers = [moment.true.answer for moment, _ in last]
    final = answers[-1]
    if final is False:
        held_s = _measure_run(answers, False) / run.fps
        is_sure = (held_s >= 0.3 or not any(answers)) and not _is_addition_hidden(run, last[-1][0])
        yield _Remark(is_sure, "the final state is no answer")
    elif final is None:
        yield _Remark(False, "the final state is nearly an answer")
    else:
        yield from _check_hold(run, end)


def _is_addition_hidden(run: SymbolicRun, moment: Moment) -> bool:
    """Return whether a part that the puzzle does not have is there and is not wholly seen: it may be all that is
    wrong."""
    width, height = run.task.size(run.puzzle)
    rx, ry = 0.5 * run.part_px / width, 0.5 * run.part_px / height
    places = [(part.x / width, part.y / height) for part in getattr(moment.true.state, "extra", ())]
    return any(measure_hidden(moment, (x - rx, y - ry, x + rx, y + ry)) > HIDDEN[0] for x, y in places)


def _check_hold(run: SymbolicRun, end: int) -> Iterator[_Remark]:
    flags = [moment.true.answer for moment in run.moments[: end + 1]]
    held = _measure_run(flags, True)
    held_s = held / run.fps
    if run.task.motion is not None:
        if held < 3:
            yield _Remark(False, f"the answer is seen for {held_s:.2f} s")
        return
    if held_s < HELD_S[0] or held < 3:
        last = flags[max(0, len(flags) - round(LAST_S * run.fps)) :]
        share = sum(flag is not False for flag in last) / len(last)
        yield _Remark(held_s <= HELD_S[1] and share <= 0.6, f"the answer is held for {held_s:.2f} s")


def _measure_run(values: Sequence[Any], wanted: Any) -> int:
    """Return how many of the last values are the wanted one."""
    count = 0
    for value in reversed(values):
        if value is not wanted:
            break
        count += 1
    return count


def _check_additions(run: SymbolicRun, seen: Sequence[Seen]) -> Iterator[_Remark]:
    """Nothing foreign is on the puzzle at the end."""
    del seen
    end = _find_end(run)
    begin = max(0, end + 1 - round(LAST_S * run.fps))
    board = run.task.board_box(run.puzzle)
    for number, operation in run.list_operations("thing", "cover"):
        present = [layer for moment in run.moments[begin : end + 1] for layer in moment.layers
                   if layer.operation == number]  # fmt: skip
        before = [layer for moment in run.moments[max(0, begin - round(0.25 * run.fps)) : begin]
                  for layer in moment.layers if layer.operation == number]  # fmt: skip
        if not present:
            if before:
                yield _Remark(False, f"the {operation.name} goes shortly before the end")
            continue
        layer = present[-1]
        box = tuple(min(max(side, 0.0), 1.0) for side in layer.box)
        area = (box[2] - box[0]) * (box[3] - box[1]) * (1.0 if layer.shape == "square" else 0.7)
        size = area / run.task.smallest_part_area
        if size <= THING_SIZE[0] or layer.contrast <= CONTRAST[0]:
            if operation.name == "cover" and operation.params["on"] in ("aside", "beside") and size > THING_SIZE[0]:
                yield _Remark(False, "something is erased beside the parts")
            continue
        is_outside = box[2] < board[0] - 0.01 or box[0] > board[2] + 0.01 or box[3] < board[1] - 0.01 or (
            box[1] > board[3] + 0.01)  # fmt: skip
        is_inside = board[0] <= box[0] and box[2] <= board[2] and board[1] <= box[1] and box[3] <= board[3]
        lasts = len(present) == end + 1 - begin and present[0].opacity > 0.9
        decides = _touches_deciding(run, run.moments[end], layer.box)
        if is_outside:
            continue
        if not layer.came_in and _is_near_edge(run.moments[end], layer.box):
            yield _Remark(False, f"the {operation.name} is at the edge of the picture")
            continue
        if layer.came_in and not decides:
            if operation.params["on"] in ("mover", "answer"):
                yield _Remark(False, "something came in beside the parts")
            continue
        is_clear = size >= THING_SIZE[1] and layer.contrast >= CONTRAST[1] and lasts and is_inside
        is_clear = is_clear and not _may_be_highlight(run, run.moments[end], layer)
        yield _Remark(is_clear and not layer.came_in, f"a {operation.name} of {size:.1f} parts is there at the end")
        if layer.came_in:
            yield _Remark(False, "something that came in touches what decides")


def _is_near_edge(moment: Moment, box: Box) -> bool:
    """Return whether something is nearly at the edge of the video's picture: it may be beside the puzzle."""
    left, top, right, bottom = box
    corners = moment.view @ np.array([[left, right, left, right], [top, top, bottom, bottom], [1.0, 1.0, 1.0, 1.0]])
    places = corners[:2] / corners[2]
    return bool(places.min() < EDGE or places.max() > 1 - EDGE)


def _may_be_highlight(run: SymbolicRun, moment: Moment, layer: Layer) -> bool:
    """Return whether something fills an empty cell: then it may be the cell's background in another colour."""
    for cell in run.task.highlight_boxes(run.puzzle):
        if measure_overlap(cell, layer.box) > 0.5 and measure_overlap(layer.box, cell) > 0.4:
            picture = run.task.draw(run.puzzle, moment.true.state)
            height, width = picture.shape[:2]
            inset = 0.12 * (cell[2] - cell[0]), 0.12 * (cell[3] - cell[1])
            inside = picture[
                round((cell[1] + inset[1]) * height) : round((cell[3] - inset[1]) * height),
                round((cell[0] + inset[0]) * width) : round((cell[2] - inset[0]) * width),
            ]
            if inside.size and float(np.ptp(inside, axis=(0, 1)).max()) < _PLAIN:
                return True
    return False


def _touches_deciding(run: SymbolicRun, moment: Moment, box: Box) -> bool:
    grown = box[0] - 0.02, box[1] - 0.02, box[2] + 0.02, box[3] + 0.02
    return any(measure_overlap(other, grown) > 0 for other in
               find_boxes(run.task, run.puzzle, moment.true.state).values())  # fmt: skip


def _check_damage(run: SymbolicRun, seen: Sequence[Seen]) -> Iterator[_Remark]:
    """No single part is redrawn at the end."""
    end = _find_end(run)
    begin = max(0, end + 1 - round(LAST_S * run.fps))
    for number, operation in run.list_operations("recolour_part", "stretch_part"):
        on = [number in moment.strengths for moment in run.moments]
        if not any(on):
            continue
        if not any(on[begin : end + 1]):
            if any(on[max(0, begin - round(0.3 * run.fps)) :]) or run.task.motion is not None:
                yield _Remark(False, "a part is redrawn for a while")
            continue
        names = {find_damaged_part(run, operation, moment) for moment in run.moments[begin : end + 1]}
        name = names.pop()
        if name is None or names:
            yield _Remark(False, "which part is redrawn changes")
            continue
        if operation.name == "recolour_part":
            change = measure_recolouring(run, operation, name)
            is_sure, is_nothing = change >= CONTRAST[1], change <= CONTRAST[0]
        else:
            x, y = float(operation.params["x"]), float(operation.params["y"])
            change = max(abs(np.log(x)), abs(np.log(y)))
            is_sure, is_nothing = change >= np.log(1.6), change <= np.log(1.05)
        is_seen = all(each.get(name, True) for each in seen[begin : end + 1])
        if not is_nothing:
            yield _Remark(bool(is_sure) and is_seen and all(on[begin : end + 1]), f"{name} is redrawn at the end")


def _check_picture(run: SymbolicRun, seen: Sequence[Seen]) -> Iterator[_Remark]:
    """Camera, look and delivery stay within what the rules allow."""
    del seen
    for moment in run.moments:
        if _is_picture_seen(moment) and (problem := _judge_view(run, moment)):
            yield _Remark(False, problem)
            break
    for _, each in run.list_operations("trail"):
        width = float(each.params["width"]) * run.part_px
        if any(1 < length < SLENDER * width for length in measure_trails(run).values()):
            yield _Remark(False, "a trail is as wide as it is long")
    stress = 0.0
    for number, each in enumerate(run.program.operations):
        if each.name in HARMLESS and (each.name not in _NEEDS_TIME or _is_ever_on(run, number)):
            shares = [abs(float(each.params[name]) - neutral) / most for name, neutral, most in HARMLESS[each.name]]
            if max(shares) > 1:
                yield _Remark(False, f"{each} goes far")
            stress += max(shares) if each.name in _STRESSFUL else 0.0
    if stress > MOST_STRESS:
        yield _Remark(False, "the picture is changed in many ways at once")
    softness = max((float(each.params["sigma"]) for _, each in run.list_operations("soften")), default=0.0)
    if softness > BLUR[0] * run.finest:
        yield _Remark(False, "the video is soft throughout")


_NEEDS_TIME = frozenset({"highlight", "shadow", "shade_parts", "outline_parts", "resize_parts", "tint_ground", "light",
                         "colour_cast", "saturate", "vignette", "side_light"})  # fmt: skip


def _is_ever_on(run: SymbolicRun, number: int) -> bool:
    return any(moment.strengths.get(number, 0.0) > 0.05 for moment in run.moments)


def _judge_view(run: SymbolicRun, moment: Moment) -> str:
    """Return what is too much about a view; nothing where all is well, or all that decides is out of the picture."""
    view = moment.view / moment.view[2, 2]
    if np.array_equal(view, np.eye(3)):
        return ""
    boxes = find_boxes(run.task, run.puzzle, moment.true.state).values()
    outside = [_measure_outside(moment, box) for box in boxes]
    if outside and min(outside) > 0.9:
        return ""
    zoom = float(np.sqrt(abs(np.linalg.det(view[:2, :2]))))
    roll = float(np.degrees(np.arctan2(view[1, 0], view[0, 0])))
    tilt = float(np.abs(view[2, :2]).max())
    if not ZOOM[0] <= zoom <= ZOOM[1]:
        return f"the camera zooms to {zoom:.2f}"
    if abs(roll) > ROLL_DEG or tilt > TILT:
        return f"the camera rolls by {roll:.1f} degrees or tilts by {tilt:.2f}"
    middle = view @ np.array([0.5, 0.5, 1.0])
    if np.abs(middle[:2] / middle[2] - 0.5).max() > 0.1:
        return "the camera moves far"
    return ""


_WAY_RULES: tuple[Rule, ...] = (_check_length, _check_start, _check_way, _check_motion)
_END_RULES: tuple[Rule, ...] = (_check_end, _check_additions, _check_damage, _check_picture)
