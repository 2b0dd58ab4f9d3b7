"""A server of the user as a model, by a small JSON contract: docs/models/any_model.md.

POST {prompt, image, seed, seconds, question_id, sample} -> the video itself, or {video}, or {video_url}, or {id}.
With an id, GET URL/ID is called until its answer has a video or an error. What such a server does counts as free: a
request whose answer was lost is sent again by the next call.
"""

from __future__ import annotations

import base64
import binascii
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

from vmevalkit.core.errors import ModelError, SetupError, StoreError, Throttled
from vmevalkit.core.records import Request
from vmevalkit.core.settings import setting
from vmevalkit.media.image import decode_image, encode_png, read_image_bytes
from vmevalkit.media.image_header import PNG_SIGNATURE
from vmevalkit.models._download import make_size_error
from vmevalkit.models._errors import DOWNLOAD, POLL, SUBMIT, ErrorMapper, ErrorResponse, was_never_sent
from vmevalkit.models._program import TIMEOUT, read_timeout_s
from vmevalkit.models._request_params import CONNECT_TIMEOUT_S
from vmevalkit.models.local_params import choose_seed
from vmevalkit.models.model import ModelSpec

KEY = "VMEVALKIT_HTTP_KEY"
POLL_EVERY_S = 1.0
ATTEMPTS = 6
LONGEST_PAUSE_S = 60.0
VIDEO_LIMIT_BYTES = 1 << 30
PENDING = ("pending", "queued", "running", "processing")


class HttpVideos:
    """Adapter for a server that follows the contract. The setting VMEVALKIT_HTTP_KEY is sent as a bearer token."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec
        self._url = spec.vendor_id.rstrip("/")
        self._errors = ErrorMapper(spec, KEY)

    def generate(self, request: Request, into: Path) -> None:
        import httpx

        self.spec.validate(request)
        limit_s = read_timeout_s()
        deadline = time.monotonic() + limit_s
        timeout = httpx.Timeout(limit_s, connect=CONNECT_TIMEOUT_S)
        with httpx.Client(timeout=timeout) as client:
            answer = self._call(client, "POST", self._url, SUBMIT, into, self._build_body(request))
            while answer is not None:
                answer = self._read_answer(client, answer, into)
                if answer is None:
                    return
                if time.monotonic() > deadline:
                    raise ModelError(f"{self.spec.name} had no video after {limit_s:g} s; raise {TIMEOUT}")
                time.sleep(float(self.spec.options.get("poll_every_s", POLL_EVERY_S)))
                url = f"{self._url}/{quote(str(answer['id']), safe='')}"
                answer = self._with_id(self._call(client, "GET", url, POLL, into), answer["id"])

    def _build_body(self, request: Request) -> dict[str, Any]:
        image = read_image_bytes(request.first_frame)
        if not image.startswith(PNG_SIGNATURE):
            image = encode_png(decode_image(image, request.first_frame))
        return {
            "prompt": request.prompt,
            "image": base64.b64encode(image).decode("ascii"),
            "seed": choose_seed(self.spec, request),
            "seconds": request.seconds,
            "question_id": request.question_id,
            "sample": request.sample,
        }

    def _read_answer(self, client: Any, answer: Mapping[str, Any], into: Path) -> Mapping[str, Any] | None:
        """Save the video of an answer and return None; return the answer where there is only an id yet."""
        if answer.get("error"):
            raise ModelError(self._errors.sanitize(f"{self.spec.name} failed: {answer['error']}"))
        if isinstance(answer.get("video"), str):
            try:
                _save(into, [base64.b64decode(answer["video"], validate=True)], self.spec.name)
            except binascii.Error as error:
                raise ModelError(f"the video in the answer of {self.spec.name} is not base64 ({error})") from None
            return None
        if isinstance(answer.get("video_url"), str):
            self._call(client, "GET", urljoin(f"{self._url}/", answer["video_url"]), DOWNLOAD, into)
            return None
        if answer.get("id") is None or answer.get("status", "pending") not in PENDING:
            raise ModelError(
                f"the answer of {self.spec.name} has neither video, video_url, error nor an id with a status of "
                f"{', '.join(PENDING)}; it has {', '.join(sorted(map(str, answer))) or 'nothing'}"
            )
        return answer

    @staticmethod
    def _with_id(answer: Mapping[str, Any] | None, job_id: Any) -> Mapping[str, Any] | None:
        return None if answer is None else {**answer, "id": job_id}

    def _call(
        self, client: Any, method: str, url: str, action: str, into: Path, body: Mapping[str, Any] | None = None
    ) -> Mapping[str, Any] | None:
        """Make a call, again while the server is busy or starting. Returns its JSON; None where the answer was the
        video, which is then saved."""
        attempt = 1
        while True:
            try:
                return self._call_once(client, method, url, action, into, body)
            except Throttled as error:
                pause = error.retry_after_s
                if attempt == ATTEMPTS:
                    raise
            except ModelError as error:
                pause = None
                if not was_never_sent(error):
                    raise
                if attempt == ATTEMPTS:
                    raise SetupError(f"{error}; start the server, or check the address {self._url}") from None
            time.sleep(min(2.0 ** (attempt - 2) if pause is None else pause, LONGEST_PAUSE_S))
            attempt += 1

    def _call_once(
        self, client: Any, method: str, url: str, action: str, into: Path, body: Mapping[str, Any] | None
    ) -> Mapping[str, Any] | None:
        with (
            self._errors.map_errors(action),
            client.stream(method, url, json=body, headers=self._headers(url)) as response,
        ):
            if response.status_code >= 300:
                response.read()
                self._raise_for_status(response, action)
            kind = response.headers.get("content-type", "")
            if kind.startswith("video/") or action == DOWNLOAD:
                _save(into, response.iter_bytes(), self.spec.name)
                return None
            response.read()
            answer = response.json()
            if not isinstance(answer, Mapping):
                raise self._errors.map_unreadable_response(action)
            return answer

    def _raise_for_status(self, response: Any, action: str) -> None:
        error = ErrorResponse.parse(response.status_code, response.headers, response.text)
        if error.status in (401, 403):
            raise SetupError(str(self._errors.map_response(error, action)))
        if error.status in (429, 503):
            busy = f"the server of {self.spec.name} is busy ({error.status}): {self._errors.sanitize(error.message)}"
            raise Throttled(busy, error.retry_after_s)
        if error.status < 400:
            raise ModelError(f"{self._url} redirects to another address; name that one")
        raise self._errors.map_response(error, action)

    def _headers(self, url: str) -> dict[str, str]:
        """Return the key for the server itself; a video elsewhere is fetched without it."""
        key, ours, theirs = setting(KEY), urlsplit(self._url), urlsplit(url)
        is_ours = (ours.scheme, ours.netloc) == (theirs.scheme, theirs.netloc)
        return {"Authorization": f"Bearer {key}"} if key and is_ours else {}


def _save(into: Path, chunks: Any, name: str) -> None:
    """Write a video as it arrives. A file that is too large or incomplete is removed."""
    written = 0
    try:
        with into.open("wb") as file:
            for chunk in chunks:
                written += len(chunk)
                if written > VIDEO_LIMIT_BYTES:
                    raise make_size_error(name, VIDEO_LIMIT_BYTES)
                file.write(chunk)
    except OSError as error:
        into.unlink(missing_ok=True)
        raise StoreError(f"cannot write the video of {name} at {into}: {error.strerror}; free some space") from error
    except BaseException:
        into.unlink(missing_ok=True)
        raise
