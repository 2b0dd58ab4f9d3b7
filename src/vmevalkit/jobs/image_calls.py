"""Images from image editors: each is asked for at most once, within limits and budget, and kept as a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from vmevalkit.core.errors import ModelError
from vmevalkit.core.image_edit import EditRequest, ImageEditor
from vmevalkit.jobs.budget import Budget, choose_price
from vmevalkit.jobs.calls import Call, Caller, CallResult, CallRules
from vmevalkit.jobs.limits import Limits, RateLimiter
from vmevalkit.jobs.progress import Progress
from vmevalkit.store import layout
from vmevalkit.store.answer_log import AnswerLog
from vmevalkit.store.atomic import write_file

IMAGE_LIMITS = Limits(in_flight=4, orders_per_minute=30, call_limit_s=300.0)
"""Limits of an image editor: an image takes a minute or more."""
_SIGNATURES = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpg", b"RIFF": "webp"}


@dataclass(frozen=True, slots=True)
class KeptImage:
    """The answer of an image editor. The image is a file, named by its content."""

    file: str
    """Name of the file; empty where the service made no image."""
    text: str = ""
    """What the model wrote beside the image."""
    model: str = ""
    answered_at: str = ""
    usd: float | None = None
    refusal: str | None = None
    """Why there is no image; None where there is one."""
    sent: dict[str, Any] = field(default_factory=dict)


class ImageCaller:
    """Asks one image editor. Answers are in a log, and images in a folder, so that none is paid for twice."""

    def __init__(
        self,
        editor: ImageEditor,
        *,
        answers: Path,
        images: Path,
        purpose: str = "",
        limits: Limits = IMAGE_LIMITS,
        budget: Budget | None = None,
        progress: Progress | None = None,
        assumed_usd: float | None = None,
    ) -> None:
        """``assumed_usd`` is the price of an image where it is unknown. It must be created inside a running loop."""
        self.editor, self.images = editor, images
        self._assumed_usd = assumed_usd
        self._log = AnswerLog(layout.answer_log(answers, editor.name, editor.identity))
        self.budget = Budget() if budget is None else budget
        self.budget.add_spent(self._log.spent_usd(purpose))
        progress = Progress() if progress is None else progress
        rules = CallRules(KeptImage, self._price_usd, is_reusable=self._is_kept)
        self._caller: Caller[EditRequest, KeptImage] = Caller(
            self._edit, rules, self._log, RateLimiter(limits, Random()), self.budget, progress.of(editor.name), purpose
        )

    async def ask(self, request: EditRequest, reserved_usd: float | None = None) -> CallResult[KeptImage]:
        """Return the image, from the log or from the editor. Raises Stopped after ``stop``.

        ``reserved_usd`` is what the budget has reserved for this call already."""
        key = request.compute_key(self.editor.identity)
        return await self._caller.call(Call(key, request, self._assumed_usd, reserved_usd))

    def is_known(self, request: EditRequest) -> bool:
        """Whether the log has an answer that can be used."""
        return self._caller.is_known(request.compute_key(self.editor.identity))

    def stop(self) -> None:
        """Send nothing more. Calls that were sent still get their answers."""
        self._caller.stop()

    async def close(self) -> None:
        await self._log.close()
        await self.editor.close()

    async def _edit(self, request: EditRequest) -> KeptImage:
        edited = await self.editor.edit(request)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        if edited.refusal is not None:
            return KeptImage("", edited.text, edited.model, now, edited.usd, edited.refusal, edited.sent)
        kind = next((kind for mark, kind in _SIGNATURES.items() if edited.data.startswith(mark)), None)
        if kind is None:
            raise ModelError(f"{self.editor.name} answered with {len(edited.data)} bytes that are not an image")
        name = f"{sha256(edited.data).hexdigest()[:32]}.{kind}"
        if not (self.images / name).is_file():
            write_file(self.images / name, edited.data, durable=True)  # before its line in the log
        return KeptImage(name, edited.text, edited.model, now, edited.usd, None, edited.sent)

    def _is_kept(self, answer: KeptImage) -> bool:
        """Whether the file is still there: who deletes it wants another."""
        return answer.refusal is not None or (self.images / answer.file).is_file()

    def _price_usd(self, answer: KeptImage) -> float | None:
        return answer.usd if answer.refusal is not None else choose_price(answer.usd, self._assumed_usd)
