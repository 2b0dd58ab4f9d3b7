"""A minimal provider for tests: it can submit, poll, fetch and list jobs, with faults on demand.

``PlainServer`` runs in a thread and counts the orders; ``PlainModel`` is its adapter. Another process finds the row
through ``VMEVALKIT_MODELS``, and the server through ``PLAIN_BASE_URL``.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

from vmevalkit.core.errors import ModelError, Refused, Throttled, Uncertain, Unreachable
from vmevalkit.core.records import Placement, Request
from vmevalkit.core.remote import Failed, Finished, Pending, PreparedRequest, ProviderJob, Ticket
from vmevalkit.core.settings import setting
from vmevalkit.models.model import ModelSpec, Price

PLACEMENT = Placement((640, 360), (10.0, 0.0, 620.0, 360.0), (128, 128, 128))

ROW = ModelSpec(
    "plain-1", "plain", "plain.v1", "Plain",
    adapter=f"{__name__}:PlainModel",
    durations_s=(4.0, 8.0),
    sizes=((640, 360), (360, 640)),
    price=Price(0.05, "second", "2026-01-01", "the emulator's own"),
    charged=True,
    keys=("PLAIN_API_KEY",),
    supported_params=frozenset({"seed", "enhance_prompt"}),
    options={
        "limits": {
            "in_flight": 20, "orders_per_minute": 1e6, "poll_every_s": 0.01, "attempts": 12, "call_limit_s": 5.0,
            "first_backoff_s": 0.01, "longest_backoff_s": 0.05,
            "list_lag_s": float(setting("PLAIN_LIST_LAG_S") or 600),
        }
    },
)  # fmt: skip
SECOND_ROW = replace(ROW, name="plain-2", vendor_id="plain.v2")
ROWS = (ROW, SECOND_ROW)


def video_of(order: str, video: bytes) -> bytes:
    """Return the video with the name of its order, in a box of the file that players ignore."""
    name = order.encode()
    return video + (8 + len(name)).to_bytes(4, "big") + b"free" + name


def order_in(video: bytes) -> str:
    return video[video.rindex(b"free") + 4 :].decode()


@dataclass(slots=True)
class Ordered:
    id: str
    body: dict[str, Any]
    created_at: datetime
    asked: int = 0


@dataclass(slots=True)
class Fault:
    """A failure instead of a normal response."""

    status: int = 0
    """The HTTP status; 0 drops the connection, -1 never responds."""
    after: bool = False
    """Whether the request takes effect before it fails."""
    headers: str = ""


@dataclass
class PlainServer:
    """Keeps and counts the orders. ``faults`` gets the kind of each request: order, poll, video or list."""

    video: bytes
    polls: int = 2
    """Polls until the video of an order is ready."""
    lists: bool = True
    faults: Callable[[str], Fault | None] = lambda _kind: None
    verdict: Callable[[Ordered], dict[str, Any]] = lambda _ordered: {"state": "done"}
    served: Callable[[Ordered, bytes], bytes] = lambda _ordered, video: video
    on_request: Callable[[str], None] = lambda _kind: None
    orders: dict[str, Ordered] = field(default_factory=dict)
    requests: dict[str, int] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)
    url: str = ""
    _loop: asyncio.AbstractEventLoop | None = None
    _arriving: int = 0
    """Connections whose requests have not taken effect yet."""

    @contextmanager
    def running(self) -> Iterator[PlainServer]:
        loop = self._loop = asyncio.new_event_loop()
        server = loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=512))
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        thread = threading.Thread(target=loop.run_forever)
        thread.start()
        try:
            yield self
        finally:
            loop.call_soon_threadsafe(server.close)
            asyncio.run_coroutine_threadsafe(self._hang_up(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    async def _hang_up(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def wait_until_idle(self) -> None:
        """Return when all that clients have sent has taken effect. The clients have ended: what one that was killed
        had sent may be read only afterwards."""
        assert self._loop is not None
        asyncio.run_coroutine_threadsafe(self._wait_until_idle(), self._loop).result(60)

    async def _wait_until_idle(self) -> None:
        address = urlsplit(self.url)
        # Connections are accepted in order: when this one is served, all earlier ones are accepted.
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        writer.write_eof()
        await reader.read()
        writer.close()
        while self._arriving:
            await asyncio.sleep(0.002)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._arriving += 1
        is_arriving = True
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            method, path, _ = head[0].split(" ")
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:])}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            status, answer, fault = self._take_effect(method, path, headers, body)
            self._arriving, is_arriving = self._arriving - 1, False
            await self._answer(status, answer, fault, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._arriving -= is_arriving
            writer.close()

    def _take_effect(
        self, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, bytes, Fault | None]:
        kind = _kind(method, path)
        self.requests[kind] = self.requests.get(kind, 0) + 1
        fault = self.faults(kind)
        status, answer = 200, b""
        if fault is None or fault.after:
            status, answer = self._effect(kind, path, headers, body)
        self.on_request(kind)
        return status, answer, fault

    async def _answer(self, status: int, answer: bytes, fault: Fault | None, writer: asyncio.StreamWriter) -> None:
        extra = ""
        if fault is not None:
            if fault.status == 0:
                return
            if fault.status == -1:
                await asyncio.sleep(3600)
            status, answer, extra = fault.status, b'{"error": "as it happens"}', fault.headers
        writer.write(f"HTTP/1.1 {status} X\r\nContent-Length: {len(answer)}\r\n{extra}\r\n".encode() + answer)
        await writer.drain()

    def _effect(self, kind: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        if headers.get("authorization") != f"Bearer {setting('PLAIN_API_KEY', 'a-key-for-tests')}":
            return 401, json.dumps({"error": f"wrong key: {headers.get('authorization')}"}).encode()
        if kind == "order":
            return self._order(json.loads(body), headers["idempotency-key"])
        if kind == "list":
            if not self.lists:
                return 404, b"{}"
            orders = [
                {"id": o.id, "created_at": o.created_at.timestamp(), "prompt": o.body["prompt"]}
                for o in self.orders.values()
            ]
            return 200, json.dumps(orders).encode()
        ordered = self.orders.get(path.split("/")[2])
        if ordered is None:
            return 404, b'{"error": "no such order"}'
        if kind == "video":
            return 200, self.served(ordered, video_of(ordered.id, self.video))
        ordered.asked += 1
        state = self.verdict(ordered) if ordered.asked >= self.polls else {"state": "making"}
        return 200, json.dumps({"id": ordered.id, "echo": headers["authorization"], **state}).encode()

    def _order(self, body: dict[str, Any], key: str) -> tuple[int, bytes]:
        wanted = {"prompt", "image", "seconds", "question", "sample", "seed", "enhance_prompt"}
        if set(body) - wanted or not {"prompt", "image", "seconds"} <= set(body):
            return 400, json.dumps({"error": f"unknown or missing fields: {sorted(set(body) ^ wanted)}"}).encode()
        ordered = Ordered(f"order-{len(self.orders):04d}", body, datetime.now(UTC))
        self.orders[ordered.id] = ordered
        self.keys.append(key)
        return 200, json.dumps({"id": ordered.id}).encode()


def _kind(method: str, path: str) -> str:
    if method == "POST":
        return "order"
    return {2: "list", 3: "poll", 4: "video"}[len(path.split("/"))]


class FaultyShare:
    """Makes a share of all responses fail by a seed: 429, 500, a dropped connection or no response."""

    def __init__(self, share: float, seed: int) -> None:
        self._share, self._rng = share, Random(seed)

    def __call__(self, kind: str) -> Fault | None:
        if self._rng.random() >= self._share:
            return None
        status = self._rng.choice([429, 500, 0, -1])
        return Fault(status, after=status != 429 and self._rng.random() < 0.5)


class PlainModel:
    """The adapter. It sends the question and the sample, so that tests can check which video came back."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec
        self._timeout_s = float(setting("PLAIN_TIMEOUT_S", "5") or 5)

    async def prepare(self, request: Request) -> PreparedRequest:
        body = {
            "prompt": request.prompt, "image": len(request.first_frame.read_bytes()), "seconds": request.seconds,
            "question": request.question_id, "sample": request.sample, **request.parameters,
        }  # fmt: skip
        return PreparedRequest(body, body, PLACEMENT)

    async def submit(self, prepared: PreparedRequest, key: str) -> Ticket:
        try:
            status, headers, answer = await self._call("POST", "/orders", json.dumps(prepared.body).encode(), key)
        except ConnectionRefusedError as error:
            raise Unreachable("nobody is there") from error
        except (TimeoutError, OSError, asyncio.IncompleteReadError) as error:
            raise Uncertain("the answer did not come") from error
        if status == 429:
            raise Throttled("too many", float(headers.get("retry-after", 0)))
        if status >= 500:
            raise Uncertain(f"answer {status}")
        if status == 451:
            raise Refused("the content policy says no")
        if status >= 400:
            raise ModelError(f"answer {status}: {answer.decode()}")
        return Ticket.for_request(json.loads(answer)["id"], prepared)

    async def poll(self, ticket: Ticket) -> Pending | Finished | Failed:
        answer = json.loads(await self._ask(f"/orders/{ticket.id}"))
        if answer["state"] == "making":
            return Pending(0.5)
        if answer["state"] == "done":
            return Finished(ticket, f"/orders/{ticket.id}/video", answer, answer.get("usd"))
        return Failed(answer["reason"], answer["state"] == "refused", answer)

    async def fetch(self, done: Finished, into: Path, limit_bytes: int) -> None:
        video = await self._ask(str(done.url))
        if len(video) > limit_bytes:
            raise ModelError(f"the video has {len(video)} bytes; the limit is {limit_bytes}")
        into.write_bytes(video)

    async def list_jobs(self, since: datetime) -> list[ProviderJob] | None:
        try:
            listed = json.loads(await self._ask("/orders"))
        except ModelError as error:
            if "404" in str(error):
                return None
            raise
        return [ProviderJob(o["id"], datetime.fromtimestamp(int(o["created_at"]), UTC), o["prompt"]) for o in listed]

    async def close(self) -> None:
        return None

    async def _ask(self, path: str) -> bytes:
        try:
            status, headers, answer = await self._call("GET", path)
        except (TimeoutError, OSError, asyncio.IncompleteReadError) as error:
            raise Unreachable("no answer") from error
        if status == 429:
            raise Throttled("too many", float(headers.get("retry-after", 0)))
        if status >= 500:
            raise Unreachable(f"answer {status}")
        if status >= 400:
            raise ModelError(f"answer {status}: {answer.decode()}")
        return answer

    async def _call(
        self, method: str, path: str, body: bytes = b"", key: str = ""
    ) -> tuple[int, dict[str, str], bytes]:
        address = urlsplit(setting("PLAIN_BASE_URL") or "")
        secret = setting("PLAIN_API_KEY", "a-key-for-tests")
        async with asyncio.timeout(self._timeout_s):
            reader, writer = await asyncio.open_connection(address.hostname, address.port)
            try:
                head = f"{method} {path} HTTP/1.1\r\nAuthorization: Bearer {secret}\r\nIdempotency-Key: {key}\r\n"
                writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
                first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
                headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
                answer = await reader.readexactly(int(headers["content-length"]))
            finally:
                writer.close()
        return int(first.split(" ")[1]), headers, answer
