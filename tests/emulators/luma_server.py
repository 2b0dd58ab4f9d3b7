"""Luma's two APIs, and the bucket from which the older one downloads its images."""

from __future__ import annotations

import base64
import hashlib
import hmac
import urllib.error
import urllib.request
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import luma_agents.types
import lumaai.types

from emulators.server import CANARY, Answer, ApiError, Call, Emulator, Kind, Order, check_bearer, decode_image
from emulators.typed import check


class LumaEmulator(Emulator):
    """Dream Machine. It downloads the image from its URL, as the provider does."""

    def settings(self) -> dict[str, str]:
        return {"LUMAAI_API_KEY": CANARY, "LUMAAI_BASE_URL": f"{self.url}/dream-machine/v1"}

    def kind(self, call: Call) -> Kind:
        if call.path.startswith("/videos/"):
            return "fetch"
        if call.method == "POST":
            return "create"
        return "other" if call.path.endswith("/generations") else "poll"

    def error(self, status: int, message: str, param: str | None = None, code: str | None = None) -> Answer:
        return Answer(status, {"detail": message})

    def make_refusal(self) -> Answer:
        return self.error(400, "Prompt not allowed because advanced moderation failed")

    def respond(self, call: Call) -> Answer:
        if call.path.startswith("/videos/"):
            return self.send_video(call)
        check_bearer(call)
        match call.method, call.path.removeprefix("/dream-machine/v1/").split("/"):
            case "POST", ["generations", "video"]:
                return Answer(201, self._generation(self._create(call), "queued"))
            case "GET", ["generations"]:
                return self._list(call)
            case "GET", ["generations", name]:
                return Answer(200, self._state(*self.poll_job(name)))
        raise ApiError(404, "Not Found")

    def _create(self, call: Call) -> Order:
        body = call.json
        check(lumaai.types.GenerationCreateParams, body)
        frames = body.get("keyframes") or {}
        if set(frames) != {"frame0"}:
            raise ApiError(400, "frame0 is required")
        return self.add_order("3f1c6d2e-0000-4000-8000-", body, self._image(frames["frame0"]["url"]), call)

    @staticmethod
    def _image(url: str) -> Any:
        try:
            with urllib.request.urlopen(url, timeout=10) as response:
                return decode_image(response.read(), response.headers["content-type"], "keyframes")
        except (urllib.error.URLError, ValueError) as error:
            raise ApiError(400, f"The image at frame0 cannot be fetched: {error}") from None

    def _generation(self, order: Order, state: str, **more: Any) -> dict[str, Any]:
        when = datetime.fromtimestamp(order.created, UTC).isoformat()
        head = {"id": order.id, "generation_type": "video", "state": state, "failure_reason": None, "created_at": when}
        return {**head, "assets": None, "model": order.asked["model"], "request": order.asked, **more}

    def _state(self, order: Order, ended: bool) -> dict[str, Any]:
        if not ended:
            return self._generation(order, "dreaming")
        match order.outcome:
            case "moderated":
                return self._generation(order, "failed", failure_reason="The content failed our moderation.")
            case "broken":
                return self._generation(order, "failed", failure_reason="Internal error.")
        return self._generation(order, "completed", assets={"video": self.video_url(order)})

    def _list(self, call: Call) -> Answer:
        limit, offset = int(call.query.get("limit", "10")), int(call.query.get("offset", "0"))
        jobs = sorted(self.orders.values(), key=lambda job: job.id, reverse=True)[offset:]
        page = [self._generation(job, "dreaming") for job in jobs[:limit]]
        ends = {"count": len(page), "limit": limit, "offset": offset, "has_more": len(jobs) > limit}
        return Answer(200, {"generations": page, **ends})


class LumaAgentsEmulator(LumaEmulator):
    def settings(self) -> dict[str, str]:
        return {"LUMA_AGENTS_API_KEY": CANARY, "LUMA_BASE_URL": f"{self.url}/v1"}

    def respond(self, call: Call) -> Answer:
        if call.path.startswith("/videos/"):
            return self.send_video(call)
        check_bearer(call)
        match call.method, call.path.removeprefix("/v1/").split("/"):
            case "POST", ["generations"]:
                return Answer(201, self._generation(self._create(call), "queued"))
            case "GET", ["generations", name]:
                return Answer(200, self._state(*self.poll_job(name)))
        raise ApiError(404, "Not Found")

    def _create(self, call: Call) -> Order:
        body = call.json
        check(luma_agents.types.GenerationCreateParams, body)
        video = body.get("video") or {}
        if body.get("type") != "video" or body.get("model") != "ray-3.2":
            raise ApiError(400, "Only ray-3.2 makes videos.")
        if body.get("aspect_ratio") not in ("16:9", "9:16", "1:1", "4:3", "3:4", "21:9"):
            raise ApiError(400, f"ray-3.2 has no aspect ratio {body.get('aspect_ratio')}.")
        frame = video.get("start_frame") or {}
        if not body["prompt"] or set(frame) != {"data", "media_type"}:
            raise ApiError(400, "A prompt, and data with a media_type, are required.")
        return self.add_order("9b2f6d2e-0000-4000-8000-", body, decode_image(
            base64.b64decode(frame["data"], validate=True), frame["media_type"], "start_frame"), call)  # fmt: skip

    def _generation(self, order: Order, state: str, **more: Any) -> dict[str, Any]:
        when = datetime.fromtimestamp(order.created, UTC).isoformat()
        return {"id": order.id, "type": "video", "state": state, "model": "ray-3.2", "created_at": when, **more}

    def _state(self, order: Order, ended: bool) -> dict[str, Any]:
        if not ended:
            return self._generation(order, "processing")
        match order.outcome:
            case "moderated":
                why = {"failure_code": "content_moderated", "failure_reason": "It is not allowed."}
                return self._generation(order, "failed", **why)
            case "broken":
                why = {"failure_code": "generation_failed", "failure_reason": "It went wrong."}
                return self._generation(order, "failed", **why)
        return self._generation(order, "completed", output=[{"type": "video", "url": self.video_url(order)}])


class BucketEmulator(Emulator):
    """S3 with one bucket. URLs must be signed with its secret, for their method, and must not have expired."""

    ACCESS, SECRET, BUCKET = "canary-access-20d3", "canary-secret-9c81f2e6b7", "images"

    def __init__(self) -> None:
        super().__init__()
        self.objects: dict[str, tuple[str, bytes]] = {}

    def settings(self) -> dict[str, str]:
        return {
            "VMEVALKIT_S3_BUCKET": self.BUCKET,
            "AWS_ACCESS_KEY_ID": self.ACCESS,
            "AWS_SECRET_ACCESS_KEY": self.SECRET,
            "AWS_REGION": "eu-north-1",
            "AWS_ENDPOINT_URL_S3": self.url,
        }

    def kind(self, call: Call) -> Kind:
        return "create" if call.method == "PUT" else "other"

    def error(self, status: int, message: str, param: str | None = None, code: str | None = None) -> Answer:
        return Answer(status, f"<Error><Code>{code}</Code><Message>{message}</Message></Error>".encode())

    def respond(self, call: Call) -> Answer:
        if call.query.get("X-Amz-Signature") != self._signature(call):
            raise ApiError(403, "The request signature we calculated does not match.", code="SignatureDoesNotMatch")
        start = datetime.strptime(call.query["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        if datetime.now(UTC) > start + timedelta(seconds=int(call.query["X-Amz-Expires"])):
            raise ApiError(403, "Request has expired", code="AccessDenied")
        if call.method == "PUT":
            self.objects[call.path] = (call.headers["content-type"], call.body)
            return Answer(200)
        if call.path not in self.objects:
            raise ApiError(404, "The specified key does not exist.", code="NoSuchKey")
        mime, data = self.objects[call.path]
        return Answer(200, data, {"content-type": mime})

    def _signature(self, call: Call) -> str:
        names = sorted(name for name in call.query if name != "X-Amz-Signature")
        query = "&".join(f"{quote(name, '')}={quote(call.query[name], '')}" for name in names)
        text = f"{call.method}\n{call.path}\n{query}\nhost:{call.headers['host']}\n\nhost\nUNSIGNED-PAYLOAD"
        _, _, scope = call.query.get("X-Amz-Credential", "").partition("/")
        signing = b"AWS4" + self.SECRET.encode()
        for part in scope.split("/"):
            signing = hmac.digest(signing, part.encode(), "sha256")
        digest = hashlib.sha256(text.encode()).hexdigest()
        signed = f"AWS4-HMAC-SHA256\n{call.query.get('X-Amz-Date')}\n{scope}\n{digest}"
        return hmac.digest(signing, signed.encode(), "sha256").hex()
