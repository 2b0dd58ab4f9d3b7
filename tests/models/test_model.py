"""What a row of the catalogue allows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from vmevalkit.core.errors import UsageError
from vmevalkit.core.records import Request
from vmevalkit.models.model import ModelSpec

SPEC = ModelSpec("clay-1", "clay", "clay.v1", "clay", sizes=((1280, 720), (720, 1280)), durations_s=(4.0, 8.0))
REQUEST = Request("maze_0001", "Go.", Path("first_frame.png"), 4.0, size=(1280, 720))


def test_what_the_row_names_is_allowed() -> None:
    SPEC.allow(REQUEST)
    SPEC.allow(replace(REQUEST, seconds=8, size=None))


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        (replace(REQUEST, seconds=5.0), "no film of 5 s; ask for one of 4, 8 s"),
        (replace(REQUEST, seconds=0.0), "longer than 0 s"),
        (replace(REQUEST, size=(640, 360)), "no film of 640x360; ask for one of 1280x720, 720x1280"),
    ],
)
def test_the_rest_is_refused_with_a_remedy(request_: Request, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        SPEC.allow(request_)


def test_an_open_row_takes_any_size_and_length() -> None:
    replace(SPEC, sizes=(), durations_s=()).allow(replace(REQUEST, seconds=5.3, size=(641, 361)))


def test_a_retired_model_is_refused() -> None:
    with pytest.raises(UsageError, match="retired"):
        replace(SPEC, status="retired").allow(REQUEST)
