"""A maze in other people's pictures: floor, walls, dot and flag look as they do in the question's first picture.

The dot may be a star and the flag a trophy, the floor dark and the walls bright. Walls are measured between the colours
of floor and wall, where ``sampling`` has them; the markers are found where they explain the difference from the ground.
"""

from __future__ import annotations

from itertools import islice
from math import dist

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame, Mask
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.media.view import ViewRect, extract_view
from vmevalkit.tasks.kit.looks import Patch, clip, paste
from vmevalkit.tasks.kit.matching import find_match
from vmevalkit.tasks.kit.question_pictures import Pictures, UnreadablePictures
from vmevalkit.tasks.maze_task.lattice import Cell, Point, centre, iter_walls, wall_ends
from vmevalkit.tasks.maze_task.maze_reasoning import Maze, MazeState, initial_walls
from vmevalkit.tasks.maze_task.render import SIZE, box_of_cell, geometry_of
from vmevalkit.tasks.maze_task.sampling import READING_SCALE, READING_SIZE, MazeSampler, sampler_of
from vmevalkit.tasks.pictures.grid_lines import find_grids, view_from_boxes
from vmevalkit.tasks.pictures.scene import PicturedScene

Floats = NDArray[np.float32]

MIN_CONTRAST = 40.0
"""Levels by which walls differ from the floor."""
CLOSED_ABOVE, OPEN_BELOW = 0.5, 0.3
"""A wall's colour from 0, the floor, to 1, the walls of the first picture; between the two it is left undecided."""
OTHER_COLOUR = 45.0
"""Levels by which a wall that something covers has another colour than floor, wall and any mixture."""
MIN_CLOSED = 0.6
"""Share of the walls that must be closed and seen: below it the maze is gone, not changed."""
ODD_LEVELS = 40
"""Levels by which a pixel is not as the last state predicts, beyond what half a pixel explains."""
MARK_LEVELS = 36.0
"""Levels by which a marker differs from the floor."""
MARKER_AREAS = (0.004, 0.6)
"""Least and most area of a marker, in cells."""
EXPLAINS = 0.5
"""Share of the difference from the ground that a marker must explain where it is."""
STRAY = 0.4
"""Share of a marker's area from which on what is left over is looked at."""
MIN_FLAG_SHOWN = 0.3
"""With less of the flag uncovered by the dot, it is taken to be there."""
NEAR_CELLS = 1.5
"""A dot that vanishes was hidden by what is so near to its last place, in cells."""
_MOST_MARKERS = 3
_MOST_BOXES = 12
_INSIDE = 0.13
"""Share of a cell's side at each edge that walls may take."""
_NEAR = np.ones((3, 3), np.uint8)


class MazeScene(PicturedScene[MazeState]):
    """A maze as a question's own first picture shows it."""

    def __init__(self, puzzle: Maze, view: ViewRect, first: Frame) -> None:
        """``first`` has the geometry of the drawn image. Raises UnreadablePictures."""
        self.puzzle, self.view, self.first = puzzle, view, first
        self.walls = initial_walls(puzzle)
        sampler = sampler_of(puzzle.grid_n)
        small = np.asarray(cv2.resize(first, READING_SIZE, interpolation=cv2.INTER_AREA), np.uint8)
        self.floor, self.wall = self._measure_colours(first)
        if float(np.abs(self.wall - self.floor).max()) < MIN_CONTRAST:
            raise UnreadablePictures("its walls have the colour of its floor")
        closed, unclear = read_walls(small.astype(np.float32), self, sampler, None, 0)
        if closed != self.walls or unclear:
            raise UnreadablePictures("its walls are not those of the puzzle")
        self.ground = self._uncover_ground(first)
        self.dot = self._cut_marker(puzzle.start, "start")
        self.flag = self._cut_marker(puzzle.goal, "goal")
        self.small_ground = cv2.resize(self.ground, READING_SIZE, interpolation=cv2.INTER_AREA).astype(np.float32)
        self.small_dot, self.small_flag = (_shrink(patch) for patch in (self.dot, self.flag))

    def draw(self, state: MazeState) -> Frame:
        if state == MazeState((centre(self.puzzle.start),), self.walls, (centre(self.puzzle.goal),)):
            return self.first
        picture = self._repaint_walls(self.ground, state.walls).astype(np.float32)
        for patch, home, points in (
            (self.flag, self.puzzle.goal, state.flags), (self.dot, self.puzzle.start, state.dots),
        ):  # fmt: skip
            for point in points:
                paste(picture, self.place(patch, home, point, 1.0))
        return np.asarray(picture, np.uint8)

    def make_reader(self) -> PicturedMazeReader:
        return PicturedMazeReader(self)

    def place(self, patch: Patch, home: Cell, point: Point, scale: float) -> Patch:
        """Return a marker moved from the centre of its first cell to a point."""
        cell = geometry_of(self.puzzle.grid_n).cell * scale
        x, y = ((to - from_) * cell for to, from_ in zip(point, centre(home), strict=True))
        return Patch(patch.left + round(x), patch.top + round(y), patch.colour, patch.alpha, patch.area)

    def _measure_colours(self, first: Frame) -> tuple[Floats, Floats]:
        """Return the colours of the floor and of the walls: the medians of both."""
        grid_n, puzzle = self.puzzle.grid_n, self.puzzle
        plain = [(r, c) for r in range(grid_n) for c in range(grid_n) if (r, c) not in (puzzle.start, puzzle.goal)]
        inside = np.concatenate([self._cut_inside(first, cell).reshape(-1, 3) for cell in plain])
        lines = np.concatenate([self._cut_middle(first, wall) for wall in iter_walls(self.walls)])
        return np.median(inside, axis=0).astype(np.float32), np.median(lines, axis=0).astype(np.float32)

    def _cut_inside(self, picture: Frame, cell: Cell) -> Frame:
        return picture[_find_inside(self.puzzle.grid_n, cell)]

    def _cut_middle(self, picture: Frame, wall: int) -> NDArray[np.uint8]:
        """Return the pixels along the middle of a wall."""
        geometry = geometry_of(self.puzzle.grid_n)
        start, end = (np.array(geometry.pixel(corner)) for corner in wall_ends(self.puzzle.grid_n, wall))
        points = np.rint(start + (end - start) * np.linspace(0.2, 0.8, 25)[:, None]).astype(int)
        return np.asarray(picture[points[:, 1], points[:, 0]], np.uint8)

    def _uncover_ground(self, first: Frame) -> Frame:
        """Return the picture without its markers: their cells look inside like the median of the others."""
        grid_n, puzzle, ground = self.puzzle.grid_n, self.puzzle, first.copy()
        plain = [(r, c) for r in range(grid_n) for c in range(grid_n) if (r, c) not in (puzzle.start, puzzle.goal)]
        usual = np.median(np.stack([self._cut_inside(first, cell) for cell in plain]), axis=0)
        for cell in (puzzle.start, puzzle.goal):
            ground[_find_inside(grid_n, cell)] = usual
        return ground

    def _cut_marker(self, cell: Cell, name: str) -> Patch:
        """Return what a cell shows beyond the ground, with alpha."""
        rows, columns = window = _find_inside(self.puzzle.grid_n, cell)
        seen = self.first[window].astype(np.float32)
        levels = np.abs(seen - self.ground[window]).max(axis=2)
        alpha = np.clip((levels - 8) / max(0.5 * float(levels.max()), 1.0), 0, 1).astype(np.float32)
        alpha[levels < 12] = 0
        area = float(alpha.sum()) / geometry_of(self.puzzle.grid_n).cell ** 2
        if float(levels.max()) < MARK_LEVELS or not MARKER_AREAS[0] <= area <= MARKER_AREAS[1]:
            raise UnreadablePictures(f"nothing of a marker's size is in the cell of the {name}")
        below, above = np.nonzero(alpha.max(axis=1))[0], np.nonzero(alpha.max(axis=0))[0]
        box = slice(below[0], below[-1] + 1), slice(above[0], above[-1] + 1)
        # Where the marker is translucent at its edge, its own colour follows from the ground below it.
        own = self.ground[window].astype(np.float32) + (seen - self.ground[window]) / np.maximum(alpha, 0.2)[..., None]
        colour = np.clip(own, 0, 255) * alpha[..., None]
        cut = alpha[box].copy()
        return Patch(
            columns.start + int(above[0]), rows.start + int(below[0]), colour[box].copy(), cut, float(cut.sum())
        )

    def _repaint_walls(self, ground: Frame, walls: int) -> Frame:
        if walls == self.walls:
            return ground
        ground, geometry = ground.copy(), geometry_of(self.puzzle.grid_n)
        half = geometry.wall // 2
        for wall in iter_walls(walls ^ self.walls):
            (x, y), (end_x, end_y) = (geometry.pixel(corner) for corner in wall_ends(self.puzzle.grid_n, wall))
            rows, columns = slice(int(y) - half, int(end_y) + half), slice(int(x) - half, int(end_x) + half)
            ground[rows, columns] = self.wall if walls >> wall & 1 else self.floor
        return ground


class PicturedMazeReader:
    """Reads the frames of one video, in order."""

    def __init__(self, scene: MazeScene) -> None:
        self._scene, self._sampler = scene, sampler_of(scene.puzzle.grid_n)
        self._cell = self._sampler.cell_px

    def read(self, frame: RegisteredFrame, before: MazeState | None) -> MazeState | None:
        """Return the state, or None where no maze is visible or something may hide the dot."""
        scene = self._scene
        last = before or MazeState((centre(scene.puzzle.start),), scene.walls, (centre(scene.puzzle.goal),))
        picture = frame.image.astype(np.float32)
        if not self._find_odd(picture, last, frame.visible).any():
            return last
        walls, unclear = read_walls(picture, scene, self._sampler, frame.visible, last.walls)
        if (walls & scene.walls).bit_count() < MIN_CLOSED * scene.walls.bit_count():
            return None
        goal = centre(scene.puzzle.goal)
        # The flag's own picture is below the dot: it stays where the dot covers it.
        empty = self._compose(MazeState((), walls, ()))
        dots = self._find_all(
            picture, self._compose(MazeState((), walls, (goal,))), scene.small_dot, scene.puzzle.start
        )
        if self._shows_flag(picture, dots):
            flags: tuple[Point, ...] = (goal,)
        else:
            dots = self._find_all(picture, empty, scene.small_dot, scene.puzzle.start)
            flags = ()
        state = MazeState(tuple(sorted(dots)), walls, flags, (), unclear)
        odd = self._find_odd(picture, state, frame.visible)
        if np.count_nonzero(odd) > STRAY * scene.small_flag.area:
            below = self._compose(state)
            more = self._find_all(picture, below, scene.small_flag, scene.puzzle.goal)
            more = tuple(flag for flag in more if dist(flag, goal) > 0.3)
            state = MazeState(state.dots, walls, tuple(sorted((*flags, *more))), (), unclear)
            odd = self._find_odd(picture, state, frame.visible)
        if not dots and self._may_be_hidden(odd, last, frame.visible):
            return None
        return state

    def _compose(self, state: MazeState) -> Floats:
        """Return the scene at reading size."""
        scene = self._scene
        if state.walls == scene.walls:
            picture = scene.small_ground.copy()
        else:
            drawn = scene.draw(MazeState((), state.walls, ()))
            picture = cv2.resize(drawn, READING_SIZE, interpolation=cv2.INTER_AREA).astype(np.float32)
        for patch, home, points in (
            (scene.small_flag, scene.puzzle.goal, state.flags), (scene.small_dot, scene.puzzle.start, state.dots),
        ):  # fmt: skip
            for point in points:
                paste(picture, scene.place(patch, home, point, READING_SCALE))
        return np.asarray(picture, np.float32)

    def _find_odd(self, picture: Floats, state: MazeState, visible: Mask | None) -> Mask:
        """Return the pixels that a state does not explain, single ones apart."""
        expected = self._compose(state)
        slack = cv2.dilate(expected, _NEAR) - cv2.erode(expected, _NEAR)
        odd = (np.abs(picture - expected) - 0.6 * slack).max(axis=2) > ODD_LEVELS
        odd = cv2.morphologyEx(odd.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)).astype(bool)
        return np.asarray(odd if visible is None else odd & visible, bool)

    def _find_all(self, picture: Floats, ground: Floats, patch: Patch, home: Cell) -> tuple[Point, ...]:
        """Return every place of a marker, the surest first."""
        rest, found = picture.copy(), list[Point]()
        high, wide = patch.alpha.shape
        for _ in range(_MOST_MARKERS):
            other = np.asarray(np.abs(rest - ground).max(axis=2) > ODD_LEVELS)
            if np.count_nonzero(other) < STRAY * patch.area:
                break
            left, top, width, height = cv2.boundingRect(other.astype(np.uint8))
            window = left - wide // 2, top - high // 2, left + width, top + height
            match = find_match(rest, ground, patch, window, EXPLAINS)
            if match is None:
                break
            x, y = centre(home)
            found.append((x + (match.left - patch.left) / self._cell, y + (match.top - patch.top) / self._cell))
            at = Patch(round(match.left), round(match.top), patch.colour, patch.alpha, patch.area)
            cut = clip(at, picture.shape)
            assert cut is not None
            cover = (cv2.dilate(patch.alpha, _NEAR)[cut[1]] > 0.05)[..., None]
            rest[cut[0]] = np.where(cover, ground[cut[0]], rest[cut[0]])
        return tuple(found)

    def _shows_flag(self, picture: Floats, dots: tuple[Point, ...]) -> bool:
        """Return whether the flag is at the goal, as far as no dot covers it."""
        scene, flag = self._scene, self._scene.small_flag
        cover = np.zeros(picture.shape[:2], np.float32)
        for point in dots:
            at = scene.place(scene.small_dot, scene.puzzle.start, point, READING_SCALE)
            cut = clip(at, picture.shape)
            if cut is not None:
                cover[cut[0]] = np.maximum(cover[cut[0]], at.alpha[cut[1]])
        cut = clip(flag, picture.shape)
        assert cut is not None
        alpha = flag.alpha[cut[1]]
        free = alpha * (cv2.dilate(cover, _NEAR)[cut[0]] < 0.1)
        if float(free.sum()) < MIN_FLAG_SHOWN * flag.area:
            return True
        ground = scene.small_ground[cut[0]]
        with_flag = ground.copy()
        paste(with_flag, Patch(0, 0, flag.colour, flag.alpha, flag.area))
        step, seen = with_flag - ground, picture[cut[0]] - ground
        return float((free * (step * seen).sum(axis=2)).sum()) > 0.5 * float((free * (step * step).sum(axis=2)).sum())

    def _may_be_hidden(self, odd: Mask, last: MazeState, visible: Mask | None) -> bool:
        """Return whether something covers the place where the dot was, or it is beyond the edge of the video."""
        for point in last.dots:
            x, y = self._sampler.pixel(point)
            near = np.zeros(odd.shape, np.uint8)
            cv2.circle(near, (round(x), round(y)), round(NEAR_CELLS * self._cell), 1, -1)
            if visible is not None and np.count_nonzero(near & ~visible) > self._scene.small_dot.area:
                return True
            if np.count_nonzero(odd & (near > 0)) > self._scene.small_dot.area:
                return True
        return False


def read_walls(
    picture: Floats, scene: MazeScene, sampler: MazeSampler, visible: Mask | None, before: int
) -> tuple[int, int]:
    """Return the walls that are closed, and the puzzle's walls that are unclear and taken to be as before."""
    step = scene.wall - scene.floor
    off = picture - scene.floor
    share = off @ (step / float(step @ step))
    beside = np.abs(off - share[..., None] * step).max(axis=2)
    scaled = np.clip(share * 128, -255, 512).astype(np.float64)
    parts = sampler.wall_parts.means(cv2.integral(scaled)) / 128
    other = sampler.whole_walls.means(cv2.integral(beside.astype(np.float64)))[:, 0]
    is_clear = (other < OTHER_COLOUR) & ~sampler.find_unseen_walls(visible)
    is_closed = is_clear & (parts.mean(axis=1) > CLOSED_ABOVE) & (parts.min(axis=1) > OPEN_BELOW)
    is_open = is_clear & (parts.max(axis=1) < OPEN_BELOW)
    walls = unclear = 0
    for wall, (closed, opened) in enumerate(zip(is_closed.tolist(), is_open.tolist(), strict=True)):
        bit = 1 << wall
        if closed or (not opened and before & bit):
            walls |= bit
        if not closed and not opened and scene.walls & bit:
            unclear |= bit
    return walls, unclear


def _find_inside(grid_n: int, cell: Cell) -> tuple[slice, slice]:
    """Return rows and columns of the inside of a cell in the drawn image, of the same extent for all cells."""
    geometry = geometry_of(grid_n)
    x, y = geometry.pixel((cell[1], cell[0]))
    edge = round(_INSIDE * geometry.cell)
    return slice(int(y) + edge, int(y) + geometry.cell - edge), slice(int(x) + edge, int(x) + geometry.cell - edge)


def _shrink(patch: Patch) -> Patch:
    """Return a patch at reading size, by averaging pixels as frames are."""
    step = round(1 / READING_SCALE)
    left, top = patch.left // step * step, patch.top // step * step
    height, width = patch.alpha.shape
    wide, high = (-(-(patch.left - left + width) // step)) * step, (-(-(patch.top - top + height) // step)) * step
    alpha, colour = np.zeros((high, wide), np.float32), np.zeros((high, wide, 3), np.float32)
    window = slice(patch.top - top, patch.top - top + height), slice(patch.left - left, patch.left - left + width)
    alpha[window], colour[window] = patch.alpha, patch.colour
    size = wide // step, high // step
    alpha = np.asarray(cv2.resize(alpha, size, interpolation=cv2.INTER_AREA), np.float32)
    colour = np.asarray(cv2.resize(colour, size, interpolation=cv2.INTER_AREA), np.float32)
    return Patch(left // step, top // step, colour, alpha, float(alpha.sum()))


def find_maze(puzzle: Maze, pictures: Pictures) -> MazeScene:
    """Return how the first picture shows the maze. Raises UnreadablePictures where it does not show it."""
    shares = ([0.0] * (puzzle.grid_n + 1), [0.0] * (puzzle.grid_n + 1))
    for wall in iter_walls(initial_walls(puzzle)):
        (x, y), (end_x, _) = wall_ends(puzzle.grid_n, wall)
        across, place = (0, x) if x == end_x else (1, y)
        shares[across][place] += 1 / puzzle.grid_n
    last = puzzle.grid_n - 1
    drawn = (*box_of_cell(puzzle.grid_n, (0, 0))[:2], *box_of_cell(puzzle.grid_n, (last, last))[2:])
    flaw = "no grid is found in it"
    for number, box in enumerate(islice(find_grids(pictures.first, *shares), _MOST_BOXES)):
        view = view_from_boxes(drawn, box)
        try:
            return MazeScene(puzzle, view, extract_view(pictures.first, view, SIZE))
        except UnreadablePictures as error:
            flaw = str(error) if number == 0 else flaw
    raise UnreadablePictures(f"first_frame.png does not show the puzzle: {flaw}")
