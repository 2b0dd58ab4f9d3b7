"""Replicate's predictions of official models, with the input schema of each."""

from __future__ import annotations

import base64
import re
from datetime import UTC, datetime
from typing import Any

from emulators.server import CANARY, Answer, ApiError, Call, Emulator, Kind, Order, check_bearer, decode_image

Allowed = tuple[Any, ...] | type

PAGE = 100
_HAILUO: dict[str, Allowed] = {
    "prompt": str, "first_frame_image": str, "duration": (6, 10), "resolution": ("768p", "1080p"),
    "prompt_optimizer": bool,
}  # fmt: skip
SCHEMAS: dict[str, dict[str, Allowed]] = {
    "minimax/hailuo-2.3": _HAILUO,
    "minimax/hailuo-02": {**_HAILUO, "resolution": ("512p", "768p", "1080p"), "last_frame_image": str},
}


class ReplicateEmulator(Emulator):
    def settings(self) -> dict[str, str]:
        return {"REPLICATE_API_TOKEN": CANARY, "REPLICATE_BASE_URL": self.url}

    def kind(self, call: Call) -> Kind:
        if call.path.startswith("/videos/"):
            return "fetch"
        if call.path == "/v1/predictions":
            return "other"
        return "create" if call.method == "POST" else "poll"

    def error(self, status: int, message: str, param: str | None = None, code: str | None = None) -> Answer:
        status = 422 if status == 400 else status
        return Answer(status, {"title": "Input validation failed", "detail": message, "status": status})

    def make_refusal(self) -> Answer:
        return self.error(422, "The input was flagged as sensitive. Please try again with different inputs. (E005)")

    def respond(self, call: Call) -> Answer:
        if call.path.startswith("/videos/"):
            return self.send_video(call)
        check_bearer(call)
        path = call.path.removeprefix("/v1/")
        created = re.fullmatch(r"models/([\w.-]+/[\w.-]+)/predictions", path)
        found = re.fullmatch(r"predictions/(\w+)", path)
        if call.method == "POST" and created:
            return Answer(201, self._prediction(self._create(created[1], call), "starting"))
        if call.method == "GET" and found:
            return Answer(200, self._state(*self.poll_job(found[1])))
        if call.method == "GET" and path == "predictions":
            return self._list(call)
        raise ApiError(404, "The requested resource could not be found.")

    def _create(self, model: str, call: Call) -> Order:
        fields, body = SCHEMAS.get(model), call.json
        if fields is None:
            raise ApiError(404, f"The model {model} could not be found.")
        if unknown := set(body) - {"input", "webhook", "webhook_events_filter", "stream"}:
            raise ApiError(422, f"- {min(unknown)}: Additional property is not allowed")
        given = body.get("input")
        if not isinstance(given, dict) or "prompt" not in given:
            raise ApiError(422, "- input: prompt is required")
        for name, value in given.items():
            allowed = fields.get(name)
            if allowed is None:
                raise ApiError(422, f"- input.{name}: Additional property is not allowed")
            if not (value in allowed if isinstance(allowed, tuple) else type(value) is allowed):
                raise ApiError(422, f"- input.{name}: must be one of {allowed}")
        if given.get("resolution") == "1080p" and given.get("duration") == 10:
            raise ApiError(422, "- input.duration: 10 seconds is only available for 768p")
        found = re.fullmatch(r"data:(image/\w+);base64,(.*)", given.get("first_frame_image", ""))
        if not found:
            raise ApiError(422, "- input.first_frame_image: Does not match format 'uri'")
        image = decode_image(base64.b64decode(found[2], validate=True), found[1], "first_frame_image")
        return self.add_order("gm3qorzdhgbfurvj", {**given, "model": model}, image, call)

    def _prediction(self, order: Order, status: str, **more: Any) -> dict[str, Any]:
        when = datetime.fromtimestamp(order.created, UTC).isoformat().replace("+00:00", "Z")
        given = {name: value for name, value in order.asked.items() if name != "model"}
        return {
            "id": order.id, "model": order.asked["model"], "version": "hidden", "input": given, "logs": "",
            "output": None, "error": None, "data_removed": False, "status": status, "created_at": when,
            "urls": {"get": f"{self.url}/v1/predictions/{order.id}"}, **more,
        }  # fmt: skip

    def _state(self, order: Order, ended: bool) -> dict[str, Any]:
        if not ended:
            return self._prediction(order, "processing")
        match order.outcome:
            case "moderated":
                return self._prediction(order, "failed", error="The output was flagged as sensitive. (E005)")
            case "broken":
                return self._prediction(order, "failed", error="Prediction interrupted; please retry (code: PA)")
        return self._prediction(order, "succeeded", output=self.video_url(order))

    def _list(self, call: Call) -> Answer:
        start = int(call.query.get("cursor", 0))
        with self._lock:  # an order may arrive meanwhile
            jobs = sorted(self.orders.values(), key=lambda job: job.id, reverse=True)
        page = jobs[start : start + PAGE]
        after = f"{self.url}/v1/predictions?cursor={start + PAGE}" if start + PAGE < len(jobs) else None
        return Answer(
            200, {"previous": None, "next": after, "results": [self._prediction(j, "starting") for j in page]}
        )
