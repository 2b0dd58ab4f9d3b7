"""A program: the operations that make a video of a puzzle, as a few lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import UsageError
from vmevalkit.core.jsonable import parse_json
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.task import AnyTask

Value = float | int | str
"""A parameter of an operation."""

_OWN = ("op",)


@dataclass(frozen=True, slots=True)
class Operation:
    """One step of a program."""

    name: str
    """Such as ``cover``; ``operations.OPERATIONS`` has all of them."""
    params: Mapping[str, Value] = field(default_factory=dict)

    def __str__(self) -> str:
        return " ".join([self.name, *(f"{key}={_format(value)}" for key, value in self.params.items())])


@dataclass(frozen=True, slots=True)
class Program:
    """A video of a puzzle. Equal programs make equal videos."""

    task: str
    difficulty: str
    seed: int
    """Of the puzzle."""
    index: int
    """Of the puzzle."""
    operations: tuple[Operation, ...]
    expected: str = ""
    """The label that a stored program must have, ``pass`` or ``fail``; empty where nothing is stored."""
    note: str = ""
    """What the video shows and what went wrong with it, in a sentence."""

    def __str__(self) -> str:
        return f"{self.task}/{self.difficulty}/{self.seed}/{self.index}: " + "; ".join(map(str, self.operations))


def find_puzzle(program: Program) -> tuple[AnyTask, Any]:
    """Return the task and the puzzle of a program."""
    task = TASKS[program.task]
    return task, _plan_puzzle(program.task, program.difficulty, program.seed, program.index)


@lru_cache(maxsize=256)
def _plan_puzzle(task: str, difficulty: str, seed: int, index: int) -> Any:
    params = TASKS[task].preset(difficulty)
    capacity = TASKS[task].capacity(params)
    count = index + 1 if capacity is None else min(index + 1, capacity)
    return plan(TASKS[task], count, seed, params)[-1]


def to_record(program: Program) -> dict[str, Any]:
    """Return a program as plain JSON values."""
    record: dict[str, Any] = {
        "task": program.task, "difficulty": program.difficulty, "seed": program.seed, "index": program.index,
        "operations": [{"op": each.name, **each.params} for each in program.operations],
    }  # fmt: skip
    return record | {key: text for key in ("expected", "note") if (text := getattr(program, key))}


def format_program(program: Program) -> str:
    """Return a program as JSON, with one line for each operation."""
    record = to_record(program)
    operations = ",\n".join(f"    {json.dumps(each)}" for each in record.pop("operations"))
    head = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in record.items())
    return f'{{\n{head},\n  "operations": [\n{operations}\n  ]\n}}\n'


def parse_program(record: Any, place: str) -> Program:
    """Return the program of a record. Raises UsageError that names the place."""
    from vmevalkit.audit.attack.operations import check_operation

    try:
        operations = tuple(
            Operation(str(each["op"]), {key: value for key, value in each.items() if key not in _OWN})
            for each in record["operations"]
        )
        program = Program(
            str(record["task"]), str(record["difficulty"]), int(record["seed"]), int(record["index"]), operations,
            str(record.get("expected", "")), str(record.get("note", "")),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise UsageError(
            f"{place} has no program: {type(error).__name__} {error}; it needs task, difficulty, seed, index and a "
            'list of operations such as {"op": "rest", "s": 1}'
        ) from None
    if program.expected not in ("", "pass", "fail") or program.index < 0:
        raise UsageError(f"{place}: expected is pass or fail, not {program.expected!r}, and index 0 or more")
    TASKS[program.task].preset(program.difficulty)
    for operation in operations:
        check_operation(operation, place)
    return program


def load_program(path: Path) -> Program:
    """Return the program of a file. Raises UsageError."""
    programs = load_programs(path)
    if len(programs) != 1:
        raise UsageError(f"{path} has {len(programs)} programs; name a file with one")
    return programs[0]


def load_programs(path: Path) -> list[Program]:
    """Return the programs of a file: one, or a list of them. Raises UsageError."""
    try:
        record = parse_json(path.read_bytes())
    except FileNotFoundError:
        raise UsageError(f"{path} does not exist; name the JSON file of a program") from None
    except ValueError as error:
        raise UsageError(f"{path} is not JSON: {error}") from None
    records = record if isinstance(record, list) else [record]
    return [parse_program(each, f"{path}, program {number}") for number, each in enumerate(records)]


def _format(value: Value) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
