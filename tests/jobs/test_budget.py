from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from vmevalkit.jobs.budget import Budget, BudgetReached, load_budget
from vmevalkit.store.journal import Intent, Journal, JournalReader


def test_prices_are_reserved_released_and_settled() -> None:
    budget = Budget(1.0)
    assert [budget.reserve(0.4) for _ in range(3)] == [True, True, False]
    assert budget.is_reached
    budget.release(0.4)
    assert budget.reserve(0.6)
    budget.settle(0.6, 0.1)
    assert budget.spent_usd == pytest.approx(0.5)
    assert Budget().reserve(1e9)
    assert Budget(1.0).reserve(None)


def test_ten_dimes_are_a_dollar() -> None:
    budget = Budget(1.0)
    assert all(budget.reserve(0.1) for _ in range(10))
    assert not budget.reserve(0.1)


def test_shards_never_spend_more_than_the_whole(tmp_path: Path) -> None:
    async def spend(part: str | None, orders: int) -> None:
        journal = Journal(tmp_path / "plain", part)
        for number in range(orders):
            await journal.record_intent(
                Intent(("maze", f"{part}-{number}", 0), "k", "Go.", "d", "2026-11-15T10:00:00+00:00", 1.0)
            )
        await journal.close()

    for part, orders in ((None, 4), ("1-of-2", 3), ("2-of-2", 1), ("1-of-3", 2)):
        asyncio.run(spend(part, orders))
    assert load_budget(tmp_path, None).spent_usd == 10
    shares = [load_budget(tmp_path, 8.0, (part, 2)) for part in (1, 2)]
    assert [share.spent_usd for share in shares] == [3 + 6 / 2, 1 + 6 / 2]
    assert [share.max_usd for share in shares] == [4.0, 4.0]
    own = tmp_path / "plain" / "journal-1-of-2.jsonl"
    assert load_budget(tmp_path, 8.0, (1, 2), [own]).spent_usd == 6.0


AT_ONCE = 2
"""Orders that each process makes at the same moment as the other. Later, chance decides who gets the budget's lock."""


def order_from(
    folder: Path, usd: float, numbers: range, at_once: asyncio.Barrier
) -> tuple[Budget, Callable[[], Awaitable[int]]]:
    """Return the budget of a process with a limit of one dollar, and a function that orders until it is reached."""
    journal = Journal(folder)
    budget = load_budget(folder.parent, 1.0, own=[journal.path])

    async def order() -> int:
        ordered = 0
        for number in numbers:
            if not budget.reserve(usd):
                break
            await (at_once.wait() if number < AT_ONCE else asyncio.sleep(0))  # while a request is prepared
            try:
                async with budget.hold():
                    await journal.record_intent(
                        Intent(("maze", str(number), 0), "k", "Go.", "d", "2026-11-15T10:00:00+00:00", usd)
                    )
            except BudgetReached:
                budget.release(usd)
                break
            ordered += 1
        await at_once.abort()  # a process that stops earlier must not keep the other waiting
        await journal.close()
        return ordered

    return budget, order


def test_models_of_one_experiment_share_its_budget(tmp_path: Path) -> None:
    at_once = asyncio.Barrier(2)
    one, order_one = order_from(tmp_path / "one", 0.1, range(20), at_once)
    two, order_two = order_from(tmp_path / "two", 0.07, range(20), at_once)

    async def order_at_once() -> list[int]:
        return await asyncio.gather(order_one(), order_two())

    counts = asyncio.run(order_at_once())
    spent = load_budget(tmp_path, None).spent_usd
    assert spent == pytest.approx(0.1 * counts[0] + 0.07 * counts[1])
    assert 0.93 < spent <= 1.0 + 1e-9  # not even the cheaper one fits any more
    assert min(counts) >= AT_ONCE
    assert one.is_reached and two.is_reached


def test_what_others_give_back_can_be_spent(tmp_path: Path) -> None:
    async def work() -> None:
        journal = Journal(tmp_path / "one")
        intent = Intent(("maze", "1", 0), "k", "Go.", "d", "2026-11-15T10:00:00+00:00", 0.8)
        await journal.record_intent(intent)
        budget = load_budget(tmp_path, 1.0)
        journal.record_void(intent.job)
        await journal.close()
        assert (budget.spent_usd, budget.reserve(0.9)) == (0.8, True)

    asyncio.run(work())


def test_a_journal_that_lost_its_last_lines_is_read_again(tmp_path: Path) -> None:
    async def spend(question: str) -> None:
        journal = Journal(tmp_path)
        await journal.record_intent(Intent(("maze", question, 0), "k", "Go.", "d", "2026-11-15T10:00:00+00:00", 0.5))
        await journal.close()

    path = tmp_path / "journal.jsonl"
    reader = JournalReader(path)
    assert reader.read_usd() == 0.0
    asyncio.run(spend("1"))
    assert reader.read_usd() == 0.5
    size = path.stat().st_size
    asyncio.run(spend("2"))
    with path.open("a") as file:
        file.write('{"what": "int')
    assert (reader.read_usd(), reader.read_usd()) == (1.0, 1.0)
    os.truncate(path, size)
    assert reader.read_usd() == 0.5
