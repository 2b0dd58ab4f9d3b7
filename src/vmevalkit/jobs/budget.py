"""The budget of an experiment: what may be spent, and what was spent, by this process and by others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path

from vmevalkit.store import layout
from vmevalkit.store.atomic import lock
from vmevalkit.store.journal import JournalReader, sum_spent_usd

_TOLERANCE_USD = 1e-9  # ten dimes are a dollar


class BudgetReached(Exception):
    """Another process has spent what was left: nothing was ordered."""


def choose_price(usd: float | None, assumed_usd: float | None) -> float | None:
    """Return a price, or the one that the user assumes where none is known: of a server of one's own it is 0."""
    return assumed_usd if not usd and assumed_usd is not None else usd


class Budget:
    """A limit in dollars. The price of a video is reserved before it is ordered, so the sum never exceeds the limit."""

    def __init__(
        self, max_usd: float | None = None, spent_usd: float = 0.0, others: OtherJournals | None = None
    ) -> None:
        self.max_usd = max_usd
        """None: no limit."""
        self.is_reached = False
        """Whether an order was refused."""
        self._own_usd, self._others_usd = spent_usd, 0.0 if others is None else others.sum_usd()
        self._others, self._turn = others, asyncio.Lock()

    @property
    def spent_usd(self) -> float:
        """What the experiment has cost, earlier calls and other processes included, with what is reserved now."""
        return self._own_usd + self._others_usd

    def add_spent(self, usd: float) -> None:
        """Count what was spent before."""
        self._own_usd += usd

    def reserve(self, usd: float | None) -> bool:
        """Reserve the price of one order. Returns False where the budget is too small.

        An unknown price counts as 0: a caller with a limit must not allow it."""
        price = usd or 0.0
        if self._is_exceeded(price) and not self.is_reached:
            self._update_others()  # others may have spent less than they had reserved
        if self._is_exceeded(price):
            self.is_reached = True
            return False
        self._own_usd += price
        return True

    @asynccontextmanager
    async def hold(self) -> AsyncIterator[None]:
        """Keep the budget for one order, whose price is reserved, while its intent is written to the journal.

        Only one process of an experiment orders at a time, in no set order, and it reads first what the others have
        ordered.
        Raises BudgetReached where the limit does not allow the order any more."""
        if self.max_usd is None or self._others is None:
            yield
            return
        async with self._turn:
            shared = lock(self._others.experiment, "budget", wait=True)
            await asyncio.to_thread(shared.__enter__)
            try:
                await asyncio.to_thread(self._update_others)
                if self._is_exceeded(0.0):
                    self.is_reached = True
                    raise BudgetReached
                yield
            finally:
                shared.__exit__(None, None, None)

    def release(self, usd: float | None) -> None:
        """Undo a reservation: nothing was ordered."""
        self._own_usd -= usd or 0.0

    def settle(self, reserved_usd: float | None, charged_usd: float | None) -> None:
        """Replace the reserved price by the charged one, where the provider reports that."""
        if charged_usd is not None:
            self._own_usd += charged_usd - (reserved_usd or 0.0)

    def _is_exceeded(self, price: float) -> bool:
        return self.max_usd is not None and self.spent_usd + price > self.max_usd + _TOLERANCE_USD

    def _update_others(self) -> None:
        if self._others is not None:
            self._others_usd = self._others.sum_usd()


class OtherJournals:
    """The journals of an experiment that other processes write, read again as they grow."""

    def __init__(self, experiment: Path, own: Collection[Path] = (), shard: tuple[int, int] | None = None) -> None:
        self.experiment, self._own, self._shard = experiment, frozenset(own), shard
        self._readers: dict[Path, JournalReader] = {}

    def sum_usd(self) -> float:
        """Return what counts against the budget, or against this shard's part of it."""
        total = 0.0
        for path in layout.journals_of_experiment(self.experiment):
            if path not in self._own and (share := self._share(path)):
                total += share * self._readers.setdefault(path, JournalReader(path)).read_usd()
        return total

    def _share(self, journal: Path) -> float:
        """Return the share of a journal's orders that counts.

        Against a shard's part count the orders of the same shard, by other models too, and an equal share of the
        orders that were made outside this division. So the parts of all shards add up to the whole."""
        if self._shard is None:
            return 1.0
        part, parts = self._shard
        if journal.stem.endswith(f"-of-{parts}"):
            return float(journal.stem == f"journal-{part}-of-{parts}")
        return 1.0 / parts


def load_budget(
    experiment: Path, max_usd: float | None, shard: tuple[int, int] | None = None, own: Collection[Path] = ()
) -> Budget:
    """Return the budget of an experiment, or of one shard, with what was spent before. This process writes ``own``."""
    part_usd = max_usd if max_usd is None or shard is None else max_usd / shard[1]
    return Budget(part_usd, sum_spent_usd(own), OtherJournals(experiment, own, shard))
