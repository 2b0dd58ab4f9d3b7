"""A local HTTP server that emulates a provider: strict, and with a setting for every kind of failure.

An emulator answers as its provider documents, rejects what the provider would reject, and counts the jobs that it
created. ``faults`` lists the failures of the next calls:

throttle    429 with Retry-After                 fail        500
stall       no response                          drop        the connection breaks, but the job was created
garbage     an unreadable response               moderate    the content policy refuses a request or a video
break       the job fails                        expired     the video's URL has expired; the next poll has a new one
truncated   half of the video                    not_video   an HTML page instead of the video
redirect    302 to a page that does not exist    odd_type    a proper answer with a wrong content type
reset       the connection breaks in mid-body    drip        a proper answer, a few bytes at a time
flood       10 MB of garbage                     busy        429 without Retry-After; busy_odd: with an odd one
"""

from __future__ import annotations

import json
import socket
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.core.errors import MediaError
from vmevalkit.models.input_image import detect_mime

Kind = Literal["create", "poll", "fetch", "other"]
CANARY = "canary-key-5f0e1c7b9a"
"""The key that the emulators accept. No file or log may contain it afterwards."""
RETRY_AFTER_SECONDS = 7
VIDEO = b"\x00\x00\x00\x18ftypmp42 no video, but the bytes of one" * 64


@dataclass
class Faults:
    """The failures of the next calls of each kind; None means no failure."""

    create: list[str | None] = field(default_factory=list)
    poll: list[str | None] = field(default_factory=list)
    fetch: list[str | None] = field(default_factory=list)

    def next(self, kind: Kind) -> str | None:
        planned: list[str | None] = getattr(self, kind, [])
        return planned.pop(0) if planned else None


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    """By lower-case name."""
    body: bytes

    @property
    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError:
            raise ApiError(400, "The body is not JSON.") from None


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any = b""
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None
    """The content length to announce, if not the true one."""
    pause_s: float = 0.0
    """The pause after every 16 bytes of the body."""


class ApiError(Exception):
    """The provider refuses the call."""

    def __init__(self, status: int, message: str, param: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.param, self.code = status, message, param, code


@dataclass
class Order:
    """A job of the emulated provider."""

    id: str
    asked: dict[str, Any]
    image: NDArray[np.uint8]
    created: float
    headers: dict[str, str]
    polls: int = 0
    outcome: Literal["video", "moderated", "broken"] = "video"
    signature: int = 0
    """Part of the video's URL; it changes when a URL expires."""


class _Broken(Exception):
    """The connection is cut without an answer."""


class _Server(ThreadingHTTPServer):
    """Knows which connections are open."""

    daemon_threads = True

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self._open: set[Any] = set()
        self._changed = threading.Condition()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._changed:
            self._open.add(client_address)
            self._changed.notify_all()
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._changed:
                self._open.discard(client_address)
                self._changed.notify_all()

    def wait_until_idle(self) -> None:
        """Return when all connections that clients have opened so far are served to their ends."""
        with socket.create_connection(self.server_address[:2]) as last, self._changed:
            # Connections are accepted in order: with this one, all earlier ones are.
            assert self._changed.wait_for(lambda: last.getsockname() in self._open, timeout=60)
        with self._changed:
            assert self._changed.wait_for(lambda: not self._open, timeout=60), f"open connections: {self._open}"


class Emulator:
    """The part that all emulators share. Use it as a context manager: ``with OpenAIEmulator() as provider``."""

    retry_after_s = RETRY_AFTER_SECONDS
    polls_needed = 1
    """Polls that a job needs before it is finished."""

    def __init__(self) -> None:
        self.faults = Faults()
        self.orders: dict[str, Order] = {}
        self.video: Callable[[Order], bytes] = lambda _: VIDEO
        self.calls: list[Call] = []
        self.leaked_keys: list[str] = []
        """Paths of calls that sent a key to a URL that needs none."""
        self.bugs: list[str] = []
        """Unexpected errors of the emulator itself: a test must not mistake them for a provider's failure."""
        self._lock = threading.Lock()
        self._closing = threading.Event()

    @property
    def creates(self) -> int:
        return len(self.orders)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def wait_until_idle(self) -> None:
        """Return when all that clients have sent has taken effect. The clients have ended: what one that was killed
        had sent may be read only afterwards."""
        self._server.wait_until_idle()

    def settings(self) -> dict[str, str]:
        """Return the settings that point an adapter to this emulator, with the key."""
        raise NotImplementedError

    def kind(self, call: Call) -> Kind:
        raise NotImplementedError

    def respond(self, call: Call) -> Answer:
        raise NotImplementedError

    def error(self, status: int, message: str, param: str | None = None, code: str | None = None) -> Answer:
        """Return the provider's own error body."""
        raise NotImplementedError

    def make_refusal(self) -> Answer:
        """Return the response for a request that the content policy refuses."""
        raise NotImplementedError

    def answer(self, call: Call) -> Answer:
        kind = self.kind(call)
        with self._lock:
            self.calls.append(call)
            fault = self.faults.next(kind)
        match fault:
            case "throttle":
                refused = self.error(429, "Too many requests.", code="rate_limit_exceeded")
                return Answer(429, refused.body, {"retry-after": str(self.retry_after_s)})
            case "fail":
                return self.error(500, "Something went wrong on our side.", code="server_error")
            case "stall":
                self._closing.wait(30)
                raise _Broken
            case "moderate" if kind == "create":
                return self.make_refusal()
            case "moderate" | "break":
                self._order_of(call).outcome = "moderated" if fault == "moderate" else "broken"
            case "expired":
                self._order_of(call).signature += 1
            case "drop" | "garbage":
                self._respond(call)
                if fault == "drop":
                    raise _Broken
                return Answer(200, b"<html>it works</html>")
            case "busy" | "busy_odd":
                refused = self.error(429, "Too many requests.", code="rate_limit_exceeded")
                return Answer(429, refused.body, {"retry-after": "soon; nan"} if fault == "busy_odd" else {})
            case "redirect":
                return Answer(302, b"", {"location": f"{self.url}/no/such/page"})
            case "flood":
                return Answer(200, b"\x00<garbage>" * 1_000_000, {"content-type": "application/json"})
            case "odd_type" | "drip" | "reset":
                whole = self._respond(call)
                body = whole.body if isinstance(whole.body, bytes) else json.dumps(whole.body).encode()
                if fault == "reset":
                    return Answer(whole.status, body[: len(body) // 2], whole.headers, len(body))
                kind = "text/plain; charset=broken" if fault == "odd_type" else "application/json"
                headers = {**whole.headers, "content-type": kind}
                return Answer(whole.status, body, headers, pause_s=0.005 if fault == "drip" else 0.0)
            case "not_video":
                return Answer(200, b"<html>no video here</html>", {"content-type": "video/mp4"})
            case "truncated":
                whole = self._respond(call)
                return Answer(200, whole.body[: len(whole.body) // 2], whole.headers, len(whole.body))
        return self._respond(call)

    @property
    def last_create(self) -> Call:
        """The last submit request, accepted or not."""
        return next(call for call in reversed(self.calls) if self.kind(call) == "create")

    def _respond(self, call: Call) -> Answer:
        try:
            return self.respond(call)
        except ApiError as wrong:
            return self.error(wrong.status, wrong.message, wrong.param, wrong.code)
        except Exception:
            self.bugs.append(traceback.format_exc())
            raise

    def _order_of(self, call: Call) -> Order:
        text = " ".join((call.path, *call.query.values(), call.body.decode("latin")))
        return next(order for name, order in self.orders.items() if name in text)

    def add_order(self, name: str, asked: dict[str, Any], image: NDArray[np.uint8], call: Call) -> Order:
        with self._lock:
            order = Order(f"{name}{len(self.orders):06d}", asked, image, time.time(), call.headers)
            self.orders[order.id] = order
        return order

    def find_order(self, name: str) -> Order:
        if name not in self.orders:
            raise ApiError(404, f"There is no job {name}.")
        return self.orders[name]

    def poll_job(self, name: str) -> tuple[Order, bool]:
        """Return the job and whether it has ended."""
        order = self.find_order(name)
        order.polls += 1
        return order, order.polls > self.polls_needed

    def video_url(self, order: Order) -> str:
        return f"{self.url}/videos/{order.id}.mp4?signature={order.signature}"

    def send_video(self, call: Call) -> Answer:
        """Return a video by its URL. The URL is enough: a key must not be sent here."""
        if "authorization" in call.headers or "x-goog-api-key" in call.headers:
            self.leaked_keys.append(call.path)
        order = self.find_order(call.path.split("/")[-1].removesuffix(".mp4"))
        if call.query.get("signature") != str(order.signature):
            return Answer(403, b"<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>")
        return Answer(200, self.video(order), {"content-type": "video/mp4"})

    def __enter__(self) -> Any:
        emulator = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one_request(self) -> None:
                try:
                    super().handle_one_request()
                except (ConnectionError, _Broken):
                    self.close_connection = True

            def do_GET(self) -> None:
                length = int(self.headers.get("content-length", 0))
                url = urlsplit(self.path)
                query = {name: values[0] for name, values in parse_qs(url.query, keep_blank_values=True).items()}
                headers = {name.lower(): value for name, value in self.headers.items()}
                call = Call(self.command, url.path, query, headers, self.rfile.read(length))
                self._send(emulator.answer(call))

            do_POST = do_PUT = do_GET

            def _send(self, answer: Answer) -> None:
                body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
                kind = {} if isinstance(answer.body, bytes) else {"content-type": "application/json"}
                self.send_response(answer.status)
                for name, value in {**kind, **answer.headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body) if answer.length is None else answer.length))
                self.end_headers()
                step = 16 if answer.pause_s else max(1, len(body))
                for start in range(0, len(body), step):
                    self.wfile.write(body[start : start + step])
                    time.sleep(answer.pause_s)
                if answer.length is not None:
                    self.close_connection = True

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = _Server(Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def check_bearer(call: Call, key: str = CANARY) -> None:
    if call.headers.get("authorization") != f"Bearer {key}":
        raise ApiError(401, f"Incorrect API key provided: {call.headers.get('authorization')}", code="invalid_api_key")


def decode_image(data: bytes, mime: str, param: str) -> NDArray[np.uint8]:
    """Return the image as RGB. Raises ApiError where it is not an image, or not of the given MIME type."""
    try:
        actual = detect_mime(data)
    except MediaError:
        raise ApiError(400, "The image format is not supported.", param) from None
    if actual != mime:
        raise ApiError(400, f"The image is {actual} and not {mime}.", param)
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if image is None:
        raise ApiError(400, "The image cannot be decoded.", param)
    return np.asarray(image[..., ::-1], np.uint8)


@contextmanager
def closed_port() -> Iterator[str]:
    """Yield a URL at which no server listens."""
    import socket

    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"
