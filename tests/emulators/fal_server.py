"""fal's queue: each model has its own path and schema. A request's address has the first two parts of the model's id.

fal validates input with the model; here it does so when the request is submitted, with the same error body.
"""

from __future__ import annotations

import base64
import re
from typing import Any

from emulators.server import CANARY, Answer, ApiError, Call, Emulator, Kind, Order, decode_image

Allowed = tuple[Any, ...] | type

_BASE: dict[str, Allowed] = {"prompt": str, "image_url": str}
_HAILUO: dict[str, Allowed] = {**_BASE, "duration": ("6", "10"), "prompt_optimizer": bool}
_WAN: dict[str, Allowed] = {
    **_BASE, "negative_prompt": str, "seed": int, "enable_prompt_expansion": bool, "enable_safety_checker": bool,
    "resolution": ("720p", "1080p"),
}  # fmt: skip
SCHEMAS: dict[str, dict[str, Allowed]] = {
    "fal-ai/wan-25-preview/image-to-video": {
        **_WAN, "resolution": ("480p", "720p", "1080p"), "duration": ("5", "10"),
    },
    "wan/v2.6/image-to-video": {**_WAN, "duration": ("5", "10", "15"), "multi_shots": bool},
    "fal-ai/wan/v2.7/image-to-video": {**_WAN, "duration": tuple(range(2, 16))},
    "fal-ai/pika/v2.2/image-to-video": {
        **_BASE, "seed": int, "negative_prompt": str, "resolution": ("720p", "1080p"), "duration": (5, 10),
    },
    "fal-ai/ltx-2.3/image-to-video": {
        **_BASE, "duration": (6, 8, 10), "resolution": ("1080p", "1440p", "2160p"), "generate_audio": bool,
        "aspect_ratio": ("auto", "16:9", "9:16"), "fps": (24, 25, 48, 50),
    },
    "fal-ai/vidu/q2/image-to-video/pro": {
        **_BASE, "seed": int, "duration": tuple(range(2, 9)), "resolution": ("720p", "1080p"),
    },
    "fal-ai/minimax/hailuo-2.3/standard/image-to-video": _HAILUO,
    "fal-ai/minimax/hailuo-2.3/pro/image-to-video": {**_BASE, "prompt_optimizer": bool},
    "fal-ai/pixverse/v5.6/image-to-video": {
        **_BASE, "resolution": ("360p", "540p", "720p", "1080p"), "duration": ("5", "8", "10"),
    },
    "fal-ai/kling-video/v2.6/pro/image-to-video": {
        "prompt": str, "start_image_url": str, "duration": ("5", "10"), "negative_prompt": str,
        "generate_audio": bool,
    },
    "fal-ai/minimax/hailuo-02/standard/image-to-video": _HAILUO,
    "fal-ai/minimax/hailuo-02/pro/image-to-video": {**_BASE, "prompt_optimizer": bool},
    "fal-ai/minimax/hailuo-2.3-fast/standard/image-to-video": _HAILUO,
    "fal-ai/vidu/q1/image-to-video": {**_BASE, "seed": int},
}  # fmt: skip


def _is_one_of(value: Any, allowed: tuple[Any, ...]) -> bool:
    """Whether a value is allowed, with its type: a model that takes 5 refuses "5", True and 5.0."""
    return any(value == one and type(value) is type(one) for one in allowed)


class FalEmulator(Emulator):
    def settings(self) -> dict[str, str]:
        return {"FAL_KEY": CANARY, "FAL_QUEUE_URL": self.url}

    def kind(self, call: Call) -> Kind:
        if call.path.startswith("/videos/"):
            return "fetch"
        return "create" if call.method == "POST" else "poll"

    def error(self, status: int, message: str, param: str | None = None, code: str | None = None) -> Answer:
        if status == 400:
            status = 422
        if status != 422:
            return Answer(status, {"detail": message})
        return Answer(422, {"detail": [{"loc": ["body", param], "msg": message, "type": code or "value_error"}]})

    def make_refusal(self) -> Answer:
        return self.error(422, "The content could not be processed.", "prompt", "content_policy_violation")

    def respond(self, call: Call) -> Answer:
        if call.path.startswith("/videos/"):
            return self.send_video(call)
        if call.headers.get("authorization") != f"Key {CANARY}":
            raise ApiError(401, "Authentication is required to access this application.")
        path = call.path.strip("/")
        found = re.fullmatch(r"([\w.-]+/[\w.-]+)/requests/([\w-]+?)(/status)?", path)
        if call.method == "GET" and found:
            return self._status(found[1], found[2]) if found[3] else self._result(found[1], found[2])
        if call.method == "POST":
            return self._accepted(self._create(path, call))
        raise ApiError(404, "Not found")

    def _create(self, model: str, call: Call) -> Order:
        fields, body = SCHEMAS.get(model), call.json
        if fields is None:
            raise ApiError(404, f"Application '{model}' not found")
        for name, value in body.items():
            if name not in fields:
                raise ApiError(422, f"{name}: extra fields not permitted", name)
            allowed = fields[name]
            if not (_is_one_of(value, allowed) if isinstance(allowed, tuple) else type(value) is allowed):
                raise ApiError(422, f"{name}: the value is not one of {allowed}", name)
        [image_field] = [name for name in fields if name.endswith("image_url")]
        for name in ("prompt", image_field):
            if name not in body:
                raise ApiError(422, f"{name}: field required", name, "missing")
        found = re.fullmatch(r"data:(image/\w+);base64,(.*)", body[image_field])
        if not found:
            raise ApiError(422, "Failed to download the image.", image_field, "file_download_error")
        image = decode_image(base64.b64decode(found[2], validate=True), found[1], image_field)
        return self.add_order("764cabcf-b745-4b3e-ae38-", {**body, "model": model}, image, call)

    def _accepted(self, order: Order) -> Answer:
        app = "/".join(order.asked["model"].split("/")[:2])
        home = f"{self.url}/{app}/requests/{order.id}"
        urls = {"response_url": home, "status_url": f"{home}/status", "cancel_url": f"{home}/cancel"}
        return Answer(200, {"status": "IN_QUEUE", "request_id": order.id, **urls, "queue_position": 0})

    def _find(self, app: str, name: str) -> Order:
        order = self.find_order(name)
        if not order.asked["model"].startswith(f"{app}/"):
            raise ApiError(404, "Request not found")
        return order

    def _status(self, app: str, name: str) -> Answer:
        self._find(app, name)
        order, ended = self.poll_job(name)
        answer = {"status": "COMPLETED" if ended else "IN_PROGRESS", "request_id": order.id, "logs": None}
        return Answer(200 if ended else 202, answer)

    def _result(self, app: str, name: str) -> Answer:
        order = self._find(app, name)
        if order.polls <= self.polls_needed:
            raise ApiError(422, "Request is still in progress")
        match order.outcome:
            case "moderated":
                return self.make_refusal()
            case "broken":
                return Answer(500, {"detail": "The runner failed."}, {"x-fal-error-type": "internal_error"})
        file = {"url": self.video_url(order), "content_type": "video/mp4", "file_name": "output.mp4", "file_size": 1}
        return Answer(200, {"video": file})
