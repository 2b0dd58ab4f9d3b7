"""Rewards over HTTP, for trainers on other machines: ``POST /rewards`` with a batch of videos, ``GET /health``.

A batch is a multipart form: a field ``request``, JSON with ``question_ids`` and ``fps`` (one for each video or one for
all), and a file ``videos`` for each video, a video file or an array in the npy format. ``POST /compute`` answers the
remote reward model of Flow-Factory.
"""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vmevalkit import __version__
from vmevalkit.core.errors import MediaError, SetupError, UsageError
from vmevalkit.reward.adapters.flow_factory import parse_compute
from vmevalkit.reward.payloads import NPY_MAGIC, parse_npy
from vmevalkit.reward.records import RewardBatch, RewardParts
from vmevalkit.reward.reward_function import RewardFunction

try:
    from fastapi import FastAPI, HTTPException, Request
    from fastapi.responses import JSONResponse
    from starlette.datastructures import UploadFile
except ImportError as error:
    raise SetupError("the reward service needs FastAPI: pip install 'vmevalkit[serve]'") from error

LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")
RETRY_AFTER_S = 2
FLOW_FACTORY_FPS = 16.0
"""Frames a second of videos that come without a rate."""
_MAX_FIELD_BYTES = 1 << 20

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """What one client may ask for."""

    batch: int = 64
    """Videos of a request."""
    body_bytes: int = 2_000_000_000
    """Bytes of a request."""
    waiting: int = 16
    """Requests that are received, wait or are scored. A further one gets 429, before its body is read."""
    receive_s: float = 120.0
    """Seconds in which a request must have arrived."""


def check_address(host: str, token: str | None) -> None:
    """Raise UsageError where the service would be open to other machines without a token."""
    if host not in LOCAL_HOSTS and not token:
        raise UsageError(
            f"the service would be open to other machines at {host}; set a token (VMEVALKIT_REWARD_TOKEN), or use "
            f"{LOCAL_HOSTS[0]}"
        )


def make_app(reward: RewardFunction, *, token: str | None = None, limits: ServiceLimits | None = None) -> FastAPI:
    """Return the service as an ASGI application. It closes the reward function when it ends."""
    limits = limits or ServiceLimits()
    scoring = _ScoringLoop(reward)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        task = asyncio.create_task(scoring.run())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            await asyncio.to_thread(reward.close)

    app = FastAPI(title="vmevalkit rewards", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None)
    gate = _Gate(token, limits)

    async def health() -> dict[str, Any]:
        return {
            "status": "ok", "version": __version__, "questions": len(reward.questions), "shaping": reward.shaping,
            "requests": gate.requests, "limit": limits.waiting,
        }  # fmt: skip

    async def rewards(request: Request) -> JSONResponse:
        async with request.form(max_files=limits.batch, max_fields=4, max_part_size=_MAX_FIELD_BYTES) as form:
            uploads = [each for each in form.getlist("videos") if isinstance(each, UploadFile)]
            names, rates = _parse_request(form.get("request"), len(uploads), reward)
            with TemporaryDirectory(prefix="vmevalkit-reward-") as folder:
                videos = [await _read_video(upload, Path(folder) / str(n)) for n, upload in enumerate(uploads)]
                batch = await scoring.score(videos, names, rates)
        return JSONResponse(batch.to_json())

    async def compute(request: Request) -> JSONResponse:
        videos, names = await asyncio.to_thread(_parse_compute, reward, await request.body())
        if len(videos) > limits.batch:
            raise UsageError(f"a request may have {limits.batch} videos, and this one has {len(videos)}")
        batch = await scoring.score(videos, names, [FLOW_FACTORY_FPS] * len(videos))
        return JSONResponse({"rewards": batch.rewards})

    async def explain(_: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, 422)

    app.add_api_route("/health", health, methods=["GET"])
    app.add_api_route("/rewards", rewards, methods=["POST"])
    app.add_api_route("/compute", compute, methods=["POST"])
    app.add_exception_handler(UsageError, explain)
    app.add_middleware(_GateMiddleware, gate=gate)
    return app


def _parse_compute(reward: RewardFunction, body: bytes) -> tuple[list[Any], list[str]]:
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError):
        raise UsageError("the request is not JSON") from None
    return parse_compute(reward, payload)


def _parse_request(text: Any, count: int, reward: RewardFunction) -> tuple[list[str], list[float]]:
    """Return a question id and a frame rate for each video."""
    if not count:
        raise UsageError("the request has no video; send each as a file named 'videos'")
    try:
        data = json.loads(text)
        names, rates = data["question_ids"], data.get("fps", 24.0)
    except (TypeError, ValueError, KeyError, AttributeError, RecursionError):
        raise UsageError(
            "the field 'request' is not JSON with 'question_ids'; send {\"question_ids\": [...], \"fps\": 24}"
        ) from None
    names = [names] * count if isinstance(names, str) else names
    rates = [rates] * count if isinstance(rates, int | float) else rates
    for values, kind, what in ((names, str, "question_ids"), (rates, int | float, "fps")):
        if not isinstance(values, list) or len(values) != count:
            raise UsageError(f"{what} must be one value, or a list with one for each of the {count} videos")
        if not all(isinstance(value, kind) and not isinstance(value, bool) for value in values):
            raise UsageError(f"{what} holds a value of another type")
    for name in names:
        reward.find_question(name)
    if not all(isfinite(rate) and rate > 0 for rate in rates):
        raise UsageError("fps must be numbers above 0")
    return names, [float(rate) for rate in rates]


async def _read_video(upload: UploadFile, path: Path) -> Any:
    """Return an array, the path of a file, or what is wrong with a video: it costs that video alone."""
    head = await upload.read(len(NPY_MAGIC))
    await upload.seek(0)
    if head == NPY_MAGIC:
        try:
            return parse_npy(await upload.read())
        except MediaError as error:
            return error
    with path.open("wb") as file:
        while piece := await upload.read(1 << 20):
            file.write(piece)
    return path


@dataclass(frozen=True, slots=True)
class _Waiting:
    videos: list[Any]
    names: list[str]
    rates: list[float]
    result: asyncio.Future[tuple[RewardParts, ...]]


class _ScoringLoop:
    """Scores requests in a thread. Those that arrive meanwhile are scored together, by all workers."""

    def __init__(self, reward: RewardFunction) -> None:
        self._reward = reward
        self._queue: asyncio.Queue[_Waiting] = asyncio.Queue()

    async def score(self, videos: list[Any], names: list[str], rates: list[float]) -> RewardBatch:
        """Return the rewards of one request."""
        waiting = _Waiting(videos, names, rates, asyncio.get_running_loop().create_future())
        self._queue.put_nowait(waiting)
        return RewardBatch(await waiting.result)

    async def run(self) -> None:
        """Score until cancelled."""
        while True:
            requests = [await self._queue.get()]
            while not self._queue.empty():
                requests.append(self._queue.get_nowait())
            requests = [each for each in requests if not each.result.done()]  # a client may have gone
            videos, names, rates = ([one for each in requests for one in getattr(each, part)] for part in _PARTS)
            try:
                parts = (await asyncio.to_thread(self._reward, videos, names, rates)).parts
            except Exception as error:  # noqa: BLE001  - whatever fails here, the next requests are scored
                for each in requests:
                    if not each.result.done():
                        each.result.set_exception(
                            HTTPException(500, f"scoring failed: {type(error).__name__}: {error}")
                        )
                continue
            start = 0
            for each in requests:
                if not each.result.done():
                    each.result.set_result(parts[start : start + len(each.videos)])
                start += len(each.videos)


_PARTS = ("videos", "names", "rates")


class _Gate:
    """Lets requests in: by token, number, size and time."""

    def __init__(self, token: str | None, limits: ServiceLimits) -> None:
        self.token, self.limits, self.requests = token, limits, 0

    def refuse(self, headers: dict[bytes, bytes]) -> tuple[int, str] | None:
        """Return status and reason for a request that is not let in."""
        expected = f"Bearer {self.token}".encode()
        if self.token is not None and not hmac.compare_digest(headers.get(b"authorization", b""), expected):
            return 401, "the token is missing or wrong; send the header 'Authorization: Bearer TOKEN'"
        if self.requests >= self.limits.waiting:
            return 429, f"{self.requests} requests are waiting; send it again after {RETRY_AFTER_S} s"
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > self.limits.body_bytes:
            return 413, self.explain_size()
        return None

    def explain_size(self) -> str:
        return f"a request may have {self.limits.body_bytes:,} bytes; send fewer videos at once, or video files"


class _GateMiddleware:
    """Applies a gate before anything of a request's body is read."""

    def __init__(self, app: Any, gate: _Gate) -> None:
        self._app, self._gate = app, gate

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] == "/health":
            await self._app(scope, receive, send)
            return
        refused = self._gate.refuse(dict(scope["headers"]))
        if refused is not None:
            await _send_error(send, scope, *refused)
            return
        self._gate.requests += 1
        try:
            await self._pass_on(scope, receive, send)
        finally:
            self._gate.requests -= 1

    async def _pass_on(self, scope: Any, receive: Receive, send: Send) -> None:
        gate, received, is_answered = self._gate, 0, False
        deadline = asyncio.get_running_loop().time() + gate.limits.receive_s
        is_received = False

        async def receive_limited() -> Message:
            nonlocal received, is_received
            if is_received:
                return await receive()
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError:
                raise _Refusal(408, f"the request did not arrive within {gate.limits.receive_s:g} s") from None
            received += len(message.get("body", b""))
            if received > gate.limits.body_bytes:
                raise _Refusal(413, gate.explain_size())
            is_received = not message.get("more_body", False)
            return message

        async def send_noted(message: Message) -> None:
            nonlocal is_answered
            is_answered = True
            await send(message)

        try:
            await self._app(scope, receive_limited, send_noted)
        except _Refusal as refusal:
            if not is_answered:
                await _send_error(send, scope, refusal.status, refusal.reason)


class _Refusal(Exception):
    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


async def _send_error(send: Send, scope: Any, status: int, reason: str) -> None:
    headers = {"connection": "close"} | ({"retry-after": str(RETRY_AFTER_S)} if status == 429 else {})
    response = JSONResponse({"detail": reason}, status, headers)
    await response(scope, _receive_nothing, send)


async def _receive_nothing() -> Message:
    return {"type": "http.disconnect"}


def run_app(app: FastAPI, host: str, port: int) -> None:
    """Serve the application until an interrupt."""
    try:
        import uvicorn
    except ImportError as error:
        raise SetupError("the reward service needs uvicorn: pip install 'vmevalkit[serve]'") from error
    uvicorn.run(app, host=host, port=port, log_level="warning", timeout_keep_alive=30)
