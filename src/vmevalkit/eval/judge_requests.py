"""What a judge is asked about one video: the specification's messages, and those of the variants."""

from __future__ import annotations

from pathlib import Path

from vmevalkit.core.chat import AnswerSchema, ChatMessage, ChatParams, ChatPart, ChatRequest, TextPart
from vmevalkit.core.errors import UsageError
from vmevalkit.core.records import Question
from vmevalkit.eval import PROMPTS
from vmevalkit.eval.criteria import draw_answers, find_hint, is_process_judged
from vmevalkit.eval.judge_config import CHANGE_FRAMES, FRAMES, REASON_FIRST, SPECIFICATION, JudgeConfig
from vmevalkit.eval.judge_frames import select_frames
from vmevalkit.media.last_frame import last_frame
from vmevalkit.models.chat_images import load_image_part, make_image_part

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
    asks = asks_process(config, question.domain)
    system = make_system_prompt(config, task_type, prompt, asks)
    return ChatRequest(
        (ChatMessage("system", (TextPart(system),)), ChatMessage("user", tuple(parts))),
        ChatParams(config.temperature, config.max_tokens, schema=make_schema(config, asks)),
    )


def asks_process(config: JudgeConfig, domain: str) -> bool:
    """Return whether the judge is asked about the moves: it sees the video, and the rules judge them."""
    return config.sees_process and is_process_judged(domain)


def make_system_prompt(config: JudgeConfig, task_type: str, compare: str = PROMPTS.COMPARE, asks: bool = False) -> str:
    """Return the prompt of the system message. ``compare`` says what the video is compared with; ``asks``, that the
    judge is asked about the moves as well."""
    text = PROMPTS.make_judge_prompt(task_type, None if SPECIFICATION in config.variant else find_hint(task_type))
    if REASON_FIRST in config.variant:
        text = text.replace(PROMPTS.RESPOND, PROMPTS.RESPOND_REASON_FIRST)
    if asks:
        second = f'"solution_correctness_score": <1-5>, "{PROMPTS.PROCESS}": <true or false>'
        text = text.replace('"solution_correctness_score": <1-5>', second)
    if config.sees_process:
        notes = [*([] if compare == PROMPTS.COMPARE else [compare]), *([PROMPTS.ASK_PROCESS] if asks else [])]
        text = text.replace(PROMPTS.COMPARE, " ".join([PROMPTS.COMPARE_FRAMES, *notes]))
    else:
        text = text.replace(PROMPTS.COMPARE, compare)
    return text


def make_schema(config: JudgeConfig, asks: bool = False) -> AnswerSchema:
    """Return the form of the answer. A model writes the keys in this order."""
    properties = {
        SCORE: {"type": "integer", "enum": [1, 2, 3, 4, 5]},
        PROMPTS.PROCESS: {"type": "boolean"},
        EXPLANATION: {"type": "string"},
    }
    rating = [SCORE, PROMPTS.PROCESS] if asks else [SCORE]
    names = [EXPLANATION, *rating] if REASON_FIRST in config.variant else [*rating, EXPLANATION]
    ordered = {name: properties[name] for name in names}
    return AnswerSchema(
        "evaluation",
        {"type": "object", "properties": ordered, "required": names, "additionalProperties": False},
    )


def _make_expected(config: JudgeConfig, question: Question) -> tuple[list[ChatPart], str]:
    """Return the expected result, and the sentence of the prompt that says what it is."""
    answers = [] if SPECIFICATION in config.variant else draw_answers(question)
    if answers:
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
