"""Video tasks of ByteDance's ModelArk."""

from __future__ import annotations

import base64
import re
from typing import Any

from emulators.server import CANARY, Answer, ApiError, Call, Emulator, Kind, Order, check_bearer, decode_image

TASKS = "/contents/generations/tasks"
MODELS = ("dreamina-seedance-2-0-260128", "dreamina-seedance-2-0-fast-260128", "dreamina-seedance-2-5-260628")
FIELDS: dict[str, Any] = {
    "resolution": ("480p", "720p", "1080p", "4k"), "ratio": ("16:9", "9:16", "1:1", "4:3", "3:4", "21:9", "adaptive"),
    "duration": range(4, 16), "generate_audio": bool, "watermark": bool, "seed": range(2**31), "model": MODELS,
}  # fmt: skip


class ArkEmulator(Emulator):
    def settings(self) -> dict[str, str]:
        return {"ARK_API_KEY": CANARY, "ARK_BASE_URL": self.url}

    def kind(self, call: Call) -> Kind:
        if call.path.startswith("/videos/"):
            return "fetch"
        if call.path == TASKS:
            return "create" if call.method == "POST" else "other"
        return "poll"

    def error(self, status: int, message: str, param: str | None = None, code: str | None = None) -> Answer:
        return Answer(status, {"error": {"code": code or "InvalidParameter", "message": message, "param": param or ""}})

    def make_refusal(self) -> Answer:
        return self.error(400, "The input text may violate policy.", code="InputTextSensitiveContentDetected")

    def respond(self, call: Call) -> Answer:
        if call.path.startswith("/videos/"):
            return self.send_video(call)
        check_bearer(call)
        if call.path == TASKS:
            return Answer(200, {"id": self._create(call).id}) if call.method == "POST" else self._list(call)
        found = re.fullmatch(rf"{TASKS}/([\w-]+)", call.path)
        if call.method == "GET" and found:
            return Answer(200, self._describe(*self.poll_job(found[1])))
        raise ApiError(404, "The requested resource was not found.", code="NotFound")

    def _create(self, call: Call) -> Order:
        body = call.json
        for name, value in body.items():
            allowed = FIELDS.get(name)
            if name != "content" and not (type(value) is bool if allowed is bool else allowed and value in allowed):
                raise ApiError(400, f"The parameter `{name}` is not valid: {value!r}.", name)
        content = body.get("content")
        if not isinstance(content, list) or [part.get("type") for part in content] != ["text", "image_url"]:
            raise ApiError(400, "The parameter `content` must be a text and an image.", "content")
        text, picture = content
        if set(text) != {"type", "text"} or not text["text"] or picture.get("role") != "first_frame":
            raise ApiError(400, "The parameter `content` is not valid.", "content")
        found = re.fullmatch(r"data:(image/\w+);base64,(.*)", picture["image_url"]["url"])
        if not found or "model" not in body:
            raise ApiError(400, "The image cannot be read, or `model` is missing.", "content")
        image = decode_image(base64.b64decode(found[2], validate=True), found[1], "content")
        return self.add_order("cgt-20261119-", {**body, "prompt": text["text"]}, image, call)

    def _describe(self, order: Order, ended: bool) -> dict[str, Any]:
        task = {"id": order.id, "model": order.asked["model"], "created_at": int(order.created), "updated_at": 1}
        if not ended:
            return {**task, "status": "running"}
        match order.outcome:
            case "moderated":
                error = {"code": "OutputVideoSensitiveContentDetected", "message": "The video may violate policy."}
                return {**task, "status": "failed", "error": error}
            case "broken":
                return {**task, "status": "failed", "error": {"code": "InternalServiceError", "message": "Try again."}}
        content = {"video_url": self.video_url(order)}
        return {**task, "status": "succeeded", "content": content, "usage": {"completion_tokens": 108_900}}

    def _list(self, call: Call) -> Answer:
        size, page = int(call.query.get("page_size", 10)), int(call.query.get("page_num", 1))
        model = call.query.get("filter.model")
        tasks = [order for order in self.orders.values() if order.asked["model"] == model]
        items = [self._describe(order, False) for order in reversed(tasks)]
        return Answer(200, {"items": items[size * (page - 1) : size * page], "total": len(items)})
