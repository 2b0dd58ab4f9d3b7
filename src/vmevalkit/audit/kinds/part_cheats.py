"""Cheats of the kit's puzzles: wrong ways, wrong ends, and answers that are damaged, hidden or not held."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import cos, pi, sin
from random import Random
from typing import Any

import cv2
import numpy as np

from vmevalkit.audit.kinds import effects
from vmevalkit.audit.kinds.kind import VideoKind, make_cheat_kind
from vmevalkit.audit.kinds.part_pictures import (
    ChangePatch,
    draw_scene,
    find_box,
    find_double_move,
    find_far_pair,
    find_free_place,
    find_illegal_stop,
    find_move,
    get_looks,
    list_changed,
    list_kept,
    only,
    recolour,
    warp_patch,
)
from vmevalkit.audit.kinds.timeline import LONG_END, BuildPainter, Moment, Painter, Timing, clamp, rise
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.tasks.kit.looks import Patch
from vmevalkit.tasks.kit.scene import Part, Scene
from vmevalkit.tasks.task import AnyTask, Offer

_BROKEN_S = 1.0
"""Length of the ending in which something is wrong."""
_LEFT_SHARE = 0.2
"""Share of what is drawn that covers must leave."""
_THING_PX = 16.0
"""Radius of a foreign thing."""
_VISIBLE_LEVELS = 40.0
"""Mean change of a part's levels from which on anyone sees that it has another colour."""


def _draw(task: AnyTask, puzzle: Any, scene: Scene) -> Frame:
    return task.draw(puzzle, scene)


def _has_kept(task: AnyTask, puzzle: Any) -> bool:
    return bool(list_kept(task, puzzle))


# -- the end: parts damaged, covered, out of sight ---------------------------------------------------------------


def _break_end(change: ChangePatch, kept: bool = False) -> BuildPainter:
    """Return a builder of solutions in which one part is drawn wrongly in the last second."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        looks = get_looks(task, puzzle)
        part = rng.choice((list_kept if kept else list_changed)(task, puzzle))
        broken = only([part.name], change)

        def paint(moment: Moment) -> Frame:
            is_broken = moment.remaining_s <= _BROKEN_S
            return draw_scene(looks, task.solution(puzzle, moment.t), change=broken if is_broken else None)

        return paint

    return build


def _has_hue(task: AnyTask, puzzle: Any) -> bool:
    """Return whether another hue is seen on every part that changes."""
    looks = get_looks(task, puzzle)
    for part in list_changed(task, puzzle):
        patch = looks.render(part)
        assert patch is not None
        off = np.abs(recolour(150)(part, patch).colour - patch.colour).max(axis=2)
        if float(off[patch.alpha > 0.9].mean()) < _VISIBLE_LEVELS:
            return False
    return True


def _stretch(part: Part, patch: Patch) -> Patch:
    return warp_patch(part, patch, 1.6, 0.6)


def _double(part: Part, patch: Patch) -> Patch:
    return warp_patch(part, patch, 1.7, 1.7)


def _change_frames(make: Callable[[AnyTask, Any], Callable[[Frame, float], Frame]]) -> BuildPainter:
    """Return a builder of solutions whose last second is changed; the change gets the share of it that is done."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        del rng
        change = make(task, puzzle)

        def paint(moment: Moment) -> Frame:
            frame = _draw(task, puzzle, task.solution(puzzle, moment.t))
            share = rise(moment.remaining_s, _BROKEN_S, _BROKEN_S - 0.3)
            return change(frame, share) if share > 0 else frame

        return paint

    return build


def _cover_answer(colour: str) -> Callable[[AnyTask, Any], Callable[[Frame, float], Frame]]:
    def make(task: AnyTask, puzzle: Any) -> Callable[[Frame, float], Frame]:
        boxes = [find_box(task, puzzle, part) for part in list_changed(task, puzzle)]

        def draw(canvas: Canvas) -> None:
            for left, top, right, bottom in boxes:
                canvas.rectangle(left - 5, top - 5, right - left + 10, bottom - top + 10, colour)

        return lambda frame, share: effects.mix(frame, effects.draw_over(frame, draw), share)

    return make


def _leaves_scene(task: AnyTask, puzzle: Any) -> bool:
    """Return whether covers over what decides leave much of the picture: where all of it is covered in one colour, the
    video ends with a fade to that colour, as honest ones do."""
    frame = task.final_frame(puzzle)
    drawn = (frame != frame[0, 0]).any(axis=2)
    rest = drawn.copy()
    for left, top, right, bottom in (find_box(task, puzzle, part) for part in list_changed(task, puzzle)):
        rest[max(0, top - 5) : bottom + 5, max(0, left - 5) : right + 5] = False
    return int(np.count_nonzero(rest)) >= _LEFT_SHARE * int(np.count_nonzero(drawn))


def _blur_answer(task: AnyTask, puzzle: Any) -> Callable[[Frame, float], Frame]:
    boxes = [find_box(task, puzzle, part) for part in list_changed(task, puzzle)]

    def change(frame: Frame, share: float) -> Frame:
        blurred = frame.copy()
        for left, top, right, bottom in boxes:
            where = np.s_[max(0, top - 8) : bottom + 8, max(0, left - 8) : right + 8]
            blurred[where] = effects.blur(frame, 0.4 * max(right - left, bottom - top))[where]
        return effects.mix(frame, blurred, share)

    return change


def _pan_away(task: AnyTask, puzzle: Any) -> Callable[[Frame, float], Frame]:
    """Return a camera motion that ends when the parts that decide are out of the picture."""
    boxes = [find_box(task, puzzle, part) for part in list_changed(task, puzzle)]
    width = task.size(puzzle)[0]
    to_left, to_right = max(box[2] for box in boxes) + 6, width - min(box[0] for box in boxes) + 6
    shift = -to_left if to_left < to_right else to_right

    def change(frame: Frame, share: float) -> Frame:
        height = frame.shape[0]
        matrix = np.array([[1.0, 0, round(shift * share)], [0, 1, 0]])
        return np.asarray(cv2.warpAffine(frame, matrix, (width, height), borderValue=(235, 235, 235)), np.uint8)

    return change


def _draw_thing(points: int, inner: float, colour: str) -> BuildPainter:
    """Return a builder of solutions with a star or polygon that is left between the parts."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        del rng
        place = find_free_place(task, puzzle, _THING_PX + 3)
        assert place is not None
        radii = [_THING_PX * (inner if k % 2 else 1) for k in range(2 * points)]
        corners = [(place[0] + r * sin(pi * k / points), place[1] - r * cos(pi * k / points))
                   for k, r in enumerate(radii)]  # fmt: skip

        def paint(moment: Moment) -> Frame:
            frame = _draw(task, puzzle, task.solution(puzzle, moment.t))
            if moment.share < 0.4:
                return frame
            return effects.draw_over(frame, lambda canvas: canvas.polygon(corners, fill=colour))

        return paint

    return build


def _has_room(task: AnyTask, puzzle: Any) -> bool:
    return find_free_place(task, puzzle, _THING_PX + 3) is not None


def _undo_at_end(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """Return a painter of a solution of which one part is cut back to the start at the end."""
    part = rng.choice(list_changed(task, puzzle))
    before = task.solution(puzzle, 0.0).get(part.name)
    assert before is not None

    def paint(moment: Moment) -> Frame:
        scene = task.solution(puzzle, moment.t)
        return _draw(task, puzzle, scene.change(before) if moment.remaining_s <= _BROKEN_S else scene)

    return paint


# -- the way -----------------------------------------------------------------------------------------------------


def _deform_midway(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """Return a painter of a solution in which the parts that move are stretched for a while."""
    del rng
    looks = get_looks(task, puzzle)

    def paint(moment: Moment) -> Frame:
        amount = min(rise(moment.t, 0.2, 0.3), 1 - rise(moment.t, 0.7, 0.8))
        names = find_move(task, puzzle, moment.t).names  # type: ignore[arg-type]
        change = only(names, lambda part, patch: warp_patch(part, patch, 1 + 0.9 * amount, 1 - 0.5 * amount))
        return draw_scene(looks, task.solution(puzzle, moment.t), change=change if amount > 0 else None)

    return paint


def _is_far(task: AnyTask, puzzle: Any) -> bool:
    return find_far_pair(task, puzzle) is not None  # type: ignore[arg-type]


def _skip(pass_over: Callable[[Frame, Frame, float], Frame]) -> BuildPainter:
    """Return a builder of solutions in which moves are replaced by something else than a motion."""

    def build(task: Any, puzzle: Any, rng: Random) -> Painter:
        del rng
        pair = find_far_pair(task, puzzle)
        assert pair is not None
        first, last, _ = pair
        path = task.path(puzzle)
        ends = [_draw(task, puzzle, Scene(task.lay_out(puzzle, path[i]))) for i in (first, last)]

        def paint(moment: Moment) -> Frame:
            if moment.t < 0.4 and first > 0:
                return _draw(task, puzzle, task.play(puzzle, path[: first + 1], moment.t / 0.4))
            if moment.t > 0.6 and last < len(path) - 1:
                return _draw(task, puzzle, task.play(puzzle, path[last:], (moment.t - 0.6) / 0.4))
            return pass_over(ends[0], ends[1], clamp((moment.t - 0.4) / 0.2))

        return paint

    return build


def _jump(before: Frame, after: Frame, share: float) -> Frame:
    return before if share < 0.5 else after


def _dissolve(before: Frame, after: Frame, share: float) -> Frame:
    return effects.mix(before, after, share)


def _fade_through_ground(before: Frame, after: Frame, share: float) -> Frame:
    """Return the picture without what differs, in the middle of the way."""
    off = np.abs(before.astype(np.int16) - after).max(axis=2) > 12
    mask = np.asarray(cv2.dilate(off.astype(np.uint8), np.ones((9, 9), np.uint8)), np.float32)
    plain = np.median(before.reshape(-1, 3), axis=0).astype(np.uint8)
    side, opacity = (before, 2 * share) if share < 0.5 else (after, 2 - 2 * share)
    return effects.mix_by_mask(side, np.broadcast_to(plain, side.shape).astype(np.uint8), mask * opacity)


def _stop_illegally(task: Any, puzzle: Any, rng: Random) -> Painter:
    """Return a painter of a solution in which a part visits a place to which no moves lead."""
    stop = find_illegal_stop(task, puzzle, rng)
    assert stop is not None
    index, there = stop
    path = task.path(puzzle)
    resting = Scene(task.lay_out(puzzle, path[index]))
    here = resting.get(there.name)
    assert here is not None

    def paint(moment: Moment) -> Frame:
        if moment.t < 0.3:
            return _draw(task, puzzle, task.play(puzzle, path[: index + 1], moment.t / 0.3))
        if moment.t > 0.7:
            return _draw(task, puzzle, task.play(puzzle, path[index:], (moment.t - 0.7) / 0.3))
        away = min(rise(moment.t, 0.32, 0.42), 1 - rise(moment.t, 0.58, 0.68))
        return _draw(task, puzzle, resting.change(task.route(puzzle, here, there, away)))

    return paint


def _can_stop_illegally(task: Any, puzzle: Any) -> bool:
    return find_illegal_stop(task, puzzle, Random(0)) is not None


def _move_two(task: Any, puzzle: Any, rng: Random) -> Painter:
    """Return a painter of a solution in which two moves are made at the same time."""
    del rng
    path, index = task.path(puzzle), find_double_move(task, puzzle)
    assert index is not None
    merged = (*path[: index + 1], *path[index + 2 :])
    return lambda moment: _draw(task, puzzle, task.play(puzzle, merged, moment.t))


def _can_move_two(task: Any, puzzle: Any) -> bool:
    return find_double_move(task, puzzle) is not None


def _list_spoilers(task: Any, puzzle: Any) -> list[Any]:
    end = task.path(puzzle)[-1]
    return [at for at in dict.fromkeys(task.moves(puzzle, end)) if not task.is_goal(puzzle, at)]


def _move_on(task: Any, puzzle: Any, rng: Random) -> Painter:
    """Return a painter of a solution after which one more move leaves the goal."""
    path = (*task.path(puzzle), rng.choice(_list_spoilers(task, puzzle)))
    return lambda moment: _draw(task, puzzle, task.play(puzzle, path, moment.t))


def _can_move_on(task: Any, puzzle: Any) -> bool:
    return bool(_list_spoilers(task, puzzle))


def _split_off(keep: bool) -> BuildPainter:
    """Return a builder of solutions in which a copy leaves a part and goes to a free place."""

    def build(task: Any, puzzle: Any, rng: Random) -> Painter:
        part = rng.choice(list_changed(task, puzzle))
        place = find_free_place(task, puzzle, _THING_PX + 3)
        assert place is not None
        start = task.solution(puzzle, 0.0).get(part.name)

        def paint(moment: Moment) -> Frame:
            scene, share = task.solution(puzzle, moment.t), rise(moment.t, 0.1, 0.8)
            if share <= 0 or (not keep and moment.t >= 1):
                return _draw(task, puzzle, scene)
            x, y = start.x + share * (place[0] - start.x), start.y + share * (place[1] - start.y)
            return _draw(task, puzzle, replace(scene, extra=(replace(part, name="+copy", x=x, y=y),)))

        return paint

    return build


# -- fills -------------------------------------------------------------------------------------------------------


def _fill_by(at: Callable[[list[Part], Moment, Random], list[Part]]) -> BuildPainter:
    """Return a builder of videos in which a function says what the cells that must be filled show."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        start, fills, seed = task.solution(puzzle, 0.0), list_changed(task, puzzle), rng.randrange(1 << 30)
        return lambda m: _draw(task, puzzle, start.change(*at(fills, m, Random(seed + m.index))))

    return build


def _answer_briefly(fills: list[Part], moment: Moment, rng: Random) -> list[Part]:
    del rng
    return fills if 0.4 < moment.t < 0.6 else []


def _answer_last(fills: list[Part], moment: Moment, rng: Random) -> list[Part]:
    del rng
    return fills if moment.remaining_s < 1.5 / moment.fps else []


def _answer_faintly(fills: list[Part], moment: Moment, rng: Random) -> list[Part]:
    del rng
    return [replace(part, opacity=0.3 * moment.t) for part in fills]


def _blink_last(fills: list[Part], moment: Moment, rng: Random) -> list[Part]:
    """Fill some of the cells, others in every frame, and all of them in the last one."""
    if moment.remaining_s < 1.5 / moment.fps:
        return fills
    return [part for part in fills if rng.random() < 0.5][: len(fills) - 1] if moment.t > 0 else []


def _spin_slots(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """Return a painter of other contents in every frame, with the answer in the last one."""
    start, fills, seed = task.solution(puzzle, 0.0), list_changed(task, puzzle), rng.randrange(1 << 30)
    looks = {part.name: task.stage(puzzle).kinds[part.name].looks for part in fills}  # type: ignore[attr-defined]

    def paint(moment: Moment) -> Frame:
        if moment.t <= 0 or moment.remaining_s < 1.5 / moment.fps:
            return _draw(task, puzzle, start.change(*(fills if moment.t > 0 else ())))
        draw = Random(seed + moment.index)
        wrong = draw.choice(fills).name
        shown = []
        for part in fills:
            others = [look for look in looks[part.name] if look != part.look]
            shown.append(replace(part, look=draw.choice(others if part.name == wrong else looks[part.name])))
        return _draw(task, puzzle, start.change(*shown))

    return paint


def _change_fills(change: ChangePatch) -> BuildPainter:
    """Return a builder of solutions in which every content that is filled in is drawn wrongly."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        del rng
        looks, names = get_looks(task, puzzle), [part.name for part in list_changed(task, puzzle)]
        return lambda m: draw_scene(looks, task.solution(puzzle, m.t), change=only(names, change))

    return build


def _halve(part: Part, patch: Patch) -> Patch:
    del part
    shown = (np.arange(patch.alpha.shape[1]) < patch.alpha.shape[1] / 2).astype(np.float32)[None, :]
    return replace(patch, alpha=patch.alpha * shown, colour=patch.colour * shown[..., None])


def _misplace(part: Part, patch: Patch) -> Patch:
    del part
    return replace(patch, left=patch.left + round(0.7 * patch.alpha.shape[1]))


def _list_blanks(task: AnyTask, puzzle: Any) -> list[Part]:
    """Return the cells that stay blank."""
    return [part for part in task.solution(puzzle, 1.0).parts if not part.look]


def _add_faint_content(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    blank, model = rng.choice(_list_blanks(task, puzzle)), list_changed(task, puzzle)[0]

    def paint(moment: Moment) -> Frame:
        added = replace(blank, look=model.look, opacity=0.45 * rise(moment.t, 0.2, 0.8))
        return _draw(task, puzzle, task.solution(puzzle, moment.t).change(added))

    return paint


def _fill_everything(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    del rng
    blanks, model = _list_blanks(task, puzzle), list_changed(task, puzzle)[0]

    def paint(moment: Moment) -> Frame:
        count = round(rise(moment.t, 0.3, 1.0) * len(blanks))
        added = [replace(blank, look=model.look) for blank in blanks[:count]]
        return _draw(task, puzzle, task.solution(puzzle, moment.t).change(*added))

    return paint


def _has_blanks(task: AnyTask, puzzle: Any) -> bool:
    return bool(_list_blanks(task, puzzle))


def _mix_contents(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """Return a painter of a solution in which one cell shows the right and a wrong content through each other."""
    part = rng.choice(list_changed(task, puzzle))
    other = rng.choice(_list_other_looks(task, puzzle, part))

    def paint(moment: Moment) -> Frame:
        scene = task.solution(puzzle, moment.t)
        right = _draw(task, puzzle, scene)
        if (now := scene.get(part.name)) is None or not now.look:
            return right
        return effects.mix(right, _draw(task, puzzle, scene.change(replace(now, look=other))), 0.5)

    return paint


def _list_other_looks(task: AnyTask, puzzle: Any, part: Part) -> list[str]:
    looks = task.stage(puzzle).kinds[part.name].looks  # type: ignore[attr-defined]
    return [look for look in looks if look not in ("", part.look)]


def _has_other_looks(task: AnyTask, puzzle: Any) -> bool:
    return all(_list_other_looks(task, puzzle, part) for part in list_changed(task, puzzle))


def _move_given(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """Return a painter of a solution in which a given content moves into a cell that must stay blank."""
    given, blank = rng.choice(list_kept(task, puzzle)), rng.choice(_list_blanks(task, puzzle))

    def paint(moment: Moment) -> Frame:
        share = rise(moment.t, 0.3, 0.8)
        moved = replace(given, x=given.x + share * (blank.x - given.x), y=given.y + share * (blank.y - given.y))
        return _draw(task, puzzle, task.solution(puzzle, moment.t).change(moved))

    return paint


def _can_move_given(task: AnyTask, puzzle: Any) -> bool:
    return _has_kept(task, puzzle) and _has_blanks(task, puzzle)


_any, _moves, _slides, _fills = (
    partial(make_cheat_kind, needs=(offer,)) for offer in (Offer.PARTS, Offer.MOVES, Offer.SLIDES, Offer.FILLS)
)
_end = partial(_any, timing=LONG_END)

PART_CHEATS: tuple[VideoKind, ...] = (
    _end("part_stretched", "One of the parts that decide is stretched at the end.", _break_end(_stretch)),
    _end("part_doubled_in_size", "One of the parts that decide is much larger at the end.", _break_end(_double)),
    _end("part_recoloured", "One of the parts that decide has another colour at the end.", _break_end(recolour(150)),
         fits=_has_hue),
    _end("kept_part_stretched", "A part that must stay is stretched at the end.", _break_end(_stretch, kept=True),
         fits=_has_kept),
    _end("covered_in_grey", "Pale grey boxes cover what decides at the end.", _change_frames(_cover_answer("#e6e6e6")),
         fits=_leaves_scene),
    _end("covered_in_white", "White boxes cover what decides at the end.", _change_frames(_cover_answer("#ffffff")),
         fits=_leaves_scene),
    _end("covered_in_black", "Black boxes cover what decides at the end.", _change_frames(_cover_answer("#111111")),
         fits=_leaves_scene),
    _end("answer_blurred", "What decides is blurred beyond recognition at the end.", _change_frames(_blur_answer)),
    _end("panned_away", "The camera moves at the end until what decides is out of the picture.",
         _change_frames(_pan_away)),
    _end("part_undone", "One of the parts that decide is back where it was at the end.", _undo_at_end),
    _any("star_left", "A pink star appears between the parts and stays.", _draw_thing(5, 0.45, "#ec4899"),
         fits=_has_room),
    _any("triangle_left", "A dark triangle appears between the parts and stays.", _draw_thing(3, 0.5, "#334155"),
         fits=_has_room),
    _moves("deformed_midway", "The parts that move are stretched for half of the way, and whole again at the end.",
           _deform_midway),
    _moves("jumps_far", "A part jumps over several moves.", _skip(_jump), fits=_is_far),
    _moves("dissolves_far", "A part dissolves and appears several moves on.", _skip(_dissolve), fits=_is_far),
    _moves("vanishes_far", "A part vanishes, and appears again several moves on.", _skip(_fade_through_ground),
           fits=_is_far),
    _moves("illegal_stop", "A part visits a place to which no legal moves lead, and comes back.", _stop_illegally,
           timing=Timing(0.25, 5.0, 0.7), fits=_can_stop_illegally),
    make_cheat_kind("two_moves_at_once", "Two parts move at the same time where one must move after the other.",
                    _move_two, (Offer.ONE_BY_ONE,), fits=_can_move_two),
    _moves("moves_on", "The goal is reached, then one more move leaves it.", _move_on, fits=_can_move_on),
    _slides("copy_splits_off", "A copy leaves a part, goes to a free place, and stays.", _split_off(keep=True),
            fits=_has_room),
    _slides("copy_goes_along", "A copy of a part moves about, and is gone at the end.", _split_off(keep=False),
            fits=_has_room),
    _fills("answer_for_a_moment", "The answer is shown for a moment in the middle only.", _fill_by(_answer_briefly)),
    _fills("answer_in_last_frame", "The answer is shown in the last frame only.", _fill_by(_answer_last)),
    _fills("answer_faint", "All contents are filled in by less than a third.", _fill_by(_answer_faintly)),
    _fills("fills_flicker", "Other cells are filled in every frame, and all of them in the last one.",
           _fill_by(_blink_last)),
    _fills("slots_never_rest", "The contents are others in every frame, and right in the last one.", _spin_slots),
    _fills("half_contents", "Only the left half of each content is drawn.", _change_fills(_halve)),
    _fills("contents_misplaced", "All contents are beside their cells.", _change_fills(_misplace)),
    _fills("contents_stretched", "All contents are stretched.", _change_fills(_stretch)),
    _fills("contents_recoloured", "All contents have another colour than asked for.", _change_fills(recolour(150)),
           fits=_has_hue),
    _fills("faint_content_added", "A faint content appears in a cell that must stay blank.", _add_faint_content,
           fits=_has_blanks),
    _fills("all_cells_filled", "All cells are filled, also those that must stay blank.", _fill_everything,
           fits=_has_blanks),
    _fills("contents_mixed", "One cell shows the right and a wrong content through each other.", _mix_contents,
           fits=_has_other_looks),
    _fills("given_moved", "A given content moves to another cell.", _move_given, fits=_can_move_given),
)  # fmt: skip
"""Cheats of every puzzle of the kit."""
