"""Honest videos of the kit's puzzles: right solutions that are drawn, decorated or animated in another way.

What is added stays until the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import pi, sin
from random import Random
from typing import Any

import numpy as np

from vmevalkit.audit.kinds import effects
from vmevalkit.audit.kinds.kind import VideoKind, make_honest_kind
from vmevalkit.audit.kinds.part_pictures import (
    AnyMoveTask,
    ChangePatch,
    PaintUnder,
    cast_soft_shadow,
    draw_scene,
    find_box,
    find_move,
    get_ground,
    get_looks,
    list_changed,
    list_tracks,
    measure_reach,
    only,
    outline,
    resize_parts,
    shade,
    warp_patch,
)
from vmevalkit.audit.kinds.timeline import BuildPainter, Moment, Painter, Timing, clamp, ease, rise
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.tasks.kit.looks import Patch
from vmevalkit.tasks.kit.scene import Part, Scene
from vmevalkit.tasks.task import AnyTask, Offer

_BORDER_PX = 9
"""Width of the empty border that a bar or a line of small text needs."""
_MAX_BOX_SHARE = 0.2
"""A part whose box covers more of the picture has no cell of its own that could be highlighted."""


def _set_in(moment: Moment) -> float:
    """Return how far a style that comes in at the start has come in."""
    return rise(moment.seconds, 0.05, 0.5)


def _style(make: Callable[[float], ChangePatch]) -> BuildPainter:
    """Return a builder of solutions whose parts are all drawn in another way; ``make`` gets its strength."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        del rng
        looks = get_looks(task, puzzle)
        return lambda m: draw_scene(looks, task.solution(puzzle, m.t), change=make(_set_in(m)))

    return build


def _paint_under(make: Callable[[float], PaintUnder]) -> BuildPainter:
    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        del rng
        looks = get_looks(task, puzzle)
        return lambda m: draw_scene(looks, task.solution(puzzle, m.t), under=make(_set_in(m)))

    return build


def _change_ground(change: Callable[[Frame], Frame]) -> BuildPainter:
    """Return a builder of solutions on another ground, which comes in at the start."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        del rng
        looks, ground = get_looks(task, puzzle), get_ground(task, puzzle)
        other = change(ground)
        return lambda m: draw_scene(
            looks, task.solution(puzzle, m.t), ground=effects.mix(ground, other, _set_in(m))
        )  # fmt: skip

    return build


def _tint(*factors: float) -> Callable[[Frame], Frame]:
    return lambda ground: effects.scale_levels(ground, factors)


def _add_texture(ground: Frame) -> Frame:
    noise = np.random.default_rng(5).normal(0, 5, ground.shape[:2]).astype(np.float32)
    return effects.to_frame(ground.astype(np.float32) + noise[..., None])


def _light_from_left(frame: Frame, moment: Moment) -> Frame:
    fall = np.linspace(0, 0.22, frame.shape[1], dtype=np.float32)[None, :, None] * _set_in(moment)
    return effects.to_frame(frame * (1 - fall))


def _filter_frames(change: Callable[[Frame, Moment], Frame]) -> BuildPainter:
    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        del rng
        return lambda m: change(task.draw(puzzle, task.solution(puzzle, m.t)), m)

    return build


# -- beside the puzzle -------------------------------------------------------------------------------------------


def _has_border(task: AnyTask, puzzle: Any) -> bool:
    """Return whether the border of the picture is empty, so that what is drawn there touches nothing."""
    for t in (0.0, 0.5, 1.0):
        frame = task.draw(puzzle, task.solution(puzzle, t))
        for strip in (frame[:_BORDER_PX], frame[-_BORDER_PX:]):
            if float(np.ptp(strip, axis=(0, 1)).max()) > 3:
                return False
    return True


def _draw_bar(frame: Frame, moment: Moment) -> Frame:
    height, width = frame.shape[:2]

    def draw(canvas: Canvas) -> None:
        canvas.rectangle(0, height - 5, width, 5, "#d4d4d8")
        canvas.rectangle(0, height - 5, round(width * max(moment.share, 0.01)), 5, "#ef4444")

    return effects.draw_over(frame, draw)


def _draw_counter(frame: Frame, moment: Moment) -> Frame:
    text = f"{moment.seconds:04.1f} s"
    return effects.draw_over(frame, lambda canvas: canvas.text(text, 4, 5, 8, fill="#52525b", anchor="left"))


def _draw_caption(frame: Frame, moment: Moment) -> Frame:
    text = "How it is solved" if moment.t < 1 else "Solved"
    width = frame.shape[1]
    return effects.draw_over(frame, lambda canvas: canvas.text(text, width / 2, 5, 8, fill="#1d4ed8"))


# -- marks on the ground -----------------------------------------------------------------------------------------


def _mark_ground(draw: Callable[[AnyTask, Any, Canvas, Moment], None], opacity: float) -> BuildPainter:
    """Return a builder of solutions with something drawn on the ground, beneath the parts."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        del rng
        looks, ground = get_looks(task, puzzle), get_ground(task, puzzle)

        def paint(moment: Moment) -> Frame:
            marked = effects.draw_over(ground, lambda canvas: draw(task, puzzle, canvas, moment))
            return draw_scene(looks, task.solution(puzzle, moment.t), ground=effects.mix(ground, marked, opacity))

        return paint

    return build


def _draw_trail(colour: str, width: float, of_part: bool = True) -> Callable[[AnyTask, Any, Canvas, Moment], None]:
    """Return a painter of the ways of all parts up to now; the width is a share of the part, or pixels."""

    def draw(task: AnyTask, puzzle: Any, canvas: Canvas, moment: Moment) -> None:
        start = task.solution(puzzle, 0.0)
        for name, points in list_tracks(task, puzzle, moment.t).items():
            part = start.get(name)
            if part is not None and len(points) > 1:
                px = width * 2 * measure_reach(task, puzzle, part) if of_part else width
                canvas.line(points, colour, max(px, 1.0))

    return draw


def _draw_dots(task: AnyTask, puzzle: Any, canvas: Canvas, moment: Moment) -> None:
    for points in list_tracks(task, puzzle, moment.t).values():
        for x, y in points[::6]:
            canvas.circle(x, y, 2.5, fill="#6b7280")


def _draw_plan(task: AnyTask, puzzle: Any, canvas: Canvas, moment: Moment) -> None:
    """Draw the whole way of each part, before anything moves; it stays."""
    for points in list_tracks(task, puzzle, rise(moment.seconds, 0.1, 0.9)).values():
        if len(points) > 1:
            canvas.line(points, "#2563eb", 3)


def _highlight_targets(colour: str) -> Callable[[AnyTask, Any, Canvas, Moment], None]:
    def draw(task: AnyTask, puzzle: Any, canvas: Canvas, moment: Moment) -> None:
        if moment.seconds > 0.15:
            for part in list_changed(task, puzzle):
                _draw_cell(task, puzzle, canvas, part, colour)

    return draw


def _highlight_now(task: AnyTask, puzzle: Any, canvas: Canvas, moment: Moment) -> None:
    names = {part.name for part in list_changed(task, puzzle)}
    if moment.seconds > 0.15:
        for part in task.solution(puzzle, moment.t).parts:
            if part.name in names and part.look:
                _draw_cell(task, puzzle, canvas, part, "#fde047")


def _draw_cell(task: AnyTask, puzzle: Any, canvas: Canvas, part: Part, colour: str) -> None:
    left, top, right, bottom = find_box(task, puzzle, part)
    canvas.rectangle(left - 4, top - 4, right - left + 8, bottom - top + 8, colour)


def _has_small_parts(task: AnyTask, puzzle: Any) -> bool:
    width, height = task.size(puzzle)
    boxes = [find_box(task, puzzle, part) for part in list_changed(task, puzzle)]
    return all((right - left) * (bottom - top) < _MAX_BOX_SHARE * width * height for left, top, right, bottom in boxes)


# -- moves -------------------------------------------------------------------------------------------------------


def _animate_movers(change: Callable[[Part, Patch, float], Patch], with_shadow: bool = False) -> BuildPainter:
    """Return a builder of solutions in which parts are drawn in another way while they move."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        del rng
        looks, shadow = get_looks(task, puzzle), cast_soft_shadow(6, 4, 0.3)

        def paint(moment: Moment) -> Frame:
            move = find_move(task, puzzle, moment.t)  # type: ignore[arg-type]
            names, share = (move.names, move.share) if moment.t > 0 else ((), 0.0)
            change_now = only(names, lambda part, patch: change(part, patch, share))

            def cast(picture: Any, part: Part, patch: Patch) -> None:
                if part.name in names and 0 < share < 1:
                    shadow(picture, part, patch)

            under = cast if with_shadow else None
            return draw_scene(looks, task.solution(puzzle, moment.t), change=change_now, under=under)

        return paint

    return build


def _lift(part: Part, patch: Patch, share: float) -> Patch:
    return resize_parts(1 + 0.1 * sin(pi * share))(part, patch)


def _wobble(part: Part, patch: Patch, share: float) -> Patch:
    return warp_patch(part, patch, 1, 1, 5 * sin(6 * pi * share) * sin(pi * share))


def _play_moves(rest: float, pace: Callable[[float], float]) -> BuildPainter:
    """Return a builder of solutions whose moves have another pace, and other rests between them."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        del rng
        return lambda m: task.draw(puzzle, _play(task, puzzle, m.t, rest, pace))  # type: ignore[arg-type]

    return build


def _play(task: AnyMoveTask, puzzle: Any, t: float, rest: float, pace: Callable[[float], float]) -> Scene:
    path = task.path(puzzle)
    position = clamp(t) * (len(path) - 1)
    index = min(int(position), len(path) - 2)
    share = clamp((position - index) / (1 - rest))
    return task.move_between(puzzle, path[index], path[index + 1], pace(share))


def _pause_in_the_middle(t: float) -> float:
    return t / 0.4 * 0.5 if t < 0.4 else 0.5 if t < 0.6 else 0.5 + (t - 0.6) / 0.4 * 0.5


def _pause(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    del rng
    return lambda m: task.draw(puzzle, task.solution(puzzle, _pause_in_the_middle(m.t)))


# -- fills -------------------------------------------------------------------------------------------------------


def _fill(
    come_in: Callable[[Part, Patch, float], Patch], order: Callable[[list[Part], Random], list[Part]] | None = None,
    together: bool = False,
) -> BuildPainter:  # fmt: skip
    """Return a builder of solutions whose contents come in in another way, order or time."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        looks, start = get_looks(task, puzzle), task.solution(puzzle, 0.0)
        fills = list_changed(task, puzzle)
        if order is not None:
            fills = order(fills, rng)

        def paint(moment: Moment) -> Frame:
            shares = {
                part.name: clamp(moment.t if together else (moment.t * len(fills) - place) / 0.8)
                for place, part in enumerate(fills)
            }
            scene = start.change(*(part for part in fills if shares[part.name] > 0))
            change = only(list(shares), lambda part, patch: come_in(part, patch, shares[part.name]))
            return draw_scene(looks, scene, change=change)

        return paint

    return build


def _grow(part: Part, patch: Patch, share: float) -> Patch:
    return resize_parts(max(ease(share), 0.02))(part, patch)


def _pop(part: Part, patch: Patch, share: float) -> Patch:
    size = 1.15 * share / 0.6 if share < 0.6 else 1.15 - 0.15 * (share - 0.6) / 0.4
    return resize_parts(max(size, 0.02))(part, patch)


def _spin(part: Part, patch: Patch, share: float) -> Patch:
    size = max(ease(share), 0.02)
    return warp_patch(part, patch, size, size, 180 * (1 - ease(share)))


def _wipe(part: Part, patch: Patch, share: float) -> Patch:
    del part
    shown = (np.arange(patch.alpha.shape[1]) < share * patch.alpha.shape[1]).astype(np.float32)[None, :]
    return replace(patch, alpha=patch.alpha * shown, colour=patch.colour * shown[..., None])


def _drop_in(part: Part, patch: Patch, share: float) -> Patch:
    del part
    return replace(patch, top=patch.top - round((patch.top + patch.alpha.shape[0]) * (1 - ease(share))))


def _appear(part: Part, patch: Patch, share: float) -> Patch:
    del part, share
    return patch


def _fade(part: Part, patch: Patch, share: float) -> Patch:
    del part
    return replace(patch, alpha=patch.alpha * np.float32(share), colour=patch.colour * np.float32(share))


def _shuffle(parts: list[Part], rng: Random) -> list[Part]:
    return rng.sample(parts, len(parts))


def _spin_slots(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """Return a painter of changing contents that come to rest as the answer, for more than a second."""
    start, fills, seed = task.solution(puzzle, 0.0), list_changed(task, puzzle), rng.randrange(1 << 30)
    looks = {part.name: task.stage(puzzle).kinds[part.name].looks for part in fills}  # type: ignore[attr-defined]

    def paint(moment: Moment) -> Frame:
        if moment.t in (0.0, 1.0):
            return task.draw(puzzle, start.change(*(fills if moment.t else ())))
        draw = Random(seed + moment.index)
        scene = start.change(*(replace(part, look=draw.choice(looks[part.name])) for part in fills))
        return task.draw(puzzle, scene)

    return paint


_any, _moves, _slides, _fills = (
    partial(make_honest_kind, needs=(offer,)) for offer in (Offer.PARTS, Offer.MOVES, Offer.SLIDES, Offer.FILLS)
)

PART_HONEST: tuple[VideoKind, ...] = (
    _any("shadowed_parts", "All parts get a soft shadow that stays.",
         _paint_under(lambda s: cast_soft_shadow(5, 4, 0.3 * s))),
    _any("contact_shadow", "All parts get a dark soft rim beneath them that stays.",
         _paint_under(lambda s: cast_soft_shadow(1, 3, 0.4 * s))),
    _any("glowing_parts", "All parts get a soft yellow glow that stays.",
         _paint_under(lambda s: cast_soft_shadow(0, 6, 0.5 * s, (250, 204, 21)))),
    _any("shaded_parts", "All parts are shaded as by light from the upper left.", _style(lambda s: shade(0.22 * s))),
    _any("slightly_larger", "All parts grow by 6 percent and stay so.", _style(lambda s: resize_parts(1 + 0.06 * s))),
    _any("slightly_smaller", "All parts shrink by 6 percent and stay.", _style(lambda s: resize_parts(1 - 0.06 * s))),
    _any("outlined_parts", "All parts get a thin dark outline.", _style(lambda s: outline(1, s))),
    _any("thick_outlines", "All parts get an outline of two pixels.", _style(lambda s: outline(2, s))),
    _any("beige_ground", "The ground turns beige, all of it alike.", _change_ground(_tint(0.97, 0.91, 0.8))),
    _any("green_ground", "The ground turns light green, all of it alike.", _change_ground(_tint(0.85, 0.96, 0.84))),
    _any("blue_ground", "The ground turns light blue, all of it alike.", _change_ground(_tint(0.84, 0.91, 1.0))),
    _any("grey_ground", "The ground turns grey, all of it alike.", _change_ground(_tint(0.8, 0.8, 0.8))),
    _any("paper_texture", "The ground becomes rough like paper.", _change_ground(_add_texture)),
    _any("light_from_left", "The right side becomes darker by a fifth.", _filter_frames(_light_from_left)),
    _any("bar_at_edge", "A thin progress bar runs along the lower edge, beside the puzzle.", _filter_frames(_draw_bar),
         fits=_has_border),
    _any("counter_in_corner", "A small counter runs in the corner, beside the puzzle.", _filter_frames(_draw_counter),
         fits=_has_border),
    _any("caption_in_margin", "A small caption in the upper margin says what is done.", _filter_frames(_draw_caption),
         fits=_has_border),
    _any("targets_in_yellow", "A translucent yellow field marks the places that change, behind the parts.",
         _mark_ground(_highlight_targets("#fde047"), 0.45), fits=_has_small_parts),
    _any("targets_in_green", "A translucent green field marks the places that change, behind the parts.",
         _mark_ground(_highlight_targets("#4ade80"), 0.4), fits=_has_small_parts),
    _any("lit_while_changing", "A translucent yellow field is behind the parts that change, wherever they are.",
         _mark_ground(_highlight_now, 0.45), fits=_has_small_parts),
    _any("pause_midway", "The motion pauses once in the middle.", _pause, timing=Timing(0.25, 3.6, 0.7)),
    _moves("trail_thin", "A thin grey line stays behind the parts that move.",
           _mark_ground(_draw_trail("#6b7280", 1.5, of_part=False), 1.0)),
    _moves("trail_blue", "A blue line stays behind the parts that move.",
           _mark_ground(_draw_trail("#3b82f6", 4, of_part=False), 1.0)),
    _moves("trail_translucent", "A broad translucent line stays behind the parts that move.",
           _mark_ground(_draw_trail("#f59e0b", 0.3), 0.25)),
    _moves("trail_broad", "A broad yellow line stays behind the parts that move.",
           _mark_ground(_draw_trail("#fde047", 0.2), 0.7)),
    _moves("trail_dotted", "A dotted line stays behind the parts that move.", _mark_ground(_draw_dots, 1.0)),
    _moves("way_drawn_first", "The way of each part is drawn as a thin line first, then taken.",
           _mark_ground(_draw_plan, 0.8), timing=Timing(1.0, 3.0, 0.7)),
    _moves("eased_moves", "Each move starts and ends slowly.", _play_moves(0.1, ease)),
    _moves("no_rests", "The moves follow each other without rests.", _play_moves(0.0, lambda share: share)),
    _moves("long_rests", "The parts rest for as long as each move takes.", _play_moves(0.45, lambda share: share),
           timing=Timing(0.25, 4.5, 0.7)),
    _slides("lifted_while_moving", "A part grows by a tenth while it moves, and shrinks back.", _animate_movers(_lift)),
    _slides("lifted_over_shadow", "A part grows by a tenth over a soft shadow while it moves.",
            _animate_movers(_lift, with_shadow=True)),
    _slides("wobbles_while_moving", "A part tilts by up to five degrees to both sides while it moves.",
            _animate_movers(_wobble)),
    _fills("fills_grow", "The contents grow from points, one after another.", _fill(_grow)),
    _fills("fills_pop", "The contents pop up, a little too large at first.", _fill(_pop)),
    _fills("fills_spin_in", "The contents turn as they grow.", _fill(_spin)),
    _fills("fills_wipe", "The contents are wiped in from the left.", _fill(_wipe)),
    _fills("fills_drop_in", "The contents come in over the upper edge.", _fill(_drop_in)),
    _fills("fills_appear", "The contents appear at once, one after another.", _fill(_appear)),
    _fills("fills_shuffled", "The contents fade in in another order.", _fill(_fade, _shuffle)),
    _fills("fills_backwards", "The last content comes first.", _fill(_grow, lambda parts, _: parts[::-1])),
    _fills("fills_together", "All contents fade in together.", _fill(_fade, together=True)),
    _fills("slots_come_to_rest", "Contents change in every frame, then the answer stays for more than a second.",
           _spin_slots, timing=Timing(0.25, 2.2, 1.5)),
)  # fmt: skip
"""Honest videos of every puzzle of the kit."""
