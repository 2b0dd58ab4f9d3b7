"""A small synthetic set, and servers that answer its questions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from emulators.gemini_content_server import GeminiContentEmulator
from emulators.image_server import ImageEmulator
from vmevalkit.vqa.synthetic.dataset import write_dataset

PER_CATEGORY = 4


@pytest.fixture(scope="session")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a synthetic set."""
    folder = tmp_path_factory.mktemp("vqa") / "set"
    write_dataset(folder, PER_CATEGORY, 7)
    return folder


def reply_by_length(body: dict[str, Any]) -> str:
    """Answer in several forms, some of them unreadable, depending on the text alone."""
    text = next(part["text"] for part in body["messages"][-1]["content"] if part["type"] == "text")
    forms = ["``A``", "<think>``A``</think> The answer is b.", "Option C is wrong. ``D``", "I cannot tell.", "C"]
    return forms[sum(text.encode()) % len(forms)]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ImageEmulator]:
    """OpenAI, Azure, and any server with their API."""
    with ImageEmulator(reply_by_length) as emulator:
        emulator.retry_after_s = 0
        for name, value in emulator.settings().items():
            monkeypatch.setenv(name, value)
        yield emulator
        assert emulator.bugs == []
        assert emulator.leaked_keys == []


@pytest.fixture
def gemini(monkeypatch: pytest.MonkeyPatch) -> Iterator[GeminiContentEmulator]:
    with GeminiContentEmulator() as emulator:
        emulator.retry_after_s = 0
        for name, value in emulator.settings().items():
            monkeypatch.setenv(name, value)
        yield emulator
        assert emulator.bugs == []
