"""Trick videos of a rotation puzzle as trajectories of states: cheats, wrong answers, and unusual right answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

from vmevalkit.tasks.rotation_puzzle_task.pipes import QUARTERS, is_connected, rotate_sides
from vmevalkit.tasks.rotation_puzzle_task.puzzle import (
    RotationPuzzle,
    get_pipe_kinds,
    get_start_pieces,
    get_target_pieces,
)
from vmevalkit.tasks.rotation_puzzle_task.scene import NEW, SIZE, Pipe, PipeScene, Point, build_scene, get_layout
from vmevalkit.tasks.rotation_puzzle_task.solution import (
    SquareTurn,
    animate_turns,
    arrange_squares,
    ease,
    get_initial_angles,
    get_solution_scene,
    list_reference_turns,
)
from vmevalkit.tasks.task import StateTrajectory

OTHER_COLOURS = ("#ef4444", "#22c55e", "#f59e0b", "#111827")
_MAX_SEARCHED_SQUARES = 8
"""With at most so many squares, all layouts are searched for another answer."""

_StateFunction = Callable[[float], PipeScene]
_Trajectories = dict[str, StateTrajectory[PipeScene]]


def list_cheats(puzzle: RotationPuzzle, rng: Random) -> _Trajectories:
    """Return the trick videos that this puzzle allows."""
    return {**_list_cheats(puzzle, rng), **_list_wrong_ends(puzzle, rng), **_list_unusual(puzzle, rng)}


def _list_cheats(puzzle: RotationPuzzle, rng: Random) -> _Trajectories:
    """Return videos that end in an answer and reach it by an illegal way."""
    reference = list_reference_turns(puzzle)
    number = rng.choice(puzzle.squares_to_turn)
    others = [turn for turn in reference if turn[0] != number]
    fade_share = rng.uniform(0.3, 0.6)

    def turn_others(t: float) -> PipeScene:
        angles = animate_turns(puzzle, others, t) if others else get_initial_angles(puzzle)
        return arrange_squares(puzzle, angles)

    def turn_others_first(t: float) -> PipeScene:
        """The other squares rotate before the fade begins."""
        return turn_others(t / (1 - fade_share))

    def repaint(t: float) -> PipeScene:
        return _dissolve(puzzle, turn_others_first(t), number, ease((t - 1 + fade_share) / fade_share))

    jump_time = rng.uniform(0.3, 0.7)

    def jump(t: float) -> PipeScene:
        return _dissolve(puzzle, turn_others(t), number, 1.0) if t > jump_time else turn_others(t)

    def fade_out_and_in(t: float) -> PipeScene:
        scene = _dissolve(puzzle, turn_others_first(t), number, float(t > 1 - fade_share / 2))
        opacity = min(abs(t - 1 + fade_share / 2) / (fade_share / 2), 1.0)
        return _change_pipe(scene, number, opacity=opacity)

    shift = _choose_shift(puzzle, rng)

    def travel(t: float) -> PipeScene:
        """A square moves away and back while the puzzle is solved."""
        share = 1 - abs(2 * min(t / 0.8, 1.0) - 1)
        return _shift_pipe(get_solution_scene(puzzle, t), number, shift, share)

    return {
        "repainted": StateTrajectory(repaint, "fail", "a square fades from one angle to another instead of rotating"),
        "one_jumps": StateTrajectory(jump, "fail", "one square jumps to its final angle, the others rotate"),
        "fades_away_and_back": StateTrajectory(
            fade_out_and_in, "fail", "a pipe fades out and fades in again at another angle"
        ),
        "travels": StateTrajectory(travel, "fail", "a square leaves its place and comes back"),
    }


def _list_wrong_ends(puzzle: RotationPuzzle, rng: Random) -> _Trajectories:
    """Return videos that do not end in an answer."""
    reference = list_reference_turns(puzzle)
    left_out = rng.choice(puzzle.squares_to_turn)
    fewer = [turn for turn in reference if turn[0] != left_out]
    number = rng.randrange(len(puzzle.squares))
    shift = _choose_shift(puzzle, rng)
    colour = rng.choice(OTHER_COLOURS)
    place = _find_free_place(puzzle, rng)
    change_time = rng.uniform(0.4, 0.7)
    missing_deg = rng.uniform(20, 40)
    last, start, end = reference[-1]
    incomplete = [*reference[:-1], (last, start, end - missing_deg if end > start else end + missing_deg)]
    kind, angle = rng.choice(get_pipe_kinds(puzzle)), 90.0 * rng.randrange(2)

    def move_away(t: float) -> PipeScene:
        return _shift_pipe(get_solution_scene(puzzle, t), number, shift, ease(1.5 * t))

    def vanish(t: float) -> PipeScene:
        scene = get_solution_scene(puzzle, t)
        return build_scene(pipe for pipe in scene.pipes if pipe.home != number) if t > change_time else scene

    def recolour(t: float) -> PipeScene:
        scene = get_solution_scene(puzzle, t)
        return _change_pipe(scene, number, colour=colour) if t > change_time else scene

    trajectories: _Trajectories = {
        "square_moved": StateTrajectory(move_away, "fail", "the puzzle is solved, but a square is moved away"),
        "pipe_vanishes": StateTrajectory(vanish, "fail", "a pipe vanishes on the way"),
        "colour_changed": StateTrajectory(recolour, "fail", "a pipe changes its colour"),
        "turned_too_little": StateTrajectory(
            _play_turns(puzzle, incomplete), "fail", "the last square stops before its final angle"
        ),
        "overturned": StateTrajectory(
            _turn_too_far(puzzle, rng), "fail", "the last square continues to another angle and stays"
        ),
    }
    if fewer:
        trajectories["one_short"] = StateTrajectory(_play_turns(puzzle, fewer), "fail", "one square is never rotated")
    if place is not None:
        new = Pipe(NEW, kind, angle, *place)
        trajectories["pipe_added"] = StateTrajectory(_add_pipe(puzzle, new), "fail", "another pipe appears")
    trajectories["pipe_reshaped"] = StateTrajectory(_reshape_pipe(puzzle, rng), "fail", "a pipe changes its shape")
    return trajectories


def _list_unusual(puzzle: RotationPuzzle, rng: Random) -> _Trajectories:
    """Return videos that solve the puzzle legally in an unusual way."""
    reference = list_reference_turns(puzzle)
    last, start, end = reference[-1]
    beyond = rng.uniform(8, 25) * (1 if end > start else -1)
    overshoot = [*reference, (last, end, end + beyond), (last, end + beyond, end)]
    long_way = [(number, begin, stop - 360 if stop > begin else stop + 360) for number, begin, stop in reference]
    shuffled = rng.sample(reference, len(reference))

    def turn_together(t: float) -> PipeScene:
        angles = get_initial_angles(puzzle)
        for number, begin, stop in reference:
            angles[number] = begin + ease(t) * (stop - begin)
        return arrange_squares(puzzle, angles)

    trajectories: _Trajectories = {
        "overshoot_settles": StateTrajectory(
            _play_turns(puzzle, overshoot), "pass", "the last square turns too far and comes back"
        ),
        "other_way_round": StateTrajectory(
            _play_turns(puzzle, long_way), "pass", "the squares rotate in the longer direction"
        ),
        "all_at_once": StateTrajectory(turn_together, "pass", "all squares rotate at the same time"),
        "other_order": StateTrajectory(
            _play_turns(puzzle, shuffled), "pass", "the squares rotate in a different order"
        ),
    }
    other = _find_other_answer(puzzle, rng)
    if other:
        trajectories["another_answer"] = StateTrajectory(
            _play_turns(puzzle, other), "pass", "another connected layout is reached"
        )
    return trajectories


def _play_turns(puzzle: RotationPuzzle, turns: Sequence[SquareTurn]) -> _StateFunction:
    return lambda t: arrange_squares(puzzle, animate_turns(puzzle, turns, t))


def _change_pipe(scene: PipeScene, number: int, **fields: Any) -> PipeScene:
    return build_scene(replace(pipe, **fields) if pipe.home == number else pipe for pipe in scene.pipes)


def _shift_pipe(scene: PipeScene, number: int, shift: Point, share: float) -> PipeScene:
    pipe = scene.pipes[number]
    return _change_pipe(scene, number, x=pipe.x + share * shift[0], y=pipe.y + share * shift[1])


def _dissolve(puzzle: RotationPuzzle, scene: PipeScene, number: int, share: float) -> PipeScene:
    """Return the scene with one square dissolved by a share into its final angle."""
    end = get_solution_scene(puzzle, 1.0).pipes[number]
    if share <= 0:
        return scene
    if share >= 1:
        return build_scene(end if pipe.home == number else pipe for pipe in scene.pipes)
    faded = _change_pipe(scene, number, opacity=1 - share)
    return build_scene([*faded.pipes, replace(end, opacity=share)])


def _choose_shift(puzzle: RotationPuzzle, rng: Random) -> Point:
    """Return a shift along one axis that keeps the pipe in the image."""
    distance = rng.uniform(28, 60) * get_layout(puzzle.rows, puzzle.cols).scale
    return rng.choice([(distance, 0.0), (-distance, 0.0), (0.0, distance), (0.0, -distance)])


def _add_pipe(puzzle: RotationPuzzle, new: Pipe) -> _StateFunction:
    """Return the solution, in which another pipe fades in."""

    def state_at(t: float) -> PipeScene:
        scene = get_solution_scene(puzzle, t)
        opacity = ease(3 * (t - 0.4))
        return build_scene([*scene.pipes, replace(new, opacity=opacity)]) if opacity > 0 else scene

    return state_at


def _find_free_place(puzzle: RotationPuzzle, rng: Random) -> Point | None:
    """Return a place beside the squares for another pipe; None where there is no room."""
    layout = get_layout(puzzle.rows, puzzle.cols)
    room = layout.centres[0][0] - layout.square / 2
    if room < layout.square + 8:
        return None
    return (rng.choice([room / 2, SIZE[0] - room / 2]), rng.choice(layout.centres)[1])


def _turn_too_far(puzzle: RotationPuzzle, rng: Random) -> _StateFunction:
    """Return the solution, after which the last square continues until the pipes are not connected."""
    reference = list_reference_turns(puzzle)
    last, start, end = reference[-1]
    direction = 1 if end > start else -1
    pieces = list(get_target_pieces(puzzle))
    apart = [
        quarters
        for quarters in (1, 2, 3)
        if not is_connected(puzzle.rows, puzzle.cols, _rotate_piece(pieces, last, direction * quarters))
    ]
    further = 90.0 * direction * apart[0] if apart else rng.uniform(30, 60) * direction
    return _play_turns(puzzle, [*reference, (last, end, end + further)])


def _rotate_piece(pieces: Sequence[int], number: int, quarters: int) -> list[int]:
    return [rotate_sides(sides, quarters) if place == number else sides for place, sides in enumerate(pieces)]


def _reshape_pipe(puzzle: RotationPuzzle, rng: Random) -> _StateFunction:
    """Return the solution, in which a pipe changes its shape at once."""
    number = rng.randrange(len(puzzle.squares))
    kind = rng.choice([kind for kind in QUARTERS if kind != get_pipe_kinds(puzzle)[number]])
    change_time = rng.uniform(0.3, 0.7)

    def state_at(t: float) -> PipeScene:
        scene = get_solution_scene(puzzle, t)
        return _change_pipe(scene, number, shape=kind) if t > change_time else scene

    return state_at


def _find_other_answer(puzzle: RotationPuzzle, rng: Random) -> list[SquareTurn] | None:
    """Return the turns to a connected layout other than the reference's, with as few squares as possible."""
    if len(puzzle.squares) > _MAX_SEARCHED_SQUARES:
        return None
    kinds, start, own = get_pipe_kinds(puzzle), get_start_pieces(puzzle), get_target_pieces(puzzle)
    found: list[tuple[int, tuple[int, ...]]] = []
    for quarters in product(*(range(QUARTERS[kind]) for kind in kinds)):
        pieces = tuple(map(rotate_sides, start, quarters))
        if pieces != own and is_connected(puzzle.rows, puzzle.cols, pieces):
            found.append((sum(quarter > 0 for quarter in quarters), quarters))
    if not found:
        return None
    fewest = min(count for count, _ in found)
    quarters = rng.choice([chosen for count, chosen in found if count == fewest])
    turns = []
    for number, quarter in enumerate(quarters):
        if quarter:
            period = QUARTERS[kinds[number]]
            shorter = quarter if 2 * quarter <= period else quarter - period
            angle = float(puzzle.squares[number].initial_angle)
            turns.append((number, angle, angle + 90.0 * shorter))
    return turns
