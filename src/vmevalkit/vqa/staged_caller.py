"""One question at one model: the visualization where there are two stages, then the answer. Nothing is asked twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from vmevalkit.core.chat import ChatMessage, ChatParams, ChatRequest, ImagePart, TextPart
from vmevalkit.core.image_edit import EditRequest
from vmevalkit.jobs.budget import Budget
from vmevalkit.jobs.chat_calls import ChatCaller, StoppableCaller
from vmevalkit.jobs.image_calls import IMAGE_LIMITS, ImageCaller
from vmevalkit.jobs.limits import CHAT_LIMITS, Limits
from vmevalkit.models.chat_images import load_image_part
from vmevalkit.store import vqa_layout
from vmevalkit.vqa.models import ANSWER_TIMEOUT_S, VqaModel

LOCAL_LIMITS = Limits(in_flight=1, orders_per_minute=float("inf"), attempts=1, call_limit_s=24 * 3600.0)
"""A model on this machine: no limit but its own speed, and nothing is repeated."""

StagedStatus = Literal["answered", "refused", "stage1_failed", "failed", "unaffordable"]


@dataclass(frozen=True, slots=True)
class CallOptions:
    """Limits of the calls of a run."""

    batch_size: int = 1
    """Questions at once, for a model on this machine."""
    in_flight: int | None = None
    """Calls at the same time, for a service; None means by kind of model."""
    per_minute: float | None = None
    max_usd: float | None = None

    def choose_limits(self, is_local: bool, remote: Limits) -> Limits:
        if is_local:
            return replace(LOCAL_LIMITS, in_flight=max(self.batch_size, 1))
        limits = replace(remote, call_limit_s=ANSWER_TIMEOUT_S)
        limits = limits if self.in_flight is None else replace(limits, in_flight=self.in_flight)
        return limits if self.per_minute is None else replace(limits, orders_per_minute=self.per_minute)

    def choose_at_once(self, model: VqaModel) -> int:
        """Return how many questions are in progress: enough for every stage, and no more images in memory."""
        if model.is_free:
            return max(self.batch_size, 1)
        return (self.in_flight or CHAT_LIMITS.in_flight) * (1 if model.editor is None else 2)


@dataclass(frozen=True, slots=True)
class StagedAnswer:
    """What a model answered to one question."""

    status: StagedStatus
    text: str = ""
    error: str | None = None
    """Why there is no answer, or no visualization."""
    is_final: bool = True
    """Whether asking again would give the same; False for errors that may pass."""
    visualization: str | None = None
    """The file of stage 1's image."""
    visualization_text: str = ""
    model: str = ""
    answered_at: str = ""
    usd: float | None = None
    """The price of both stages, as far as it is known."""


class StagedCaller:
    """Asks one model. Answers and visualizations are kept in the output folder."""

    def __init__(self, model: VqaModel, output: Path, options: CallOptions, *, has_stage1: bool) -> None:
        """It must be created inside a running event loop."""
        self._model, self._output = model, output
        self.budget = Budget(options.max_usd)
        answers = vqa_layout.answers_folder(output)
        self._chat = ChatCaller(
            model.answerer, answers=answers, purpose=model.label, budget=self.budget, assumed_usd=model.answer_usd,
            limits=options.choose_limits(model.is_local, CHAT_LIMITS),
        )  # fmt: skip
        self._images: ImageCaller | None = None
        if has_stage1 and model.editor is not None:
            self._images = ImageCaller(
                model.editor, answers=answers, images=vqa_layout.visualizations_folder(output), purpose=model.label,
                budget=self.budget, assumed_usd=model.image_usd,
                limits=options.choose_limits(model.editor.provider == "local", IMAGE_LIMITS),
            )  # fmt: skip

    @property
    def callers(self) -> list[StoppableCaller]:
        return [self._chat] if self._images is None else [self._chat, self._images]

    async def ask(
        self, images: Sequence[ImagePart], generation_prompt: str | None, prompt: str, params: ChatParams
    ) -> StagedAnswer:
        """Return the answer. Where stage 1 fails, the question is not asked."""
        if generation_prompt is None:
            return await self._answer(images, prompt, params, StagedAnswer("failed"))
        assert self._images is not None
        made = await self._images.ask(EditRequest(tuple(images), generation_prompt, self._model.size))
        if made.status == "unaffordable":
            return StagedAnswer("unaffordable", error=made.error, is_final=False)
        drawn = made.answer
        if drawn is None:
            return StagedAnswer("stage1_failed", error=f"stage 1: {made.error}", is_final=False)
        if not drawn.file:
            return StagedAnswer("stage1_failed", error=f"stage 1: {drawn.refusal}", usd=drawn.usd)
        so_far = StagedAnswer("failed", visualization=drawn.file, visualization_text=drawn.text, usd=drawn.usd)
        picture = load_image_part(vqa_layout.visualizations_folder(self._output) / drawn.file)
        return await self._answer([*images, picture], prompt, params, so_far)

    async def _answer(
        self, images: Sequence[ImagePart], prompt: str, params: ChatParams, so_far: StagedAnswer
    ) -> StagedAnswer:
        result = await self._chat.ask(make_chat_request(images, prompt, params))
        if result.status == "unaffordable":
            return replace(so_far, status="unaffordable", error=result.error, is_final=False)
        answer = result.answer
        if result.status != "answered" or answer is None:
            return replace(so_far, status="failed", error=result.error or "no answer", is_final=False)
        usd = None if so_far.usd is None and answer.usd is None else (so_far.usd or 0.0) + (answer.usd or 0.0)
        done = replace(so_far, text=answer.text, model=answer.model, answered_at=answer.answered_at, usd=usd)
        if answer.refusal is not None:
            return replace(done, status="refused", error=answer.refusal)
        return replace(done, status="answered")


def make_chat_request(images: Sequence[ImagePart], prompt: str, params: ChatParams) -> ChatRequest:
    """Return one message with all images, then the text."""
    return ChatRequest((ChatMessage("user", (*images, TextPart(prompt))),), params)
