"""What people and judges are asked about a video: the same that the rules of its task judge."""

from __future__ import annotations

from vmevalkit.core.records import SUCCESS, Question, Score
from vmevalkit.eval import PROMPTS
from vmevalkit.eval.question_puzzle import find_puzzle
from vmevalkit.media.image import Frame
from vmevalkit.tasks import TASKS

MOST_ANSWERS = 8
"""Accepted answers that are shown: each is an image to pay for, and to look at."""
ILLEGAL_VALUE = 2
"""The most that a video with an illegal or hidden move is worth, as in the rules."""


def is_process_judged(domain: str) -> bool:
    """Return whether a cut to the answer fails by the task's rules. Of a user's own task nothing is known."""
    return domain in TASKS and TASKS[domain].tricks.get("cut_to_final") == "fail"


def find_hint(domain: str) -> str:
    """Return what the task says about its final state; empty for a task that says nothing."""
    domain = domain.removesuffix("_task")
    own = TASKS[domain].judge_hint if domain in TASKS else ""
    return own or PROMPTS.find_guidance(domain) or ""


def draw_answers(question: Question) -> list[Frame]:
    """Return pictures of up to ``MOST_ANSWERS`` accepted answers where there are several; empty where there is one."""
    known = find_puzzle(question)
    if isinstance(known, Score):
        return []
    task, puzzle = known
    states = task.accepted_states(puzzle)[:MOST_ANSWERS]
    return [task.draw(puzzle, state) for state in states] if len(states) > 1 else []


def cap_value(value: int, is_legal: bool | None) -> int:
    """Return a value from 1 to 5 after the process is taken into account."""
    return min(value, ILLEGAL_VALUE) if is_legal is False else value


def is_solved(value: int) -> bool:
    """Return whether a value of the final state says that the answer is right."""
    return value >= SUCCESS
