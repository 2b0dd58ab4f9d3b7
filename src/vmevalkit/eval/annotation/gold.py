"""Gold items: videos with a known verdict, by which the attention of annotators is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from vmevalkit.core.randomness import rng_for
from vmevalkit.core.records import Question
from vmevalkit.eval.annotation.items import AnnotationItem, make_token
from vmevalkit.eval.annotation.plan import AnnotationPlan
from vmevalkit.media.image import Frame
from vmevalkit.media.video import write_video
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.puzzle_loading import load_puzzle
from vmevalkit.tasks.task import AnyTask

MOST_GOLD = 12
"""Gold items of a plan: each needs a video, and a few are enough to see who does not look."""
SOLVED, STILL = 5, 1
_FPS, _SECONDS = 12, 4.0


def make_gold_items(items: Sequence[AnnotationItem], plan: AnnotationPlan, folder: Path) -> list[AnnotationItem]:
    """Render gold videos of some of the questions into a folder: the reference solution, or a still first frame.

    Questions without a puzzle have none. The videos depend on the plan alone."""
    questions = {(item.question.domain, item.question.id): item.question for item in items}
    known = [question for question in questions.values() if _is_known(question)]
    if not plan.gold_share or not known:
        return []
    rng = rng_for("annotation", plan.seed, "gold")
    wanted = min(MOST_GOLD, len(known), max(2, round(plan.gold_share * len(items) / (1 - plan.gold_share))))
    chosen = rng.sample(sorted(known, key=lambda question: (question.domain, question.id)), wanted)
    gold = []
    for index, question in enumerate(chosen):
        value = (SOLVED, STILL)[index % 2]
        token = make_token(plan.salt, "gold", question.domain, question.id, value)
        video = folder / f"{token}.mp4"
        if not video.is_file():
            _render(question, value, video)
        gold.append(AnnotationItem(token, question, video, gold_value=value))
    return gold


def _is_known(question: Question) -> bool:
    return question.domain in TASKS and "puzzle" in question.metadata


def _render(question: Question, value: int, path: Path) -> None:
    task = TASKS[question.domain]
    puzzle = load_puzzle(task, question.metadata["puzzle"], question.folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_video(path, _frames(task, puzzle, (lambda t: t) if value == SOLVED else (lambda _: 0.0)), _FPS)


def _frames(task: AnyTask, puzzle: Any, pace: Callable[[float], float]) -> Iterator[Frame]:
    last = round(_SECONDS * _FPS) - 1
    for number in range(last + 1):
        yield task.draw(puzzle, task.solution(puzzle, pace(number / last)))
