"""Every puzzle of the scene kit can be played: the browser gets all pictures, and the legal moves of the solution."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from vmevalkit.core.errors import UsageError
from vmevalkit.core.jsonable import to_json
from vmevalkit.core.records import Question
from vmevalkit.play.playable_question import PlayableQuestion
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.kit.move_task import MoveTask
from vmevalkit.tasks.kit.scene_task import SceneTask
from vmevalkit.tasks.planning import plan

KIT = [name for name, task in TASKS.items() if isinstance(task, SceneTask)]


def make_question(name: str) -> tuple[Any, Any, Question]:
    task: Any = TASKS[name]
    [puzzle] = plan(task, 1, 0, task.preset())
    return task, puzzle, Question(name, name, task.prompt(puzzle), Path(name), {"puzzle": to_json(puzzle)})


@pytest.mark.parametrize("name", KIT)
def test_a_puzzle_of_the_kit_can_be_played(name: str) -> None:
    task, puzzle, question = make_question(name)
    played = PlayableQuestion(question)
    shown = json.loads(json.dumps(played.describe(), allow_nan=False))
    looks = {look for kind in shown["kinds"].values() for look in kind["looks"] if look}
    assert set(shown["sprites"]) == looks
    assert [part["name"] for part in shown["parts"]] == [part.name for part in played.stage.start.parts]
    parts = played.parse_parts(shown["parts"])
    assert parts == played.stage.start.parts
    moves = played.list_moves(parts)
    if isinstance(task, MoveTask):
        after = [part.name for part in task.lay_out(puzzle, task.path(puzzle)[1])]
        assert after in [[part["name"] for part in frames[-1]] for frames in moves]
    else:
        assert moves == []


def test_another_puzzle_cannot_be_played() -> None:
    with pytest.raises(UsageError, match="maze is not a puzzle of the scene kit"):
        PlayableQuestion(Question("maze_0000", "maze", "Go.", Path("maze_0000"), {"puzzle": {}}))
