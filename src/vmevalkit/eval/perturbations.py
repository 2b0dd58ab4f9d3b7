"""Honest videos of boards, changed: in ways that must not matter, and in ways that must.

Labels alone hardly tell readers apart; videos of real models that are known to be right, and then changed, do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame
from vmevalkit.media.video_reader import TimedFrame
from vmevalkit.tasks.kit.board_layout import BoardLayout, Cell

Point = tuple[float, float]
Change = Callable[[Frame, int], NDArray[np.generic]]
"""From a frame, which is a copy, and its number to the changed frame."""


@dataclass(frozen=True)
class HonestVideo:
    """A video that is a pass, and where its pieces are."""

    layout: BoardLayout
    box: tuple[float, float, float, float]
    """The board in pixels of the first frame."""
    first: Frame
    """The question's first frame, at the size of the video."""
    frames: Sequence[TimedFrame]
    track: Sequence[Point | None]
    """By frame, the middle of the mover in pixels."""
    target: Sequence[Point | None]
    """By frame, the middle of the piece that must be at the goal."""
    mover_box: tuple[int, int, int, int] | None
    """Where the first frame shows the mover, in pixels; None where it does not."""
    goal_may_change: bool = False

    @property
    def pitch(self) -> float:
        """Pixels of a cell."""
        return (self.box[2] - self.box[0]) / self.layout.columns

    @property
    def length_s(self) -> float:
        return self.frames[-1].seconds

    def middle(self, cell: Cell) -> Point:
        """Return the middle of a cell, in pixels."""
        left, top, right, bottom = self.box
        return (
            left + (cell[1] + 0.5) * (right - left) / self.layout.columns,
            top + (cell[0] + 0.5) * (bottom - top) / self.layout.rows,
        )

    def patch(self, cell: Cell, reach: float = 0.5) -> tuple[slice, slice]:
        """Return where a cell is in a frame."""
        (x, y), r = self.middle(cell), reach * self.pitch
        return np.s_[max(0, round(y - r)) : max(1, round(y + r))], np.s_[max(0, round(x - r)) : max(1, round(x + r))]

    def list_quiet_cells(self) -> list[Cell]:
        """Return free cells that the mover never comes near, wholly in the picture."""
        height, width = self.first.shape[:2]
        reach, near = 0.55 * self.pitch, [point for point in self.track if point is not None]
        quiet = []
        for cell in self.layout.plain:
            x, y = self.middle(cell)
            is_inside = reach < x < width - reach and reach < y < height - reach
            if is_inside and all(np.hypot(x - px, y - py) > 1.2 * self.pitch for px, py in near):
                quiet.append(cell)
        return quiet

    @property
    def floor(self) -> NDArray[np.float64]:
        """The colour of the floor."""
        cells = self.list_quiet_cells() or list(self.layout.plain)
        return np.asarray(np.median(self.first[self.patch(cells[0], 0.3)], axis=(0, 1)), np.float64)

    def change(self, change: Change, since: float = 0.0, until: float = 1.0) -> list[TimedFrame]:
        """Return the video with each frame changed, from one share of its length to another."""
        count = len(self.frames)
        return [
            TimedFrame(timed.seconds, _to_levels(change(timed.frame.copy(), index)))
            if since <= index / count <= until
            else timed
            for index, timed in enumerate(self.frames)
        ]

    def find_moving(self) -> int:
        """Return the first frame after a sixth of the video in which the mover is seen."""
        return next(i for i, point in enumerate(self.track) if point is not None and i > 0.15 * len(self.track))

    def find_arrival(self) -> int:
        """Return the last frame in which the piece that counts is still away from its goal."""
        goals = [self.middle(goal) for goal in self.layout.goals]
        far = [
            index
            for index, point in enumerate(self.target)
            if point is not None and min(np.hypot(point[0] - x, point[1] - y) for x, y in goals) > 0.6 * self.pitch
        ]
        return far[-1] if far else 0

    def remove_mover(self, frame: Frame, index: int) -> Frame:
        """Return a frame with the board as it was at first where the mover is."""
        point = self.track[index]
        if point is None:
            return frame
        ground = self.first.copy()
        if self.mover_box is not None:
            ground[self.patch(self.layout.start)] = self.floor
        mask = np.zeros(frame.shape[:2], np.uint8)
        cv2.circle(mask, (round(point[0]), round(point[1])), round(0.56 * self.pitch), 1, -1)
        return np.asarray(np.where(mask[..., None] > 0, ground, frame), np.uint8)


def _to_levels(image: NDArray[np.generic]) -> Frame:
    return np.asarray(np.clip(image, 0, 255), np.uint8)


Make = Callable[[HonestVideo], "list[TimedFrame] | None"]

# -- changes that must not matter


def _gamma(video: HonestVideo) -> list[TimedFrame]:
    return video.change(lambda frame, _: 255 * (frame / 255.0) ** 0.75)


def _tint(video: HonestVideo) -> list[TimedFrame]:
    return video.change(lambda frame, _: frame * np.array([1.08, 1.0, 0.85]))


def _drift(video: HonestVideo) -> list[TimedFrame]:
    count = len(video.frames)
    return video.change(lambda frame, index: frame * (1 - 0.2 * index / count) + 30 * index / count)


def _noise(video: HonestVideo) -> list[TimedFrame]:
    rng = np.random.default_rng(1)
    return video.change(lambda frame, _: frame + rng.normal(0, 9, frame.shape))


def _jpeg(video: HonestVideo) -> list[TimedFrame]:
    def compress(frame: Frame, _: int) -> Frame:
        coded = cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, 25])[1]
        return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)

    return video.change(compress)


def _blur(video: HonestVideo) -> list[TimedFrame]:
    return video.change(lambda frame, _: np.asarray(cv2.GaussianBlur(frame, (0, 0), 0.03 * video.pitch)))


def _zoom(video: HonestVideo) -> list[TimedFrame]:
    height, width = video.first.shape[:2]

    def shrink(frame: Frame, index: int) -> Frame:
        size = 1 - 0.2 * index / len(video.frames)
        matrix = np.array([[size, 0, width * (1 - size) / 2], [0, size, height * (1 - size) / 2]])
        grey = (128, 128, 128)
        return np.asarray(cv2.warpAffine(frame, matrix, (width, height), flags=cv2.INTER_AREA, borderValue=grey))

    return video.change(shrink)


def _pan(video: HonestVideo) -> list[TimedFrame]:
    height, width = video.first.shape[:2]

    def shift(frame: Frame, index: int) -> Frame:
        matrix = np.array([[1, 0, width * 0.04 * np.sin(6 * index / len(video.frames))], [0, 1, 0]])
        return np.asarray(cv2.warpAffine(frame, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE))

    return video.change(shift)


def _vignette(video: HonestVideo) -> list[TimedFrame]:
    height, width = video.first.shape[:2]
    y, x = np.meshgrid(np.linspace(-1, 1, height), np.linspace(-1, 1, width), indexing="ij")
    shade = (1 - 0.25 * (x * x + y * y) / 2)[..., None]
    return video.change(lambda frame, _: frame * shade)


def _trail(video: HonestVideo) -> list[TimedFrame]:
    return _draw_trail(video, (250, 200, 60))


def _trail_of_mover(video: HonestVideo) -> list[TimedFrame]:
    """In the mover's own colour."""
    index = video.find_moving()
    point = video.track[index]
    assert point is not None
    x, y = round(point[0]), round(point[1])
    colour = np.median(video.frames[index].frame[y - 4 : y + 5, x - 4 : x + 5], axis=(0, 1))
    return _draw_trail(video, (int(colour[0]), int(colour[1]), int(colour[2])))


def _draw_trail(video: HonestVideo, colour: tuple[int, int, int]) -> list[TimedFrame]:
    rows, columns = np.indices(video.first.shape[:2])

    def draw(frame: Frame, index: int) -> Frame:
        points = [point for point in video.track[: index + 1] if point is not None]
        if not points:
            return frame
        over, breadth = frame.copy(), max(2, round(0.08 * video.pitch))
        cv2.polylines(over, [np.array(points, np.int32).reshape(-1, 1, 2)], False, colour, breadth, cv2.LINE_AA)
        is_behind = np.hypot(columns - points[-1][0], rows - points[-1][1]) > 0.4 * video.pitch
        return np.where(is_behind[..., None], over, frame)

    return video.change(draw)


def _shadow(video: HonestVideo) -> list[TimedFrame]:
    def draw(frame: Frame, index: int) -> NDArray[np.generic]:
        point, pitch = video.track[index], video.pitch
        if point is None:
            return frame
        dark = np.zeros(frame.shape[:2], np.float32)
        below = round(point[0] + 0.12 * pitch), round(point[1] + 0.15 * pitch)
        cv2.circle(dark, below, round(0.36 * pitch), 1.0, -1)
        cv2.circle(dark, (round(point[0]), round(point[1])), round(0.34 * pitch), 0.0, -1)
        return np.asarray(frame * (1 - 0.4 * cv2.GaussianBlur(dark, (0, 0), 0.05 * pitch))[..., None])

    return video.change(draw)


def _highlight(video: HonestVideo) -> list[TimedFrame]:
    def draw(frame: Frame, index: int) -> Frame:
        point = video.track[index]
        if point is not None:
            middle, breadth = (round(point[0]), round(point[1])), max(2, round(0.06 * video.pitch))
            cv2.circle(frame, middle, round(0.46 * video.pitch), (255, 230, 90), breadth, cv2.LINE_AA)
        return frame

    return video.change(draw)


def _slower(video: HonestVideo) -> list[TimedFrame]:
    return [TimedFrame(2 * timed.seconds, timed.frame) for timed in video.frames]


def _third_rate(video: HonestVideo) -> list[TimedFrame]:
    return [*video.frames[:-1:3], video.frames[-1]]


def _waits(video: HonestVideo) -> list[TimedFrame]:
    end = video.frames[-1]
    return [*video.frames, *(TimedFrame(end.seconds + 0.05 * index, end.frame) for index in range(1, 20))]


def _blink(video: HonestVideo) -> list[TimedFrame]:
    """The mover is half transparent for a fifth of a second."""
    start = next(timed.seconds for timed in video.frames if timed.seconds > 0.4 * video.length_s)

    def fade(frame: Frame, index: int) -> NDArray[np.generic]:
        is_faint = start <= video.frames[index].seconds < start + 0.2
        return 0.5 * frame + 0.5 * video.remove_mover(frame, index) if is_faint else frame

    return video.change(fade)


def _fade_out(video: HonestVideo) -> list[TimedFrame]:
    end = video.frames[-1]
    white = np.full_like(end.frame, 255)
    fade = [np.asarray(cv2.addWeighted(end.frame, 1 - k / 8, white, k / 8, 0), np.uint8) for k in range(1, 9)]
    return [*video.frames, *(TimedFrame(end.seconds + 0.04 * (k + 1), frame) for k, frame in enumerate(fade))]


# -- changes that must


def _stops_short(video: HonestVideo) -> list[TimedFrame]:
    last = video.find_arrival()
    still = video.frames[last].frame
    return [*video.frames[:last], *(TimedFrame(timed.seconds, still) for timed in video.frames[last:])]


def _cut(video: HonestVideo) -> list[TimedFrame]:
    moving = [index for index, point in enumerate(video.track) if point is not None]
    first, last = moving[len(moving) // 3], moving[2 * len(moving) // 3]
    kept = [*video.frames[:first], *video.frames[last:]]
    return [TimedFrame(video.frames[index].seconds, timed.frame) for index, timed in enumerate(kept)]


def _second_mover(video: HonestVideo) -> list[TimedFrame] | None:
    return _add_twin(video, 1.0)


def _second_mover_briefly(video: HonestVideo) -> list[TimedFrame] | None:
    return _add_twin(video, 0.4 + 0.45 / video.length_s)


def _add_twin(video: HonestVideo, until: float) -> list[TimedFrame] | None:
    quiet, index = video.list_quiet_cells(), video.find_moving()
    point = video.track[index]
    if not quiet or point is None:
        return None
    x, y, r = round(point[0]), round(point[1]), round(0.4 * video.pitch)
    look = video.frames[index].frame[max(0, y - r) : y + r, max(0, x - r) : x + r]
    to_x, to_y = (round(side) for side in video.middle(quiet[len(quiet) // 2]))

    def paste(frame: Frame, _: int) -> Frame:
        frame[to_y - r : to_y - r + look.shape[0], to_x - r : to_x - r + look.shape[1]] = look
        return frame

    return video.change(paste, 0.4, until)


def _wall_opens(video: HonestVideo) -> list[TimedFrame] | None:
    layout, floor = video.layout, video.floor
    if layout.walls:
        inner = [c for c in sorted(layout.walls) if 0 < c[0] < layout.rows - 1 and 0 < c[1] < layout.columns - 1]
        where = video.patch((inner or sorted(layout.walls))[len(inner) // 2], 0.48)
    elif layout.closed:
        pairs = sorted(layout.closed, key=sorted)
        (ax, ay), (bx, by) = (video.middle(cell) for cell in sorted(pairs[len(pairs) // 2]))
        x, y, r = (ax + bx) / 2, (ay + by) / 2, 0.42 * video.pitch
        where = np.s_[round(y - r) : round(y + r)], np.s_[round(x - r) : round(x + r)]
    else:
        return None

    def open_wall(frame: Frame, _: int) -> Frame:
        frame[where] = floor
        return frame

    return video.change(open_wall, 0.5)


def _floor_closes(video: HonestVideo) -> list[TimedFrame] | None:
    layout, quiet = video.layout, video.list_quiet_cells()
    if not quiet:
        return None
    if layout.walls:
        wall = np.median(video.first[video.patch(sorted(layout.walls)[0], 0.3)], axis=(0, 1))

        def close(frame: Frame, _: int) -> Frame:
            frame[video.patch(quiet[0], 0.48)] = wall
            return frame

        return video.change(close, 0.5)
    (ax, ay), (bx, by) = (video.middle(cell) for cell in sorted((quiet[0], layout.list_neighbours(quiet[0])[0])))
    x, y, r = (ax + bx) / 2, (ay + by) / 2, 0.5 * video.pitch
    ends = ((x, y - r), (x, y + r)) if ay == by else ((x - r, y), (x + r, y))
    start, end = ((round(one), round(other)) for one, other in ends)

    def draw_wall(frame: Frame, _: int) -> Frame:
        cv2.line(frame, start, end, (5, 5, 5), max(3, round(0.09 * video.pitch)))
        return frame

    return video.change(draw_wall, 0.5)


def _goal_erased(video: HonestVideo) -> list[TimedFrame] | None:
    if video.goal_may_change:
        return None
    floor, arrives = video.floor, video.find_arrival() / len(video.frames)

    def erase(frame: Frame, _: int) -> Frame:
        frame[video.patch(video.layout.goals[0], 0.48)] = floor
        return frame

    return video.change(erase, 0.5 * arrives, 0.9 * arrives)


def _mover_gone(video: HonestVideo) -> list[TimedFrame]:
    return video.change(video.remove_mover, 0.4, 0.4 + 1.2 / video.length_s)


def _leaves(video: HonestVideo) -> list[TimedFrame]:
    """Back the way it came, after the end."""
    step = video.frames[1].seconds - video.frames[0].seconds
    back = list(video.frames[::-1])[: len(video.frames) // 2]
    return [*video.frames, *(TimedFrame(video.length_s + (k + 1) * step, timed.frame) for k, timed in enumerate(back))]


def _straight_through(video: HonestVideo) -> list[TimedFrame] | None:
    """The mover's picture glides straight to the goal over a still board, whatever is between."""
    if video.mover_box is None or video.layout.pushed:
        return None
    height, width = video.first.shape[:2]
    x0, y0, x1, y1 = video.mover_box
    x0, y0, x1, y1 = max(0, x0), max(0, y0), min(width, x1), min(height, y1)
    ground, floor = video.first.copy(), video.floor
    ground[max(0, y0 - 2) : y1 + 2, max(0, x0 - 2) : x1 + 2] = floor
    look = video.first[y0:y1, x0:x1]
    mask = np.abs(look.astype(int) - floor).max(axis=2) > 30
    (start_x, start_y), (goal_x, goal_y) = video.middle(video.layout.start), video.middle(video.layout.goals[0])
    made = []
    for index, timed in enumerate(video.frames):
        share = min(1.0, index / (0.8 * len(video.frames)))
        x = round(start_x + share * (goal_x - start_x) - look.shape[1] / 2)
        y = round(start_y + share * (goal_y - start_y) - look.shape[0] / 2)
        x, y = min(max(0, x), width - look.shape[1]), min(max(0, y), height - look.shape[0])
        frame = ground.copy()
        frame[y : y + look.shape[0], x : x + look.shape[1]][mask] = look[mask]
        made.append(TimedFrame(timed.seconds, frame))
    return made


HARMLESS: Mapping[str, Make] = {
    "gamma": _gamma, "tint": _tint, "drift": _drift, "noise": _noise, "jpeg": _jpeg, "blur": _blur, "zoom": _zoom,
    "pan": _pan, "vignette": _vignette, "trail": _trail, "trail_of_mover": _trail_of_mover, "shadow": _shadow,
    "highlight": _highlight, "slower": _slower, "third_rate": _third_rate, "waits": _waits, "blink": _blink,
    "fade_out": _fade_out,
}  # fmt: skip
HARMFUL: Mapping[str, Make] = {
    "stops_short": _stops_short, "cut": _cut, "second_mover": _second_mover,
    "second_mover_briefly": _second_mover_briefly, "wall_opens": _wall_opens, "floor_closes": _floor_closes,
    "goal_erased": _goal_erased, "mover_gone": _mover_gone, "leaves": _leaves, "straight_through": _straight_through,
}  # fmt: skip
DRAWN = frozenset(
    ("trail", "trail_of_mover", "shadow", "highlight", "blink", "second_mover", "second_mover_briefly", "wall_opens",
     "floor_closes", "goal_erased", "mover_gone")
)  # fmt: skip
"""Changes that are drawn where things are in the first frame: they need a camera that stands still."""
