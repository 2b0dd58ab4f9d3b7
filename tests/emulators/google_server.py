"""Google's two video APIs: Veo on Vertex AI, with the server that gives out tokens, and Gemini Interactions."""

from __future__ import annotations

import base64
import json
import re
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from emulators.server import CANARY, Answer, Call, Emulator, Kind, Order, Wrong, bearer, picture_of
from emulators.typed import check

PROJECT, LOCATION = "film-studio", "us-central1"
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
        said = {"code": status, "message": message, "status": names.get(status, "INTERNAL")}
        return Answer(status, {"error": said})


class VertexEmulator(_Google):
    """Takes the token that its own token server gives for a signed assertion."""

    bucket: str | None = None
    """Where films are put, for a project that has them delivered to a bucket."""

    def settings(self) -> dict[str, str]:
        return {
            "GOOGLE_CLOUD_PROJECT": PROJECT,
            "GOOGLE_CLOUD_LOCATION": LOCATION,
            "GOOGLE_VERTEX_BASE_URL": self.url,
        }

    def service_account(self, path: Path) -> Path:
        """A key file for a service account of this emulator."""
        account = {
            "type": "service_account",
            "project_id": PROJECT,
            "private_key_id": "1",
            "private_key": _private_key(),
            "client_email": f"films@{PROJECT}.iam.gserviceaccount.com",
            "token_uri": f"{self.url}/token",
        }
        path.write_text(json.dumps(account), "utf-8")
        return path

    def kind(self, call: Call) -> Kind:
        if call.path.endswith(":predictLongRunning"):
            return "create"
        return "poll" if call.path.endswith(":fetchPredictOperation") else "other"

    def refusal(self) -> Answer:
        return self.error(400, "The prompt could not be submitted: it violates our usage guidelines.")

    def respond(self, call: Call) -> Answer:
        if call.path == "/token":
            return self._token(call)
        bearer(call, TOKEN)
        home = f"/v1beta1/projects/{PROJECT}/locations/{LOCATION}/publishers/google/models/"
        found = re.fullmatch(re.escape(home) + r"([\w.-]+):(predictLongRunning|fetchPredictOperation)", call.path)
        if call.method != "POST" or not found:
            raise Wrong(404, f"{call.path} was not found")
        if found[2] == "predictLongRunning":
            return Answer(200, {"name": self._create(found[1], call).id})
        return Answer(200, self._state(*self.asked_after(str(call.json.get("operationName")))))

    def _token(self, call: Call) -> Answer:
        asked = parse_qs(call.body.decode())
        if asked.get("grant_type") != ["urn:ietf:params:oauth:grant-type:jwt-bearer"] or "assertion" not in asked:
            return Answer(400, {"error": "invalid_grant", "error_description": "Invalid grant."})
        return Answer(200, {"access_token": TOKEN, "expires_in": 3600, "token_type": "Bearer"})

    def _create(self, model: str, call: Call) -> Order:
        body = call.json
        only(body, {"instances", "parameters"})
        (instance,) = body.get("instances") or [{}]
        only(instance, {"prompt", "image"})
        image = instance.get("image") or {}
        only(image, {"bytesBase64Encoded", "mimeType"})
        picture = picture_of(unbase64(image.get("bytesBase64Encoded", "")), image.get("mimeType", ""), "image")
        asked = body.get("parameters") or {}
        only(asked, {"sampleCount", "durationSeconds", "seed", "aspectRatio", "resolution", "negativePrompt",
                     "enhancePrompt", "generateAudio"})  # fmt: skip
        if asked.get("sampleCount") not in (1, 2, 3, 4):
            raise Wrong(400, "sampleCount must be between 1 and 4.")
        if asked.get("durationSeconds") not in DURATIONS[model[:5]]:
            raise Wrong(400, f"Unsupported output video duration {asked.get('durationSeconds')} seconds.")
        if asked.get("aspectRatio") not in ("16:9", "9:16"):
            raise Wrong(400, f"Unsupported aspect ratio: {asked.get('aspectRatio')}.")
        if asked.get("resolution") not in (("720p",) if model.startswith("veo-2") else ("720p", "1080p")):
            raise Wrong(400, f"Unsupported resolution: {asked.get('resolution')}.")
        if model.startswith("veo-2") and "generateAudio" in asked:
            raise Wrong(400, "generateAudio is not supported by this model.")
        if "seed" in asked and not 0 <= asked["seed"] < 2**32:
            raise Wrong(400, "seed must be an unsigned 32-bit integer.")
        home = call.path.removeprefix("/v1beta1/").removesuffix(":predictLongRunning")
        return self.take(
            f"{home}/operations/", {**asked, "prompt": instance.get("prompt"), "model": model}, picture, call
        )

    def _state(self, order: Order, ended: bool) -> dict[str, Any]:
        if not ended:
            return {"name": order.id}
        done = {"name": order.id, "done": True}
        match order.outcome:
            case "moderated":
                reason = "The film was filtered out because it violated Vertex AI's usage guidelines."
                return {**done, "response": {"raiMediaFilteredCount": 1, "raiMediaFilteredReasons": [reason]}}
            case "broken":
                return {**done, "error": {"code": 13, "message": "Internal error while making the film."}}
        if self.bucket is not None:
            film = {"gcsUri": f"{self.bucket}/sample_0.mp4", "mimeType": "video/mp4"}
            return {**done, "response": {"raiMediaFilteredCount": 0, "videos": [film]}}
        film = {"bytesBase64Encoded": base64.b64encode(self.film(order)).decode(), "mimeType": "video/mp4"}
        return {**done, "response": {"raiMediaFilteredCount": 0, "videos": [film]}}


class GeminiEmulator(_Google):
    """The Interactions of the Gemini API; ``delivery`` decides whether the film comes inside the answer."""

    def settings(self) -> dict[str, str]:
        return {"GEMINI_API_KEY": CANARY, "GOOGLE_GEMINI_BASE_URL": self.url}

    def kind(self, call: Call) -> Kind:
        if call.method == "POST":
            return "create"
        return "fetch" if call.path.startswith("/films/") else "poll"

    def refusal(self) -> Answer:
        return self.error(400, "The request was blocked: PROHIBITED_CONTENT.")

    def respond(self, call: Call) -> Answer:
        if call.path.startswith("/films/") and call.headers.get("x-goog-api-key") == CANARY:
            return self.send_film(Call(call.method, call.path, call.query, {}, b""))
        if call.headers.get("x-goog-api-key") != CANARY:
            raise Wrong(401, f"API key not valid: {call.headers.get('x-goog-api-key')}")
        match call.method, re.fullmatch(r"/v1(?:beta)?/interactions(?:/([\w-]+))?", call.path):
            case "POST", found if found and not found[1]:
                return Answer(200, self._interaction(self._create(call), "in_progress"))
            case "GET", found if found and found[1]:
                return Answer(200, self._state(*self.asked_after(found[1])))
        raise Wrong(404, f"{call.path} was not found")

    def _create(self, call: Call) -> Order:
        from google.genai import interactions

        body = call.json
        check(interactions.CreateModelInteractionParam, {**body, "input": []})
        if body["model"] != "gemini-omni-1.2-flash" or not body.get("background"):
            raise Wrong(400, f"The model {body['model']} makes no films, or not in the foreground.")
        asked = body.get("response_format") or {}
        check(interactions.VideoResponseFormatParam, asked)
        if not re.fullmatch(r"([3-9]|10)s", asked.get("duration", "")):
            raise Wrong(400, f"Unsupported duration: {asked.get('duration')}.")
        if (body.get("generation_config") or {}).get("video_config") != {"task": "image_to_video"}:
            raise Wrong(400, "Unsupported task.")
        (turn,) = body.get("input") or [{}]
        only(turn, {"type", "content"})
        text, image = turn.get("content") or [{}, {}]
        only(text, {"type", "text"})
        only(image, {"type", "mime_type", "data"})
        if not text.get("text"):
            raise Wrong(400, "The prompt is empty.")
        picture = picture_of(unbase64(image.get("data", "")), image.get("mime_type", ""), "input")
        settings = {**body.get("generation_config", {}), "prompt": text["text"], "model": body["model"]}
        return self.take("v1_interaction_", {**asked, **settings}, picture, call)

    def _interaction(self, order: Order, status: str, **more: Any) -> dict[str, Any]:
        return {"id": order.id, "object": "interaction", "status": status, "model": order.asked["model"], **more}

    def _state(self, order: Order, ended: bool) -> dict[str, Any]:
        if not ended:
            return self._interaction(order, "in_progress")
        match order.outcome:
            case "moderated":
                error = {"code": "safety", "message": "The film was blocked for safety reasons."}
                return self._interaction(order, "failed", errors=[error])
            case "broken":
                return self._interaction(order, "failed", errors=[{"code": "internal", "message": "It went wrong."}])
        film: dict[str, Any] = {"type": "video", "mime_type": "video/mp4"}
        if order.asked.get("delivery") == "uri":
            film["uri"] = self.film_url(order)
        else:
            film["data"] = base64.b64encode(self.film(order)).decode()
        return self._interaction(order, "completed", steps=[{"type": "model_output", "content": [film]}])


def only(body: dict[str, Any], known: set[str]) -> None:
    for name in body:
        if name not in known:
            raise Wrong(400, f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.')


def unbase64(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except ValueError:
        raise Wrong(400, "The image is not base64.") from None
