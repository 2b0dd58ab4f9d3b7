"""Money: what may be spent, and what is."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from vmevalkit.store.journal import spent_usd


class Budget:
    """The price of a film is set aside before it is ordered, so that the sum of all orders never exceeds the limit."""

    def __init__(self, most_usd: float | None = None, spent_usd: float = 0.0) -> None:
        self.most_usd = most_usd
        self.spent_usd = spent_usd
        """By this experiment, in earlier calls too."""
        self.reached = False

    def set_aside(self, usd: float | None) -> bool:
        """Whether there is enough. An unknown price counts as nothing: whoever has a limit must not allow it."""
        price = usd or 0.0
        if self.most_usd is not None and self.spent_usd + price > self.most_usd + 1e-9:
            self.reached = True
            return False
        self.spent_usd += price
        return True

    def give_back(self, usd: float | None) -> None:
        """Nothing was ordered."""
        self.spent_usd -= usd or 0.0

    def correct(self, expected_usd: float | None, charged_usd: float | None) -> None:
        """The provider says what it charged."""
        if charged_usd is not None:
            self.spent_usd += charged_usd - (expected_usd or 0.0)


def spent_before(journals: Iterable[Path], shard: tuple[int, int] | None = None) -> float:
    """What the experiment has cost so far.

    With a shard, what counts against this part of the budget: its own orders, and its share of what was ordered
    outside this division of the work. The parts of all shards together are the whole, whoever starts when.
    """
    if shard is None:
        return spent_usd(journals)
    part, parts = shard
    of_shards = [path for path in journals if path.stem.endswith(f"-of-{parts}")]
    own = [path for path in of_shards if path.stem == f"journal-{part}-of-{parts}"]
    others = [path for path in journals if path not in of_shards]
    return spent_usd(own) + spent_usd(others) / parts
