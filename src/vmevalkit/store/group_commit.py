"""Group commit: slow writes to the disk share one trip. What arrives during a write goes with the next one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

T = TypeVar("T")


class GroupCommit(Generic[T]):
    """Passes items to ``write``, many at a time and in order, in a thread of its own. The event loop never blocks.

    An exception of ``write`` is raised to every caller whose item was in the batch, and to all later callers: after a
    failure of the disk no promise can be kept.
    """

    def __init__(self, write: Callable[[list[T]], None]) -> None:
        self._write = write
        self._waiting: list[tuple[T, asyncio.Future[None] | None]] = []
        self._writer: asyncio.Task[None] | None = None
        self._failure: BaseException | None = None
        self._thread = ThreadPoolExecutor(1)

    async def commit(self, item: T) -> None:
        """Return once the item is written."""
        ready = asyncio.get_running_loop().create_future()
        self._add(item, ready)
        await ready

    def commit_later(self, item: T) -> None:
        """Write the item with the next batch, without waiting for it."""
        self._add(item, None)

    async def close(self) -> None:
        """Write everything that has arrived."""
        if self._writer is not None:
            await asyncio.shield(self._writer)
        self._thread.shutdown()

    def _add(self, item: T, ready: asyncio.Future[None] | None) -> None:
        if self._failure is not None:
            raise self._failure
        self._waiting.append((item, ready))
        if self._writer is None:
            self._writer = asyncio.get_running_loop().create_task(self._write_batches())

    async def _write_batches(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                await loop.run_in_executor(self._thread, self._write, [item for item, _ in batch])
            except Exception as error:  # noqa: BLE001  - it is raised again, to every caller that waits
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
