# ruff: noqa: E402 - the SDKs are checked before the emulators that need their types
"""The emulators are as strict as their providers: an invalid request gets the error body of its provider."""

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

from emulators.adapter_harness import ONE_OF_EACH, AdapterHarness, for_each_provider, for_models
from emulators.openai_server import multipart
from vmevalkit.core.errors import ModelError

Body = dict[str, Any]
INVALID = (400, 422)
"""Statuses of an invalid request: fal and Replicate answer 422."""


def make_jpeg() -> bytes:
    ok, data = cv2.imencode(".jpg", np.full((720, 1280, 3), 90, np.uint8))
    assert ok
    return data.tobytes()


def replay_last_request(harness: AdapterHarness, change: Callable[[Body], None], **headers: str) -> Any:
    """Send the last submit request again with a change, and return the provider's response."""
    call = harness.provider.last_create
    kept = {name: value for name, value in call.headers.items() if name not in ("host", "content-length")}
    url, kept = harness.provider.url + call.path, {**kept, **headers}
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


def change_nothing(_: Body) -> None:
    pass


def read_status(answer: Any) -> int:
    """Return the status of a response. MiniMax answers errors with status 200 and a code."""
    code = answer.json().get("base_resp", {}).get("status_code", 0)
    return {0: answer.status_code, 1004: 401}.get(code, 400)


def read_message(answer: Any) -> str:
    """Return the message from where the provider puts it."""
    body = answer.json()
    if "base_resp" in body:
        return str(body["base_resp"]["status_msg"])
    if "detail" in body:
        return str(body["detail"])
    if "issues" in body:
        return str(body["issues"][0]["message"])
    return str(
        body["error"]["message"] if isinstance(body.get("error"), dict) else body.get("error", body.get("message"))
    )


def set_field(*path: Any) -> Callable[[Any], Callable[[Body], None]]:
    def to(value: Any) -> Callable[[Body], None]:
        def change(body: Body) -> None:
            inner: Any = body
            for name in path[:-1]:
                inner = inner[name]
            inner[path[-1]] = value

        return change

    return to


JPEG_URI = "data:image/png;base64," + base64.b64encode(make_jpeg()).decode()
WRONG_MIME: dict[str, Callable[[Body], None]] = {
    "openai-sora-2": set_field("input_reference")(("frame", make_jpeg(), "image/png")),
    "veo-3.1-generate": set_field("instances", 0, "image", "bytesBase64Encoded")(
        base64.b64encode(make_jpeg()).decode()
    ),
    "gemini-omni-1.2-flash": set_field("input", 0, "content", 1, "data")(base64.b64encode(make_jpeg()).decode()),
    "runway-gen4-turbo": set_field("promptImage", 0, "uri")(JPEG_URI),
    "luma-ray-3.2": set_field("video", "start_frame", "data")(base64.b64encode(make_jpeg()).decode()),
    "wavespeed-wan-2.2-i2v-720p": set_field("image")(JPEG_URI),
    "veo-3.1-720p": set_field("image")(JPEG_URI),
    "fal-pixverse-5.6": set_field("image_url")(JPEG_URI),
    "replicate-hailuo-2.3": set_field("input", "first_frame_image")(JPEG_URI),
    "minimax-hailuo-2.3": set_field("first_frame_image")(JPEG_URI),
    "seedance-2.0": set_field("content", 1, "image_url", "url")(JPEG_URI),
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
    "fal-pixverse-5.6": "prompt",
    "replicate-hailuo-2.3": "input",
    "kling-2.6-std": "image",
    "minimax-hailuo-2.3": "prompt",
    "seedance-2.0": "content",
}


@for_each_provider
def test_an_unknown_field_gets_the_providers_error(harness: AdapterHarness) -> None:
    harness.submit()
    answer = replay_last_request(harness, set_field("mood")("happy"))
    assert read_status(answer) in INVALID
    assert "mood" in read_message(answer)
    assert harness.provider.creates == 1


@for_each_provider
def test_a_missing_field_gets_the_providers_error(harness: AdapterHarness) -> None:
    harness.submit()
    answer = replay_last_request(harness, lambda body: body.pop(REQUIRED[harness.spec.name]))
    assert read_status(answer) in INVALID
    assert read_message(answer)
    assert harness.provider.creates == 1


@for_models(*WRONG_MIME)
def test_an_image_with_the_wrong_mime_type_gets_the_providers_error(harness: AdapterHarness) -> None:
    harness.submit()
    answer = replay_last_request(harness, WRONG_MIME[harness.spec.name])
    assert read_status(answer) in INVALID
    assert "image/jpeg and not image/png" in read_message(answer)
    assert harness.provider.creates == 1


@for_each_provider
def test_a_request_without_a_key_is_rejected(harness: AdapterHarness) -> None:
    harness.submit()
    answer = replay_last_request(harness, change_nothing, **{"authorization": "Bearer none", "x-goog-api-key": "none"})
    assert read_status(answer) == 401
    assert read_message(answer)
    assert harness.provider.creates == 1


@for_each_provider
def test_the_same_request_again_is_accepted_so_the_errors_are_for_the_change(harness: AdapterHarness) -> None:
    harness.submit()
    assert replay_last_request(harness, change_nothing).status_code in (200, 201)
    assert harness.provider.creates == 2


@for_models(*(name for name in ONE_OF_EACH if name not in ("wavespeed-wan-2.2-i2v-720p", "kling-2.6-std")))
def test_an_unsupported_size_gives_the_providers_error(harness: AdapterHarness) -> None:
    """The row has no limits, so that the adapter sends the request and the provider must refuse it."""
    harness.spec = replace(
        harness.spec, sizes=(), options={**harness.spec.options, "ratios": ("5:3",), "resolution": "97p"}
    )
    if harness.spec.provider == "runway":
        harness.spec.options.pop("ratios")  # type: ignore[attr-defined]
        harness.spec.options.pop("resolution")  # type: ignore[attr-defined]
    with pytest.raises(ModelError, match=r"answered (400|422)") as caught:
        harness.submit(replace(harness.request, size=(500, 300)))
    assert type(caught.value) is ModelError
    assert harness.provider.creates == 0


@for_each_provider
def test_an_unsupported_length_gives_the_providers_error(harness: AdapterHarness) -> None:
    harness.spec = replace(harness.spec, durations_s=())
    with pytest.raises(ModelError, match=r"answered (400|422)") as caught:
        harness.submit(replace(harness.request, seconds=33.0))
    assert type(caught.value) is ModelError
    assert harness.provider.creates == 0
