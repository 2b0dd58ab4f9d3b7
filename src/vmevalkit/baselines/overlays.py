"""Overlays that cover part of a video for a while: a hand with a pen, a caption."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np

from vmevalkit.media.canvas import Canvas, rgba
from vmevalkit.media.image import Frame

TimedEffect = Callable[[Frame, float], Frame]
"""Maps a frame and its time in the video, from 0 to 1, to the changed frame."""

_SKINS = ("#f1c9a5", "#d9a57e", "#b97a56", "#7d4f35")
_CAPTIONS = ("Solving the puzzle", "Step 2: the answer", "Watch closely!", "AI generated", "Let me think ...")


def make_hand_overlay(rng: Random, size: tuple[int, int]) -> TimedEffect:
    """Return a hand with a pen that enters from an edge, moves over part of the image, and leaves before the end."""
    width, height = size
    unit = min(width, height)
    skin = rng.choice(_SKINS)
    enters, leaves = rng.uniform(0.1, 0.25), rng.uniform(0.55, 0.7)
    # The hand enters at the lower, the left or the right edge.
    side = rng.choice(("below", "left", "right"))
    inward = {"below": (0.0, -1.0), "left": (1.0, 0.0), "right": (-1.0, 0.0)}[side]
    along = rng.uniform(0.2, 0.8)
    edge = {"below": (along * width, height), "left": (0.0, along * height), "right": (width, along * height)}[side]
    reach = rng.uniform(0.35, 0.55) * (height if side == "below" else width)
    sway, phase = 0.06 * unit, rng.uniform(0, 6.28)

    def draw(frame: Frame, x: float) -> Frame:
        inside = _compute_presence(x, enters, leaves)
        if inside <= 0:
            return frame
        swing = sway * float(np.sin(phase + 14 * x))
        depth = -0.05 * unit + inside * (reach + 0.05 * unit)
        tip = (
            edge[0] + inward[0] * depth + swing * abs(inward[1]),
            edge[1] + inward[1] * depth + swing * abs(inward[0]),
        )
        return _draw_hand(frame, tip, inward, skin, unit)

    return draw


def _compute_presence(x: float, enters: float, leaves: float) -> float:
    """Return 0 while the hand is outside and 1 while it is inside, with a tenth of the video to enter and to leave."""
    return float(min(max(min((x - enters) / 0.1, (leaves + 0.1 - x) / 0.1), 0.0), 1.0))


def _draw_hand(frame: Frame, tip: tuple[float, float], inward: tuple[float, float], skin: str, unit: float) -> Frame:
    """Return the frame with a hand of about a quarter of its height, whose pen ends at ``tip``."""
    canvas = Canvas(frame.shape[1], frame.shape[0])
    canvas.paste(frame, 0, 0)
    red, green, blue, _ = rgba(skin)
    shade = (0.8 * red, 0.8 * green, 0.8 * blue)
    back = np.array([-inward[0], -inward[1]])
    across = np.array([-back[1], back[0]])
    grip = np.array(tip) + back * 0.12 * unit
    palm = np.array(tip) + back * 0.27 * unit + across * 0.05 * unit
    canvas.line(np.array([tip, grip + back * 0.1 * unit]), "#303040", 0.014 * unit)
    canvas.line([palm, palm + back * 2 * unit], skin, 0.13 * unit)
    canvas.circle(palm[0], palm[1], 0.095 * unit, fill=skin)
    for place, spread in enumerate((-0.075, -0.03, 0.015, 0.06)):
        knuckle = palm + across * spread * unit - back * 0.06 * unit
        end = grip + across * (0.018 * place - 0.01) * unit + back * 0.02 * place * unit
        canvas.line([knuckle, end], shade, 0.05 * unit)
        canvas.line([knuckle, end], skin, 0.042 * unit)
    return canvas.frame()


def make_caption_overlay(rng: Random, size: tuple[int, int]) -> TimedEffect:
    """Return a box with a line of text that covers part of the image in the middle of the video."""
    width, height = size
    text, em = rng.choice(_CAPTIONS), 0.05 * height
    box_width, box_height = min(0.62 * em * len(text) + 2 * em, 0.9 * width), 2.0 * em
    left = rng.uniform(0, width - box_width)
    top = rng.choice((0.04, 0.2, 0.65, 0.86)) * height
    dark = rng.random() < 0.5
    box, ink = ((0.0, 0.0, 0.0, 0.75), (1.0, 1.0, 1.0)) if dark else ((1.0, 1.0, 1.0, 1.0), (0.0, 0.0, 0.0))
    enters, leaves = rng.uniform(0.2, 0.35), rng.uniform(0.5, 0.7)

    def draw(frame: Frame, x: float) -> Frame:
        if not enters <= x <= leaves:
            return frame
        canvas = Canvas(frame.shape[1], frame.shape[0])
        canvas.paste(frame, 0, 0)
        canvas.rectangle(round(left), round(top), round(box_width), round(box_height), box)
        canvas.text(text, left + box_width / 2, top + box_height / 2, em, fill=ink)
        return canvas.frame()

    return draw
