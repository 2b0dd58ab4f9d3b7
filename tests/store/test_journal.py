from __future__ import annotations

import asyncio
import json
import os
import resource
from pathlib import Path

import pytest

from vmevalkit.core.errors import StoreError, Unwritable
from vmevalkit.store import journal as journal_module
from vmevalkit.store.group_commit import GroupCommit
from vmevalkit.store.journal import (
    Intent,
    Journal,
    JournalEntry,
    now_text,
    read_entries,
    read_other_entries,
    sum_spent_usd,
)
from vmevalkit.store.layout import journal_file, journals_of

JOB = ("maze", "maze_0001", 0)
INTENT = Intent(JOB, "key-1", "Go.", "d1", "2026-11-15T10:00:00+00:00", 0.5)


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def entry(folder: Path) -> JournalEntry:
    return read_entries(journals_of(folder))[JOB]


def test_a_job_from_intent_to_the_end(tmp_path: Path) -> None:
    async def work() -> None:
        journal = Journal(tmp_path)
        assert journal.entry(JOB) == JournalEntry()
        await journal.record_intent(INTENT)
        assert [line["what"] for line in lines(journal.path)] == ["intent"]  # on the disk before anything is ordered
        assert entry(tmp_path).unanswered_intents == [INTENT]
        await journal.record_ticket(JOB, {"id": "order-7"})
        assert [line["what"] for line in lines(journal.path)] == ["intent", "ticket"]
        assert entry(tmp_path).unanswered_intents == []
        await journal.record_settled(JOB, "success", is_closed=False, usd=0.75)
        await journal.close()

    asyncio.run(work())
    found = entry(tmp_path)
    assert (found.ticket, found.status, found.is_closed, found.usd) == ({"id": "order-7"}, "success", False, 0.75)
    assert sum_spent_usd(journals_of(tmp_path)) == 0.75


def test_a_void_order_costs_nothing_and_is_not_open(tmp_path: Path) -> None:
    async def work() -> None:
        journal = Journal(tmp_path)
        await journal.record_intent(INTENT)
        journal.record_void(JOB)
        await journal.close()

    asyncio.run(work())
    assert (entry(tmp_path).intent, entry(tmp_path).unanswered_intents, entry(tmp_path).usd) == (None, [], 0.0)


def test_an_unanswered_intent_is_kept_after_it_was_sent_again(tmp_path: Path) -> None:
    async def work() -> None:
        for at in ("2026-11-15T10:00:00+00:00", "2026-11-15T11:00:00+00:00"):
            journal = Journal(tmp_path)
            await journal.record_intent(Intent(JOB, "key-1", "Go.", "d1", at, 0.5))
            await journal.record_settled(JOB, "uncertain", is_closed=False)
            await journal.close()

    asyncio.run(work())
    assert [intent.at[11:13] for intent in entry(tmp_path).unanswered_intents] == ["10", "11"]
    assert entry(tmp_path).usd == 1.0


@pytest.mark.parametrize("torn", [b'{"what":"tick', b'{"what":"ticket","job":["maze","maze_0001",0]}', b"\0\0\0\n"])
def test_an_incomplete_last_line_is_removed(tmp_path: Path, torn: bytes) -> None:
    async def work() -> None:
        journal = Journal(tmp_path)
        await journal.record_intent(INTENT)
        await journal.close()
        with journal_file(tmp_path).open("ab") as file:
            file.write(torn)
        assert entry(tmp_path).ticket is None
        again = Journal(tmp_path)
        await again.record_ticket(JOB, {"id": "order-7"})
        await again.close()

    asyncio.run(work())
    assert [line["what"] for line in lines(journal_file(tmp_path))] == ["intent", "ticket"]


def test_damage_in_the_middle_is_an_error(tmp_path: Path) -> None:
    journal_file(tmp_path).write_text('{"what":"inten\n{"what":"void","job":["a","b",0],"at":""}\n')
    with pytest.raises(StoreError, match=r"line 1 of .*journal.jsonl is damaged"):
        read_entries(journals_of(tmp_path))


def test_many_lines_share_one_sync(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trips = []
    sync = os.fsync
    monkeypatch.setattr(journal_module.os, "fsync", lambda handle: (trips.append(1), sync(handle)))

    async def work() -> None:
        journal = Journal(tmp_path)
        jobs = [("maze", f"maze_{number:04d}", 0) for number in range(200)]
        await asyncio.gather(*(journal.record_intent(Intent(job, "k", "Go.", "d", INTENT.at)) for job in jobs))
        await journal.close()

    asyncio.run(work())
    assert len(lines(journal_file(tmp_path))) == 200
    assert len(trips) < 10


def test_journals_of_shards_are_read_together_in_order_of_time(tmp_path: Path) -> None:
    async def work(part: str | None, at: str, ticket: str) -> None:
        journal = Journal(tmp_path, part)
        await journal.record_intent(Intent(JOB, "k", "Go.", "d", at))
        await journal.record_ticket(JOB, {"id": ticket})
        await journal.close()

    asyncio.run(work("2-of-2", "2026-11-15T10:00:00+00:00", "early"))
    asyncio.run(work(None, "2026-11-15T11:00:00+00:00", "late"))
    assert len(journals_of(tmp_path)) == 2
    assert entry(tmp_path).ticket == {"id": "late"}


def test_journals_of_other_models_and_experiments_are_read(tmp_path: Path) -> None:
    async def work(folder: Path) -> None:
        journal = Journal(folder)
        await journal.record_intent(INTENT)
        await journal.close()

    for place in ("first/a", "first/b", "second/a"):
        asyncio.run(work(tmp_path / place))
    assert len(list(read_other_entries(tmp_path, tmp_path / "first/a"))) == 2


def test_a_secret_is_not_written_to_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAY_API_KEY", 'a "secret" worth keeping')

    async def work() -> None:
        journal = Journal(tmp_path)
        await journal.record_ticket(JOB, {"id": "7", "sent": {"note": 'by a "secret" worth keeping'}})
        await journal.close()

    asyncio.run(work())
    assert "worth" not in journal_file(tmp_path).read_text()
    assert entry(tmp_path).ticket == {"id": "7", "sent": {"note": "by (hidden)"}}


def test_a_full_disk_is_raised_to_all_callers_and_leaves_whole_lines(tmp_path: Path) -> None:
    async def work() -> None:
        journal = Journal(tmp_path)
        await journal.record_intent(INTENT)
        size = journal.path.stat().st_size
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, before[1]))
        try:
            ends = await asyncio.gather(
                *(journal.record_ticket(JOB, {"id": str(number)}) for number in range(3)), return_exceptions=True
            )
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert [type(end) for end in ends] == [Unwritable] * 3
        assert "exceeds the size limit" in str(ends[0])
        with pytest.raises(StoreError):
            await journal.record_ticket(JOB, {"id": "later"})
        await journal.close()
        assert journal.path.stat().st_size == size

    asyncio.run(work())
    assert entry(tmp_path).ticket is None


def test_a_batch_is_written_when_one_caller_is_cancelled() -> None:
    done: list[int] = []

    async def work() -> None:
        batch: GroupCommit[int] = GroupCommit(done.extend)
        tasks = [asyncio.create_task(batch.commit(number)) for number in range(3)]
        await asyncio.sleep(0)
        tasks[1].cancel()
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        batch.commit_later(3)
        await batch.close()
        assert [isinstance(end, asyncio.CancelledError) for end in ends] == [False, True, False]

    asyncio.run(work())
    assert done == [0, 1, 2, 3]


def test_a_setting_that_is_called_like_a_field_does_not_damage_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("APP_TOKEN_TYPE", "input_digest")
    monkeypatch.setenv("OTHER_TOKEN", "door_0001")
    monkeypatch.setenv("MY_SECRET", "hunter2-hunter2")

    async def write() -> None:
        journal = Journal(tmp_path)
        job = ("doors", "door_0001", 0)
        await journal.record_intent(Intent(job, "key", "hunter2-hunter2 opens", "digest", now_text()))
        await journal.record_ticket(job, {"id": "door_0001", "placement": None, "sent": {"a": ["hunter2-hunter2"]}})
        await journal.close()

    asyncio.run(write())
    entries = read_entries([tmp_path / "journal.jsonl"])
    entry = entries["doors", "door_0001", 0]
    assert entry.intent is not None and entry.intent.input_digest == "digest"
    assert entry.ticket is not None and entry.ticket["id"] == "door_0001"
    assert "hunter2" not in (tmp_path / "journal.jsonl").read_text()


GOOD = {"what": "intent", "job": ["a", "b", 0], "at": "2026-11-15T10:00:00+00:00", "key": "k", "prompt": "p",
        "input_digest": "d", "usd": 0.5}  # fmt: skip
BAD: list[object] = [
    [], 1, None, {}, {**GOOD, "job": "abc"}, {**GOOD, "job": [["a"], "b", 0]}, {**GOOD, "job": ["a", "b", "0"]},
    {**GOOD, "at": 5}, {**GOOD, "at": "yesterday"}, {**GOOD, "usd": float("nan")}, {**GOOD, "usd": float("inf")},
    {**GOOD, "usd": "1"}, {**GOOD, "usd": -1}, {**GOOD, "prompt": None}, {**GOOD, "input_digest": 3},
    {**GOOD, "what": "ticket"}, {**GOOD, "what": "ticket", "ticket": []},
    {**GOOD, "what": "ticket", "ticket": {"id": 4}},
    {**GOOD, "what": "settled", "status": "lost", "closed": False},
    {**GOOD, "what": "settled", "status": "success", "closed": 1}, {**GOOD, "what": ["intent"]},
]  # fmt: skip


@pytest.mark.parametrize("record", BAD)
def test_a_line_that_is_no_entry_is_one_error(tmp_path: Path, record: object) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text(json.dumps(record) + "\n" + json.dumps(GOOD) + "\n")
    with pytest.raises(StoreError, match=r"line 1 of .* is damaged"):
        read_entries([path])
