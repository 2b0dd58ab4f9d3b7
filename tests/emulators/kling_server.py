"""image2video tasks of Kling. Each call has a token that is signed with the secret key."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from typing import Any

from emulators.server import CANARY, Answer, ApiError, Call, Emulator, Kind, Order, decode_image
from vmevalkit.models.input_image import detect_mime

TASKS = "/v1/videos/image2video"
SECRET = "canary-secret-91b7d0"
FIELDS: dict[str, Any] = {
    "model_name": ("kling-v2-6", "kling-v3"), "mode": ("std", "pro"), "prompt": str, "negative_prompt": str,
    "sound": ("on", "off"), "image": str, "duration": tuple(map(str, range(3, 16))), "external_task_id": str,
}  # fmt: skip
CODES = {400: 1201, 401: 1002, 404: 1203, 429: 1302, 500: 5000}


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class KlingEmulator(Emulator):
    def settings(self) -> dict[str, str]:
        return {"KLING_ACCESS_KEY": CANARY, "KLING_SECRET_KEY": SECRET, "KLING_BASE_URL": self.url}

    def kind(self, call: Call) -> Kind:
        if call.path.startswith("/videos/"):
            return "fetch"
        if call.path == TASKS:
            return "create" if call.method == "POST" else "other"
        return "poll"

    def error(self, status: int, message: str, param: str | None = None, code: str | None = None) -> Answer:
        number = int(code) if code and code.isdigit() else CODES[status]
        return Answer(status, {"code": number, "message": message, "request_id": "r-1"})

    def make_refusal(self) -> Answer:
        return self.error(400, "The content may violate the rules.", code="1301")

    def respond(self, call: Call) -> Answer:
        if call.path.startswith("/videos/"):
            return self.send_video(call)
        _check_token(call)
        found = re.fullmatch(rf"{TASKS}/([\w-]+)", call.path)
        if call.path == TASKS:
            if call.method == "POST":
                return self._answer(self._describe(self._create(call), False))
            return self._list(call)
        if call.method == "GET" and found:
            return self._answer(self._describe(*self.poll_job(found[1])))
        raise ApiError(404, "The requested resource does not exist.")

    @staticmethod
    def _answer(data: Any) -> Answer:
        return Answer(200, {"code": 0, "message": "SUCCEED", "request_id": "r-1", "data": data})

    def _create(self, call: Call) -> Order:
        body = call.json
        for name, value in body.items():
            allowed = FIELDS.get(name)
            if allowed is None or not (value in allowed if isinstance(allowed, tuple) else type(value) is allowed):
                raise ApiError(400, f"{name} value '{str(value)[:40]}' is invalid", name)
        if missing := {"model_name", "image"} - set(body):
            raise ApiError(400, f"{min(missing)} is required", min(missing))
        if body["model_name"] == "kling-v2-6" and body.get("duration") not in ("5", "10"):
            raise ApiError(400, "duration is invalid for this model", "duration")
        if body["model_name"] == "kling-v2-6" and body.get("mode") == "std" and body.get("sound") == "on":
            raise ApiError(400, "sound is not supported in this mode", "sound")
        if body["image"].startswith("data:"):
            raise ApiError(400, "File is not in a valid base64 format", "image")
        data = base64.b64decode(body["image"], validate=True)
        if len(body.get("prompt", "")) > 2500 or len(data) > 10 * 1024 * 1024:
            raise ApiError(400, "prompt or image is too large", "image")
        image = decode_image(data, detect_mime(data), "image")
        short, long = sorted(image.shape[:2])
        if short < 300 or long > 2.5 * short:
            raise ApiError(400, "Image dimensions are invalid", "image")
        return self.add_order("8410", {**body}, image, call)

    def _describe(self, order: Order, ended: bool) -> dict[str, Any]:
        when = int(order.created * 1000)
        task = {"task_id": order.id, "task_status": "submitted", "created_at": when, "updated_at": when}
        if not ended:
            return {**task, "task_status": "processing"} if order.polls else task
        match order.outcome:
            case "moderated":
                return {**task, "task_status": "failed", "task_status_msg": "Failure to pass the risk control system"}
            case "broken":
                return {**task, "task_status": "failed", "task_status_msg": "Service busy"}
        video = {"id": f"v-{order.id}", "url": self.video_url(order), "duration": order.asked.get("duration", "5")}
        return {**task, "task_status": "succeed", "task_result": {"videos": [video]}}

    def _list(self, call: Call) -> Answer:
        size, page = int(call.query.get("pageSize", 30)), int(call.query.get("pageNum", 1))
        if not 1 <= size <= 500:
            raise ApiError(400, "pageSize is invalid")
        tasks = [self._describe(order, False) for order in reversed(self.orders.values())]
        return self._answer(tasks[size * (page - 1) : size * page])


def _check_token(call: Call) -> None:
    scheme, _, token = call.headers.get("authorization", "").partition(" ")
    parts = token.split(".")
    if scheme != "Bearer" or len(parts) != 3:
        raise ApiError(401, "Authorization is empty or malformed", code="1001")
    signature = hmac.new(SECRET.encode(), ".".join(parts[:2]).encode(), hashlib.sha256).digest()
    try:
        claims = json.loads(_decode(parts[1]))
    except ValueError:
        raise ApiError(401, "Authorization is invalid") from None
    if _decode(parts[2]) != signature or claims.get("iss") != CANARY or json.loads(_decode(parts[0]))["alg"] != "HS256":
        raise ApiError(401, "Authorization is invalid")
    if not claims["nbf"] <= time.time() < claims["exp"]:
        raise ApiError(401, "Authorization is expired", code="1004")
