"""Honest videos of the second round in which a player, a window or a device surrounds the unchanged picture."""

from __future__ import annotations

import numpy as np

from vmevalkit.audit.kinds.effects import draw_over, make_even, pad
from vmevalkit.audit.kinds.kind import VideoKind, make_honest_kind
from vmevalkit.audit.kinds.timeline import Moment, apply_filter
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame


def _add_strip(frame: Frame, above: int, below: int, colour: tuple[int, int, int]) -> Frame:
    height, width = frame.shape[:2]
    padded = np.full((above + height + below, width, 3), colour, np.uint8)
    padded[above : above + height] = frame
    return padded


def _show_player_bar(frame: Frame, moment: Moment) -> Frame:
    height, width = frame.shape[:2]
    strip = make_even(0.08 * height)
    middle = height + strip / 2

    def draw(canvas: Canvas) -> None:
        left, right = 0.1 * width, 0.95 * width
        size = 0.25 * strip
        triangle = [(0.04 * width, middle - size), (0.04 * width, middle + size), (0.04 * width + 1.6 * size, middle)]
        canvas.polygon(triangle, fill="#ffffff")
        canvas.line([(left, middle), (right, middle)], "#6b7280", 3)
        now = left + (right - left) * moment.share
        canvas.line([(left, middle), (now, middle)], "#ef4444", 3)
        canvas.circle(now, middle, 0.18 * strip, fill="#ef4444")

    return draw_over(_add_strip(frame, 0, strip, (24, 24, 27)), draw)


def _show_subtitles(frame: Frame, moment: Moment) -> Frame:
    height, width = frame.shape[:2]
    strip = make_even(0.1 * height)
    text = "Here is the puzzle." if moment.t == 0 else "Now it is being solved." if moment.t < 1 else "That is it."
    size = min(0.5 * strip, 0.06 * width)
    return draw_over(
        _add_strip(frame, 0, strip, (0, 0, 0)),
        lambda canvas: canvas.text(text, width / 2, height + strip / 2, size, fill="#ffffff"),
    )


def _show_browser(frame: Frame, moment: Moment) -> Frame:
    del moment
    height, width = frame.shape[:2]
    strip = make_even(0.09 * height)

    def draw(canvas: Canvas) -> None:
        for number, colour in enumerate(("#ff5f57", "#febc2e", "#28c840")):
            canvas.circle((0.6 + 0.65 * number) * strip, strip / 2, 0.2 * strip, fill=colour)
        canvas.rectangle(make_even(2.6 * strip), 6, make_even(width - 3.2 * strip), strip - 12, "#ffffff")
        canvas.text("puzzles.example", 2.9 * strip, strip / 2, 0.4 * strip, fill="#52525b", anchor="left")

    return draw_over(_add_strip(frame, strip, 0, (222, 225, 230)), draw)


def _show_recorder(frame: Frame, moment: Moment) -> Frame:
    border = make_even(0.07 * frame.shape[0])
    framed = pad(frame, border, border, (17, 17, 17))
    height, width = framed.shape[:2]

    def draw(canvas: Canvas) -> None:
        if moment.seconds % 1 < 0.6:
            canvas.circle(border, border / 2, 0.22 * border, fill="#ef4444")
        canvas.text("REC", 1.5 * border, border / 2, 0.45 * border, fill="#f4f4f5", anchor="left")
        clock = f"00:00:{int(moment.seconds):02d}:{moment.index % moment.fps:02d}"
        canvas.text(clock, width - border, height - border / 2, 0.45 * border, fill="#f4f4f5", anchor="right")

    return draw_over(framed, draw)


def _show_tablet(frame: Frame, moment: Moment) -> Frame:
    del moment
    border = make_even(0.08 * frame.shape[0])
    framed = pad(pad(frame, border, border, (38, 38, 42)), border, border, (196, 178, 150))
    height = framed.shape[0]
    return draw_over(
        framed, lambda canvas: canvas.circle(1.5 * border, height / 2, 0.15 * border, fill="#0a0a0a", stroke="#52525b")
    )


ROUND_2_PLAYERS: tuple[VideoKind, ...] = (
    make_honest_kind(
        "player_bar_below",
        "A strip with a player's progress bar is under the unchanged picture in all frames.",
        apply_filter(_show_player_bar),
    ),
    make_honest_kind(
        "subtitles_below",
        "Subtitles change in a black strip under the unchanged picture.",
        apply_filter(_show_subtitles),
    ),
    make_honest_kind(
        "browser_window",
        "The picture is under the address bar of a browser window in all frames.",
        apply_filter(_show_browser),
    ),
    make_honest_kind(
        "recorder_frame",
        "A dark border with a blinking red light and a running clock surrounds the unchanged picture.",
        apply_filter(_show_recorder),
    ),
    make_honest_kind(
        "shown_on_tablet",
        "The picture is on a tablet that lies on a desk: two borders of plain colours around it in all frames.",
        apply_filter(_show_tablet),
    ),
)
"""Honest videos of the second round in which something surrounds the picture."""
