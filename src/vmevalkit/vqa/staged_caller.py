"""One question at one model: the visualization where there are two stages, then the answer. Nothing is asked twice."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from vmevalkit.core.chat import ChatMessage, ChatParams, ChatRequest, ImagePart, TextPart
from vmevalkit.core.errors import MediaError, StoreError
from vmevalkit.core.image_edit import EditRequest
from vmevalkit.jobs.budget import Budget
from vmevalkit.jobs.chat_calls import ChatCaller, StoppableCaller
from vmevalkit.jobs.image_calls import IMAGE_LIMITS, ImageCaller
from vmevalkit.jobs.limits import CHAT_LIMITS, Limits, choose_chat_limits
from vmevalkit.models.chat import is_own_provider
from vmevalkit.models.chat_images import load_image_part
from vmevalkit.store import vqa_layout
from vmevalkit.store.foreign_file import read_foreign_file
from vmevalkit.vqa.models import ANSWER_TIMEOUT_S, VqaModel

LOCAL_LIMITS = Limits(in_flight=1, orders_per_minute=float("inf"), attempts=1, call_limit_s=24 * 3600.0)
"""A model on this machine: no limit but its own speed, and nothing is repeated."""

StagedStatus = Literal["answered", "refused", "stage1_refused", "failed", "unaffordable"]


@dataclass(frozen=True, slots=True)
class CallOptions:
    """Limits of the calls of a run."""

    batch_size: int = 1
    """Questions at once, for a model on this machine."""
    in_flight: int | None = None
    """Calls at the same time, for a service; None means by kind of model."""
    per_minute: float | None = None
    """Most calls per minute; None means 60 for a service (images: 30), and no limit for a server of one's own."""
    max_usd: float | None = None

    def choose_limits(self, provider: str, remote: Limits) -> Limits:
        """Return the limits of a provider. Only a service has a limit per minute that was not asked for."""
        if provider == "local":
            return replace(LOCAL_LIMITS, in_flight=max(self.batch_size, 1))
        return choose_chat_limits(
            replace(remote, call_limit_s=ANSWER_TIMEOUT_S), is_own=is_own_provider(provider), in_flight=self.in_flight,
            per_minute=self.per_minute,
        )  # fmt: skip

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
    finish_reason: str | None = None
    """Why the answer ended, as the server reports it."""


class StagedCaller:
    """Asks one model. Answers and visualizations are kept in the output folder."""

    def __init__(self, model: VqaModel, output: Path, options: CallOptions, *, has_stage1: bool) -> None:
        """It must be created inside a running event loop."""
        self._model, self._output = model, output
        self._holding, self._changed = 0, asyncio.Event()
        """Questions for which both stages are reserved, and the sign that one of them ended."""
        self.budget = Budget(options.max_usd)
        answers = vqa_layout.answers_folder(output)
        self._chat = ChatCaller(
            model.answerer, answers=answers, purpose=model.label, budget=self.budget, assumed_usd=model.answer_usd,
            limits=options.choose_limits(model.answerer.provider, CHAT_LIMITS),
        )  # fmt: skip
        self._images: ImageCaller | None = None
        if has_stage1 and model.editor is not None:
            self._images = ImageCaller(
                model.editor, answers=answers, images=vqa_layout.visualizations_folder(output), purpose=model.label,
                budget=self.budget, assumed_usd=model.image_usd,
                limits=options.choose_limits(model.editor.provider, IMAGE_LIMITS),
            )  # fmt: skip

    @property
    def callers(self) -> list[StoppableCaller]:
        return [self._chat] if self._images is None else [self._chat, self._images]

    async def ask(
        self, images: Sequence[ImagePart], generation_prompt: str | None, prompt: str, params: ChatParams
    ) -> StagedAnswer:
        """Return the answer. Where there is no visualization, the question is not asked: an outage of stage 1 is a
        failure that a later run repeats, and a refusal of the model is a result."""
        if generation_prompt is None:
            return await self._answer(images, prompt, params, StagedAnswer("failed"))
        assert self._images is not None
        edit = EditRequest(tuple(images), generation_prompt, self._model.size)
        if self._images.is_known(edit):
            return await self._draw_and_answer(edit, prompt, params, None, None)
        image_usd, answer_usd = self._model.image_usd, self._estimate_answer_usd(images, prompt, params)
        if not await self._reserve((image_usd or 0.0) + (answer_usd or 0.0)):
            return StagedAnswer("unaffordable", error="the budget does not allow both stages", is_final=False)
        try:
            return await self._draw_and_answer(edit, prompt, params, image_usd, answer_usd)
        finally:
            self._holding -= 1
            self._changed.set()

    async def _reserve(self, usd: float) -> bool:
        """Reserve the price of both stages, so that none is paid whose answer is not. Waits for what is reserved by
        questions in progress: they cost less than the most that they may cost."""
        while not self.budget.reserve(usd):
            if not self._holding:
                return False
            self._changed.clear()
            await self._changed.wait()
        self._holding += 1
        return True

    async def _draw_and_answer(
        self, edit: EditRequest, prompt: str, params: ChatParams, image_usd: float | None, answer_usd: float | None
    ) -> StagedAnswer:
        """Return the answer of both stages. Their prices are reserved; each call takes its own over."""
        assert self._images is not None
        try:
            made = await self._images.ask(edit, image_usd)
            drawn = made.answer
            if made.status == "unaffordable":
                return StagedAnswer("unaffordable", error=made.error, is_final=False)
            if drawn is None:
                return StagedAnswer("failed", error=f"stage 1: {made.error}", is_final=False)
            if not drawn.file:
                return StagedAnswer("stage1_refused", error=f"stage 1: {drawn.refusal}", usd=drawn.usd)
            so_far = StagedAnswer("failed", visualization=drawn.file, visualization_text=drawn.text, usd=drawn.usd)
            picture = load_image_part(read_foreign_file(vqa_layout.visualizations_folder(self._output), drawn.file))
            taken_usd, answer_usd = answer_usd, None
            return await self._answer([*edit.images, picture], prompt, params, so_far, taken_usd)
        except (MediaError, StoreError) as error:
            return StagedAnswer("failed", error=f"stage 1: {error}", is_final=False)
        finally:
            self.budget.release(answer_usd)

    def _estimate_answer_usd(self, images: Sequence[ImagePart], prompt: str, params: ChatParams) -> float | None:
        """Return the highest price of stage 2, with a visualization as large as the largest image, or 1024 x 1024."""
        largest = max(images, key=lambda image: image.size[0] * image.size[1])
        side = max(1024, *largest.size)
        return self._chat.estimate_usd(
            make_chat_request([*images, replace(largest, size=(side, side))], prompt, params)
        )

    async def _answer(
        self, images: Sequence[ImagePart], prompt: str, params: ChatParams, so_far: StagedAnswer,
        reserved_usd: float | None = None,
    ) -> StagedAnswer:  # fmt: skip
        result = await self._chat.ask(make_chat_request(images, prompt, params), reserved_usd)
        if result.status == "unaffordable":
            return replace(so_far, status="unaffordable", error=result.error, is_final=False)
        answer = result.answer
        if result.status != "answered" or answer is None:
            return replace(so_far, status="failed", error=result.error or "no answer", is_final=False)
        usd = None if so_far.usd is None and answer.usd is None else (so_far.usd or 0.0) + (answer.usd or 0.0)
        done = replace(
            so_far, text=answer.text, model=answer.model, answered_at=answer.answered_at, usd=usd,
            finish_reason=answer.finish_reason,
        )  # fmt: skip
        if answer.refusal is not None:
            return replace(done, status="refused", error=answer.refusal)
        return replace(done, status="answered")


def make_chat_request(images: Sequence[ImagePart], prompt: str, params: ChatParams) -> ChatRequest:
    """Return one message with all images, then the text."""
    return ChatRequest((ChatMessage("user", (*images, TextPart(prompt))),), params)
