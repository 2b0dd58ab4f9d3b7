"""Whether a video of a board shows legal moves alone: each piece is followed from cell to cell.

What a person would not see does not count: everything must hold for ``HELD_S``. Lengths are in cells, speeds are
relative to the video's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import hypot

import numpy as np

from vmevalkit.core.records import Finding
from vmevalkit.tasks.kit.board_layout import GOAL, BoardLayout, Cell, Site
from vmevalkit.tasks.kit.board_reader import HELD_S, BoardState, Placed

HELD_READINGS = 3
"""Readings in a row that must show something, in addition to HELD_S."""
INSIDE = 0.15
"""How far the middle of a piece must be inside a cell to be in it: corners are cut by as much in honest videos."""
LEAP, FASTER = 0.75, 3.0
"""Cells that a piece may go at once, in addition to this many times what its usual speed explains."""
GONE_S = 0.5
"""Longest time for which a piece may be out of sight."""
UNREADABLE_S = 1.0
"""Longest time without a readable frame within a video."""
TOUCH = 1.35
"""Cells between the middles of a piece and the one that pushes it; 1 if drawn exactly."""
MOVES = 0.12
"""Cells in HELD_S from which on a piece moves: less is jitter of the drawing and of the reading."""
APART = 0.8
"""Cells from the mover beyond which something like it is another one."""
APPEARS = 2.0
"""Cells from the middle of the start cell within which a mover that the first frame does not show appears."""

_ROUNDING_S = 1e-6
"""Times of frames are rounded."""

Readings = Sequence[tuple[float, BoardState]]
Track = Sequence[Placed | None]


def check_board(
    layout: BoardLayout, read: Readings, *, mover_may_appear: bool = False, goal_may_change: bool = False
) -> list[Finding]:
    """Return what is wrong in the readable frames of a video, in the order of time."""
    if not read:
        return []
    tracks = {name: [state.pieces.get(name) for _, state in read] for name in layout.starts}
    found: list[Finding] = []
    for name, track in tracks.items():
        may_appear = mover_may_appear and name == layout.mover
        found += _check_way(layout, name, track, read, may_appear, goal_may_change)
    found += _check_second_mover(tracks[layout.mover], read)
    arrived_s = _find_arrival(layout, tracks, read)
    found += _check_sites(layout.list_sites(), read, arrived_s if goal_may_change else None)
    for name, _ in layout.pushed:
        found += _check_pushes(name, tracks[layout.mover], tracks[name], read)
    for (before, _), (after, _) in pairwise(read):
        if after - before > UNREADABLE_S:
            found.append(_gate("unreadable", f"Nothing can be read until {after:.2f} s.", before))
            break
    return sorted(found, key=lambda finding: finding.seconds or 0.0)


def _gate(name: str, detail: str, seconds: float) -> Finding:
    return Finding(name, True, detail, seconds)


def measure_usual_speed(track: Track, read: Readings) -> float:
    """Return the speed of a piece while it moves, in cells a second: what three in four movements do not exceed."""
    seen = [(seconds, piece) for (seconds, _), piece in zip(read, track, strict=True) if piece is not None]
    ways = [
        (hypot(two.x - one.x, two.y - one.y), end - start)
        for (start, one), (end, two) in zip(seen, seen[4:], strict=False)
        if end > start
    ]
    speeds = [way / gap for way, gap in ways if 0.1 < way < 2.0]
    return float(np.quantile(speeds, 0.75)) if speeds else 1.0


def find_cell(piece: Placed) -> Cell | None:
    """Return the cell in which a piece clearly is; None on the way from one to the next."""
    row, column = piece.cell
    inside = min(piece.x - column, column + 1 - piece.x, piece.y - row, row + 1 - piece.y)
    return (row, column) if inside >= INSIDE else None


def _check_way(
    layout: BoardLayout, name: str, track: Track, read: Readings, may_appear: bool, goal_may_change: bool
) -> Iterator[Finding]:
    """Yield jumps, steps that are not legal, and times without the piece. The track begins where the puzzle says."""
    usual, start = measure_usual_speed(track, read), layout.starts[name]
    at, wrong = start, 0
    home = Placed(name, start[1] + 0.5, start[0] + 0.5)
    last: tuple[float, Placed] | None = None if may_appear else (read[0][0], home)
    jumped = strayed = False
    for (seconds, _), piece in zip(read, track, strict=True):
        if piece is None:
            continue
        gap = 0.0 if last is None else seconds - last[0]
        way = 0.0 if last is None else hypot(piece.x - last[1].x, piece.y - last[1].y)
        if last is None and hypot(piece.x - home.x, piece.y - home.y) > APPEARS:
            yield _gate(
                "appears_elsewhere", f"The piece {name} appears away from its start at {seconds:.2f} s.", seconds
            )
        if way > LEAP + FASTER * usual * gap and not jumped:
            jumped = True
            yield _gate("jump", f"The piece {name} jumps {way:.1f} cells in {gap:.2f} s at {seconds:.2f} s.", seconds)
        last = seconds, piece
        cell = find_cell(piece)
        if cell is None or cell == at:
            wrong = 0
            continue
        far = abs(cell[0] - at[0]) + abs(cell[1] - at[1])
        if layout.count_steps(at, cell, max(2, far) + round(1.5 * usual * gap)) is not None:
            at, wrong = cell, 0
            continue
        wrong += 1
        if wrong >= 2:  # one reading may be wrong
            if not strayed:
                strayed = True
                detail = f"The piece {name} goes from row {at[0] + 1}, column {at[1] + 1} to row {cell[0] + 1}, column "
                yield _gate("illegal_move", f"{detail}{cell[1] + 1} at {seconds:.2f} s: no legal way.", seconds)
            at, wrong = cell, 0
    if last is None or not any(track):
        yield _gate("never_seen", f"The piece {name} is never seen.", read[0][0])
        return
    is_home = goal_may_change and name in layout.targets and find_cell(last[1]) in layout.goals
    if name in layout.targets and not is_home and read[-1][0] - last[0] > HELD_S + _ROUNDING_S:
        yield _gate("piece_gone", f"The piece {name} is not seen after {last[0]:.2f} s.", last[0])
        return
    for since_s, until_s in find_runs(read, lambda index: track[index] is None):
        at_end = until_s >= read[-1][0]
        before_it_appears = may_appear and since_s <= read[0][0]
        if until_s - since_s > GONE_S and not (at_end and is_home) and not before_it_appears:
            yield _gate("piece_gone", f"The piece {name} is not seen until {until_s:.2f} s.", since_s)
            return


def find_runs(read: Readings, condition: Callable[[int], bool], least_s: float = HELD_S) -> list[tuple[float, float]]:
    """Return the times, from and until, for which something holds without a break and for long enough."""
    runs: list[tuple[float, float]] = []
    since: int | None = None
    for index in range(len(read) + 1):
        holds = index < len(read) and condition(index)
        if holds and since is None:
            since = index
        elif not holds and since is not None:
            start_s, end_s = read[since][0], read[index - 1][0]
            if index - since >= HELD_READINGS and end_s - start_s >= 0.9 * least_s:
                runs.append((start_s, end_s))
            since = None
    return runs


def _check_second_mover(track: Track, read: Readings) -> Iterator[Finding]:
    def has_second(index: int) -> bool:
        main = track[index]
        if main is None:
            return False
        for other in read[index][1].others:
            if hypot(other.x - main.x, other.y - main.y) <= APART:
                continue
            # What has the mover's colour, but not its shape, and lies where the mover has been, is its trail.
            is_shaped = other.look == main.look
            if is_shaped or not any(p and hypot(other.x - p.x, other.y - p.y) < APART for p in track[:index]):
                return True
        return False

    for since_s, until_s in find_runs(read, has_second)[:1]:
        yield _gate("second_piece", f"There is a second mover from {since_s:.2f} s to {until_s:.2f} s.", since_s)


def _find_arrival(layout: BoardLayout, tracks: dict[str, list[Placed | None]], read: Readings) -> float | None:
    """Return when a piece first was in a goal's cell."""
    return next(
        (
            seconds
            for index, (seconds, _) in enumerate(read)
            for name in layout.targets
            if (piece := tracks[name][index]) is not None and find_cell(piece) in layout.goals
        ),
        None,
    )


def _check_sites(sites: Sequence[Site], read: Readings, arrived_s: float | None) -> Iterator[Finding]:
    """Yield a finding for each kind of site that changes. Behind a piece a site stays what it was, on either side."""
    touched = {number for _, state in read for number, _ in state.changed}
    reported: set[str] = set()
    found: list[Finding] = []
    for number in sorted(touched):
        kind, cells = sites[number]
        flags: list[bool] = []
        for _, state in read:
            is_unknown = number in state.covered and flags
            flags.append(flags[-1] if is_unknown else any(number == other for other, _ in state.changed))
        for since_s, until_s in find_runs(read, flags.__getitem__)[:1]:
            if kind == GOAL and arrived_s is not None and since_s >= arrived_s:
                continue
            became = next(
                (
                    look
                    for seconds, state in read
                    if seconds >= since_s
                    for other, look in state.changed
                    if other == number
                ),
                "something else",
            )
            places = " and ".join(f"row {row + 1}, column {column + 1}" for row, column in cells)
            name = "goal_changed" if kind == GOAL else "board_redrawn"
            detail = f"At {places} the {kind} looks like {became} from {since_s:.2f} s to {until_s:.2f} s."
            found.append(_gate(name, detail, since_s))
    for finding in sorted(found, key=lambda each: each.seconds or 0.0):
        if finding.name not in reported:
            reported.add(finding.name)
            yield finding


def _check_pushes(name: str, mover: Track, pushed: Track, read: Readings) -> Iterator[Finding]:
    """Yield a finding where a piece moves otherwise than away from a mover that touches it."""

    def moves_alone(index: int) -> bool:
        seconds = read[index][0]
        by, piece = mover[index], pushed[index]
        before = next(
            (
                pushed[i]
                for i in range(index - 1, -1, -1)
                if pushed[i] is not None and seconds - read[i][0] >= 0.9 * HELD_S
            ),
            None,
        )
        if by is None or piece is None or before is None:
            return False
        dx, dy = piece.x - before.x, piece.y - before.y
        if hypot(dx, dy) < MOVES:
            return False
        away = piece.x - by.x, piece.y - by.y
        return hypot(*away) > TOUCH or dx * away[0] + dy * away[1] <= 0

    for since_s, until_s in find_runs(read, moves_alone, 0.0)[:1]:
        detail = f"The piece {name} moves without being pushed from {since_s:.2f} s to {until_s:.2f} s."
        yield _gate("moves_alone", detail, since_s)
