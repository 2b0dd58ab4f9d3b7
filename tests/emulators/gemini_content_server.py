"""Google's ``generateContent``: models that draw, and models that answer. Strict about everything that is sent.

Further faults of a call: ``no_image`` (text alone), ``blocked`` (the answer is blocked), ``prompt_blocked``.
"""

from __future__ import annotations

import base64
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emulators.google_server import _Google, check_fields, decode_base64
from emulators.image_server import draw_edit
from emulators.server import CANARY, Answer, ApiError, Call, Kind, decode_image
from vmevalkit.media.image import encode_png

DRAWS, ANSWERS = "gemini-2.5-flash-image", "gemini-2.5-flash"
OWN_FAULTS = ("no_image", "blocked", "prompt_blocked")


class GeminiContentEmulator(_Google):
    """``contents`` are the accepted requests: model, texts, images and config."""

    def __init__(self, reply: str = "``A``") -> None:
        super().__init__()
        self.reply = reply
        self.contents: list[dict[str, Any]] = []

    def settings(self) -> dict[str, str]:
        return {"GEMINI_API_KEY": CANARY, "GOOGLE_GEMINI_BASE_URL": self.url}

    def kind(self, call: Call) -> Kind:
        return "create"

    def make_refusal(self) -> Answer:
        return self.error(400, "The request was blocked: PROHIBITED_CONTENT.")

    def answer(self, call: Call) -> Answer:
        with self._lock:
            fault = self.faults.create[0] if self.faults.create else None
            if fault in OWN_FAULTS:
                self.faults.create.pop(0)
                self.calls.append(call)
        if fault not in OWN_FAULTS:
            return super().answer(call)
        answer = self._respond(call)
        if answer.status == 200 and fault == "prompt_blocked":
            return Answer(200, {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})
        if answer.status == 200 and fault == "blocked":
            return Answer(200, {"candidates": [{"finishReason": "IMAGE_SAFETY", "index": 0}]})
        if answer.status == 200:
            answer.body["candidates"][0]["content"]["parts"] = [{"text": "I cannot draw that."}]
        return answer

    def respond(self, call: Call) -> Answer:
        if call.headers.get("x-goog-api-key") != CANARY:
            raise ApiError(401, f"API key not valid: {call.headers.get('x-goog-api-key')}")
        found = re.fullmatch(r"/v1(?:beta)?/models/([\w.-]+):generateContent", call.path)
        if call.method != "POST" or not found or found[1] not in (DRAWS, ANSWERS):
            raise ApiError(404, f"{call.path} was not found")
        body = call.json
        check_fields(body, {"contents", "generationConfig"})
        config = body.get("generationConfig") or {}
        check_fields(config, {"responseModalities", "temperature", "maxOutputTokens", "seed"})
        texts, images = _read_contents(body.get("contents") or [])
        draws = found[1] == DRAWS
        if config.get("responseModalities", ["TEXT"]) not in (["TEXT"], ["TEXT", "IMAGE"]) or (
            "responseModalities" in config and not draws
        ):
            raise ApiError(400, "The requested combination of response modalities is not supported by the model.")
        with self._lock:
            self.contents.append({"model": found[1], "texts": texts, "images": images, "config": config})
        parts: list[dict[str, Any]] = [{"text": self.reply}]
        if draws:
            data = base64.b64encode(encode_png(draw_edit(images))).decode()
            parts = [{"text": "Here it is."}, {"inlineData": {"mimeType": "image/png", "data": data}}]
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
        usage = {"promptTokenCount": 900, "candidatesTokenCount": 12, "totalTokenCount": 912}
        return Answer(200, {"candidates": [candidate], "usageMetadata": usage, "modelVersion": f"{found[1]}-001"})


def _read_contents(contents: list[dict[str, Any]]) -> tuple[list[str], list[NDArray[np.uint8]]]:
    if len(contents) != 1 or contents[0].get("role", "user") != "user":
        raise ApiError(400, "Please use a valid role: user, model.")
    check_fields(contents[0], {"role", "parts"})
    texts, images = [], []
    for part in contents[0]["parts"]:
        check_fields(part, {"text", "inlineData"})
        if "text" in part:
            texts.append(part["text"])
        else:
            inline = part["inlineData"]
            check_fields(inline, {"mimeType", "mime_type", "data"})  # both spellings are valid JSON of the same message
            images.append(_decode(inline["data"], inline.get("mimeType") or inline.get("mime_type", "")))
    if not texts:
        raise ApiError(400, "The prompt is empty.")
    return texts, images


def _decode(data: str, mime: str) -> NDArray[np.uint8]:
    """Return an image. Google's bytes are base64 of the URL-safe kind or of the usual one."""
    return decode_image(decode_base64(data.replace("-", "+").replace("_", "/")), mime, "data")
