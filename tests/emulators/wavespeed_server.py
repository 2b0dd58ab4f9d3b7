"""WaveSpeed's API v3: each model has its own path and schema."""

from __future__ import annotations

import base64
import re
from datetime import UTC, datetime
from typing import Any

from emulators.server import CANARY, Answer, ApiError, Call, Emulator, Kind, Order, check_bearer, decode_image

Allowed = tuple[Any, ...] | type | None
"""The allowed values of a field, or their type; None where the provider does not check it."""

_BASE: dict[str, Allowed] = {"prompt": str, "image": str, "seed": int}
_WAN_22: dict[str, Allowed] = {**_BASE, "negative_prompt": str, "last_image": str, "duration": (5, 8)}
_WAN_21: dict[str, Allowed] = {**_BASE, "negative_prompt": str, "last_image": str, "duration": (5, 10)}
_WAN_26: dict[str, Allowed] = {
    **_BASE, "negative_prompt": str, "audio": str, "duration": (5, 10, 15), "resolution": ("720p", "1080p"),
    "shot_type": ("single", "multi"), "enable_prompt_expansion": bool,
}  # fmt: skip
_LORAS: dict[str, Allowed] = {"loras": list, "high_noise_loras": list, "low_noise_loras": list}
_SIZES = {"480p": ("832*480", "480*832"), "720p": ("1280*720", "720*1280")}
_VEO: dict[str, Allowed] = {
    **_BASE, "negative_prompt": str, "last_image": str, "duration": (4, 6, 8), "aspect_ratio": ("16:9", "9:16"),
    "resolution": ("720p", "1080p"), "generate_audio": bool,
}  # fmt: skip


def find_schema(model: str) -> dict[str, Allowed] | None:
    """Return the fields that the model's path accepts; None where there is no such model."""
    if re.fullmatch(r"google/veo3\.1(-fast)?/image-to-video", model):
        return _VEO
    if model == "wavespeed-ai/wan-2.2/image-to-video":
        return {**_WAN_22, "size": (*_SIZES["480p"], *_SIZES["720p"])}
    if re.fullmatch(r"wavespeed-ai/wan-2\.2/i2v-5b-720p(-lora)?", model):
        return {**_BASE, "loras": list} if model.endswith("-lora") else _BASE
    wan_2_6 = re.fullmatch(r"alibaba/wan-2\.6/image-to-video(-flash)?", model)
    if wan_2_6:
        return {**_WAN_26, "enable_audio": bool} if wan_2_6[1] else _WAN_26
    found = re.fullmatch(r"wavespeed-ai/wan-2\.([12])/i2v-(480p|720p)(-lora)?(-ultra-fast)?", model)
    if not found:
        return None
    fields = _WAN_22 if found[1] == "2" else {**_WAN_21, "size": _SIZES[found[2]]}
    return {**fields, **_LORAS} if found[3] else fields


class WaveSpeedEmulator(Emulator):
    def settings(self) -> dict[str, str]:
        return {"WAVESPEED_API_KEY": CANARY, "WAVESPEED_BASE_URL": self.url}

    def kind(self, call: Call) -> Kind:
        if call.path.startswith("/videos/"):
            return "fetch"
        if call.path == "/api/v3/predictions":
            return "other"
        return "create" if call.method == "POST" else "poll"

    def error(self, status: int, message: str, param: str | None = None, code: str | None = None) -> Answer:
        return Answer(status, {"code": status, "message": message})

    def make_refusal(self) -> Answer:
        return self.error(400, "The content was flagged as potentially sensitive. Please try different prompts.")

    def respond(self, call: Call) -> Answer:
        if call.path.startswith("/videos/"):
            return self.send_video(call)
        check_bearer(call)
        path = call.path.removeprefix("/api/v3/")
        found = re.fullmatch(r"predictions/([\w-]+)/result", path)
        if call.method == "GET" and found:
            return self._data(self._state(*self.poll_job(found[1])))
        if call.method == "POST" and path == "predictions":
            return self._list(call)
        if call.method == "POST":
            return self._data(self._job(self._create(path, call), "created"))
        raise ApiError(404, "Not found")

    def _data(self, data: Any) -> Answer:
        return Answer(200, {"code": 200, "message": "success", "data": data})

    def _create(self, model: str, call: Call) -> Order:
        fields, body = find_schema(model), call.json
        if fields is None:
            raise ApiError(404, f"model {model} not found")
        for name, value in body.items():
            if name not in fields:
                raise ApiError(400, f'property "{name}" is unsupported')
            allowed = fields[name]
            fits = value in allowed if isinstance(allowed, tuple) else type(value) is allowed
            if not fits:
                raise ApiError(400, f'property "{name}": value is not one of the allowed values {allowed}')
        for name in ("prompt", "image"):
            if name not in body:
                raise ApiError(400, f'property "{name}" is missing')
        if not -1 <= body.get("seed", -1) < 2**31:
            raise ApiError(400, 'property "seed": value is out of range')
        found = re.fullmatch(r"data:(image/\w+);base64,(.*)", body["image"])
        if not found:
            raise ApiError(400, 'property "image": neither a URL nor base64 with a content type')
        image = decode_image(base64.b64decode(found[2], validate=True), found[1], "image")
        return self.add_order("e6832d4abffb4d79", {**body, "model": model}, image, call)

    def _job(self, order: Order, status: str, **more: Any) -> dict[str, Any]:
        when = datetime.fromtimestamp(order.created, UTC).isoformat().replace("+00:00", "123Z")
        urls = {"get": f"{self.url}/api/v3/predictions/{order.id}/result"}
        head = {"id": order.id, "model": order.asked["model"], "status": status, "outputs": [], "error": ""}
        return {**head, "created_at": when, "urls": urls, "has_nsfw_contents": [], **more}

    def _state(self, order: Order, ended: bool) -> dict[str, Any]:
        if not ended:
            return self._job(order, "processing")
        match order.outcome:
            case "moderated":
                return self._job(order, "failed", error="Content flagged as potentially sensitive.")
            case "broken":
                return self._job(order, "failed", error="An error occurred while running the model.")
        return self._job(order, "completed", outputs=[self.video_url(order)])

    def _list(self, call: Call) -> Answer:
        page, size = call.json.get("page"), call.json.get("page_size")
        if not isinstance(page, int) or not isinstance(size, int) or not 1 <= size <= 100:
            raise ApiError(400, "page and page_size are required")
        jobs = sorted(self.orders.values(), key=lambda job: job.id, reverse=True)[(page - 1) * size : page * size]
        return self._data({"page": page, "items": [self._job(job, "processing") for job in jobs]})
