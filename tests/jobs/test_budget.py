from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from vmevalkit.jobs.budget import Budget, spent_before
from vmevalkit.store.journal import Intent, Journal
from vmevalkit.store.layout import journals_of


def test_prices_are_set_aside_given_back_and_corrected() -> None:
    budget = Budget(1.0)
    assert [budget.set_aside(0.4) for _ in range(3)] == [True, True, False]
    assert budget.reached
    budget.give_back(0.4)
    assert budget.set_aside(0.6)
    budget.correct(0.6, 0.1)
    assert budget.spent_usd == pytest.approx(0.5)
    assert Budget().set_aside(1e9)
    assert Budget(1.0).set_aside(None)


def test_ten_dimes_are_a_dollar() -> None:
    budget = Budget(1.0)
    assert all(budget.set_aside(0.1) for _ in range(10))
    assert not budget.set_aside(0.1)


def test_the_parts_of_divided_work_never_spend_more_than_the_whole(tmp_path: Path) -> None:
    async def spend(part: str | None, orders: int) -> None:
        journal = Journal(tmp_path, part)
        for number in range(orders):
            await journal.intend(
                Intent(("maze", f"{part}-{number}", 0), "k", "Go.", "d", "2026-11-15T10:00:00+00:00", 1.0)
            )
        await journal.close()

    for part, orders in ((None, 4), ("1-of-2", 3), ("2-of-2", 1), ("1-of-3", 2)):
        asyncio.run(spend(part, orders))
    journals = journals_of(tmp_path)
    assert spent_before(journals) == 10
    shares = [spent_before(journals, (part, 2)) for part in (1, 2)]
    assert shares == [3 + 6 / 2, 1 + 6 / 2]
    assert sum(shares) == spent_before(journals)
