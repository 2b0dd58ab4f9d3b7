"""Cheats for tasks that judge the process: the end is right, but the motion to it is cut, skipped or hidden."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from vmevalkit.audit.kinds import effects
from vmevalkit.audit.kinds.kind import VideoKind, make_cheat_kind
from vmevalkit.audit.kinds.timeline import (
    BuildPainter,
    Filter,
    Moment,
    Painter,
    clamp,
    ease,
    filter_solution,
    repace_solution,
    rise,
)
from vmevalkit.media.image import Frame
from vmevalkit.tasks.task import AnyTask, Offer


def _hide_middle(change: Callable[[Frame, float], Frame]) -> BuildPainter:
    """Return a builder of videos in which most of the motion is hidden by a change of a given strength."""

    def hide(frame: Frame, moment: Moment) -> Frame:
        strength = min(rise(moment.t, 0.12, 0.18), 1 - rise(moment.t, 0.82, 0.88))
        return frame if strength <= 0 else change(frame, strength)

    return filter_solution(lambda _: hide)


def _reveal(choose: Callable[[Frame, Frame, Moment, Random], Frame]) -> BuildPainter:
    """Return a builder of videos that go from the first to the final frame without the motion between them."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        first, final, seed = task.first_frame(puzzle), task.final_frame(puzzle), rng.getrandbits(32)
        return lambda moment: choose(first, final, moment, Random(seed))

    return build


def _wipe(first: Frame, final: Frame, moment: Moment, rng: Random) -> Frame:
    del rng
    edge = round(moment.t * first.shape[1])
    return np.concatenate([final[:, :edge], first[:, edge:]], axis=1)


def _dissolve_blocks(first: Frame, final: Frame, moment: Moment, rng: Random) -> Frame:
    shown, side = first.copy(), 16
    for y in range(0, first.shape[0], side):
        for x in range(0, first.shape[1], side):
            if rng.random() < moment.t:
                shown[y : y + side, x : x + side] = final[y : y + side, x : x + side]
    return shown


def _flash(first: Frame, final: Frame, moment: Moment, rng: Random) -> Frame:
    del rng
    strength = clamp(1 - abs(moment.t - 0.4) / 0.06)
    shown = first if moment.t < 0.4 else final
    return effects.mix(shown, effects.fill_like(shown, (255, 255, 255)), strength)


def _flip_page(first: Frame, final: Frame, moment: Moment, rng: Random) -> Frame:
    """Return the picture as a page that turns about its vertical axis; the other side shows the answer."""
    del rng
    width = first.shape[1]
    turn = ease(rise(moment.t, 0.2, 0.7))
    side, shown = (first, 1 - 2 * turn) if turn < 0.5 else (final, 2 * turn - 1)
    narrow = effects.make_even(max(shown, 0.0) * width)
    page = effects.fill_like(first, (60, 62, 70))
    if narrow >= 2:
        left = (width - narrow) // 2
        page[:, left : left + narrow] = effects.resize(side, narrow, first.shape[0])
    return page


def _draw_curtain(frame: Frame, strength: float) -> Frame:
    covered = round(strength * frame.shape[1])
    shown = frame.copy()
    stripes = 120 + 30 * (np.arange(covered) // 12 % 2)
    shown[:, :covered] = np.stack([stripes, stripes // 3, stripes // 3], axis=1).astype(np.uint8)
    return shown


def _show_rarely(rng: Random) -> Filter:
    del rng

    def show(frame: Frame, moment: Moment) -> Frame:
        is_hidden = 0 < moment.t < 1 and moment.index % (moment.fps // 2) > 1
        return effects.fill_like(frame, (0, 0, 0)) if is_hidden else frame

    return show


def _hold_three_stills(t: float) -> float:
    return 0.0 if t < 0.35 else 0.45 if t < 0.7 else 1.0


def _drop_middle(t: float) -> float:
    return 0.4 * t if t < 0.5 else 0.8 + 0.4 * (t - 0.5)


HIDDEN_MOTION: tuple[VideoKind, ...] = (
    make_cheat_kind("black_middle", "The picture is black for most of the motion and comes back near the end.",
                    _hide_middle(lambda frame, share: effects.scale_levels(frame, 1 - share)), (Offer.PROCESS,)),
    make_cheat_kind("blurred_middle", "The picture is blurred beyond recognition for most of the motion.",
                    _hide_middle(lambda frame, share: effects.blur(frame, 0.2 * min(frame.shape[:2]) * share)),
                    (Offer.PROCESS,)),
    make_cheat_kind("pixelated_middle", "The picture is reduced to four by four blocks for most of the motion.",
                    _hide_middle(lambda frame, _: effects.pixelate(frame, 4)), (Offer.PROCESS,)),
    make_cheat_kind("curtain", "A curtain is drawn over the picture before most of the motion and opened after it.",
                    _hide_middle(_draw_curtain), (Offer.PROCESS,)),
    make_cheat_kind("seen_twice_a_second", "The screen is black but for two frames of every half second of the motion.",
                    filter_solution(_show_rarely), (Offer.PROCESS,)),
    make_cheat_kind("wipe", "A wipe from left to right replaces the question by the answer; nothing moves.",
                    _reveal(_wipe), (Offer.PROCESS,)),
    make_cheat_kind("block_dissolve", "Small blocks switch from the question to the answer in random order.",
                    _reveal(_dissolve_blocks), (Offer.PROCESS,)),
    make_cheat_kind("white_flash", "A white flash hides a cut from the question to the answer.",
                    _reveal(_flash), (Offer.PROCESS,)),
    make_cheat_kind("page_flip", "The picture turns like a page whose other side is the answer.",
                    _reveal(_flip_page), (Offer.PROCESS,)),
    make_cheat_kind("three_stills", "A slide show of three stills: the question, one state between, the answer.",
                    repace_solution(_hold_three_stills), (Offer.PROCESS,)),
    make_cheat_kind("middle_dropped", "The motion jumps from a fifth to four fifths in one frame.",
                    repace_solution(_drop_middle), (Offer.PROCESS,)),
)  # fmt: skip
