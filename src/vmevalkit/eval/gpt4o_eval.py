"""The specification's evaluator: GPT-4o compares the final frame of a video with the expected one."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from vmevalkit.core.async_scorer import CallOptions
from vmevalkit.core.chat import ChatAnswer, ChatMessage, ChatModel, ChatParams, ChatPart, ChatRequest, Role, TextPart
from vmevalkit.core.errors import ModelError, UsageError
from vmevalkit.core.records import Question
from vmevalkit.eval.judge import JudgeScorer
from vmevalkit.eval.judge_config import MAX_TOKENS, SPECIFICATION_MODEL, TEMPERATURE, TIMEOUT_S, JudgeConfig
from vmevalkit.eval.judge_requests import SCORE, make_schema
from vmevalkit.eval.PROMPTS import make_judge_prompt
from vmevalkit.eval.score_job import ScoreJob, find_existing, make_scored, save_result
from vmevalkit.jobs.budget import Budget
from vmevalkit.jobs.chat_calls import ChatCaller
from vmevalkit.media.image import Frame, encode_png, read_image
from vmevalkit.media.last_frame import last_frame
from vmevalkit.models.chat import load_chat_model
from vmevalkit.models.chat_images import load_image_part
from vmevalkit.store import layout
from vmevalkit.store.questions import load_question


class GPT4OEvaluator:
    """Judges single videos. ``vmevalkit score --with gpt-4o`` does the same for a whole experiment, many at once."""

    def __init__(
        self,
        output_dir: Path | str = layout.EVALUATIONS,
        experiment_name: str | None = None,
        model: str = SPECIFICATION_MODEL,
        temperature: float = TEMPERATURE,
        base_url: str | None = None,
        options: CallOptions | None = None,
    ) -> None:
        """``experiment_name`` is by default that of the video's folder; ``base_url`` the address of another server."""
        self.output_dir = Path(output_dir)
        self.experiment_name = experiment_name
        self.model = model
        self.temperature = temperature
        self.base_url = base_url
        self.options = options or CallOptions()
        self.config = JudgeConfig((model,), temperature=temperature, base_url=base_url)
        self.scorer = JudgeScorer(self.config)
        self.client: ChatModel | None = None
        """The chat model of the last call, with its address. Key and package are needed only for a call."""

    def create_prompt(self, task_type: str) -> str:
        """Return the system prompt for a task, given as ``maze`` or ``maze_task``."""
        return make_judge_prompt(task_type)

    def extract_final_frame(self, video_path: Path | str) -> Frame:
        """Return the last frame that can be decoded, as RGB. Raises NotAVideo where there is none."""
        return last_frame(video_path)

    def encode_image(self, image: Path | str | Frame) -> str:
        """Return an image, or the file of one, as a PNG in base64."""
        frame = read_image(image) if isinstance(image, Path | str) else image
        return base64.b64encode(encode_png(frame)).decode("ascii")

    async def call_gpt4o(self, messages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Send messages of the API's form and return the response in the API's form.

        Limits, retries, budget and the log of answers are those of all judges: the same messages are paid for once.
        Raises ModelError where there is no answer."""
        params = ChatParams(self.temperature, MAX_TOKENS, schema=make_schema(self.config))
        self.client = load_chat_model(self.model, self.base_url, timeout_s=TIMEOUT_S)
        caller = ChatCaller(
            self.client,
            answers=layout.ANSWERS if self.options.answers is None else self.options.answers,
            purpose=self.options.purpose, retry_refused=self.options.retry_refused,
            assumed_usd=self.options.assumed_usd, budget=Budget(self.options.max_usd),
        )  # fmt: skip
        try:
            result = await caller.ask(ChatRequest(tuple(map(parse_message, messages)), params))
        finally:
            await caller.close()
        if result.answer is None:
            raise ModelError(f"API call failed: {result.error}")
        return make_response(result.answer)

    async def evaluate_single_async(
        self, model_name: str, task_type: str, task_id: str, video_path: Path | str
    ) -> dict[str, Any]:
        """Judge one video of a run folder and write ``GPT4OEvaluator.json``; an existing verdict on it is kept.

        Returns ``solution_correctness_score`` (None where there is no verdict), ``explanation`` and the judge's record.
        """
        video = Path(video_path)
        job = self._make_job(model_name, task_type, task_id, video)
        scored = make_scored(job, self.scorer)
        result = find_existing(job, scored, retry_unscored=True)
        details: dict[str, Any] | None = None
        if result is None:
            session = self.scorer.open_session(self.options)
            try:
                judged = await session.score(job.question, video, model_name)
            finally:
                await session.close()
            details = judged.details
            result = save_result(job, scored, judged.score, details)
        score = result.score
        assert score is not None
        return {SCORE: score.value, "explanation": score.explanation, **({"details": details} if details else {})}

    def _make_job(self, model_name: str, task_type: str, task_id: str, video: Path) -> ScoreJob:
        run = video.parent.parent
        question = self._load_question(run, task_type, task_id)
        experiment = self.experiment_name or layout.parse_job_folder(run.parent)[0]
        return ScoreJob(experiment, model_name, question, video, "gpt-4o", self.output_dir, run_id=run.name)

    @staticmethod
    def _load_question(run: Path, task_type: str, task_id: str) -> Question:
        folder = run / "question"
        if not folder.is_dir():
            raise UsageError(f"{run} has no folder question/; the video must be in a run folder: RUN/video/NAME.mp4")
        return replace(load_question(folder), id=task_id, domain=layout.domain_of(task_type))


def parse_message(message: Mapping[str, Any]) -> ChatMessage:
    """Return a message of the API's form as a record. Images must be data URIs."""
    role: Role = message["role"]
    content = message["content"]
    if isinstance(content, str):
        return ChatMessage(role, (TextPart(content),))
    parts: list[ChatPart] = []
    for part in content:
        if part["type"] == "text":
            parts.append(TextPart(part["text"]))
            continue
        head, _, data = part["image_url"]["url"].partition(";base64,")
        if not head.startswith("data:image/"):
            raise UsageError("an image of a message must be a data URI: data:image/png;base64,...")
        parts.append(load_image_part(base64.b64decode(data)))
    return ChatMessage(role, tuple(parts))


def make_response(answer: ChatAnswer) -> dict[str, Any]:
    """Return an answer in the form of the API's response."""
    message = {"role": "assistant", "content": answer.text or None, "refusal": answer.refusal}
    return {
        "model": answer.model,
        "choices": [{"index": 0, "message": message, "finish_reason": answer.finish_reason}],
        "usage": {"prompt_tokens": answer.input_tokens, "completion_tokens": answer.output_tokens},
    }
