"""Google's two video APIs: Veo on Vertex AI, with its token server, and Gemini Interactions."""

from __future__ import annotations

import base64
import json
import re
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from emulators.server import CANARY, Answer, ApiError, Call, Emulator, Kind, Order, check_bearer, decode_image
from emulators.typed import check

PROJECT, LOCATION = "video-project", "us-central1"
TOKEN = "canary-token-77a1c09d4e"
DURATIONS = {"veo-2": (5, 6, 7, 8), "veo-3": (4, 6, 8)}


@cache
def _private_key() -> str:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    kind = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return key.private_bytes(*kind).decode()


class _Google(Emulator):
    def error(self, status: int, message: str, param: str | None = None, code: str | None = None) -> Answer:
        names = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED"}
        error = {"code": status, "message": message, "status": names.get(status, "INTERNAL")}
        return Answer(status, {"error": error})


class VertexEmulator(_Google):
    """Accepts the token that its own token server issues for a signed assertion."""

    bucket: str | None = None
    """The bucket that videos are delivered to, for a project with such a setting."""

    def settings(self) -> dict[str, str]:
        return {
            "GOOGLE_CLOUD_PROJECT": PROJECT,
            "GOOGLE_CLOUD_LOCATION": LOCATION,
            "GOOGLE_VERTEX_BASE_URL": self.url,
        }

    def service_account(self, path: Path) -> Path:
        """Write a key file for a service account of this emulator."""
        account = {
            "type": "service_account",
            "project_id": PROJECT,
            "private_key_id": "1",
            "private_key": _private_key(),
            "client_email": f"videos@{PROJECT}.iam.gserviceaccount.com",
            "token_uri": f"{self.url}/token",
        }
        path.write_text(json.dumps(account), "utf-8")
        return path

    def kind(self, call: Call) -> Kind:
        if call.path.endswith(":predictLongRunning"):
            return "create"
        return "poll" if call.path.endswith(":fetchPredictOperation") else "other"

    def make_refusal(self) -> Answer:
        return self.error(400, "The prompt could not be submit: it violates our usage guidelines.")

    def respond(self, call: Call) -> Answer:
        if call.path == "/token":
            return self._token(call)
        check_bearer(call, TOKEN)
        home = f"/v1beta1/projects/{PROJECT}/locations/{LOCATION}/publishers/google/models/"
        found = re.fullmatch(re.escape(home) + r"([\w.-]+):(predictLongRunning|fetchPredictOperation)", call.path)
        if call.method != "POST" or not found:
            raise ApiError(404, f"{call.path} was not found")
        if found[2] == "predictLongRunning":
            return Answer(200, {"name": self._create(found[1], call).id})
        return Answer(200, self._state(*self.poll_job(str(call.json.get("operationName")))))

    def _token(self, call: Call) -> Answer:
        asked = parse_qs(call.body.decode())
        if asked.get("grant_type") != ["urn:ietf:params:oauth:grant-type:jwt-bearer"] or "assertion" not in asked:
            return Answer(400, {"error": "invalid_grant", "error_description": "Invalid grant."})
        return Answer(200, {"access_token": TOKEN, "expires_in": 3600, "token_type": "Bearer"})

    def _create(self, model: str, call: Call) -> Order:
        body = call.json
        check_fields(body, {"instances", "parameters"})
        (instance,) = body.get("instances") or [{}]
        check_fields(instance, {"prompt", "image"})
        image = instance.get("image") or {}
        check_fields(image, {"bytesBase64Encoded", "mimeType"})
        image = decode_image(decode_base64(image.get("bytesBase64Encoded", "")), image.get("mimeType", ""), "image")
        asked = body.get("parameters") or {}
        check_fields(asked, {"sampleCount", "durationSeconds", "seed", "aspectRatio", "resolution", "negativePrompt",
                     "enhancePrompt", "generateAudio"})  # fmt: skip
        if asked.get("sampleCount") not in (1, 2, 3, 4):
            raise ApiError(400, "sampleCount must be between 1 and 4.")
        if asked.get("durationSeconds") not in DURATIONS[model[:5]]:
            raise ApiError(400, f"Unsupported output video duration {asked.get('durationSeconds')} seconds.")
        if asked.get("aspectRatio") not in ("16:9", "9:16"):
            raise ApiError(400, f"Unsupported aspect ratio: {asked.get('aspectRatio')}.")
        if asked.get("resolution") not in (("720p",) if model.startswith("veo-2") else ("720p", "1080p")):
            raise ApiError(400, f"Unsupported resolution: {asked.get('resolution')}.")
        if model.startswith("veo-2") and "generateAudio" in asked:
            raise ApiError(400, "generateAudio is not supported by this model.")
        if "seed" in asked and not 0 <= asked["seed"] < 2**32:
            raise ApiError(400, "seed must be an unsigned 32-bit integer.")
        home = call.path.removeprefix("/v1beta1/").removesuffix(":predictLongRunning")
        return self.add_order(
            f"{home}/operations/", {**asked, "prompt": instance.get("prompt"), "model": model}, image, call
        )

    def _state(self, order: Order, ended: bool) -> dict[str, Any]:
        if not ended:
            return {"name": order.id}
        done = {"name": order.id, "done": True}
        match order.outcome:
            case "moderated":
                reason = "The video was filtered out because it violated Vertex AI's usage guidelines."
                return {**done, "response": {"raiMediaFilteredCount": 1, "raiMediaFilteredReasons": [reason]}}
            case "broken":
                return {**done, "error": {"code": 13, "message": "Internal error while making the video."}}
        if self.bucket is not None:
            video = {"gcsUri": f"{self.bucket}/sample_0.mp4", "mimeType": "video/mp4"}
            return {**done, "response": {"raiMediaFilteredCount": 0, "videos": [video]}}
        video = {"bytesBase64Encoded": base64.b64encode(self.video(order)).decode(), "mimeType": "video/mp4"}
        return {**done, "response": {"raiMediaFilteredCount": 0, "videos": [video]}}


class GeminiEmulator(_Google):
    """The Interactions of the Gemini API; ``delivery`` decides whether the video is inside the response."""

    def settings(self) -> dict[str, str]:
        return {"GEMINI_API_KEY": CANARY, "GOOGLE_GEMINI_BASE_URL": self.url}

    def kind(self, call: Call) -> Kind:
        if call.method == "POST":
            return "create"
        return "fetch" if call.path.startswith("/videos/") else "poll"

    def make_refusal(self) -> Answer:
        return self.error(400, "The request was blocked: PROHIBITED_CONTENT.")

    def respond(self, call: Call) -> Answer:
        if call.path.startswith("/videos/") and call.headers.get("x-goog-api-key") == CANARY:
            return self.send_video(Call(call.method, call.path, call.query, {}, b""))
        if call.headers.get("x-goog-api-key") != CANARY:
            raise ApiError(401, f"API key not valid: {call.headers.get('x-goog-api-key')}")
        match call.method, re.fullmatch(r"/v1(?:beta)?/interactions(?:/([\w-]+))?", call.path):
            case "POST", found if found and not found[1]:
                return Answer(200, self._interaction(self._create(call), "in_progress"))
            case "GET", found if found and found[1]:
                return Answer(200, self._state(*self.poll_job(found[1])))
        raise ApiError(404, f"{call.path} was not found")

    def _create(self, call: Call) -> Order:
        from google.genai import interactions

        body = call.json
        check(interactions.CreateModelInteractionParam, {**body, "input": []})
        if body["model"] != "gemini-omni-1.2-flash" or not body.get("background"):
            raise ApiError(400, f"The model {body['model']} makes no videos, or not in the foreground.")
        asked = body.get("response_format") or {}
        check(interactions.VideoResponseFormatParam, asked)
        if not re.fullmatch(r"([3-9]|10)s", asked.get("duration", "")):
            raise ApiError(400, f"Unsupported duration: {asked.get('duration')}.")
        if (body.get("generation_config") or {}).get("video_config") != {"task": "image_to_video"}:
            raise ApiError(400, "Unsupported task.")
        (turn,) = body.get("input") or [{}]
        check_fields(turn, {"type", "content"})
        text, image = turn.get("content") or [{}, {}]
        check_fields(text, {"type", "text"})
        check_fields(image, {"type", "mime_type", "data"})
        if not text.get("text"):
            raise ApiError(400, "The prompt is empty.")
        image = decode_image(decode_base64(image.get("data", "")), image.get("mime_type", ""), "input")
        settings = {**body.get("generation_config", {}), "prompt": text["text"], "model": body["model"]}
        return self.add_order("v1_interaction_", {**asked, **settings}, image, call)

    def _interaction(self, order: Order, status: str, **more: Any) -> dict[str, Any]:
        return {"id": order.id, "object": "interaction", "status": status, "model": order.asked["model"], **more}

    def _state(self, order: Order, ended: bool) -> dict[str, Any]:
        if not ended:
            return self._interaction(order, "in_progress")
        match order.outcome:
            case "moderated":
                error = {"code": "safety", "message": "The video was blocked for safety reasons."}
                return self._interaction(order, "failed", errors=[error])
            case "broken":
                return self._interaction(order, "failed", errors=[{"code": "internal", "message": "It went wrong."}])
        video: dict[str, Any] = {"type": "video", "mime_type": "video/mp4"}
        if order.asked.get("delivery") == "uri":
            video["uri"] = self.video_url(order)
        else:
            video["data"] = base64.b64encode(self.video(order)).decode()
        return self._interaction(order, "completed", steps=[{"type": "model_output", "content": [video]}])


def check_fields(body: dict[str, Any], known: set[str]) -> None:
    for name in body:
        if name not in known:
            raise ApiError(400, f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.')


def decode_base64(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except ValueError:
        raise ApiError(400, "The image is not base64.") from None
