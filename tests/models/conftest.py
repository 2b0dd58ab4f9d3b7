"""The harness for the tests of adapters: see emulators/adapter_harness.py."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from vmevalkit.models.catalogue import MODELS

if TYPE_CHECKING:
    from emulators.adapter_harness import AdapterHarness


@pytest.fixture
def harness(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[AdapterHarness]:
    """The harness of the model that is the parameter. An error in the emulator itself fails the test."""
    from emulators.adapter_harness import open_harness, prepare_folder  # the SDKs that it needs may be missing

    folder = prepare_folder(monkeypatch, tmp_path)
    with ExitStack() as stack:
        harness = open_harness(MODELS[request.param], folder, stack, monkeypatch)
        yield harness
        assert harness.provider.bugs == []
