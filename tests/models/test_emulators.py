# ruff: noqa: E402 - the SDKs are looked for before the emulators that need their types
"""The emulators are as strict as their providers: what a provider would not take gets its own kind of error body."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

pytest.importorskip("openai")
pytest.importorskip("google.genai")
pytest.importorskip("runwayml")
pytest.importorskip("lumaai")
pytest.importorskip("luma_agents")
httpx = pytest.importorskip("httpx")

from emulators.openai_server import multipart
from emulators.studio import ONE_OF_EACH, Studio, each, only
from vmevalkit.core.errors import ModelError

Body = dict[str, Any]


def jpeg() -> bytes:
    ok, data = cv2.imencode(".jpg", np.full((720, 1280, 3), 90, np.uint8))
    assert ok
    return data.tobytes()


def replayed(studio: Studio, change: Callable[[Body], None], **headers: str) -> Any:
    """The last order once more, with a change; the provider's answer."""
    call = studio.provider.last_create
    kept = {name: value for name, value in call.headers.items() if name not in ("host", "content-length")}
    url, kept = studio.provider.url + call.path, {**kept, **headers}
    if "multipart" not in call.headers["content-type"]:
        body = call.json
        change(body)
        return httpx.post(url, json=body, headers=kept)
    fields, files = multipart(call)
    body = {**fields, **{name: ("frame", data, mime) for name, (mime, data) in files.items()}}
    change(body)
    kept.pop("content-type")
    texts = {name: value for name, value in body.items() if isinstance(value, str)}
    files = {name: value for name, value in body.items() if isinstance(value, tuple)}
    return httpx.post(url, data=texts, files=files, headers=kept)


def unchanged(_: Body) -> None:
    pass


def words(answer: Any) -> str:
    """The message, taken from where the provider puts it."""
    body = answer.json()
    if "detail" in body:
        return str(body["detail"])
    if "issues" in body:
        return str(body["issues"][0]["message"])
    return str(
        body["error"]["message"] if isinstance(body.get("error"), dict) else body.get("error", body.get("message"))
    )


def put(*path: Any) -> Callable[[Any], Callable[[Body], None]]:
    def to(value: Any) -> Callable[[Body], None]:
        def change(body: Body) -> None:
            inner: Any = body
            for name in path[:-1]:
                inner = inner[name]
            inner[path[-1]] = value

        return change

    return to


JPEG_URI = "data:image/png;base64," + base64.b64encode(jpeg()).decode()
MISLABELLED: dict[str, Callable[[Body], None]] = {
    "openai-sora-2": put("input_reference")(("frame", jpeg(), "image/png")),
    "veo-3.1-generate": put("instances", 0, "image", "bytesBase64Encoded")(base64.b64encode(jpeg()).decode()),
    "gemini-omni-1.2-flash": put("input", 0, "content", 1, "data")(base64.b64encode(jpeg()).decode()),
    "runway-gen4-turbo": put("promptImage", 0, "uri")(JPEG_URI),
    "luma-ray-3.2": put("video", "start_frame", "data")(base64.b64encode(jpeg()).decode()),
    "wavespeed-wan-2.2-i2v-720p": put("image")(JPEG_URI),
    "veo-3.1-720p": put("image")(JPEG_URI),
}
REQUIRED = {
    "openai-sora-2": "prompt",
    "veo-3.1-generate": "parameters",
    "gemini-omni-1.2-flash": "model",
    "runway-gen4-turbo": "ratio",
    "luma-ray-2": "model",
    "luma-ray-3.2": "prompt",
    "wavespeed-wan-2.2-i2v-720p": "prompt",
    "veo-3.1-720p": "image",
}


@each
def test_an_unknown_field_gets_the_provider_s_error(studio: Studio) -> None:
    studio.submitted()
    answer = replayed(studio, put("mood")("happy"))
    assert answer.status_code == 400
    assert "mood" in words(answer)
    assert studio.provider.creates == 1


@each
def test_a_missing_field_gets_the_provider_s_error(studio: Studio) -> None:
    studio.submitted()
    answer = replayed(studio, lambda body: body.pop(REQUIRED[studio.spec.name]))
    assert answer.status_code == 400
    assert words(answer)
    assert studio.provider.creates == 1


@only(*MISLABELLED)
def test_a_picture_of_another_kind_than_said_gets_the_provider_s_error(studio: Studio) -> None:
    studio.submitted()
    answer = replayed(studio, MISLABELLED[studio.spec.name])
    assert answer.status_code == 400
    assert "image/jpeg and not image/png" in words(answer)
    assert studio.provider.creates == 1


@each
def test_without_a_key_nothing_is_taken(studio: Studio) -> None:
    studio.submitted()
    answer = replayed(studio, unchanged, **{"authorization": "Bearer none", "x-goog-api-key": "none"})
    assert answer.status_code == 401
    assert words(answer)
    assert studio.provider.creates == 1


@each
def test_the_same_order_again_is_taken_so_the_errors_are_for_the_change(studio: Studio) -> None:
    studio.submitted()
    assert replayed(studio, unchanged).status_code in (200, 201)
    assert studio.provider.creates == 2


@only(*(name for name in ONE_OF_EACH if name != "wavespeed-wan-2.2-i2v-720p"))
def test_a_size_that_the_provider_lacks_comes_back_as_its_error(studio: Studio) -> None:
    """The row is opened, so that the adapter lets it pass: the provider must not."""
    studio.spec = replace(
        studio.spec, sizes=(), options={**studio.spec.options, "ratios": ("5:3",), "resolution": "97p"}
    )
    if studio.spec.provider == "runway":
        studio.spec.options.pop("ratios")  # type: ignore[attr-defined]
        studio.spec.options.pop("resolution")  # type: ignore[attr-defined]
    with pytest.raises(ModelError, match="answered 400") as caught:
        studio.submitted(replace(studio.request, size=(500, 300)))
    assert type(caught.value) is ModelError
    assert studio.provider.creates == 0


@each
def test_a_length_that_the_provider_lacks_comes_back_as_its_error(studio: Studio) -> None:
    studio.spec = replace(studio.spec, durations_s=())
    with pytest.raises(ModelError, match="answered 400") as caught:
        studio.submitted(replace(studio.request, seconds=33.0))
    assert type(caught.value) is ModelError
    assert studio.provider.creates == 0
