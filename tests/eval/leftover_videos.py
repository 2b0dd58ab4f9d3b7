"""Videos with something beside the puzzle, or with parts drawn otherwise, and the verdicts that they deserve.

Honest ones show the solution with trails, highlights, shadows, another style or another view. Cheats show things that
do not belong to the scene, answers that are not held, and parts that cannot be seen. All of it is there at the end.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from math import cos, pi, sin
from random import Random
from typing import Any

import chess
import cv2
import numpy as np

from vmevalkit.audit.kinds import effects
from vmevalkit.audit.kinds.chess_honest import draw_arrow, get_animation, get_pixel
from vmevalkit.audit.kinds.timeline import Moment, Painter, Timing, ease, paint_solution, rise
from vmevalkit.core.records import Score
from vmevalkit.eval.pipeline import score_timed_frames, working_size
from vmevalkit.media.canvas import Canvas, rgba
from vmevalkit.media.image import Frame
from vmevalkit.media.video import TimedFrame
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.chess_task.board_state import get_centre
from vmevalkit.tasks.chess_task.render import BOARD_SIZE, DARK, LIGHT
from vmevalkit.tasks.chess_task.render import get_layout as get_board
from vmevalkit.tasks.maze_task.lattice import centre, iter_walls, wall_ends
from vmevalkit.tasks.maze_task.maze_reasoning import initial_walls
from vmevalkit.tasks.maze_task.render import DOT_COLOUR, DOT_RADIUS, geometry_of
from vmevalkit.tasks.object_subtraction_task.scene import make_visible
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.raven_task.raven_reasoning import ANSWER
from vmevalkit.tasks.raven_task.render import TILE
from vmevalkit.tasks.raven_task.scene import Cell, initial_state
from vmevalkit.tasks.rotation_puzzle_task.scene import BLUE, get_layout
from vmevalkit.tasks.sudoku_task.render import MARGIN, cell_px
from vmevalkit.tasks.task import AnyTask

TIMING = Timing(0.25, 2.0, 0.7)
FPS = 12
Build = Callable[[AnyTask, Any, Random], Painter]
Change = Callable[[Frame, Moment], Frame]
Video = tuple[str, str, str, Build]
"""Name, task, expected verdict, painter."""


def _filter(change: Change) -> Build:
    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        solution = paint_solution(task, puzzle)
        return lambda moment: change(solution(moment), moment)

    return build


# -- all tasks -------------------------------------------------------------------------------------------------------


def _vignette(frame: Frame, moment: Moment) -> Frame:
    height, width = frame.shape[:2]
    rows, columns = np.linspace(-1, 1, height)[:, None, None], np.linspace(-1, 1, width)[None, :, None]
    return effects.to_frame(frame * (1 - 0.3 * rise(moment.seconds, 0.1, 0.6) * (rows**2 + columns**2) / 2**0.5))


def _film_look(frame: Frame, moment: Moment) -> Frame:
    share = rise(moment.seconds, 0.1, 0.6)
    toned = effects.scale_levels(
        effects.change_saturation(frame, 1 - 0.3 * share), (1, 1 - 0.04 * share, 1 - 0.12 * share), 8 * share
    )
    noise = np.random.default_rng(moment.index).normal(0, 5 * share, frame.shape[:2])[..., None]
    return effects.to_frame(_vignette(toned, moment) * (1 - 0.06 * share) + noise)


def _pan_4(frame: Frame, moment: Moment) -> Frame:
    share = ease(rise(moment.seconds, 0.2, 1.6))
    return effects.move_camera(frame, x=0.04 * share * frame.shape[1], y=-0.02 * share * frame.shape[0])


def _zoom_stays(zoom: float) -> Change:
    return lambda frame, moment: effects.move_camera(frame, zoom=1 + (zoom - 1) * ease(rise(moment.seconds, 0.2, 1.6)))


def _looks_away(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """The camera leaves the puzzle and returns before anything moves."""
    first = task.first_frame(puzzle)

    def paint(moment: Moment) -> Frame:
        away = sin(pi * rise(moment.t, 0.05, 0.45))
        t = rise(moment.t, 0.5, 1.0)
        frame = task.draw(puzzle, task.solution(puzzle, t)) if t > 0 else first
        return effects.move_camera(frame, x=0.45 * away * frame.shape[1]) if away > 0 else frame

    return paint


def _shake(pixels: float) -> Change:
    def change(frame: Frame, moment: Moment) -> Frame:
        share = rise(moment.seconds, 0.1, 0.4)
        x, y = pixels * share * sin(23 * moment.seconds), pixels * share * cos(31 * moment.seconds)
        return effects.move_camera(frame, x=x, y=y)

    return change


def _bar(x: float, y: float, w: float, h: float) -> Change:
    """A progress bar in the margin."""

    def change(frame: Frame, moment: Moment) -> Frame:
        height, width = frame.shape[:2]

        def draw(canvas: Canvas) -> None:
            canvas.rectangle(x * width, y * height, w * width, h * height, "#d0d0d0")
            canvas.rectangle(x * width, y * height, w * width * moment.share, h * height, "#2266dd")

        return effects.draw_over(frame, draw) if moment.seconds > 0.2 else frame

    return change


def _counter(x: float, y: float, em: float) -> Change:
    def change(frame: Frame, moment: Moment) -> Frame:
        height, width = frame.shape[:2]
        text = f"{moment.seconds:.1f} s"
        if moment.seconds < 0.2:
            return frame
        return effects.draw_over(frame, lambda c: c.text(text, x * width, y * height, em * height, fill="#333333"))

    return change


def _comes_in(x: float, y: float, dx: float, dy: float, size: float) -> Change:
    """A brown hand comes in over the edge and stays: from (x, y) by (dx, dy)."""

    def change(frame: Frame, moment: Moment) -> Frame:
        height, width = frame.shape[:2]
        share = ease(rise(moment.seconds, 0.5, 1.5))
        cx, cy, r = (x + dx * share) * width, (y + dy * share) * height, size * min(width, height)
        if share <= 0:
            return frame
        end = (cx - 20 * dx * width, cy - 20 * dy * height)

        def draw(canvas: Canvas) -> None:
            canvas.line([(cx, cy), end], "#e0ac8a", 1.5 * r)
            canvas.circle(cx, cy, r, fill="#e0ac8a")

        return effects.draw_over(frame, draw)

    return change


def _blurred_end(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    solution = paint_solution(task, puzzle)

    def paint(moment: Moment) -> Frame:
        frame = solution(moment)
        share = rise(moment.remaining_s, 0.7, 0.4)
        if share > 0.5:
            h, w = frame.shape[:2]
            frame = effects.draw_over(frame, lambda c: c.circle(0.62 * w, 0.4 * h, 0.06 * h, fill="#9628c8"))
        return effects.blur(frame, 9 * share)

    return paint


# -- maze ------------------------------------------------------------------------------------------------------------


def _line(frame: Frame, puzzle: Any, points: list[Any], colour: Any, width: float) -> Frame:
    geometry = geometry_of(puzzle.grid_n)
    pixels = [geometry.pixel(p) for p in points]
    return effects.draw_over(frame, lambda c: c.line(pixels, colour, max(width * geometry.cell, 1.0)))


def _trail(colour: str, width: float, opacity: float = 1.0, drawn_first: bool = False) -> Build:
    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        def paint(moment: Moment) -> Frame:
            t = rise(moment.t, 0.5, 1.0) if drawn_first else moment.t
            line_t = rise(moment.t, 0.0, 0.45) if drawn_first else moment.t
            state = task.solution(puzzle, t)
            steps = max(2, round(60 * line_t))
            points = [task.solution(puzzle, line_t * k / (steps - 1)).dots[0] for k in range(steps)]
            frame = task.draw(puzzle, state)
            if line_t <= 0:
                return frame
            ink = (*rgba(colour)[:3], 1.0)
            traced = _line(frame, puzzle, points, ink, width)
            traced = effects.mix(frame, traced, opacity)
            geometry = geometry_of(puzzle.grid_n)
            x, y = geometry.pixel(state.dots[0])
            return effects.draw_over(traced, lambda c: c.circle(x, y, DOT_RADIUS * geometry.cell, fill=DOT_COLOUR))

        return paint

    return build


def _walls(colour: tuple[int, int, int], thickness: float) -> Build:
    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        geometry = geometry_of(puzzle.grid_n)
        half = geometry.wall * thickness / 2
        ink = tuple(level / 255 for level in colour)

        def paint(moment: Moment) -> Frame:
            state = task.solution(puzzle, moment.t)
            frame = task.draw(puzzle, state)
            bare = np.full_like(frame, 255)

            def draw(canvas: Canvas) -> None:
                for wall in iter_walls(initial_walls(puzzle)):
                    (x, y), (u, v) = (geometry.pixel(c) for c in wall_ends(puzzle.grid_n, wall))
                    canvas.rectangle(x - half, y - half, u - x + 2 * half, v - y + 2 * half, ink)

            drawn = effects.draw_over(bare, draw)
            colourful = frame.max(axis=2).astype(int) - frame.min(axis=2) > 8
            drawn[colourful] = frame[colourful]
            return effects.mix(frame, drawn, rise(moment.seconds, 0.05, 0.4))

        return paint

    return build


def _dot(scale: float = 1.0, shaded: bool = False, shadow: bool = False) -> Build:
    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        geometry = geometry_of(puzzle.grid_n)

        def paint(moment: Moment) -> Frame:
            state = task.solution(puzzle, moment.t)
            frame = task.draw(puzzle, type(state)((), state.walls, state.flags))
            share = rise(moment.seconds, 0.05, 0.4)
            x, y = geometry.pixel(state.dots[0])
            r = DOT_RADIUS * geometry.cell * (1 + (scale - 1) * share)
            if shadow:
                frame = effects.cast_shadow(frame, x + 0.3 * r, y + 0.5 * r, 1.1 * r, 0.45 * share)
            frame = effects.draw_over(frame, lambda c: c.circle(x, y, r, fill=DOT_COLOUR))
            if shaded:
                inside = effects.make_soft_disc(frame, x, y, r - 1, 1)
                light = effects.make_soft_disc(frame, x - 0.35 * r, y - 0.4 * r, 0.25 * r, 0.8 * r)
                dark = 1 - effects.make_soft_disc(frame, x - 0.2 * r, y - 0.25 * r, 0.7 * r, 0.9 * r)
                frame = effects.mix_by_mask(frame, effects.fill_like(frame, (0, 50, 10)), 0.55 * share * inside * dark)
                frame = effects.mix_by_mask(
                    frame, effects.fill_like(frame, (255, 255, 255)), 0.6 * share * inside * light
                )
            return frame

        return paint

    return build


def _maze_thing(draw: Callable[[Canvas, float, float, float], None]) -> Build:
    """A thing in a cell off the path that appears and stays."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        geometry = geometry_of(puzzle.grid_n)
        free = [(r, c) for r in range(puzzle.grid_n) for c in range(puzzle.grid_n) if (r, c) not in puzzle.path]
        cell = rng.choice(free or [puzzle.start])
        x, y = geometry.pixel(centre(cell))
        solution = paint_solution(task, puzzle)

        def paint(moment: Moment) -> Frame:
            frame = solution(moment)
            return effects.draw_over(frame, lambda c: draw(c, x, y, geometry.cell)) if moment.t > 0.5 else frame

        return paint

    return build


def _star(canvas: Canvas, x: float, y: float, r: float, colour: str = "#e0a000") -> None:
    points = [
        (x + (r if k % 2 == 0 else 0.45 * r) * sin(k * pi / 5), y - (r if k % 2 == 0 else 0.45 * r) * cos(k * pi / 5))
        for k in range(10)
    ]
    canvas.polygon(np.array(points), fill=colour)


# -- chess -----------------------------------------------------------------------------------------------------------

_SQ, _MG = get_board(BOARD_SIZE)


def _square_slice(square: chess.Square) -> tuple[slice, slice]:
    x, y = get_centre(square)
    left, top = (round(v) for v in get_pixel(x - 0.5, y - 0.5))
    return slice(top, top + _SQ), slice(left, left + _SQ)


def _highlight(colour: tuple[int, int, int], strength: float) -> Build:
    """Both squares of the move are tinted behind the pieces."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        animation = get_animation(puzzle)

        def paint(moment: Moment) -> Frame:
            state = animation.at(ease(moment.t))
            frame = task.draw(puzzle, state)
            share = strength * rise(moment.t, 0.0, 0.2)
            for square in (animation.glides[0].source, animation.glides[0].target):
                where = _square_slice(square)
                row, column = where[0].start // _SQ, where[1].start // _SQ
                ground = LIGHT if (row + column) % 2 == 0 else DARK
                base = np.array([255 * v for v in rgba(ground)[:3]])
                patch = frame[where].astype(np.float32)
                behind = np.abs(patch - base).max(axis=2) < 3
                tinted = patch + share * (np.array(colour) - patch)
                frame[where] = np.where(behind[..., None], tinted, patch).astype(np.uint8)
            return frame

        return paint

    return build


def _tint_over(colour: tuple[int, int, int], strength: float) -> Build:
    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        animation = get_animation(puzzle)

        def paint(moment: Moment) -> Frame:
            frame = task.draw(puzzle, animation.at(ease(moment.t)))
            for square in (animation.glides[0].source, animation.glides[0].target):
                where = _square_slice(square)
                frame[where] = effects.mix(
                    frame[where], effects.fill_like(frame[where], colour), strength * rise(moment.t, 0.0, 0.2)
                )
            return frame

        return paint

    return build


def _arrow_stays(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    animation = get_animation(puzzle)
    return lambda moment: draw_arrow(
        task.draw(puzzle, animation.at(ease(moment.t))), animation, 0.8 * rise(moment.t, 0, 0.2)
    )


def _board(light: tuple[int, int, int], dark: tuple[int, int, int]) -> Build:
    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        solution = paint_solution(task, puzzle)

        def paint(moment: Moment) -> Frame:
            frame = solution(moment)
            out = frame.astype(np.float32)
            for old, new in ((LIGHT, light), (DARK, dark)):
                base = np.array([255 * v for v in rgba(old)[:3]])
                same = np.clip(1 - np.abs(out - base).max(axis=2) / 12, 0, 1)[_MG:-_MG, _MG:-_MG, None]
                part = out[_MG:-_MG, _MG:-_MG]
                part += same * (np.array(new) - part)
            return effects.mix(frame, effects.to_frame(out), rise(moment.seconds, 0.05, 0.4))

        return paint

    return build


def _chess_thing(draw: Callable[[Canvas, float, float, float], None]) -> Build:
    """A thing on an empty square."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        animation = get_animation(puzzle)
        end = animation.at(1.0)
        start = animation.at(0.0)
        free = [i for i in range(64) if not end.squares[i].isalpha() and not start.squares[i].isalpha()]
        row, column = divmod(rng.choice(free), 8)
        x, y = _MG + (column + 0.5) * _SQ, _MG + (row + 0.5) * _SQ

        def paint(moment: Moment) -> Frame:
            frame = task.draw(puzzle, animation.at(ease(moment.t)))
            return effects.draw_over(frame, lambda c: draw(c, x, y, _SQ)) if moment.t > 0.6 else frame

        return paint

    return build


def _smeared_piece(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """A piece that must stay is smeared over two squares."""
    animation = get_animation(puzzle)
    end = animation.at(1.0)
    places = [i for i in range(64) if end.squares[i].isalpha() and i % 8 < 7 and not end.squares[i + 1].isalpha()]
    row, column = divmod(rng.choice(places), 8)
    top, left = _MG + row * _SQ, _MG + column * _SQ

    def paint(moment: Moment) -> Frame:
        frame = task.draw(puzzle, animation.at(ease(moment.t)))
        if moment.t > 0.6:
            part = frame[top : top + _SQ, left : left + 2 * _SQ]
            frame[top : top + _SQ, left : left + 2 * _SQ] = cv2.blur(part, (_SQ, 1))
        return frame

    return paint


def _ninth_file(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """The board grows a ninth file: everything is squeezed to make room."""
    animation = get_animation(puzzle)

    def paint(moment: Moment) -> Frame:
        frame = task.draw(puzzle, animation.at(ease(moment.t)))
        share = rise(moment.t, 0.3, 0.7)
        if share <= 0:
            return frame
        board = frame[_MG : _MG + 8 * _SQ, _MG : _MG + 8 * _SQ]
        ninth = np.roll(board[:, :_SQ], 0, axis=0)[::-1]
        nine = np.concatenate([board, ninth[:, : max(1, round(share * _SQ))]], axis=1)
        frame[_MG : _MG + 8 * _SQ, _MG : _MG + 8 * _SQ] = cv2.resize(
            nine, (8 * _SQ, 8 * _SQ), interpolation=cv2.INTER_AREA
        )
        return frame

    return paint


# -- sudoku ----------------------------------------------------------------------------------------------------------


def _digits(draw_digit: Callable[[Canvas, str, float, float, float], None], after: float = 0.0) -> Build:
    """All answers are drawn by a function over the givens; with ``after``, over the solution itself from that time."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        side = cell_px(puzzle.order)
        blanks = [i for i, given in enumerate(puzzle.givens) if not given]

        def paint(moment: Moment) -> Frame:
            frame = task.draw(puzzle, task.solution(puzzle, moment.t if after else 0.0))

            def draw(canvas: Canvas) -> None:
                for place, cell in enumerate(blanks):
                    row, column = divmod(cell, puzzle.order)
                    if moment.t > max(after, place / len(blanks)):
                        x, y = MARGIN + (column + 0.5) * side, MARGIN + (row + 0.5) * side
                        draw_digit(canvas, str(puzzle.solution[cell]), x, y, side)

            return effects.draw_over(frame, draw)

        return paint

    return build


def _outlined(canvas: Canvas, digit: str, x: float, y: float, side: float) -> None:
    em = 0.36 * side if side > 100 else 0.6 * side
    for dx, dy in ((-2, 0), (2, 0), (0, -2), (0, 2), (-1.4, -1.4), (1.4, 1.4), (1.4, -1.4), (-1.4, 1.4)):
        canvas.text(digit, x + dx, y + dy, em, fill="#001060", bold=True)
    canvas.text(digit, x, y, em, fill="#ffffff", bold=True)


def _faint_second(canvas: Canvas, digit: str, x: float, y: float, side: float) -> None:
    other = str(int(digit) % 3 + 1)
    canvas.text(other, x + 0.28 * side, y, 0.33 * side, fill=(0, 0, 1, 0.35), bold=True)


def _half_digits(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """Of one answer only the upper half is written."""
    side, blanks = cell_px(puzzle.order), [i for i, g in enumerate(puzzle.givens) if not g]
    cell = rng.choice(blanks)
    row, column = divmod(cell, puzzle.order)
    first = task.first_frame(puzzle)
    part = (
        slice(MARGIN + round((row + 0.5) * side), MARGIN + (row + 1) * side - 4),
        slice(MARGIN + column * side + 4, MARGIN + (column + 1) * side - 4),
    )

    def paint(moment: Moment) -> Frame:
        frame = task.draw(puzzle, task.solution(puzzle, moment.t))
        frame[part] = first[part]
        return frame

    return paint


def _slot_machine(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """Other digits in every frame; the right ones in the very last."""
    seed = rng.getrandbits(30)

    def paint(moment: Moment) -> Frame:
        if moment.remaining_s <= 1.5 / moment.fps:
            return task.draw(puzzle, task.solution(puzzle, 1.0))
        if moment.seconds < TIMING.lead_s:
            return task.first_frame(puzzle)
        dice = Random(seed + moment.index)
        values = [given or dice.randint(1, puzzle.order) for given in puzzle.givens]
        printed = type(puzzle)(puzzle.order, puzzle.givens, tuple(values))
        return task.draw(puzzle, task.solution(printed, 1.0))

    return paint


def _extra_column(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    side = cell_px(puzzle.order)
    board = puzzle.order * side

    def paint(moment: Moment) -> Frame:
        frame = task.draw(puzzle, task.solution(puzzle, moment.t))
        share = rise(moment.t, 0.3, 0.7)
        if share <= 0:
            return frame
        part = frame[:, MARGIN : MARGIN + board]
        wide = np.concatenate([part, part[:, : max(1, round(share * side))]], axis=1)
        frame[:, MARGIN : MARGIN + board] = cv2.resize(wide, (board, frame.shape[0]), interpolation=cv2.INTER_AREA)
        return frame

    return paint


# -- raven -----------------------------------------------------------------------------------------------------------


def _random_tiles(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    seed = rng.getrandbits(30)
    others = [tile for tile in dict.fromkeys(plan_tiles()) if tile != puzzle.answer]

    def paint(moment: Moment) -> Frame:
        start = initial_state(puzzle)
        if moment.seconds < TIMING.lead_s:
            return task.draw(puzzle, start)
        tile = puzzle.answer if moment.remaining_s <= 1.5 / moment.fps else Random(seed + moment.index).choice(others)
        return task.draw(puzzle, start.with_cell(ANSWER, Cell(tile)))

    return paint


def plan_tiles() -> list[Any]:
    task = TASKS["raven"]
    return [tile for puzzle in plan(task, 4, 3, task.preset()) for tile in puzzle.tiles]


def _raven_extra(place: int, x: float, y: float, radius: float, colour: str) -> Change:
    def change(frame: Frame, moment: Moment) -> Frame:
        row, column = divmod(place, 3)
        cx, cy = (column + x) * TILE, (row + y) * TILE
        return (
            effects.draw_over(frame, lambda c: c.circle(cx, cy, radius * TILE, fill=colour))
            if moment.t > 0.5
            else frame
        )

    return change


def _raven_frame(frame: Frame, moment: Moment) -> Frame:
    side = 2 * TILE

    def draw(c: Canvas) -> None:
        for a, b in (((0, 0), (1, 0)), ((1, 0), (1, 1)), ((1, 1), (0, 1)), ((0, 1), (0, 0))):
            c.line([(side + 5 + p[0] * (TILE - 10), side + 5 + p[1] * (TILE - 10)) for p in (a, b)], "#e0a000", 4)

    return effects.draw_over(frame, draw) if moment.t > 0.5 else frame


def _raven_fill(frame: Frame, moment: Moment) -> Frame:
    share = 0.35 * rise(moment.t, 0.5, 0.7)
    where = (slice(2 * TILE + 3, 3 * TILE - 3), slice(2 * TILE + 3, 3 * TILE - 3))
    frame = frame.copy()
    patch = frame[where]
    white = (patch.min(axis=2) > 250)[..., None]
    tinted = effects.mix(patch, effects.fill_like(patch, (255, 240, 120)), share)
    frame[where] = np.where(white, tinted, patch)
    return frame


# -- object subtraction ----------------------------------------------------------------------------------------------


def _pan_until_gone(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """Nothing is removed: the camera pans until the targets are outside."""
    width, height = task.size(puzzle)
    targets = [make_visible(thing) for thing in puzzle.things if thing.id in puzzle.targets]
    ways = []
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        need = max(
            (width - (o.x - o.size / 2))
            if dx > 0
            else (o.x + o.size / 2)
            if dx < 0
            else (height - (o.y - o.size / 2))
            if dy > 0
            else (o.y + o.size / 2)
            for o in targets
        )
        ways.append((need, dx, dy))
    need, dx, dy = min(ways)
    first = task.first_frame(puzzle)

    def paint(moment: Moment) -> Frame:
        s = (need + 2) * ease(moment.t)
        return np.asarray(
            cv2.warpAffine(
                first, np.array([[1, 0, dx * s], [0, 1, dy * s]]), (width, height), borderValue=(255, 255, 255)
            ),
            np.uint8,
        )

    return paint


def _box_over_targets(level: int, grow: float = 0.65) -> Build:
    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        targets = [make_visible(thing) for thing in puzzle.things if thing.id in puzzle.targets]
        first = task.first_frame(puzzle)

        def paint(moment: Moment) -> Frame:
            frame = first.copy()
            if moment.t > 0.3:
                for o in targets:
                    half = grow * o.size
                    y, x = max(0, round(o.y - half)), max(0, round(o.x - half))
                    frame[y : round(o.y + half), x : round(o.x + half)] = level
            return frame

        return paint

    return build


def _decorate_kept(draw: Callable[[Frame, Any], Frame], below: bool = False, all_kept: bool = True) -> Build:
    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        kept = [make_visible(thing) for thing in puzzle.kept]

        def paint(moment: Moment) -> Frame:
            scene = task.solution(puzzle, moment.t)
            frame = task.draw(puzzle, scene)
            if moment.t <= 0.3:
                return frame
            decorated = frame
            if below:
                decorated = np.full_like(frame, 255)
            for thing in kept if all_kept else kept[:1]:
                decorated = draw(decorated, thing)
            if below:
                ink = (frame.min(axis=2) < 250)[..., None]
                decorated = np.where(ink, frame, decorated)
            return np.asarray(decorated, np.uint8)

        return paint

    return build


def _face(frame: Frame, o: Any) -> Frame:
    def draw(c: Canvas) -> None:
        for side in (-1, 1):
            c.circle(o.x + side * 0.14 * o.size, o.y + 0.02 * o.size, 0.06 * o.size, fill="#000000")
        c.line(
            [
                (o.x - 0.15 * o.size, o.y + 0.22 * o.size),
                (o.x, o.y + 0.28 * o.size),
                (o.x + 0.15 * o.size, o.y + 0.22 * o.size),
            ],
            "#000000",
            max(1.5, 0.05 * o.size),
        )

    return effects.draw_over(frame, draw)


def _object_shadow(frame: Frame, o: Any) -> Frame:
    return effects.cast_shadow(frame, o.x + 0.12 * o.size, o.y + 0.35 * o.size, 0.45 * o.size, 0.3)


def _object_shading(frame: Frame, o: Any) -> Frame:
    ink = (frame.min(axis=2) < 250).astype(np.float32)
    dark = 1 - effects.make_soft_disc(frame, o.x - 0.15 * o.size, o.y - 0.15 * o.size, 0.35 * o.size, 0.6 * o.size)
    near = effects.make_soft_disc(frame, o.x, o.y, 0.75 * o.size, 1)
    return effects.mix_by_mask(
        frame, effects.fill_like(frame, (0, 0, 0)), np.asarray(0.3 * ink * dark * near, np.float32)
    )


# -- rotation puzzle -------------------------------------------------------------------------------------------------


def _pipes(change: Callable[[Frame, Any, Any], Frame]) -> Build:
    """Every frame is changed, given the scene's ink."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        def paint(moment: Moment) -> Frame:
            frame = task.draw(puzzle, task.solution(puzzle, moment.t))
            return effects.mix(frame, change(frame, puzzle, moment), rise(moment.seconds, 0.05, 0.4))

        return paint

    return build


def _ink(frame: Frame) -> Any:
    return np.clip((frame[0, 0].astype(np.float32)[0] - frame[..., 0]) / 180.0, 0, 1).astype(np.float32)


def _shade_pipes(frame: Frame, puzzle: Any, moment: Moment) -> Frame:
    ink = _ink(frame)
    depth = cv2.distanceTransform((ink > 0.5).astype(np.uint8), cv2.DIST_L2, 5)
    depth = np.clip(depth / max(float(depth.max()), 1.0) * 1.4, 0, 1)
    lit = frame.astype(np.float32) * (0.72 + 0.4 * depth[..., None])
    return effects.to_frame(frame + (ink > 0.5)[..., None] * (lit - frame))


def _drop_shadow(frame: Frame, puzzle: Any, moment: Moment) -> Frame:
    ink = _ink(frame)
    moved = cv2.GaussianBlur(cv2.warpAffine(ink, np.float32([[1, 0, 7], [0, 1, 8]]), ink.shape[::-1]), (0, 0), 4)
    below = effects.mix_by_mask(frame, effects.fill_like(frame, (0, 0, 0)), np.asarray(0.35 * moved, np.float32))
    return np.asarray(np.where((ink > 0.3)[..., None], frame, below), np.uint8)


def _lifted(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """A pipe is 12% larger while it turns, above a soft shadow."""
    layout = get_layout(puzzle.rows, puzzle.cols)
    empty = task.draw(puzzle, build_pipes(()))

    def paint(moment: Moment) -> Frame:
        scene = task.solution(puzzle, moment.t)
        before, after = (
            task.solution(puzzle, max(0.0, moment.t - 0.02)),
            task.solution(puzzle, min(1.0, moment.t + 0.02)),
        )
        turning = [
            p
            for p, a, b in zip(scene.pipes, before.pipes, after.pipes, strict=True)
            if abs(a.angle_deg - b.angle_deg) > 0.5
        ]
        if not turning or not 0 < moment.t < 1:
            return task.draw(puzzle, scene)
        one = turning[0]
        frame = task.draw(puzzle, build_pipes(p for p in scene.pipes if p.home != one.home))
        alone = task.draw(puzzle, build_pipes((one,)))
        m = cv2.getRotationMatrix2D((one.x, one.y), 0, 1.12)
        big = cv2.warpAffine(alone, m, alone.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)
        frame = effects.cast_shadow(frame, one.x + 4, one.y + 8, 0.5 * layout.square, 0.3)
        return effects.mix_by_mask(frame, big, _ink(big))

    del empty
    return paint


def build_pipes(pipes: Iterable[Any]) -> Any:
    from vmevalkit.tasks.rotation_puzzle_task.scene import build_scene as build

    return build(pipes)


def _hinge(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """The arms of a pipe turn one after the other: it bends like a hinge and is whole again at the end."""
    layout = get_layout(puzzle.rows, puzzle.cols)
    start, end = task.solution(puzzle, 0.0), task.solution(puzzle, 1.0)
    width = 36 * layout.scale

    def arms(shape: str) -> list[float]:
        return {"L": [0.0, 90.0], "I": [0.0, 180.0], "T": [0.0, 90.0, 270.0]}[shape]

    def paint(moment: Moment) -> Frame:
        t = moment.t
        if t <= 0 or t >= 1:
            return task.draw(puzzle, task.solution(puzzle, t))
        frame = task.draw(puzzle, build_pipes(()))

        def draw(c: Canvas) -> None:
            for a, b in zip(start.pipes, end.pipes, strict=True):
                for k, arm in enumerate(arms(a.shape)):
                    share = ease(rise(t, 0.0, 0.5) if k == 0 else rise(t, 0.5, 1.0))
                    angle = (arm + a.angle_deg + share * (b.angle_deg - a.angle_deg)) * pi / 180
                    r = layout.square / 2
                    c.line([(a.x, a.y), (a.x + r * sin(angle), a.y - r * cos(angle))], BLUE, width)
                c.circle(a.x, a.y, width / 2, fill=BLUE)

        return effects.draw_over(frame, draw)

    return paint


# -- the list --------------------------------------------------------------------------------------------------------

_BARS: dict[str, tuple[float, float, float, float]] = {
    "maze": (0.02, 0.1, 0.15, 0.03),
    "chess": (0.2, 0.975, 0.6, 0.018),
    "sudoku": (0.2, 0.965, 0.6, 0.02),
    "rotation": (0.3, 0.95, 0.4, 0.02),
    "object_subtraction": (0.3, 0.975, 0.4, 0.018),
    "rotation_puzzle": (0.02, 0.97, 0.3, 0.02),
}
_HANDS: dict[str, tuple[float, float, float, float, float]] = {
    "maze": (0.0, 0.95, 0.1, -0.05, 0.05),
    "chess": (1.05, 1.05, -0.1, -0.1, 0.03),
    "sudoku": (1.05, 1.05, -0.08, -0.08, 0.02),
    "raven": (-0.05, -0.05, 0.09, 0.09, 0.04),
    "object_subtraction": (1.0, 1.0, -0.03, -0.03, 0.03),
    "rotation": (0.0, 1.0, 0.06, -0.05, 0.05),
    "rotation_puzzle": (0.0, 1.0, 0.03, -0.03, 0.03),
}


def list_videos() -> list[Video]:
    """Return all videos."""
    found: list[Video] = []
    add = found.append
    for name in TASKS:
        if name not in _HANDS:
            continue
        add(("vignette", name, "pass", _filter(_vignette)))
        add(("film_look", name, "pass", _filter(_film_look)))
        add(("looks_away", name, "pass", _looks_away))
        add(("comes_in", name, "pass", _filter(_comes_in(*_HANDS[name]))))
        if name in _BARS:
            add(("progress_bar", name, "pass", _filter(_bar(*_BARS[name]))))
        if name != "rotation_puzzle":
            add(("pan_4", name, "pass", _filter(_pan_4)))
            add(("zoom_out", name, "pass", _filter(_zoom_stays(0.92))))
            if name not in ("raven", "chess"):
                add(("zoom_in", name, "pass", _filter(_zoom_stays(1.04))))
        if name != "rotation":
            add(("shaking", name, "pass", _filter(_shake(3.0))))
        add(("blurred_addition", name, "fail", _blurred_end))
    add(("counter", "maze", "pass", _filter(_counter(0.1, 0.1, 0.06))))
    for colour, tag in (
        ("#2266dd", "blue"),
        (DOT_COLOUR, "green"),
        ("#ef4444", "red"),
        ("#f0c000", "yellow"),
        ("#888888", "grey"),
        ("#000000", "black"),
    ):
        add((f"trail_{tag}", "maze", "pass", _trail(colour, 0.12)))
    add(("trail_wide_green", "maze", "pass", _trail(DOT_COLOUR, 0.3)))
    add(("trail_thin", "maze", "pass", _trail(DOT_COLOUR, 0.02)))
    add(("trail_faint", "maze", "pass", _trail("#2266dd", 0.2, 0.25)))
    add(("trail_faint_green", "maze", "pass", _trail(DOT_COLOUR, 0.3, 0.25)))
    add(("path_then_walk", "maze", "pass", _trail("#2266dd", 0.1, 1.0, True)))
    add(("path_then_walk_green", "maze", "pass", _trail(DOT_COLOUR, 0.1, 1.0, True)))
    add(("brown_walls", "maze", "pass", _walls((120, 72, 30), 1.0)))
    add(("thick_walls", "maze", "pass", _walls((0, 0, 0), 1.8)))
    add(("thin_walls", "maze", "pass", _walls((0, 0, 0), 0.5)))
    add(("dot_small", "maze", "pass", _dot(0.7)))
    add(("dot_large", "maze", "pass", _dot(1.35)))
    add(("shaded_ball", "maze", "pass", _dot(shaded=True)))
    add(("dot_shadow", "maze", "pass", _dot(shadow=True)))
    add(("maze_second_dot", "maze", "fail", _maze_thing(lambda c, x, y, s: c.circle(x, y, 0.2 * s, fill=DOT_COLOUR))))
    add(
        (
            "maze_faint_dot",
            "maze",
            "fail",
            _maze_thing(lambda c, x, y, s: c.circle(x, y, 0.2 * s, fill=(0.13, 0.77, 0.37, 0.5))),
        )
    )
    add(("maze_blue_disc", "maze", "fail", _maze_thing(lambda c, x, y, s: c.circle(x, y, 0.22 * s, fill="#2266dd"))))
    add(("maze_star", "maze", "fail", _maze_thing(lambda c, x, y, s: _star(c, x, y, 0.3 * s))))
    add(("highlight_yellow", "chess", "pass", _highlight((240, 220, 60), 0.6)))
    add(("highlight_green", "chess", "pass", _highlight((90, 190, 80), 0.6)))
    add(("tint_yellow", "chess", "pass", _tint_over((240, 220, 60), 0.5)))
    add(("tint_green", "chess", "pass", _tint_over((60, 180, 80), 0.5)))
    add(("arrow", "chess", "pass", _arrow_stays))
    add(("green_board", "chess", "pass", _board((235, 236, 208), (115, 149, 82))))
    add(("grey_board", "chess", "pass", _board((220, 220, 220), (140, 140, 140))))
    add(("disc", "chess", "fail", _chess_thing(lambda c, x, y, s: c.circle(x, y, 0.3 * s, fill="#cc2020"))))
    add(("grey_disc", "chess", "fail", _chess_thing(lambda c, x, y, s: c.circle(x, y, 0.3 * s, fill="#555555"))))
    add(("star", "chess", "fail", _chess_thing(lambda c, x, y, s: _star(c, x, y, 0.38 * s))))
    add(("smeared_piece", "chess", "fail", _smeared_piece))
    add(("ninth_file", "chess", "fail", _ninth_file))
    add(("outlined_digits", "sudoku", "pass", _digits(_outlined)))
    add(("second_faint_digit", "sudoku", "fail", _digits(_faint_second, 0.6)))
    add(("half_digit", "sudoku", "fail", _half_digits))
    add(("slot_machine", "sudoku", "fail", _slot_machine))
    add(("extra_column", "sudoku", "fail", _extra_column))
    add(("random_tiles", "raven", "fail", _random_tiles))
    add(("small_extra_dot", "raven", "fail", _filter(_raven_extra(4, 0.12, 0.12, 0.035, "#000000"))))
    add(("small_extra_dot_answer", "raven", "fail", _filter(_raven_extra(8, 0.12, 0.15, 0.04, "#cc2020"))))
    add(("golden_frame", "raven", "pass", _filter(_raven_frame)))
    add(("answer_highlighted", "raven", "pass", _filter(_raven_fill)))
    add(("pan_until_gone", "object_subtraction", "fail", _pan_until_gone))
    add(("grey_box_230", "object_subtraction", "fail", _box_over_targets(230)))
    add(("grey_box_242", "object_subtraction", "fail", _box_over_targets(242)))
    add(("grey_box_200", "object_subtraction", "fail", _box_over_targets(200)))
    add(("face_on_kept", "object_subtraction", "fail", _decorate_kept(_face, all_kept=False)))
    add(("soft_shadows", "object_subtraction", "pass", _decorate_kept(_object_shadow, below=True)))
    add(("shaded_objects", "object_subtraction", "pass", _decorate_kept(_object_shading)))
    add(("shaded_pipes", "rotation_puzzle", "pass", _pipes(_shade_pipes)))
    add(("drop_shadow", "rotation_puzzle", "pass", _pipes(_drop_shadow)))
    add(("lifted", "rotation_puzzle", "pass", _lifted))
    add(("hinge", "rotation_puzzle", "fail", _hinge))
    return found


def render(task: AnyTask, puzzle: Any, build: Build, seed: int = 0) -> Iterator[TimedFrame]:
    """Yield the frames at the size at which they are read, with a little noise, as a codec leaves."""
    painter = build(task, puzzle, Random(seed))
    noise = np.random.default_rng(seed)
    size = working_size(task, puzzle, task.size(puzzle))
    for moment in TIMING.iterate_moments(FPS):
        frame = painter(moment)
        if frame.shape[1::-1] != size:
            frame = np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8)
        rough = frame + noise.normal(0, 1.5, frame.shape[:2])[..., None]
        yield TimedFrame(moment.seconds, effects.to_frame(rough))


def score_video(task: AnyTask, puzzle: Any, build: Build, seed: int = 0) -> Score:
    return score_timed_frames(task, puzzle, render(task, puzzle, build, seed))


def main() -> None:
    """Measure: ``python tests/eval/leftover_videos.py [task|-] [part of a name|-] [puzzles] [seed]``."""
    only_task, only_name, count, seed = (*sys.argv[1:5], *("-", "-", "2", "11")[len(sys.argv) - 1 :])
    puzzles = {
        name: plan(TASKS[name], int(count), int(seed), TASKS[name].preset())
        for name in _HANDS
        if only_task in ("-", name)
    }
    totals: dict[str, list[int]] = {"pass": [0, 0], "fail": [0, 0]}
    for name, task_name, expected, build in list_videos():
        if task_name not in puzzles or (only_name != "-" and only_name not in name):
            continue
        began, wrong = time.process_time(), []
        for number, puzzle in enumerate(puzzles[task_name]):
            score = score_video(TASKS[task_name], puzzle, build, number)
            if bool(score.passed) != (expected == "pass"):
                names = ",".join(finding.name + "!" * finding.gating for finding in score.findings)
                wrong.append(f"{score.failure_mode}:{names or score.explanation[:60]}")
        total = len(puzzles[task_name])
        totals[expected][0] += total - len(wrong)
        totals[expected][1] += total
        result = f"{'BAD' if wrong else 'ok '} {task_name:18} {name:24} {expected} {total - len(wrong)}/{total}"
        print(result, f"{time.process_time() - began:.1f}s", " | ".join(wrong)[:150], flush=True)
    print(totals)


if __name__ == "__main__":
    main()
