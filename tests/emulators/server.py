"""A provider's HTTP server on this machine: strict, and with a knob for everything that can go wrong.

An emulator answers as its provider documents, takes nothing that the provider would not, and counts the orders that it
took. What goes wrong is written beforehand into ``faults``, call by call:

throttle    429 with Retry-After                 fail        500
stall       no answer                            drop        the connection breaks; an order was taken all the same
garbage     an answer that is none               moderate    the content policy says no, to an order or to a film
break       the job fails                        expired     the film's address has ended; the next poll has another
truncated   half of the film                     not_video   a page instead of the film
"""

from __future__ import annotations

import json
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
from vmevalkit.models.preparing import mime_of

Kind = Literal["create", "poll", "fetch", "other"]
CANARY = "canary-key-5f0e1c7b9a"
"""The key that the emulators take. It must be found nowhere afterwards."""
RETRY_AFTER_SECONDS = 7
FILM = b"\x00\x00\x00\x18ftypmp42 no film, but the bytes of one" * 64


@dataclass
class Faults:
    """What goes wrong with the next calls of each kind; None lets one pass."""

    create: list[str | None] = field(default_factory=list)
    poll: list[str | None] = field(default_factory=list)
    fetch: list[str | None] = field(default_factory=list)

    def next(self, kind: Kind) -> str | None:
        waiting: list[str | None] = getattr(self, kind, [])
        return waiting.pop(0) if waiting else None


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
            raise Wrong(400, "The body is not JSON.") from None


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any = b""
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None
    """Said instead of the true one."""


class Wrong(Exception):
    """The provider refuses the call."""

    def __init__(self, status: int, message: str, param: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.param, self.code = status, message, param, code


@dataclass
class Order:
    """A job, as the provider keeps it."""

    id: str
    asked: dict[str, Any]
    picture: NDArray[np.uint8]
    created: float
    headers: dict[str, str]
    polls: int = 0
    outcome: Literal["film", "moderated", "broken"] = "film"
    signature: int = 0
    """Of the film's address; it changes when an address expires."""


class _Broken(Exception):
    """The connection is cut without an answer."""


class Emulator:
    """The part that all providers have in common. Use it as a context: ``with OpenAIEmulator() as provider``."""

    retry_after_s = RETRY_AFTER_SECONDS
    polls_needed = 1
    """How many times a job is asked for before it is done."""

    def __init__(self) -> None:
        self.faults = Faults()
        self.orders: dict[str, Order] = {}
        self.film: Callable[[Order], bytes] = lambda _: FILM
        self.calls: list[Call] = []
        self.strangers: list[str] = []
        """Calls that brought a key to where none is due."""
        self.bugs: list[str] = []
        """What went wrong here against its will: a test must not mistake it for a provider's failure."""
        self._lock = threading.Lock()
        self._closing = threading.Event()

    @property
    def creates(self) -> int:
        return len(self.orders)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def settings(self) -> dict[str, str]:
        """The settings that send an adapter here, its key included."""
        raise NotImplementedError

    def kind(self, call: Call) -> Kind:
        raise NotImplementedError

    def respond(self, call: Call) -> Answer:
        raise NotImplementedError

    def error(self, status: int, message: str, param: str | None = None, code: str | None = None) -> Answer:
        """The provider's own error body."""
        raise NotImplementedError

    def refusal(self) -> Answer:
        """How the provider refuses an order by its content policy."""
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
                return self.refusal()
            case "moderate" | "break":
                self._order_of(call).outcome = "moderated" if fault == "moderate" else "broken"
            case "expired":
                self._order_of(call).signature += 1
            case "drop" | "garbage":
                self._respond(call)
                if fault == "drop":
                    raise _Broken
                return Answer(200, b"<html>it works</html>")
            case "not_video":
                return Answer(200, b"<html>no film here</html>", {"content-type": "video/mp4"})
            case "truncated":
                whole = self._respond(call)
                return Answer(200, whole.body[: len(whole.body) // 2], whole.headers, len(whole.body))
        return self._respond(call)

    @property
    def last_create(self) -> Call:
        """The last order that was sent, taken or not."""
        return next(call for call in reversed(self.calls) if self.kind(call) == "create")

    def _respond(self, call: Call) -> Answer:
        try:
            return self.respond(call)
        except Wrong as wrong:
            return self.error(wrong.status, wrong.message, wrong.param, wrong.code)
        except Exception:
            self.bugs.append(traceback.format_exc())
            raise

    def _order_of(self, call: Call) -> Order:
        return next(
            order for name, order in self.orders.items() if name in call.path or name in call.body.decode("latin")
        )

    def take(self, name: str, asked: dict[str, Any], picture: NDArray[np.uint8], call: Call) -> Order:
        with self._lock:
            order = Order(f"{name}{len(self.orders):06d}", asked, picture, time.time(), call.headers)
            self.orders[order.id] = order
        return order

    def find(self, name: str) -> Order:
        if name not in self.orders:
            raise Wrong(404, f"There is no job {name}.")
        return self.orders[name]

    def asked_after(self, name: str) -> tuple[Order, bool]:
        """The job and whether it has come to its end."""
        order = self.find(name)
        order.polls += 1
        return order, order.polls > self.polls_needed

    def film_url(self, order: Order) -> str:
        return f"{self.url}/films/{order.id}.mp4?signature={order.signature}"

    def send_film(self, call: Call) -> Answer:
        """A film by its address. The address is all that is needed, and a key has no business here."""
        if "authorization" in call.headers or "x-goog-api-key" in call.headers:
            self.strangers.append(call.path)
        order = self.find(call.path.split("/")[-1].removesuffix(".mp4"))
        if call.query.get("signature") != str(order.signature):
            return Answer(403, b"<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>")
        return Answer(200, self.film(order), {"content-type": "video/mp4"})

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
                self.wfile.write(body)
                if answer.length is not None:
                    self.close_connection = True

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def bearer(call: Call, key: str = CANARY) -> None:
    if call.headers.get("authorization") != f"Bearer {key}":
        raise Wrong(401, f"Incorrect API key provided: {call.headers.get('authorization')}", code="invalid_api_key")


def picture_of(data: bytes, mime: str, param: str) -> NDArray[np.uint8]:
    """The picture as RGB; Wrong where it is none, or of another kind than said."""
    try:
        true = mime_of(data)
    except MediaError:
        raise Wrong(400, "The image is none, or of a kind that is not supported.", param) from None
    if true != mime:
        raise Wrong(400, f"The image is {true} and not {mime}.", param)
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if image is None:
        raise Wrong(400, "The image cannot be decoded.", param)
    return np.asarray(image[..., ::-1], np.uint8)


@contextmanager
def closed_port() -> Iterator[str]:
    """An address at which nobody listens."""
    import socket

    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{holder.getsockname()[1]}"
