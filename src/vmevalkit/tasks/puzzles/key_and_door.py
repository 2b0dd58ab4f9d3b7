"""Key and door: fetch the keys that open the doors on the way to the goal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from random import Random
from typing import Any

from vmevalkit.tasks.kit import PALETTE, Arrangement, Canvas, MoveTask, Part, Piece, Uncertified, UsageError

CELL, MARGIN = 70, 34
COLOURS = {"blue": PALETTE.BLUE, "orange": PALETTE.ORANGE, "purple": PALETTE.PURPLE}
Cell = tuple[int, int]
Passages = tuple[tuple[Cell, Cell], ...]


@dataclass(frozen=True, slots=True)
class KeyParams:
    """Params of the puzzles."""

    side: int = 4
    doors: int = 1
    behind: int = 0
    """Keys that are behind a door of another colour."""
    spare: int = 0
    """Keys that open no door on the way."""
    least_moves: int = 6
    most_moves: int = 9

    def __post_init__(self) -> None:
        is_wanted = 0 <= self.behind < self.doors <= self.doors + self.spare <= 3 and 4 <= self.side <= 6
        if not (is_wanted and 4 <= self.least_moves <= self.most_moves <= 18):
            rule = "side is 4 to 6, moves 4 to 18, doors and spare 1 to 3 in all, behind below doors"
            raise UsageError(f"no keys and doors with {self}; {rule}")


@dataclass(frozen=True, slots=True)
class Rooms:
    """Rooms in a square, with walls between some of them. Rooms are (row, column)."""

    side: int
    passages: Passages
    """Pairs of rooms without a wall between them."""
    player: Cell
    goal: Cell
    keys: tuple[tuple[str, Cell], ...]
    doors: tuple[tuple[str, Cell], ...]
    """A room with a door can be entered once the key of its colour was fetched."""


class KeyAndDoorTask(MoveTask[Rooms, KeyParams]):
    """The nearest way is locked, and a key may be locked away too."""

    name = "key_and_door"
    title = "Key and Door"
    description = "Fetch the keys that open the doors on the way to the goal"
    group = "planning"
    puzzle_type = Rooms
    params_type = KeyParams
    difficulties = {"easy": KeyParams(), "medium": KeyParams(5, 1, 0, 1, 8, 12), "hard": KeyParams(5, 2, 1, 0, 10, 16)}
    video_seconds = 7.0
    cell_px = CELL
    tolerance = 0.3

    def sample(self, rng: Random, params: KeyParams) -> Rooms:
        passages = _carve(rng, params.side)
        cells = [(row, column) for row in range(params.side) for column in range(params.side)]
        colours = rng.sample(sorted(COLOURS), params.doors + params.spare)
        player, goal = rng.sample(cells, 2)
        came_from, way = _flood(passages, player, []), [goal]
        while way[-1] != player:
            way.append(came_from[way[-1]])
        if len(way) < params.doors + 3:
            raise Uncertified("the goal is too near")
        doors = [way[place] for place in sorted(rng.sample(range(1, len(way) - 1), params.doors), reverse=True)]
        used, keys, reached = set(way), [], set[Cell]()
        for number in range(len(colours)):  # the key of a door is before it, or behind the door before it
            first = number if number <= params.behind else 0
            here = _flood(passages, player, doors[first:])
            free = [cell for cell in here if cell not in used and (cell not in reached or not first)]
            if not free:
                raise Uncertified("there is no room for a key")
            keys.append(rng.choice(free))
            used, reached = used | {keys[-1]}, reached | set(here)
        named_keys, named_doors = zip(colours, keys, strict=True), zip(colours, doors, strict=False)
        puzzle = Rooms(params.side, passages, player, goal, tuple(sorted(named_keys)), tuple(named_doors))
        if not params.least_moves <= len(self.path(puzzle)) - 1 <= params.most_moves:
            raise Uncertified("too short or too long")
        return puzzle

    def check_puzzle(self, puzzle: Rooms) -> None:
        cells = [puzzle.player, puzzle.goal, *(cell for _, cell in (*puzzle.keys, *puzzle.doors))]
        is_inside = all(0 <= i < puzzle.side for cell in cells for i in cell)
        if not is_inside or len(set(cells)) < len(cells) or not dict(puzzle.doors).keys() <= dict(puzzle.keys).keys():
            raise ValueError(f"things are outside or share a room, or a door has no key: {puzzle}")

    def prompt(self, puzzle: Rooms) -> str:
        keys = [f"the {colour} key" for colour, _ in puzzle.keys]
        there = f"There is {keys[0]}" if len(keys) == 1 else f"There are {' and '.join(keys)}"
        return (
            "Move the green player step by step to the room with the red ring. The player moves up, down, left or "
            f"right by one room at a time and cannot pass through the dark walls. {there}: the player takes a key by "
            "entering its room, and the key disappears. A coloured door with a keyhole can be entered only after the "
            "key of the same colour was taken, and then the door disappears. Everything else stays as it is. Stop when "
            "the player is at the red ring. The camera does not move."
        )

    def size(self, puzzle: Rooms) -> tuple[int, int]:
        return (2 * MARGIN + CELL * puzzle.side,) * 2

    def ground(self, puzzle: Rooms, canvas: Canvas) -> None:
        span = CELL * puzzle.side
        canvas.rectangle(MARGIN - 8, MARGIN - 8, span + 16, span + 16, PALETTE.INK)
        canvas.rectangle(MARGIN, MARGIN, span, span, PALETTE.BOARD)
        for row, column in product(range(puzzle.side), repeat=2):
            left, top = MARGIN + CELL * column, MARGIN + CELL * row
            if column and ((row, column - 1), (row, column)) not in puzzle.passages:
                canvas.rectangle(left - 4, top - 4, 8, CELL + 8, PALETTE.INK)
            if row and ((row - 1, column), (row, column)) not in puzzle.passages:
                canvas.rectangle(left - 4, top - 4, CELL + 8, 8, PALETTE.INK)
        x, y = self.position(puzzle, Piece("", ""), puzzle.goal)
        canvas.circle(x, y, 25, stroke=PALETTE.RED, width=5)

    def paint(self, canvas: Canvas, part: Part) -> None:
        x, y, (kind, _, colour) = part.x, part.y, part.look.partition(" ")
        if kind == "player":
            canvas.circle(x, y, 19, fill=PALETTE.GREEN, stroke=PALETTE.INK, width=PALETTE.LINE)
        elif kind == "door":
            corners = [(x - 25, y - 25), (x + 25, y - 25), (x + 25, y + 25), (x - 25, y + 25)]
            canvas.polygon(corners, COLOURS[colour], PALETTE.INK, PALETTE.LINE)
            canvas.polygon([(x, y - 2), (x + 7, y + 14), (x - 7, y + 14)], PALETTE.INK)
            canvas.circle(x, y - 5, 7, fill=PALETTE.INK)
        else:
            for width, hue in ((11, PALETTE.INK), (6, COLOURS[colour])):
                teeth = [(x + 12, y), (x + 12, y + 9), (x + 12, y), (x + 22, y), (x + 22, y + 10)]
                canvas.line([(x - 4, y), *teeth], hue, width)
                canvas.circle(x - 12, y, 9, stroke=hue, width=width)

    def pieces(self, puzzle: Rooms) -> tuple[Piece, ...]:
        keys = (Piece(f"{colour}_key", f"key {colour}") for colour, _ in puzzle.keys)
        doors = (Piece(f"{colour}_door", f"door {colour}") for colour, _ in puzzle.doors)
        return (*keys, *doors, Piece("player", "player"))

    def places(self, puzzle: Rooms, piece: Piece) -> Iterator[Cell | None]:
        if piece.name == "player":
            return ((row, column) for row in range(puzzle.side) for column in range(puzzle.side))
        return iter((self.start(puzzle)[self.pieces(puzzle).index(piece)], None))

    def position(self, puzzle: Rooms, piece: Piece, place: Any) -> tuple[float, float]:
        return MARGIN + CELL * (place[1] + 0.5), MARGIN + CELL * (place[0] + 0.5)

    def start(self, puzzle: Rooms) -> Arrangement:
        return (*(cell for _, cell in (*puzzle.keys, *puzzle.doors)), puzzle.player)

    def is_goal(self, puzzle: Rooms, at: Arrangement) -> bool:
        return bool(at[-1] == puzzle.goal)

    def moves(self, puzzle: Rooms, at: Arrangement) -> Iterator[Arrangement]:
        *things, player = at
        held = {colour for (colour, _), place in zip(puzzle.keys, things, strict=False) if place is None}
        locked = {cell for colour, cell in puzzle.doors if colour not in held}
        ways = _list_passages(puzzle.passages)[player]
        return ((*(None if place == to else place for place in things), to) for to in ways if to not in locked)


def _carve(rng: Random, side: int) -> Passages:
    """Return the passages of a maze with one way between any two rooms (a walk that goes back where it is stuck)."""
    walk, seen, passages = [(0, 0)], {(0, 0)}, []
    while walk:
        row, column = walk[-1]
        beside = [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]
        free = [cell for cell in beside if min(cell) >= 0 and max(cell) < side and cell not in seen]
        walk = [*walk, rng.choice(free)] if free else walk[:-1]
        passages += [(min(walk[-2:]), max(walk[-2:]))] if free else []
        seen.update(walk)
    return tuple(sorted(passages))


@lru_cache(maxsize=256)
def _list_passages(passages: Passages) -> dict[Cell, list[Cell]]:
    ways: dict[Cell, list[Cell]] = {}
    for one, two in (*passages, *(pair[::-1] for pair in passages)):
        ways.setdefault(one, []).append(two)
    return ways


def _flood(passages: Passages, start: Cell, closed: list[Cell]) -> dict[Cell, Cell]:
    """Return the rooms that can be reached, each with the one before it."""
    reached, edge = {start: start}, [start]
    for cell in edge:
        free = [to for to in _list_passages(passages)[cell] if to not in reached and to not in closed]
        reached.update(dict.fromkeys(free, cell))
        edge += free
    return reached


TASK = KeyAndDoorTask()
