"""Video tasks of MiniMax. Errors have the HTTP status 200 and a code of their own."""

from __future__ import annotations

import base64
import re
from typing import Any

from emulators.server import CANARY, Answer, ApiError, Call, Emulator, Kind, Order, decode_image

MODELS = ("MiniMax-Hailuo-2.3", "MiniMax-Hailuo-2.3-Fast", "MiniMax-Hailuo-02")
FIELDS: dict[str, Any] = {
    "model": MODELS, "prompt": str, "first_frame_image": str, "duration": (6, 10), "resolution": ("768P", "1080P"),
    "prompt_optimizer": bool,
}  # fmt: skip
CODES = {400: 2013, 401: 1004, 404: 2013, 429: 1002, 500: 1000}


class MiniMaxEmulator(Emulator):
    def settings(self) -> dict[str, str]:
        return {"MINIMAX_API_KEY": CANARY, "MINIMAX_BASE_URL": self.url}

    def kind(self, call: Call) -> Kind:
        if call.path.startswith("/videos/"):
            return "fetch"
        return "create" if call.method == "POST" else "poll"

    def error(self, status: int, message: str, param: str | None = None, code: str | None = None) -> Answer:
        number = int(code) if code and code.isdigit() else CODES[status]
        # A task that was not created has an empty id.
        return Answer(200, {"task_id": "", "base_resp": {"status_code": number, "status_msg": message}})

    def answer(self, call: Call) -> Answer:
        reply = super().answer(call)
        # Files are on a server with real statuses.
        if self.kind(call) == "fetch" and reply.status == 200 and isinstance(reply.body, dict):
            is_gone = reply.body["base_resp"]["status_code"] == CODES[404]
            return Answer(404 if is_gone else 500, b"", reply.headers)
        return reply

    def make_refusal(self) -> Answer:
        return self.error(400, "input new_sensitive", code="1026")

    def respond(self, call: Call) -> Answer:
        if call.path.startswith("/videos/"):
            return self.send_video(call)
        if call.headers.get("authorization") != f"Bearer {CANARY}":
            raise ApiError(401, "login fail: Please carry the API secret key")
        match call.method, call.path:
            case "POST", "/v1/video_generation":
                return self._answer({"task_id": self._create(call).id})
            case "GET", "/v1/query/video_generation":
                return self._query(*self.poll_job(call.query.get("task_id", "")))
            case "GET", "/v1/files/retrieve":
                order = self.find_order(call.query.get("file_id", "").removeprefix("file-"))
                return self._answer({"file": {"file_id": 1, "bytes": 1, "download_url": self.video_url(order)}})
        raise ApiError(404, "invalid params, the path does not exist")

    @staticmethod
    def _answer(fields: dict[str, Any]) -> Answer:
        return Answer(200, {**fields, "base_resp": {"status_code": 0, "status_msg": "success"}})

    def _create(self, call: Call) -> Order:
        body = call.json
        for name, value in body.items():
            allowed = FIELDS.get(name)
            if allowed is None or not (value in allowed if isinstance(allowed, tuple) else type(value) is allowed):
                raise ApiError(400, f"invalid params, {name}", name)
        if missing := {"model", "prompt", "first_frame_image"} - set(body):
            raise ApiError(400, f"invalid params, {min(missing)} is required", min(missing))
        if len(body["prompt"]) > 2000 or (body.get("resolution") == "1080P" and body.get("duration") == 10):
            raise ApiError(400, "invalid params, prompt or duration", "duration")
        found = re.fullmatch(r"data:(image/\w+);base64,(.*)", body["first_frame_image"])
        if not found:
            raise ApiError(400, "invalid params, first_frame_image", "first_frame_image")
        image = decode_image(base64.b64decode(found[2], validate=True), found[1], "first_frame_image")
        short, long = sorted(image.shape[:2])
        if short <= 300 or long > 2.5 * short:
            raise ApiError(400, "invalid params, the size of first_frame_image", "first_frame_image")
        return self.add_order("3198845", {**body}, image, call)

    def _query(self, order: Order, ended: bool) -> Answer:
        if not ended:
            return self._answer({"task_id": order.id, "status": "Processing", "file_id": ""})
        if order.outcome == "video":
            return self._answer({"task_id": order.id, "status": "Success", "file_id": f"file-{order.id}"})
        code = (1027, "output new_sensitive") if order.outcome == "moderated" else (1000, "unknown error")
        status = {"status_code": code[0], "status_msg": code[1]}
        return Answer(200, {"task_id": order.id, "status": "Fail", "file_id": "", "base_resp": status})
