"""The harness for tests of adapters: a row of the catalogue, its provider's emulator and a question."""

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

from emulators.ark_server import ArkEmulator
from emulators.fal_server import FalEmulator
from emulators.google_server import GeminiEmulator, VertexEmulator
from emulators.kling_server import KlingEmulator
from emulators.luma_server import BucketEmulator, LumaAgentsEmulator, LumaEmulator
from emulators.minimax_server import MiniMaxEmulator
from emulators.openai_server import OpenAIEmulator
from emulators.replicate_server import ReplicateEmulator
from emulators.runway_server import RunwayEmulator
from emulators.server import Emulator
from emulators.wavespeed_server import WaveSpeedEmulator
from vmevalkit.core.records import Request
from vmevalkit.core.remote import Finished, Pending, Ticket
from vmevalkit.media.image import encode_png
from vmevalkit.models.catalogue import load_model
from vmevalkit.models.model import ModelSpec, RemoteVideoModel

T = TypeVar("T")
Scenario = Callable[[RemoteVideoModel], Awaitable[T]]

EMULATORS: dict[str, type[Emulator]] = {
    "openai": OpenAIEmulator,
    "vertex": VertexEmulator,
    "gemini": GeminiEmulator,
    "runway": RunwayEmulator,
    "luma": LumaEmulator,
    "luma-agents": LumaAgentsEmulator,
    "wavespeed": WaveSpeedEmulator,
    "fal": FalEmulator,
    "replicate": ReplicateEmulator,
    "kling": KlingEmulator,
    "minimax": MiniMaxEmulator,
    "ark": ArkEmulator,
}
"""By provider."""
ONE_OF_EACH = (
    "openai-sora-2", "veo-3.1-generate", "gemini-omni-1.2-flash", "runway-gen4-turbo", "luma-ray-2", "luma-ray-3.2",
    "wavespeed-wan-2.2-i2v-720p", "veo-3.1-720p", "fal-pixverse-5.6", "replicate-hailuo-2.3",
    "kling-2.6-std", "minimax-hailuo-2.3", "seedance-2.0",
)  # fmt: skip
URL_MODELS = tuple(
    name for name in ONE_OF_EACH if name not in ("openai-sora-2", "veo-3.1-generate", "gemini-omni-1.2-flash")
)
"""Models whose videos have a URL of their own."""
SETTINGS = (
    "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_LOCATION", "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_VERTEX_BASE_URL", "GEMINI_API_KEY",
    "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_GENAI_USE_VERTEXAI", "RUNWAYML_API_SECRET",
    "RUNWAYML_BASE_URL", "LUMAAI_API_KEY", "LUMAAI_BASE_URL", "LUMA_AGENTS_API_KEY", "LUMA_BASE_URL",
    "WAVESPEED_API_KEY", "WAVESPEED_BASE_URL", "FAL_KEY", "FAL_QUEUE_URL", "REPLICATE_API_TOKEN",
    "REPLICATE_BASE_URL",
    "KLING_ACCESS_KEY", "KLING_SECRET_KEY", "KLING_BASE_URL", "MINIMAX_API_KEY",
    "MINIMAX_BASE_URL", "ARK_API_KEY", "ARK_BASE_URL",
    "VMEVALKIT_S3_BUCKET", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
    "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3",
)  # fmt: skip
LIMIT = 10_000_000


@dataclass
class AdapterHarness:
    """A row of the catalogue, its provider's emulator, and a question."""

    spec: ModelSpec
    provider: Any
    folder: Path

    @property
    def request(self) -> Request:
        seconds = self.spec.choose_seconds(None, 8.0)
        return Request("dot_0001", "The dot moves into the ring.", self.folder / "first_frame.png", seconds)

    def run(self, scenario: Scenario[T], **options: Any) -> T:
        """Run a scenario with the model in a new event loop, and return its result."""
        spec = replace(self.spec, options={**self.spec.options, **options})

        async def run_and_close() -> T:
            model = load_model(spec)
            try:
                return await scenario(model)  # type: ignore[arg-type]
            finally:
                await model.close()  # type: ignore[union-attr]

        return asyncio.run(run_and_close())

    def submit(self, request: Request | None = None, **options: Any) -> Ticket:
        return self.run(lambda model: order_video(model, request or self.request), **options)

    def finish_job(self) -> Finished:
        return self.run(lambda model: run_until_finished(model, self.request))

    @property
    def video(self) -> Path:
        return self.folder / "video.mp4"


def make_timeout_options(fault: str) -> dict[str, float]:
    """Return options with a short timeout for a response that never comes. Others may be slow on a busy machine."""
    return {"timeout_s": 1.0} if fault == "stall" else {}


async def order_video(model: RemoteVideoModel, request: Request) -> Ticket:
    return await model.submit(await model.prepare(request), "job-1")


async def run_until_finished(model: RemoteVideoModel, request: Request) -> Finished:
    ticket = await order_video(model, request)
    assert isinstance(await model.poll(ticket), Pending)
    done = await model.poll(ticket)
    assert isinstance(done, Finished), done
    return done


def reload_ticket(ticket: Ticket) -> Ticket:
    """Return the ticket as it is after a restart, read back from JSON."""
    return Ticket(ticket.id, ticket.placement, json.loads(json.dumps(ticket.sent)))


def first_frame() -> np.ndarray:
    frame = np.full((360, 480, 3), (250, 240, 230), np.uint8)
    cv2.circle(frame, (80, 150), 40, (200, 30, 30), -1)
    return frame


def prepare_folder(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Path:
    """Write a first frame into the folder, and remove the machine's own settings."""
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(folder)
    (folder / "first_frame.png").write_bytes(encode_png(first_frame()))
    return folder


def open_harness(spec: ModelSpec, folder: Path, stack: ExitStack, monkeypatch: pytest.MonkeyPatch) -> AdapterHarness:
    provider: Any = stack.enter_context(EMULATORS[spec.provider]())
    settings = provider.settings()
    if spec.provider == "luma":
        settings |= stack.enter_context(BucketEmulator()).settings()
    if spec.provider == "vertex":
        settings["GOOGLE_APPLICATION_CREDENTIALS"] = str(provider.service_account(folder / "account.json"))
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    return AdapterHarness(spec, provider, folder)


for_each_provider = pytest.mark.parametrize("harness", ONE_OF_EACH, indirect=True)
for_each_url_model = pytest.mark.parametrize("harness", URL_MODELS, indirect=True)


def for_models(*names: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("harness", names, indirect=True)
