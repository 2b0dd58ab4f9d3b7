"""A row of the catalogue, its provider's emulator and a question, for tests: the settings send the adapter here."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import cv2
import numpy as np
import pytest

from emulators.google_server import GeminiEmulator, VertexEmulator
from emulators.luma_server import BucketEmulator, LumaAgentsEmulator, LumaEmulator
from emulators.openai_server import OpenAIEmulator
from emulators.runway_server import RunwayEmulator
from emulators.server import Emulator
from emulators.wavespeed_server import WaveSpeedEmulator
from vmevalkit.core.records import Request
from vmevalkit.media.picture import encode_png
from vmevalkit.models.catalogue import load
from vmevalkit.models.model import Done, ModelSpec, Pending, RemoteModel, Ticket

T = TypeVar("T")
Story = Callable[[RemoteModel], Awaitable[T]]

EMULATORS: dict[str, type[Emulator]] = {
    "openai": OpenAIEmulator,
    "vertex": VertexEmulator,
    "gemini": GeminiEmulator,
    "runway": RunwayEmulator,
    "luma": LumaEmulator,
    "luma-agents": LumaAgentsEmulator,
    "wavespeed": WaveSpeedEmulator,
}
"""By provider."""
ONE_OF_EACH = (
    "openai-sora-2", "veo-3.1-generate", "gemini-omni-1.2-flash", "runway-gen4-turbo", "luma-ray-2", "luma-ray-3.2",
    "wavespeed-wan-2.2-i2v-720p", "veo-3.1-720p",
)  # fmt: skip
BY_ADDRESS = tuple(
    name for name in ONE_OF_EACH if name not in ("openai-sora-2", "veo-3.1-generate", "gemini-omni-1.2-flash")
)
"""Models whose films lie at an address of their own."""
SETTINGS = (
    "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_LOCATION", "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_VERTEX_BASE_URL", "GEMINI_API_KEY",
    "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_GENAI_USE_VERTEXAI", "RUNWAYML_API_SECRET",
    "RUNWAYML_BASE_URL", "LUMAAI_API_KEY", "LUMAAI_BASE_URL", "LUMA_AGENTS_API_KEY", "LUMA_BASE_URL",
    "WAVESPEED_API_KEY", "WAVESPEED_BASE_URL", "VMEVALKIT_S3_BUCKET", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3",
)  # fmt: skip
LIMIT = 10_000_000


@dataclass
class Studio:
    """A row of the catalogue, its provider's emulator, and a question."""

    spec: ModelSpec
    provider: Any
    folder: Path

    @property
    def request(self) -> Request:
        seconds = self.spec.seconds_for(None, 8.0)
        return Request("dot_0001", "The dot moves into the ring.", self.folder / "first_frame.png", seconds)

    def tell(self, story: Story[T], **options: Any) -> T:
        """What comes of a story with the model, in a loop of its own."""
        spec = replace(self.spec, options={**self.spec.options, **options})

        async def whole() -> T:
            model = load(spec)
            try:
                return await story(model)  # type: ignore[arg-type]
            finally:
                await model.close()  # type: ignore[union-attr]

        return asyncio.run(whole())

    def submitted(self, request: Request | None = None, **options: Any) -> Ticket:
        return self.tell(lambda model: model.submit(request or self.request, "job-1"), **options)

    def done(self) -> Done:
        return self.tell(lambda model: finished(model, self.request))

    @property
    def film(self) -> Path:
        return self.folder / "film.mp4"


def patience(fault: str) -> dict[str, float]:
    """Options that do not wait long for an answer that never comes; any other may take its time on a busy machine."""
    return {"timeout_s": 1.0} if fault == "stall" else {}


async def finished(model: RemoteModel, request: Request) -> Done:
    ticket = await model.submit(request, "job-1")
    assert isinstance(await model.poll(ticket), Pending)
    done = await model.poll(ticket)
    assert isinstance(done, Done), done
    return done


def fresh(ticket: Ticket) -> Ticket:
    """The ticket after a restart: read back from what was written."""
    return Ticket(ticket.id, ticket.placement, json.loads(json.dumps(ticket.sent)))


def first_frame() -> np.ndarray:
    frame = np.full((300, 400, 3), (250, 240, 230), np.uint8)
    cv2.circle(frame, (80, 150), 40, (200, 30, 30), -1)
    return frame


def emptied(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Path:
    """The folder with a first frame in it, and no settings of the machine's."""
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(folder)
    (folder / "first_frame.png").write_bytes(encode_png(first_frame()))
    return folder


def opened(spec: ModelSpec, folder: Path, stack: ExitStack, monkeypatch: pytest.MonkeyPatch) -> Studio:
    provider: Any = stack.enter_context(EMULATORS[spec.provider]())
    settings = provider.settings()
    if spec.provider == "luma":
        settings |= stack.enter_context(BucketEmulator()).settings()
    if spec.provider == "vertex":
        settings["GOOGLE_APPLICATION_CREDENTIALS"] = str(provider.service_account(folder / "account.json"))
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    return Studio(spec, provider, folder)


each = pytest.mark.parametrize("studio", ONE_OF_EACH, indirect=True)
each_by_address = pytest.mark.parametrize("studio", BY_ADDRESS, indirect=True)


def only(*names: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("studio", names, indirect=True)
