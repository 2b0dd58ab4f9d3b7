"""The questions of a reward function: a folder of them, or puzzles that are planned in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from vmevalkit.core.errors import UsageError
from vmevalkit.core.jsonable import to_json
from vmevalkit.core.records import Question
from vmevalkit.store.questions import load_question, load_questions
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.dataset import question_id
from vmevalkit.tasks.planning import plan

QuestionSource = Path | str | Sequence[Question | Path | str]
"""A folder of questions, or questions and the folders of single ones."""


def plan_questions(tasks: Iterable[str], n: int, seed: int = 0, difficulty: str | None = None) -> list[Question]:
    """Return the first ``n`` questions of each task, without a file: the same as ``vmevalkit generate`` writes.

    Nothing is drawn. ``RewardFunction.draw_first_frame`` draws what a model gets."""
    questions = []
    for name in tasks:
        task = TASKS[name]
        for index, puzzle in enumerate(plan(task, n, seed, task.preset(difficulty))):
            identity = question_id(name, index)
            metadata = {"id": identity, "domain": name, "puzzle": to_json(puzzle)}
            questions.append(Question(identity, name, task.prompt(puzzle), Path(name) / identity, metadata))
    return questions


def name_questions(source: QuestionSource) -> Mapping[str, Question]:
    """Return the questions by id, and by ``domain/id`` where an id is used in several domains."""
    if isinstance(source, Path | str):
        questions = load_questions(source)
    else:
        questions = [each if isinstance(each, Question) else load_question(each) for each in source]
    if not questions:
        raise UsageError(f"there is no question in {source!r}; pass a folder of questions, or questions")
    uses = Counter(question.id for question in questions)
    named: dict[str, Question] = {}
    for question in questions:
        name = question.id if uses[question.id] == 1 else f"{question.domain}/{question.id}"
        if name in named:
            raise UsageError(f"two questions are called {name!r}: {named[name].folder} and {question.folder}")
        named[name] = question
    return named
