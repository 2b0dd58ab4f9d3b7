"""Image editing beside chat: ``images.edit`` at Azure, at OpenAI and at other servers, as strict as the real ones.

The image that the emulator returns is made of the images that it got, so that a test can tell whether all arrived.
Further faults of a call: ``no_image`` (an answer without data) and ``not_image`` (data that is not an image).
"""

from __future__ import annotations

import base64
import re
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emulators.chat_server import ChatEmulator, Reply, give_three
from emulators.server import Answer, ApiError, Call, check_bearer, decode_image
from vmevalkit.media.image import encode_png

SIZES = ("1024x1024", "1536x1024", "1024x1536", "auto")
PROMPT_LIMIT = 32_000
IMAGE_LIMIT = 16
IMAGE_LIMIT_BYTES = 50 * 1024 * 1024
FIELDS = {"model", "prompt", "size", "n", "quality", "background", "input_fidelity"}


class ImageEmulator(ChatEmulator):
    """``edits`` are the accepted requests: the fields and the images."""

    models = ("gpt-4o", "gpt-image-1", "nano-banana")
    returns_url = False
    """Whether the answer has the image's address instead of the image, as some servers do."""

    def __init__(self, reply: Reply = give_three) -> None:
        super().__init__(reply)
        self.edits: list[dict[str, Any]] = []
        self._files: dict[str, bytes] = {}

    def answer(self, call: Call) -> Answer:
        with self._lock:
            planned = self.faults.create
            fault = planned[0] if planned and "/images/" in call.path else None
            if fault in ("no_image", "not_image"):
                planned.pop(0)
                self.calls.append(call)
        if fault not in ("no_image", "not_image"):
            return super().answer(call)
        answer = self._respond(call)
        answer.body["data"] = [] if fault == "no_image" else [{"b64_json": base64.b64encode(b"<html>").decode()}]
        return answer

    def respond(self, call: Call) -> Answer:
        if call.method == "GET" and call.path in self._files:
            if "authorization" in call.headers:
                self.leaked_keys.append(call.path)
            return Answer(200, self._files[call.path], {"content-type": "image/png"})
        azure = re.fullmatch(r"/openai/deployments/([^/]+)/images/edits", call.path)
        if azure:
            if not self.is_azure_login(call):
                raise ApiError(401, "Access denied due to invalid subscription key or wrong API endpoint.")
            if call.query.get("api-version") != "2025-04-01-preview":
                raise ApiError(404, "Resource not found")
        elif call.path == "/v1/images/edits":
            check_bearer(call, self.key)
        else:
            return super().respond(call)
        fields, images = self._check_form(call)
        if azure and fields["model"] != azure[1]:
            raise ApiError(400, "The model must be the deployment.", "model")
        data = encode_png(draw_edit(images))
        with self._lock:
            self.edits.append({**fields, "images": images})
            path = f"/files/{len(self.edits)}.png"
            self._files[path] = data
        item = {"url": self.url + path} if self.returns_url else {"b64_json": base64.b64encode(data).decode()}
        return Answer(200, {"created": 1_700_000_000, "data": [item]})

    def _check_form(self, call: Call) -> tuple[dict[str, str], list[NDArray[np.uint8]]]:
        fields: dict[str, str] = {}
        images = []
        for name, filename, mime, body in parse_form(call):
            if filename is None:
                if name not in FIELDS:
                    raise ApiError(400, f"Unknown parameter: '{name}'.", name)
                fields[name] = body.decode()
            elif name in ("image", "image[]"):
                if len(body) > IMAGE_LIMIT_BYTES or mime not in ("image/png", "image/webp", "image/jpeg"):
                    raise ApiError(400, "Invalid image.", "image")
                images.append(decode_image(body, mime, "image"))
            else:
                raise ApiError(400, f"Unknown file: '{name}'.", name)
        if not images or len(images) > IMAGE_LIMIT:
            raise ApiError(400, f"Expected 1 to {IMAGE_LIMIT} images.", "image")
        if not fields.get("prompt") or len(fields["prompt"]) > PROMPT_LIMIT:
            raise ApiError(400, "Invalid prompt.", "prompt")
        if self.models is not None and fields.get("model") not in self.models:
            raise ApiError(404, f"The model `{fields.get('model')}` does not exist.", "model")
        if fields.get("size", "auto") not in SIZES or fields.get("n", "1") != "1":
            raise ApiError(400, "Invalid size or n.", "size")
        return fields, images


def parse_form(call: Call) -> list[tuple[str, str | None, str, bytes]]:
    """Return name, file name, MIME type and body of each part of a multipart form."""
    kind = call.headers.get("content-type", "")
    if not kind.startswith("multipart/form-data"):
        raise ApiError(400, "Expected a multipart form.")
    message = BytesParser(policy=HTTP).parsebytes(b"content-type: " + kind.encode() + b"\r\n\r\n" + call.body)
    parts = []
    for part in message.iter_parts():
        name = part.get_param("name", header="content-disposition")
        body = part.get_payload(decode=True)
        parts.append((str(name), part.get_filename(), part.get_content_type(), bytes(body or b"")))
    return parts


def draw_edit(images: list[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Return an image with one stripe for each image, in its mean colour."""
    stripes = [np.tile(image.mean(axis=(0, 1)).astype(np.uint8), (64, 32, 1)) for image in images]
    return np.concatenate(stripes, axis=1)
