"""A provider of our own invention: the smallest that orders, asks, fetches and lists, with faults on demand.

``PlainServer`` runs in a thread and counts what is ordered; ``PlainModel`` is its adapter. A process of its own finds
the row through ``VMEVALKIT_MODELS``, and the server through ``PLAIN_BASE_URL``.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

from vmevalkit.core.errors import ModelError, Refused, Throttled, Uncertain, Unreachable
from vmevalkit.core.records import Placement, Request
from vmevalkit.core.settings import setting
from vmevalkit.models.model import Done, Failed, Listed, ModelSpec, Pending, Price, Ticket

PLACEMENT = Placement((640, 360), (10.0, 0.0, 620.0, 360.0), (128, 128, 128))

ROW = ModelSpec(
    "plain-1", "plain", "plain.v1", "Plain",
    adapter=f"{__name__}:PlainModel",
    durations_s=(4.0, 8.0),
    sizes=((640, 360), (360, 640)),
    price=Price(0.05, "second", "2026-01-01", "the emulator's own"),
    charged=True,
    keys=("PLAIN_API_KEY",),
    takes=frozenset({"seed", "enhance_prompt"}),
    options={
        "limits": {
            "in_flight": 20, "orders_per_minute": 1e6, "poll_every_s": 0.01, "attempts": 12, "call_limit_s": 5.0,
            "first_backoff_s": 0.01, "longest_backoff_s": 0.05,
        }
    },
)  # fmt: skip
ROWS = (ROW,)


def film_of(order: str, film: bytes) -> bytes:
    """A film that names its order, in a box of the file that players pass over."""
    name = order.encode()
    return film + (8 + len(name)).to_bytes(4, "big") + b"free" + name


def order_in(film: bytes) -> str:
    return film[film.rindex(b"free") + 4 :].decode()


@dataclass(slots=True)
class Ordered:
    id: str
    body: dict[str, Any]
    created_at: datetime
    asked: int = 0


@dataclass(slots=True)
class Fault:
    """What happens instead of an answer."""

    status: int = 0
    """Answer with this status; 0 drops the connection, -1 says nothing at all."""
    after: bool = False
    """Whether the request has its effect all the same."""
    headers: str = ""


@dataclass
class PlainServer:
    """Counts and keeps the orders. ``faults`` decides for each request, by its kind: order, poll, film, list."""

    film: bytes
    polls: int = 2
    """How often an order is asked for until its film is there."""
    lists: bool = True
    faults: Callable[[str], Fault | None] = lambda _kind: None
    verdict: Callable[[Ordered], dict[str, Any]] = lambda _ordered: {"state": "done"}
    served: Callable[[Ordered, bytes], bytes] = lambda _ordered, film: film
    on_request: Callable[[str], None] = lambda _kind: None
    orders: dict[str, Ordered] = field(default_factory=dict)
    requests: dict[str, int] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)
    url: str = ""

    @contextmanager
    def running(self) -> Iterator[PlainServer]:
        loop = asyncio.new_event_loop()
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

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            method, path, _ = head[0].split(" ")
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:])}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            await self._answer(method, path, headers, body, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(
        self, method: str, path: str, headers: dict[str, str], body: bytes, writer: asyncio.StreamWriter
    ) -> None:
        kind = _kind(method, path)
        self.requests[kind] = self.requests.get(kind, 0) + 1
        fault = self.faults(kind)
        status, answer = 200, b""
        if fault is None or fault.after:
            status, answer = self._effect(kind, path, headers, body)
        self.on_request(kind)
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
        if kind == "film":
            return 200, self.served(ordered, film_of(ordered.id, self.film))
        ordered.asked += 1
        state = self.verdict(ordered) if ordered.asked >= self.polls else {"state": "making"}
        return 200, json.dumps({"id": ordered.id, "echo": headers["authorization"], **state}).encode()

    def _order(self, body: dict[str, Any], key: str) -> tuple[int, bytes]:
        wanted = {"prompt", "picture", "seconds", "question", "sample", "seed", "enhance_prompt"}
        if set(body) - wanted or not {"prompt", "picture", "seconds"} <= set(body):
            return 400, json.dumps({"error": f"unknown or missing fields: {sorted(set(body) ^ wanted)}"}).encode()
        ordered = Ordered(f"order-{len(self.orders):04d}", body, datetime.now(UTC))
        self.orders[ordered.id] = ordered
        self.keys.append(key)
        return 200, json.dumps({"id": ordered.id}).encode()


def _kind(method: str, path: str) -> str:
    if method == "POST":
        return "order"
    return {2: "list", 3: "poll", 4: "film"}[len(path.split("/"))]


class FaultyShare:
    """A share of all answers is 429, 500 (before or after the effect) or silence, by a seed."""

    def __init__(self, share: float, seed: int) -> None:
        self._share, self._rng = share, Random(seed)

    def __call__(self, kind: str) -> Fault | None:
        if self._rng.random() >= self._share:
            return None
        status = self._rng.choice([429, 500, 0, -1])
        return Fault(status, after=status != 429 and self._rng.random() < 0.5)


class PlainModel:
    """The adapter. It names the question and the sample to the provider, so that tests can tell whose film came."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec
        self._timeout_s = float(setting("PLAIN_TIMEOUT_S", "5") or 5)

    async def submit(self, request: Request, key: str) -> Ticket:
        body = {
            "prompt": request.prompt, "picture": len(request.first_frame.read_bytes()), "seconds": request.seconds,
            "question": request.question_id, "sample": request.sample, **request.parameters,
        }  # fmt: skip
        try:
            status, headers, answer = await self._call("POST", "/orders", json.dumps(body).encode(), key)
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
        return Ticket(json.loads(answer)["id"], PLACEMENT, body)

    async def poll(self, ticket: Ticket) -> Pending | Done | Failed:
        answer = json.loads(await self._ask(f"/orders/{ticket.id}"))
        if answer["state"] == "making":
            return Pending(0.5)
        if answer["state"] == "done":
            return Done(ticket, f"/orders/{ticket.id}/film", answer, answer.get("usd"))
        return Failed(answer["reason"], answer["state"] == "refused", answer)

    async def fetch(self, done: Done, into: Path, limit_bytes: int) -> None:
        film = await self._ask(str(done.url))
        if len(film) > limit_bytes:
            raise ModelError(f"the film has {len(film)} bytes; the limit is {limit_bytes}")
        into.write_bytes(film)

    async def orders(self, since: datetime) -> list[Listed] | None:
        try:
            listed = json.loads(await self._ask("/orders"))
        except ModelError as error:
            if "404" in str(error):
                return None
            raise
        return [Listed(o["id"], datetime.fromtimestamp(int(o["created_at"]), UTC), o["prompt"]) for o in listed]

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
