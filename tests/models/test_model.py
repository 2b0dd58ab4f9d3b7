"""Validation of requests by a row of the catalogue."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from vmevalkit.core.errors import UsageError
from vmevalkit.core.records import Request
from vmevalkit.models.model import ModelSpec

SPEC = ModelSpec("clay-1", "clay", "clay.v1", "clay", sizes=((1280, 720), (720, 1280)), durations_s=(4.0, 8.0))
REQUEST = Request("maze_0001", "Go.", Path("first_frame.png"), 4.0, size=(1280, 720))


def test_a_supported_request_is_accepted() -> None:
    SPEC.validate(REQUEST)
    SPEC.validate(replace(REQUEST, seconds=8, size=None))


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (replace(REQUEST, seconds=5.0), "does not support videos of 5 s; use one of 4, 8 s"),
        (replace(REQUEST, seconds=0.0), "longer than 0 s"),
        (replace(REQUEST, size=(640, 360)), "does not support videos of 640x360; use one of 1280x720, 720x1280"),
    ],
)
def test_an_unsupported_request_is_refused_with_a_remedy(request_: Request, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        SPEC.validate(request_)


def test_a_row_without_limits_accepts_any_size_and_length() -> None:
    replace(SPEC, sizes=(), durations_s=()).validate(replace(REQUEST, seconds=5.3, size=(641, 361)))


def test_a_retired_model_is_refused() -> None:
    with pytest.raises(UsageError, match="retired"):
        replace(SPEC, status="retired").validate(REQUEST)
