"""OpenAI's video API, as it was documented and as other services still offer it."""

from __future__ import annotations

import re
from typing import Any

from emulators.server import CANARY, Answer, ApiError, Call, Emulator, Kind, Order, check_bearer, decode_image

SIZES = {
    "sora-2": ("1280x720", "720x1280"),
    "sora-2-pro": ("1280x720", "720x1280", "1024x1792", "1792x1024"),
}


class OpenAIEmulator(Emulator):
    def settings(self) -> dict[str, str]:
        return {"OPENAI_API_KEY": CANARY, "OPENAI_BASE_URL": f"{self.url}/v1"}

    def kind(self, call: Call) -> Kind:
        if call.method == "POST":
            return "create"
        if call.path.endswith("/content"):
            return "fetch"
        return "other" if call.path == "/v1/videos" else "poll"

    def error(self, status: int, message: str, param: str | None = None, code: str | None = None) -> Answer:
        kind = "invalid_request_error" if status < 500 else "server_error"
        return Answer(status, {"error": {"message": message, "type": kind, "param": param, "code": code}})

    def make_refusal(self) -> Answer:
        return self.error(400, "Your request was blocked by our moderation system.", "prompt", "moderation_blocked")

    def respond(self, call: Call) -> Answer:
        check_bearer(call)
        match call.method, call.path.removeprefix("/v1/").split("/"):
            case "POST", ["videos"]:
                return Answer(200, self._video(self._create(call), "queued"))
            case "GET", ["videos"]:
                return self._list(call)
            case "GET", ["videos", name]:
                return Answer(200, self._state(*self.poll_job(name)))
            case "GET", ["videos", name, "content"]:
                return self._content(name, call)
        raise ApiError(404, f"Invalid URL ({call.method} {call.path})")

    def _create(self, call: Call) -> Order:
        fields, files = multipart(call)
        for name in {*fields, *files} - {"prompt", "model", "seconds", "size", "input_reference"}:
            raise ApiError(400, f"Unknown parameter: '{name}'.", name, "unknown_parameter")
        prompt, model = fields.get("prompt", ""), fields.get("model", "sora-2")
        seconds, size = fields.get("seconds", "4"), fields.get("size", "720x1280")
        if not 1 <= len(prompt) <= 32_000:
            raise ApiError(400, "Invalid length for 'prompt'.", "prompt", "invalid_value")
        if model not in SIZES:
            raise ApiError(400, f"Invalid value: '{model}'.", "model", "invalid_value")
        if seconds not in ("4", "8", "12"):
            raise ApiError(400, f"Invalid value: '{seconds}'. Supported values are: '4', '8', and '12'.", "seconds")
        if size not in SIZES[model]:
            raise ApiError(400, f"Invalid value: '{size}'.", "size", "invalid_value")
        if "input_reference" not in files:
            raise ApiError(400, "Missing required parameter: 'input_reference'.", "input_reference")
        mime, data = files["input_reference"]
        image = decode_image(data, mime, "input_reference")
        if f"{image.shape[1]}x{image.shape[0]}" != size:
            raise ApiError(400, "Inpaint image must match the requested width and height", "input_reference")
        return self.add_order("video_", {**fields, "model": model, "seconds": seconds, "size": size}, image, call)

    def _video(self, order: Order, status: str, **more: Any) -> dict[str, Any]:
        asked = {name: order.asked[name] for name in ("model", "prompt", "seconds", "size")}
        empty = {"completed_at": None, "expires_at": None, "error": None, "remixed_from_video_id": None, "progress": 0}
        head = {"id": order.id, "object": "video", "created_at": int(order.created), "status": status}
        return {**head, **empty, **asked, **more}

    def _state(self, order: Order, ended: bool) -> dict[str, Any]:
        if not ended:
            return self._video(order, "in_progress", progress=40)
        match order.outcome:
            case "moderated":
                error = {"code": "moderation_blocked", "message": "The video was blocked by our moderation system."}
                return self._video(order, "failed", error=error)
            case "broken":
                error = {"code": "video_generation_failed", "message": "The generation failed."}
                return self._video(order, "failed", error=error)
        return self._video(order, "completed", progress=100, completed_at=int(order.created) + 90)

    def _content(self, name: str, call: Call) -> Answer:
        order = self.find_order(name)
        if call.query.get("variant", "video") != "video":
            raise ApiError(400, "Invalid variant.", "variant")
        if order.polls <= self.polls_needed or order.signature:
            raise ApiError(404, "The content of this video is not available.")
        return Answer(200, self.video(order), {"content-type": "video/mp4"})

    def _list(self, call: Call) -> Answer:
        limit, order = int(call.query.get("limit", "20")), call.query.get("order", "desc")
        jobs = sorted(self.orders.values(), key=lambda job: job.id, reverse=order == "desc")
        if "after" in call.query:
            jobs = jobs[[job.id for job in jobs].index(call.query["after"]) + 1 :]
        data = [self._video(job, "in_progress") for job in jobs[:limit]]
        ends = {"first_id": data[0]["id"] if data else None, "last_id": data[-1]["id"] if data else None}
        return Answer(200, {"object": "list", "data": data, "has_more": len(jobs) > limit, **ends})


def multipart(call: Call) -> tuple[dict[str, str], dict[str, tuple[str, bytes]]]:
    """Return the text fields, and the files with their MIME types."""
    found = re.fullmatch(r'multipart/form-data; boundary="?([^"]+)"?', call.headers.get("content-type", ""))
    if not found:
        raise ApiError(400, "The body must be multipart/form-data.")
    fields: dict[str, str] = {}
    files: dict[str, tuple[str, bytes]] = {}
    for part in call.body.split(b"--" + found[1].encode())[1:-1]:
        head, _, data = part[2:-2].partition(b"\r\n\r\n")
        name = re.search(rb' name="([^"]*)"', head)
        assert name is not None
        if b"filename=" in head:
            mime = re.search(rb"content-type: (\S+)", head, re.IGNORECASE)
            files[name[1].decode()] = (mime[1].decode() if mime else "application/octet-stream", data)
        else:
            fields[name[1].decode()] = data.decode()
    return fields, files
