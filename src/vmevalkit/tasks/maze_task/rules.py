"""The logic of a maze video: whether it is solved, how far it got, and what went wrong on the way. No pixels here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise

from vmevalkit.core.records import Finding
from vmevalkit.tasks.evidence import find_spans
from vmevalkit.tasks.maze_task.lattice import Cell, Point, cell_at, centre, is_inside, iter_walls
from vmevalkit.tasks.maze_task.maze_reasoning import Maze, MazeState, corridors_of, initial_walls
from vmevalkit.tasks.maze_task.track import (
    DotStep,
    find_leaps,
    find_steps,
    find_steps_in_walls,
    is_detour,
    is_in_cell,
    list_visited_cells,
    measure_length,
)
from vmevalkit.tasks.task import CheckResult, Trace, readable

WALL_PENALTY = 0.25
"""Progress lost for each changed wall; a flag in another cell costs twice as much."""

Readings = Sequence[tuple[float, MazeState]]


def is_accepted(puzzle: Maze, state: MazeState) -> bool:
    """Return whether there is one dot, in the goal's cell with the flag, and the walls are unchanged."""
    return (
        len(state.dots) == 1
        and is_in_cell(state.dots[0], puzzle.goal)
        and state.walls == initial_walls(puzzle)
        and len(state.flags) == 1
        and cell_at(state.flags[0]) == puzzle.goal
    )


def measure_progress(puzzle: Maze, state: MazeState) -> float:
    """Return the share of the path that the dot has covered, less the damage."""
    if is_accepted(puzzle, state):
        return 1.0
    if len(state.dots) != 1 or not is_inside(puzzle.grid_n, cell_at(state.dots[0])):
        return 0.0
    if cell_at(state.dots[0]) == puzzle.start:  # jitter at the start is not progress
        return 0.0
    corridors, goal = corridors_of(puzzle), centre(puzzle.goal)
    covered = 1 - corridors.distance(state.dots[0], goal) / corridors.distance(centre(puzzle.start), goal)
    changed_walls = (state.walls ^ initial_walls(puzzle)).bit_count()
    has_flag_moved = [cell_at(flag) for flag in state.flags] != [puzzle.goal]
    return min(max(covered - WALL_PENALTY * (changed_walls + 2 * has_flag_moved), 0.0), 1.0)


def check_trace(puzzle: Maze, trace: Trace[MazeState]) -> CheckResult:
    """Return the findings and metrics of a video."""
    readings = readable(trace)
    steps = find_steps(puzzle, trace)
    points = [steps[0].start, *(step.end for step in steps)] if steps else []
    leaps = find_leaps(steps)
    crossings_by_time = {
        step.seconds: step for step in (*find_steps_in_walls(puzzle, steps), *filter(is_detour, leaps))
    }
    crossings = [crossings_by_time[seconds] for seconds in sorted(crossings_by_time)]
    visited = list_visited_cells(puzzle, points)
    findings = [
        *_find_wall_crossings(crossings),
        *_find_teleports([step for step in leaps if not is_detour(step)]),
        *_find_wall_changes(puzzle, readings),
        *_find_flag_changes(puzzle, readings),
        *_find_dot_changes(readings),
        *_find_goal_left(puzzle, steps),
        *_find_backtracking(puzzle, visited),
    ]
    return CheckResult(tuple(findings), _compute_metrics(puzzle, trace, steps, points, visited, crossings))


def _find_wall_crossings(crossings: Sequence[DotStep]) -> Iterator[Finding]:
    if crossings:
        step = crossings[0]
        if is_detour(step):
            detail = (
                f"The dot moves through a wall between {_name_cell(step.start)} and {_name_cell(step.end)}, where the "
                f"legal way is {step.legal_cells:.1f} cells long and the step {step.straight_cells:.1f}"
                f"{_count_others(crossings)}."
            )
        else:
            detail = f"The dot is inside a wall, at the edge of {_name_cell(step.end)}{_count_others(crossings)}."
        yield Finding("wall_crossed", True, detail, step.seconds)


def _find_teleports(leaps: Sequence[DotStep]) -> Iterator[Finding]:
    if leaps:
        step = leaps[0]
        detail = (
            f"The dot jumps {step.straight_cells:.1f} cells, from {_name_cell(step.start)} to {_name_cell(step.end)}"
            f"{_count_others(leaps)}."
        )
        yield Finding("teleport", True, detail, step.seconds)


def _count_others(steps: Sequence[DotStep]) -> str:
    return f", and {len(steps) - 1} more such steps" if len(steps) > 1 else ""


def _name_cell(point: Point) -> str:
    row, column = cell_at(point)
    return f"row {row + 1}, column {column + 1}"


def _find_wall_changes(maze: Maze, readings: Readings) -> Iterator[Finding]:
    changed, since = _find_lasting_changes(maze, readings)
    if changed:
        opened = (changed & initial_walls(maze)).bit_count()
        added = changed.bit_count() - opened
        parts = [f"{count} {verb}" for count, verb in ((opened, "opened"), (added, "added")) if count]
        yield Finding("wall_changed", True, f"Walls change: {' and '.join(parts)}.", since)


def _find_lasting_changes(maze: Maze, readings: Readings) -> tuple[int, float | None]:
    """Return the walls that differ from the first frame for long enough, and when the first of them began to."""
    initial = initial_walls(maze)
    ever = 0
    for _, state in readings:
        ever |= state.walls ^ initial
    lasting, starts = 0, []
    for wall in iter_walls(ever):
        spans = find_spans(readings, partial(_has_changed, initial, wall))
        if spans:
            lasting |= 1 << wall
            starts.append(spans[0].start_s)
    return lasting, min(starts, default=None)


def _has_changed(initial: int, wall: int, state: MazeState) -> bool:
    return bool((state.walls ^ initial) >> wall & 1)


def _find_flag_changes(maze: Maze, readings: Readings) -> Iterator[Finding]:
    def is_moved(state: MazeState) -> bool:
        return bool(state.flags) and all(cell_at(flag) != maze.goal for flag in state.flags)

    moved = find_spans(readings, is_moved)
    if moved:
        yield Finding("flag_moved", True, "The flag is moved to another cell.", moved[0].start_s)
    missing = find_spans(readings, lambda state: not state.flags)
    if missing:
        yield Finding("flag_vanished", missing[-1].reaches_end, "The flag vanishes.", missing[0].start_s)
    added = find_spans(readings, lambda state: len(state.flags) > 1)
    if added:
        yield Finding("flag_added", added[-1].reaches_end, "There is more than one flag.", added[0].start_s)


def _find_dot_changes(readings: Readings) -> Iterator[Finding]:
    missing = find_spans(readings, lambda state: not state.dots)
    if missing:
        yield Finding("dot_vanished", missing[-1].reaches_end, "The dot vanishes.", missing[0].start_s)
    added = find_spans(readings, lambda state: len(state.dots) > 1)
    if added:
        yield Finding("dot_added", added[-1].reaches_end, "There is more than one dot.", added[0].start_s)


def _find_goal_left(maze: Maze, steps: Sequence[DotStep]) -> Iterator[Finding]:
    """Yield a finding if the goal was reached for two readings and then left."""
    is_at_goal = [is_in_cell(step.start, maze.goal) and is_in_cell(step.end, maze.goal) for step in steps]
    for place, step in enumerate(steps):
        if any(is_at_goal[:place]) and cell_at(step.end) != maze.goal and cell_at(step.start) == maze.goal:
            back = "and comes back" if is_in_cell(steps[-1].end, maze.goal) else "and does not come back"
            yield Finding("left_goal", False, f"The dot leaves the goal {back}.", step.seconds)
            return


def _find_backtracking(maze: Maze, visited: Sequence[Cell]) -> Iterator[Finding]:
    before_goal = visited[: visited.index(maze.goal) + 1] if maze.goal in visited else visited
    repeated = len(before_goal) - len(set(before_goal))
    if repeated:
        yield Finding("backtracking", False, f"The dot enters cells again on its way, {repeated} times.")


def _compute_metrics(
    maze: Maze, trace: Trace[MazeState], steps: Sequence[DotStep], points: Sequence[Point], visited: Sequence[Cell],
    crossings: Sequence[DotStep],
) -> dict[str, float]:  # fmt: skip
    readings = readable(trace)
    length = measure_length(points)
    is_at_goal = bool(points) and is_in_cell(points[-1], maze.goal)
    changes = sum(one.walls != other.walls for (_, one), (_, other) in pairwise(readings))
    return {
        "path_length": round(length, 3),
        "path_efficiency": round(min(1.0, maze.steps / length), 4) if is_at_goal and length else 0.0,
        "cells_visited": float(len(set(visited))),
        "path_cells_visited": float(len(set(visited) & set(maze.path))),
        "largest_step": round(max((step.straight_cells for step in steps), default=0.0), 3),
        "walls_crossed": float(len(crossings)),
        "wall_changes": float(changes),
        "walls_changed_at_end": float((readings[-1][1].walls ^ initial_walls(maze)).bit_count()) if readings else 0.0,
        "readable_share": round(len(readings) / len(trace), 4) if trace else 0.0,
    }
