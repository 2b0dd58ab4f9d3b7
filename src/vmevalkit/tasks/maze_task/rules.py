"""The logic of a maze film: when it is solved, how far it got, and what went wrong on the way. No pixels here."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import pairwise

from vmevalkit.core.records import Finding
from vmevalkit.tasks.maze_task.lattice import Cell, Point, cell_at, centre, inside
from vmevalkit.tasks.maze_task.maze_reasoning import Maze, MazeState, corridors, home_walls
from vmevalkit.tasks.maze_task.track import (
    Step,
    cells_visited,
    in_cell,
    is_detour,
    leaps,
    length_gone,
    rests_in_walls,
    steps_of,
)
from vmevalkit.tasks.task import Checked, Trace, readable

DAMAGE = 0.25
"""What a changed wall takes from the progress."""
BELIEVED = 3
"""So many readings in a row are believed ..."""
BELIEVED_S = 0.2
"""... or fewer, two at least, that span this time."""


def accepted(maze: Maze, state: MazeState) -> bool:
    """One dot, in the goal's cell, with the flag; and the walls as they were."""
    return (
        len(state.dots) == 1
        and in_cell(state.dots[0], maze.goal)
        and state.walls == home_walls(maze)
        and len(state.flags) == 1
        and cell_at(state.flags[0]) == maze.goal
    )


def progress(maze: Maze, state: MazeState) -> float:
    """How much of the way to the goal is behind the dot, less the damage."""
    if accepted(maze, state):
        return 1.0
    if len(state.dots) != 1 or not inside(maze.grid_n, cell_at(state.dots[0])):
        return 0.0
    if cell_at(state.dots[0]) == maze.start:  # the dot's trembling at the start is no progress
        return 0.0
    ways, goal = corridors(maze), centre(maze.goal)
    behind = 1 - ways.distance(state.dots[0], goal) / ways.distance(centre(maze.start), goal)
    changed = (state.walls ^ home_walls(maze)).bit_count()
    moved = [cell_at(flag) for flag in state.flags] != [maze.goal]
    return min(max(behind - DAMAGE * (changed + 2 * moved), 0.0), 1.0)


def identity(state: MazeState) -> Hashable:
    dots = tuple(sorted(cell_at(dot) for dot in state.dots))
    return (dots, state.walls, tuple(sorted(cell_at(flag) for flag in state.flags)))


def check(maze: Maze, trace: Trace[MazeState]) -> Checked:
    seen = readable(trace)
    steps = steps_of(maze, trace)
    points = [steps[0].start, *(step.end for step in steps)] if steps else []
    leapt = leaps(steps)
    through = {step.seconds: step for step in (*rests_in_walls(maze, steps), *filter(is_detour, leapt))}
    crossed = [through[seconds] for seconds in sorted(through)]
    visited = cells_visited(maze, points)
    findings = [
        *_crossed(crossed),
        *_jumped([step for step in leapt if not is_detour(step)]),
        *_walls_changed(maze, seen),
        *_flag_moved(maze, seen),
        *_dots_counted(seen),
        *_goal_left(maze, steps),
        *_backtracked(maze, visited),
    ]
    return Checked(tuple(findings), _metrics(maze, trace, steps, points, visited, crossed))


def _crossed(crossed: Sequence[Step]) -> Iterator[Finding]:
    if crossed:
        step = crossed[0]
        if is_detour(step):
            detail = (
                f"The dot goes through a wall between {_named(step.start)} and {_named(step.end)}, "
                f"where the open way is {step.along:.1f} cells long and the step {step.straight:.1f}{_more(crossed)}."
            )
        else:
            detail = f"The dot is inside a wall, at the edge of {_named(step.end)}{_more(crossed)}."
        yield Finding("wall_crossed", True, detail, step.seconds)


def _jumped(jumped: Sequence[Step]) -> Iterator[Finding]:
    if jumped:
        step = jumped[0]
        detail = (
            f"The dot jumps {step.straight:.1f} cells, from {_named(step.start)} to {_named(step.end)}{_more(jumped)}."
        )
        yield Finding("teleport", True, detail, step.seconds)


def _more(steps: Sequence[Step]) -> str:
    return f", and {len(steps) - 1} more like it" if len(steps) > 1 else ""


def _named(point: Point) -> str:
    row, column = cell_at(point)
    return f"row {row + 1}, column {column + 1}"


Seen = Sequence[tuple[float, MazeState]]


def _walls_changed(maze: Maze, seen: Seen) -> Iterator[Finding]:
    changed, since = _believed_changes(maze, seen)
    if changed:
        opened = (changed & home_walls(maze)).bit_count()
        added = changed.bit_count() - opened
        parts = [f"{count} {verb}" for count, verb in ((opened, "opened"), (added, "added")) if count]
        yield Finding("wall_changed", True, f"Walls change: {' and '.join(parts)}.", since)


def _believed_changes(maze: Maze, seen: Seen) -> tuple[int, float | None]:
    """The walls that differ from the first frame's for long enough, and when the first of them began to."""
    home = home_walls(maze)
    since: dict[int, tuple[float, int]] = {}
    believed, first_s = 0, None
    for seconds, state in seen:
        rest = state.walls ^ home
        if not rest and not since:
            continue
        since = {wall: run for wall, run in since.items() if rest & wall}
        while rest:
            wall = rest & -rest
            rest ^= wall
            began, count = since.get(wall, (seconds, 0))
            since[wall] = (began, count + 1)
            if _long_enough(count + 1, seconds - began) and not believed & wall:
                believed |= wall
                first_s = began if first_s is None else min(first_s, began)
    return believed, first_s


def _long_enough(readings: int, span_s: float) -> bool:
    return readings >= BELIEVED or (readings >= 2 and span_s >= BELIEVED_S)


def _flag_moved(maze: Maze, seen: Seen) -> Iterator[Finding]:
    def away(state: MazeState) -> bool:
        return bool(state.flags) and all(cell_at(flag) != maze.goal for flag in state.flags)

    runs = _runs(seen, away)
    if runs:
        yield Finding("flag_moved", True, "The flag is moved to another cell.", runs[0][0])
    gone = _runs(seen, lambda state: not state.flags)
    if gone:
        yield Finding("flag_vanished", _to_the_end(seen, gone), "The flag vanishes.", gone[0][0])
    added = _runs(seen, lambda state: len(state.flags) > 1)
    if added:
        yield Finding("flag_added", _to_the_end(seen, added), "There is more than one flag.", added[0][0])


def _dots_counted(seen: Seen) -> Iterator[Finding]:
    gone = _runs(seen, lambda state: not state.dots)
    if gone:
        yield Finding("dot_vanished", _to_the_end(seen, gone), "The dot vanishes.", gone[0][0])
    added = _runs(seen, lambda state: len(state.dots) > 1)
    if added:
        yield Finding("dot_added", _to_the_end(seen, added), "There is more than one dot.", added[0][0])


def _runs(seen: Seen, holds: Callable[[MazeState], bool]) -> list[tuple[float, float]]:
    """When something holds for long enough to be believed: the first and the last reading of each such time."""
    runs: list[tuple[float, float]] = []
    began, count = 0.0, 0
    for place, (seconds, state) in enumerate(seen):
        if not holds(state):
            count = 0
            continue
        began, count = (seconds, 1) if not count else (began, count + 1)
        ends = place + 1 == len(seen) or not holds(seen[place + 1][1])
        if ends and _long_enough(count, seconds - began):
            runs.append((began, seconds))
    return runs


def _to_the_end(seen: Seen, runs: Sequence[tuple[float, float]]) -> bool:
    return runs[-1][1] == seen[-1][0]


def _goal_left(maze: Maze, steps: Sequence[Step]) -> Iterator[Finding]:
    """The goal was reached, held for two readings, and left."""
    held = [in_cell(step.start, maze.goal) and in_cell(step.end, maze.goal) for step in steps]
    for place, step in enumerate(steps):
        if any(held[:place]) and cell_at(step.end) != maze.goal and cell_at(step.start) == maze.goal:
            back = "and comes back" if in_cell(steps[-1].end, maze.goal) else "and does not come back"
            yield Finding("left_goal", False, f"The dot leaves the goal {back}.", step.seconds)
            return


def _backtracked(maze: Maze, visited: Sequence[Cell]) -> Iterator[Finding]:
    reached = visited[: visited.index(maze.goal) + 1] if maze.goal in visited else visited
    again = len(reached) - len(set(reached))
    if again:
        yield Finding("backtracking", False, f"On its way the dot enters {again} cells more than once.")


def _metrics(
    maze: Maze, trace: Trace[MazeState], steps: Sequence[Step], points: Sequence[Point], visited: Sequence[Cell],
    crossed: Sequence[Step],
) -> dict[str, float]:  # fmt: skip
    seen = readable(trace)
    gone = length_gone(points)
    reached = bool(points) and in_cell(points[-1], maze.goal)
    changes = sum(one.walls != other.walls for (_, one), (_, other) in pairwise(seen))
    return {
        "path_length": round(gone, 3),
        "path_efficiency": round(min(1.0, maze.steps / gone), 4) if reached and gone else 0.0,
        "cells_visited": float(len(set(visited))),
        "path_cells_visited": float(len(set(visited) & set(maze.path))),
        "largest_step": round(max((step.straight for step in steps), default=0.0), 3),
        "walls_crossed": float(len(crossed)),
        "wall_changes": float(changes),
        "walls_changed_at_end": float((seen[-1][1].walls ^ home_walls(maze)).bit_count()) if seen else 0.0,
        "readable_share": round(len(seen) / len(trace), 4) if trace else 0.0,
    }
