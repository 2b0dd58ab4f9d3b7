"""Cheats for all tasks whose end is wrong: the solution is missing, hidden, taken back or damaged at the end."""

from __future__ import annotations

from collections.abc import Callable
from math import sin
from random import Random
from typing import Any

import cv2
import numpy as np

from vmevalkit.audit.kinds import effects
from vmevalkit.audit.kinds.kind import VideoKind, make_cheat_kind, make_renderer
from vmevalkit.audit.kinds.overlays import draw_caption
from vmevalkit.audit.kinds.timeline import (
    LONG_END,
    BuildPainter,
    Filter,
    Moment,
    Painter,
    change_ending,
    clamp,
    ease,
    paint_solution,
    repace_solution,
    rise,
)
from vmevalkit.core.errors import Uncertified
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.tasks.task import AnyTask, Offer

_BROKEN_S = 1.0
"""Length of the ending in which something is wrong."""
_FADE_IS_A_CARD = (
    "It was labelled as a cheat. A fade to one colour within the last second is how videos end: the solved picture was "
    "shown before, it fades as a whole, and nothing else is shown after it. Blur, blocks, noise and wipes remain wrong."
)


def _change_end(change: Callable[[Frame, float], Frame]) -> BuildPainter:
    """Return a builder of videos whose last second is changed. The change gets the share of 0.3 seconds that passed."""

    def late(frame: Frame, moment: Moment) -> Frame:
        return change(frame, ease((_BROKEN_S - moment.remaining_s) / 0.3))

    return change_ending(lambda _: late, _BROKEN_S)


def _join_stills(choose: Callable[[Frame, Frame, Moment], Frame]) -> BuildPainter:
    """Return a builder of videos that are made of the first and the final frame alone."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        del rng
        first, final = task.first_frame(puzzle), task.final_frame(puzzle)
        return lambda moment: choose(first, final, moment)

    return build


def _make_noise(rng: Random) -> Filter:
    noise = np.random.default_rng(rng.getrandbits(32))
    return lambda frame, _: noise.integers(0, 256, frame.shape, np.uint8)


def _drop_disc(rng: Random) -> Filter:
    x, y = rng.uniform(0.3, 0.7), rng.uniform(0.3, 0.7)

    def drop(frame: Frame, moment: Moment) -> Frame:
        del moment
        height, width = frame.shape[:2]
        radius = 0.09 * min(height, width)
        return effects.draw_over(
            frame, lambda canvas: canvas.circle(x * width, y * height, radius, "#ff2fa0", "#5a0036", 3.0)
        )

    return drop


def _scribble(rng: Random) -> Filter:
    points = np.array([(rng.uniform(0.15, 0.85), rng.uniform(0.15, 0.85)) for _ in range(14)])

    def scribble(frame: Frame, moment: Moment) -> Frame:
        height, width = frame.shape[:2]
        count = 2 + round(12 * rise(-moment.remaining_s, -_BROKEN_S, -0.6))
        line = points[:count] * [width, height]
        return effects.draw_over(frame, lambda canvas: canvas.line(line, "#e01b24", 0.018 * height))

    return scribble


def _erase_part(frame: Frame, share: float) -> Frame:
    side = round(0.26 * min(frame.shape[:2]))
    x, y = effects.find_busiest_window(frame, side, side)
    erased = frame.copy()
    part = frame[y : y + side, x : x + side]
    erased[y : y + side, x : x + side] = np.median(part.reshape(-1, 3), axis=0)
    return effects.mix(frame, erased, share)


def _smear_band(frame: Frame, share: float) -> Frame:
    height, width = frame.shape[:2]
    band = round(0.22 * height)
    _, y = effects.find_busiest_window(frame, width, band)
    smeared = frame.copy()
    smeared[y : y + band] = cv2.blur(frame[y : y + band], (width // 2 | 1, 1), borderType=cv2.BORDER_REPLICATE)
    return effects.mix(frame, smeared, share)


def _melt(frame: Frame, share: float) -> Frame:
    height, width = frame.shape[:2]
    rows = np.arange(height, dtype=np.float32)[:, None]
    drops = np.array([0.16 + 0.1 * sin(0.03 * x) + 0.05 * sin(0.071 * x + 1) for x in range(width)], np.float32)
    source = np.clip(rows - share * height * drops[None, :] * 1.6, 0, height - 1).astype(np.float32)
    columns = np.broadcast_to(np.arange(width, dtype=np.float32), source.shape).copy()
    return np.asarray(cv2.remap(frame, columns, source, cv2.INTER_LINEAR), np.uint8)


def _shuffle_blocks(frame: Frame, share: float) -> Frame:
    if share < 0.5:
        return frame
    height, width = (side // 3 for side in frame.shape[:2])
    shuffled = frame.copy()
    for place in range(9):
        (row, column), (other_row, other_column) = divmod(place, 3), divmod((place + 4) % 9, 3)
        block = frame[other_row * height : (other_row + 1) * height, other_column * width : (other_column + 1) * width]
        shuffled[row * height : (row + 1) * height, column * width : (column + 1) * width] = block
    return shuffled


def _shrink_away(frame: Frame, share: float) -> Frame:
    height, width = frame.shape[:2]
    plain = effects.fill_like(frame, (205, 208, 212))
    small_height, small_width = (effects.make_even(side * (1 - share)) for side in (height, width))
    if min(small_height, small_width) < 2:
        return plain
    y, x = (height - small_height) // 2, (width - small_width) // 2
    plain[y : y + small_height, x : x + small_width] = effects.resize(frame, small_width, small_height)
    return plain


def _slide_out(frame: Frame, share: float) -> Frame:
    moved = effects.fill_like(frame, (30, 32, 40))
    left = round(share * frame.shape[1])
    if left < frame.shape[1]:
        moved[:, left:] = frame[:, : frame.shape[1] - left]
    return moved


def _show_inset(first: Frame, final: Frame, moment: Moment) -> Frame:
    height, width = first.shape[:2]
    shown = first.copy()
    if moment.t > 0:
        inset = effects.resize(final, effects.make_even(0.32 * width), effects.make_even(0.32 * height))
        shown[-inset.shape[0] - 6 : -6, -inset.shape[1] - 6 : -6] = inset
    return shown


def _split_screen(first: Frame, final: Frame, moment: Moment) -> Frame:
    if moment.t == 0:
        return first
    height, width = first.shape[:2]
    half = width // 2
    return np.concatenate([effects.resize(first, half, height), effects.resize(final, width - half, height)], axis=1)


def _interleave_rows(first: Frame, final: Frame, moment: Moment) -> Frame:
    shown = first.copy()
    if moment.t > 0:
        bands = np.arange(first.shape[0]) // 4 % 2 == 1
        shown[bands] = final[bands]
    return shown


def _strobe(first: Frame, final: Frame, moment: Moment) -> Frame:
    return final if moment.t > 0.1 and moment.index // 3 % 2 else first


def _flash_answer(first: Frame, final: Frame, moment: Moment) -> Frame:
    return final if 0.5 < moment.t < 0.56 else first


def _claim_success(first: Frame, final: Frame, moment: Moment) -> Frame:
    del final
    return first if moment.t < 0.3 else draw_caption(first, "SOLVED!", 0.5, 0.2, (0.05, 0.6, 0.2, 0.9))


def _shake_question(first: Frame, final: Frame, moment: Moment) -> Frame:
    del final
    size = 0.006 * first.shape[1] * sin(21 * moment.seconds) * ease(moment.t)
    return effects.move_camera(first, zoom=1 + 0.04 * ease(moment.t), x=size, y=-0.6 * size)


def _build_other_puzzle(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    first, final = task.first_frame(puzzle), task.final_frame(puzzle)
    params = task.preset(rng.choice(sorted(task.difficulties)))
    while True:
        try:
            other = task.sample(rng, params)
        except Uncertified:
            continue
        pairs = ((first, task.first_frame(other)), (final, task.final_frame(other)))
        if all(not np.array_equal(one, another) for one, another in pairs):
            return paint_solution(task, other)


def _play_back(t: float) -> float:
    return clamp(2 * t) if t < 0.6 else 1 - rise(t, 0.65, 0.85)


def _cover(colour: tuple[int, int, int]) -> BuildPainter:
    return _change_end(lambda frame, share: effects.mix(frame, effects.fill_like(frame, colour), share))


def _mirror(frame: Frame, share: float) -> Frame:
    return frame if share < 0.5 else np.ascontiguousarray(frame[:, ::-1])


def _turn_over(frame: Frame, share: float) -> Frame:
    return frame if share < 0.5 else np.ascontiguousarray(frame[::-1, ::-1])


def _censor(frame: Frame, share: float) -> Frame:
    def draw(canvas: Canvas) -> None:
        width, height = canvas.width, canvas.height
        canvas.rectangle(0, round(0.5 * height * (1 - share)), width, round(height * share), (0.06, 0.06, 0.06))

    return effects.draw_over(frame, draw)


_HIDDEN_KINDS = (
    make_cheat_kind("noise_end", "The last second is television noise.", change_ending(_make_noise, _BROKEN_S),
                    timing=LONG_END),
    make_cheat_kind("blurred_end", "The last second is blurred beyond recognition.",
                    _change_end(lambda frame, share: effects.blur(frame, 0.16 * min(frame.shape[:2]) * share)),
                    timing=LONG_END),
    make_cheat_kind("pixelated_end", "The last second is shown as five by five blocks of colour.",
                    _change_end(lambda frame, share: effects.pixelate(frame, 5) if share > 0 else frame),
                    timing=LONG_END),
    make_cheat_kind("censor_bar_end", "A dark bar grows over the whole picture in the last second.",
                    _change_end(_censor), timing=LONG_END),
    make_cheat_kind("slides_out_of_view", "The solved picture slides out of view and leaves a dark screen.",
                    _change_end(_slide_out), timing=LONG_END),
    make_cheat_kind("shrinks_to_nothing", "The solved picture shrinks to a point and leaves a grey screen.",
                    _change_end(_shrink_away), timing=LONG_END),
)  # fmt: skip

_FADED_KINDS = tuple(
    VideoKind(name, "pass", (), description, make_renderer(_cover(colour), LONG_END), _FADE_IS_A_CARD)
    for name, description, colour in (
        ("black_end", "The solved picture fades to black, which stays for the last 0.7 seconds.", (0, 0, 0)),
        ("white_end", "The solved picture fades to white, which stays for the last 0.7 seconds.", (255, 255, 255)),
    )
)

_DAMAGED_KINDS = (
    make_cheat_kind("foreign_disc", "A pink disc that does not belong to the puzzle is left on the solved picture.",
                    change_ending(_drop_disc, _BROKEN_S), timing=LONG_END),
    make_cheat_kind("scribbled_over", "Thick red strokes are drawn all over the solved picture and stay.",
                    change_ending(_scribble, _BROKEN_S), timing=LONG_END),
    make_cheat_kind("part_erased", "A quarter of the height around the busiest place is wiped off at the end.",
                    _change_end(_erase_part), timing=LONG_END),
    make_cheat_kind("band_smeared", "A band across the picture is smeared sideways at the end.",
                    _change_end(_smear_band), timing=LONG_END),
    make_cheat_kind("melts", "The solved picture melts and runs down.", _change_end(_melt), timing=LONG_END),
    make_cheat_kind("blocks_shuffled", "The picture is cut into nine blocks that are in another order at the end.",
                    _change_end(_shuffle_blocks), timing=LONG_END),
    make_cheat_kind("mirrored_end", "The solved picture is mirrored left to right at the end.",
                    _change_end(_mirror), (Offer.ASYMMETRIC,), LONG_END),
    make_cheat_kind("upside_down_end", "The solved picture is turned upside down by a cut at the end.",
                    _change_end(_turn_over), (Offer.ASYMMETRIC,), LONG_END),
)  # fmt: skip

_UNSOLVED_KINDS = (
    make_cheat_kind("played_back", "The puzzle is solved, then the video runs backwards to the question and rests.",
                    repace_solution(_play_back), timing=LONG_END),
    make_cheat_kind("cut_back_to_question", "The puzzle is solved, then the video cuts back to the question.",
                    _join_stills(lambda first, final, moment: final if 0.4 < moment.t < 1 else first), timing=LONG_END),
    make_cheat_kind("answer_flashed", "The answer is visible for a tenth of a second in the middle; the rest is the "
                    "question.", _join_stills(_flash_answer)),
    make_cheat_kind("strobe", "Question and answer alternate every eighth of a second until the end.",
                    _join_stills(_strobe)),
    make_cheat_kind("half_transparent_answer", "The answer fades in over the question only to one half, and both stay.",
                    _join_stills(lambda first, final, moment: effects.mix(first, final, 0.5 * moment.t)),
                    (Offer.SOLID_ANSWER,)),
    make_cheat_kind("interleaved_rows", "Bands of four rows show question and answer by turns until the end.",
                    _join_stills(_interleave_rows), (Offer.SOLID_ANSWER,)),
    make_cheat_kind("answer_as_inset", "The question stays as it is; the answer is a small picture in its corner.",
                    _join_stills(_show_inset)),
    make_cheat_kind("split_screen", "Question and answer are squeezed side by side into one picture.",
                    _join_stills(_split_screen)),
    make_cheat_kind("claimed_success", "Nothing is solved; a large text over the question claims that it is.",
                    _join_stills(_claim_success)),
    make_cheat_kind("shaken_question", "Only the camera moves: it shakes and zooms over the unsolved question.",
                    _join_stills(_shake_question)),
    make_cheat_kind("stops_at_a_quarter", "The motion stops after a quarter and stays there.",
                    repace_solution(lambda t: min(t, 0.26))),
    make_cheat_kind("other_puzzle", "Another puzzle of the same task is solved from its own first frame.",
                    _build_other_puzzle),
    make_cheat_kind("starts_with_answer", "The answer is shown from the first frame on; the question never appears.",
                    _join_stills(lambda _first, final, _moment: final)),
)  # fmt: skip

GENERIC_CHEATS: tuple[VideoKind, ...] = _FADED_KINDS + _HIDDEN_KINDS + _DAMAGED_KINDS + _UNSOLVED_KINDS
