"""A studio for each test of an adapter: see emulators/studio.py."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from vmevalkit.models.catalogue import MODELS

if TYPE_CHECKING:
    from emulators.studio import Studio


@pytest.fixture
def studio(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Studio]:
    """For the model that is the parameter. A mistake of the emulator's own fails the test."""
    from emulators.studio import emptied, opened  # the SDKs that it needs may be missing

    folder = emptied(monkeypatch, tmp_path)
    with ExitStack() as stack:
        studio = opened(MODELS[request.param], folder, stack, monkeypatch)
        yield studio
        assert studio.provider.bugs == []
