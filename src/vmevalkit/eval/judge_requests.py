"""What a judge is asked about one video: the specification's messages, and those of the variants."""

from __future__ import annotations

from pathlib import Path

from vmevalkit.core.chat import AnswerSchema, ChatMessage, ChatParams, ChatPart, ChatRequest, TextPart
from vmevalkit.core.errors import UsageError
from vmevalkit.core.records import Question
from vmevalkit.eval import PROMPTS
from vmevalkit.eval.api import puzzle_of
from vmevalkit.eval.judge_config import ALL_ANSWERS, CHANGE_FRAMES, FRAMES, REASON_FIRST, JudgeConfig
from vmevalkit.eval.judge_frames import select_frames
from vmevalkit.media.last_frame import last_frame
from vmevalkit.models.chat_images import load_image_part, make_image_part
from vmevalkit.tasks import TASKS

SCORE, EXPLANATION = "solution_correctness_score", "explanation"
"""Keys of the answer."""


class NothingToCompare(UsageError):
    """The question has neither a final frame nor a goal in words, so no judge can compare anything."""


def make_request(config: JudgeConfig, question: Question, video: Path, task_type: str | None = None) -> ChatRequest:
    """Return what the judge is asked about a video, for the first vote. The model that made the video is not named.

    Raises NotAVideo where the video cannot be decoded, and NothingToCompare."""
    task_type = task_type or f"{question.domain}_task"
    expected, prompt = _make_expected(config, question)
    parts: list[ChatPart] = [
        TextPart(PROMPTS.INPUT_IMAGE.format(task_type=task_type, prompt=question.prompt)),
        load_image_part(question.first_frame),
        *expected,
        *_make_actual(config, video),
        TextPart(PROMPTS.CLOSING),
    ]
    system = make_system_prompt(config, task_type, prompt, way_counts=_does_way_count(question.domain))
    return ChatRequest(
        (ChatMessage("system", (TextPart(system),)), ChatMessage("user", tuple(parts))),
        ChatParams(config.temperature, config.max_tokens, schema=make_schema(config)),
    )


def _does_way_count(domain: str) -> bool:
    """Return whether a cut to the answer fails by the task's rules. Of a user's own task nothing is known."""
    return domain in TASKS and TASKS[domain].tricks.get("cut_to_final") == "fail"


def make_system_prompt(
    config: JudgeConfig, task_type: str, compare: str = PROMPTS.COMPARE, way_counts: bool = False
) -> str:
    """Return the prompt of the system message. ``compare`` says what the video is compared with."""
    text = PROMPTS.make_judge_prompt(task_type)
    if config.sees_process:
        notes = [*([] if compare == PROMPTS.COMPARE else [compare]), *([PROMPTS.WAY_COUNTS] if way_counts else [])]
        text = text.replace(PROMPTS.COMPARE, " ".join([PROMPTS.COMPARE_FRAMES, *notes]))
    else:
        text = text.replace(PROMPTS.COMPARE, compare)
    return text.replace(PROMPTS.RESPOND, PROMPTS.RESPOND_REASON_FIRST) if REASON_FIRST in config.variant else text


def make_schema(config: JudgeConfig) -> AnswerSchema:
    """Return the form of the answer. A model writes the keys in this order."""
    properties = {SCORE: {"type": "integer", "enum": [1, 2, 3, 4, 5]}, EXPLANATION: {"type": "string"}}
    names = [EXPLANATION, SCORE] if REASON_FIRST in config.variant else [SCORE, EXPLANATION]
    ordered = {name: properties[name] for name in names}
    return AnswerSchema(
        "evaluation",
        {"type": "object", "properties": ordered, "required": names, "additionalProperties": False},
    )


def _make_expected(config: JudgeConfig, question: Question) -> tuple[list[ChatPart], str]:
    """Return the expected result, and the sentence of the prompt that says what it is."""
    known = puzzle_of(question) if ALL_ANSWERS in config.variant else None
    if known is not None:
        task, puzzle = known
        answers = [task.draw(puzzle, state) for state in task.accepted_states(puzzle)]
        if len(answers) > 1:
            images = [make_image_part(frame) for frame in answers]
            return [TextPart(PROMPTS.EXPECTED_FRAMES), *images], PROMPTS.COMPARE_ANSWERS
    if question.final_frame is not None:
        return [TextPart(PROMPTS.EXPECTED_FRAME), load_image_part(question.final_frame)], PROMPTS.COMPARE
    goal = (question.goal or "").strip()
    if goal:
        return [TextPart(PROMPTS.EXPECTED_GOAL.format(goal=goal))], PROMPTS.COMPARE_GOAL
    raise NothingToCompare(
        f"{question.folder} has neither final_frame.png nor goal.txt, so there is nothing to compare the video with"
    )


def _make_actual(config: JudgeConfig, video: Path) -> list[ChatPart]:
    if not config.sees_process:
        return [TextPart(PROMPTS.ACTUAL_FRAME), make_image_part(last_frame(video))]
    parts: list[ChatPart] = [TextPart(PROMPTS.ACTUAL_FRAMES)]
    for timed in select_frames(video, FRAMES, CHANGE_FRAMES in config.variant):
        parts += [TextPart(PROMPTS.FRAME_TIME.format(seconds=timed.seconds)), make_image_part(timed.frame)]
    return parts
