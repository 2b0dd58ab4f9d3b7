"""Operations and programs for tests of the attack."""

from __future__ import annotations

from typing import Any

from vmevalkit.audit.attack import Operation, Program

REST: dict[str, Any] = {"op": "rest", "s": 0.6}
SOLVE: dict[str, Any] = {"op": "solve", "share": 1.0, "pace": 0.4, "pick": 0}
COVER: dict[str, Any] = {"op": "cover", "on": "answer", "pick": 0, "size": 2.4, "colour": "red", "at": 0.6, "s": 3.0,
                         "enter": "appear"}  # fmt: skip
CUT: dict[str, Any] = {"op": "cut", "at": 0.1, "s": 1.6, "to": "black"}
THING: dict[str, Any] = {"op": "thing", "place": "free", "size": 4.0, "colour": "violet", "shape": "disc", "at": 0.3,
                         "s": 5.0, "pick": 1}  # fmt: skip


def make(task: str, *operations: dict[str, Any], index: int = 0) -> Program:
    made = (Operation(each["op"], {k: v for k, v in each.items() if k != "op"}) for each in operations)
    return Program(task, "easy", 1, index, tuple(made))
