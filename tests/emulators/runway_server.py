"""Runway's API: the bodies are checked against the types of its SDK, model by model."""

from __future__ import annotations

import base64
import re
from datetime import UTC, datetime
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray
from runwayml.types import image_to_video_create_params as kinds
from typing_extensions import get_type_hints

from emulators.server import CANARY, Answer, ApiError, Call, Emulator, Kind, Order, check_bearer, decode_image
from emulators.typed import check

MODELS = {
    get_args(get_type_hints(kind)["model"])[0]: kind
    for kind in vars(kinds).values()
    if isinstance(kind, type) and "model" in getattr(kind, "__annotations__", {})
}
RETIRED = {"gen3a_turbo": ("1280:768", "768:1280"), "gen4_aleph": ("1280:720", "720:1280", "960:960", "1104:832")}
"""Models that the SDK no longer lists, as another service might still offer them."""
DURATIONS: dict[str, tuple[int, ...]] = {"gen4_turbo": (5, 10), "gen4.5": tuple(range(2, 11))}
KEYFRAMES_FOLLOW_IMAGE = ("wan3", "wan3_prime")


class RunwayEmulator(Emulator):
    def settings(self) -> dict[str, str]:
        return {"RUNWAYML_API_SECRET": CANARY, "RUNWAYML_BASE_URL": self.url}

    def kind(self, call: Call) -> Kind:
        if call.path.startswith("/videos/"):
            return "fetch"
        return "create" if call.method == "POST" else "poll"

    def error(self, status: int, message: str, param: str | None = None, code: str | None = None) -> Answer:
        if status == 400 and param:
            issue = {"code": code or "invalid_value", "path": [param], "message": message}
            return Answer(400, {"error": "Validation of body failed", "issues": [issue]})
        return Answer(status, {"error": message})

    def make_refusal(self) -> Answer:
        return self.error(400, "The prompt was rejected by our content moderation.")

    def respond(self, call: Call) -> Answer:
        if call.path.startswith("/videos/"):
            return self.send_video(call)
        check_bearer(call)
        if call.headers.get("x-runway-version") != "2024-11-06":
            raise ApiError(400, "The X-Runway-Version header is missing or not valid.")
        match call.method, call.path.split("/")[1:]:
            case "POST", ["v1", "image_to_video"]:
                return Answer(200, {"id": self._create(call).id, "estimatedCost": {"credits": 25}})
            case "GET", ["v1", "tasks", name]:
                return Answer(200, self._state(*self.poll_job(name)))
        raise ApiError(404, "Not found")

    def _create(self, call: Call) -> Order:
        body = call.json
        model = body.get("model")
        if model in RETIRED:
            check(kinds.Gen4Turbo, {**body, "model": "gen4_turbo", "ratio": "1280:720"})
            if body.get("ratio") not in RETIRED[model]:
                raise ApiError(400, f"Invalid value for 'ratio': {body.get('ratio')!r}.", "ratio")
        elif model in MODELS:
            check(MODELS[model], body)
        else:
            raise ApiError(400, f"Invalid value for 'model': {model!r}.", "model")
        if body.get("duration", 5) not in DURATIONS.get(model, range(1, 31)):
            raise ApiError(400, f"Invalid value for 'duration': {body['duration']!r}.", "duration")
        prompt = body.get("promptText", "a")
        if not 1 <= len(prompt.encode("utf-16-le")) // 2 <= 1000:
            raise ApiError(400, "promptText must be of 1 to 1000 characters.", "promptText", "too_big")
        if not 0 <= body.get("seed", 0) < 2**32:
            raise ApiError(400, "seed is out of range.", "seed")
        image, first = self._image(body["promptImage"])
        if first and model in KEYFRAMES_FOLLOW_IMAGE and not body.get("ratio", "").startswith("auto_"):
            raise ApiError(400, "Keyframe requests must use auto_480p, auto_720p, or auto_1080p.", "ratio")
        return self.add_order("17f20503-6c24-4c16-946b-", body, image, call)

    @staticmethod
    def _image(given: Any) -> tuple[NDArray[np.uint8], bool]:
        """Return the image, and whether it is the first frame and not a style reference."""
        uri, first = (given, False) if isinstance(given, str) else (given[0]["uri"], given[0]["position"] == "first")
        found = re.fullmatch(r"data:(image/\w+);base64,(.*)", uri)
        if not found:
            raise ApiError(400, "promptImage must be an HTTPS URL or a data URI.", "promptImage")
        if len(uri) > 5 * 1024 * 1024:
            raise ApiError(400, "promptImage is larger than 5 MB.", "promptImage", "too_big")
        return decode_image(base64.b64decode(found[2]), found[1], "promptImage"), first

    def _state(self, order: Order, ended: bool) -> dict[str, Any]:
        when = datetime.fromtimestamp(order.created, UTC).isoformat()
        head = {"id": order.id, "createdAt": when}
        if not ended:
            return {**head, "status": "RUNNING", "progress": 0.4, "estimatedCost": {"credits": 25}}
        match order.outcome:
            case "moderated":
                why = {"failure": "The output was rejected.", "failureCode": "SAFETY.OUTPUT.VIDEO"}
                return {**head, "status": "FAILED", "cost": {"credits": 0}, **why}
            case "broken":
                why = {"failure": "An internal error occurred.", "failureCode": "INTERNAL.BAD_OUTPUT.CODE01"}
                return {**head, "status": "FAILED", "cost": {"credits": 0}, **why}
        return {**head, "status": "SUCCEEDED", "output": [self.video_url(order)], "cost": {"credits": 25}}
