"""Slow work on the disk, shared: what arrives while a batch is being written goes with the next one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

T = TypeVar("T")


class Batch(Generic[T]):
    """Hands items to ``work``, many at a time and in order, in a thread of its own; the event loop never waits.

    What ``work`` raises reaches everybody whose item was with it, and everybody who comes later: after a failure of the
    disk nothing that was promised can be kept.
    """

    def __init__(self, work: Callable[[list[T]], None]) -> None:
        self._work = work
        self._waiting: list[tuple[T, asyncio.Future[None] | None]] = []
        self._writer: asyncio.Task[None] | None = None
        self._failure: BaseException | None = None
        self._thread = ThreadPoolExecutor(1)

    async def done(self, item: T) -> None:
        """Returns once the item's batch is done."""
        ready = asyncio.get_running_loop().create_future()
        self._add(item, ready)
        await ready

    def soon(self, item: T) -> None:
        """Let the item go with the next batch, and do not wait for it."""
        self._add(item, None)

    async def close(self) -> None:
        """Finish what has arrived."""
        if self._writer is not None:
            await asyncio.shield(self._writer)
        self._thread.shutdown()

    def _add(self, item: T, ready: asyncio.Future[None] | None) -> None:
        if self._failure is not None:
            raise self._failure
        self._waiting.append((item, ready))
        if self._writer is None:
            self._writer = asyncio.get_running_loop().create_task(self._write())

    async def _write(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                await loop.run_in_executor(self._thread, self._work, [item for item, _ in batch])
            except Exception as error:  # noqa: BLE001  - it is raised again, to everybody who waits
                self._failure = error
                batch, self._waiting = batch + self._waiting, []
            for _, ready in batch:
                if ready is None or ready.done():
                    continue
                if self._failure is None:
                    ready.set_result(None)
                else:
                    ready.set_exception(self._failure)
        self._writer = None
