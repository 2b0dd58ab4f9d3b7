"""A chat model on this machine that answers several requests at once.

What is asked while it works goes with the next batch.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from vmevalkit.core.chat import ChatAnswer, ChatRequest


class BatchModel(Protocol):
    """A model that answers a batch of requests. It is called in one thread, so it needs no lock."""

    name: str
    identity: str

    def answer(self, requests: Sequence[ChatRequest]) -> list[ChatAnswer]:
        """Return one answer for each request."""
        ...

    def close(self) -> None:
        """Free what the model holds."""
        ...


class BatchedChat:
    """A ChatModel over a BatchModel. A batch is what is waiting when the model is free, at most ``batch_size``."""

    provider = "local"

    def __init__(self, model: BatchModel, batch_size: int = 1) -> None:
        self.model, self.name, self.identity = model, model.name, model.identity
        self._batch_size = batch_size
        self._waiting: list[tuple[ChatRequest, asyncio.Future[ChatAnswer]]] = []
        self._worker: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1)
        self.batches: list[int] = []
        """Sizes of the batches so far."""

    def estimate_usd(self, request: ChatRequest) -> float | None:
        return 0.0

    async def ask(self, request: ChatRequest) -> ChatAnswer:
        ready: asyncio.Future[ChatAnswer] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, ready))
        if self._worker is None:
            self._worker = asyncio.get_running_loop().create_task(self._answer_batches())
        return await ready

    async def close(self) -> None:
        if self._worker is not None:
            await asyncio.shield(self._worker)
        await asyncio.get_running_loop().run_in_executor(self._thread, self.model.close)
        self._thread.shutdown()

    async def _answer_batches(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            await asyncio.sleep(0)  # requests that are made in the same turn of the loop belong together
            batch, self._waiting = self._waiting[: self._batch_size], self._waiting[self._batch_size :]
            self.batches.append(len(batch))
            try:
                answers = await loop.run_in_executor(self._thread, self.model.answer, [request for request, _ in batch])
            except Exception as error:  # noqa: BLE001  - it is raised again, to every caller of the batch
                for _, ready in batch:
                    if not ready.done():
                        ready.set_exception(error)
                continue
            for (_, ready), answer in zip(batch, answers, strict=True):
                if not ready.done():
                    ready.set_result(answer)
        self._worker = None
