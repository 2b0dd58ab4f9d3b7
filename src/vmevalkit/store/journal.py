"""What was ordered for money: an append-only file for each experiment and model.

A line is on the disk before the step that it announces: the intent before the order, the ticket before the first
question about it. So after any crash the file tells what may have been paid for, and where it can be asked for.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import StoreError
from vmevalkit.core.secrets import redacted, secrets
from vmevalkit.store import layout
from vmevalkit.store.batch import Batch
from vmevalkit.store.commit import storing

JobName = tuple[str, str, int]
"""Domain, question and sample: a job of one experiment and one model."""

Record = dict[str, Any]

# What an adapter sent is written down whatever it is made of: no order may be lost over its record.
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode


@dataclass(frozen=True, slots=True)
class Intent:
    """An order that is about to be sent."""

    job: JobName
    key: str
    """Sent as idempotency key; the same when a lost order is sent again."""
    prompt: str
    asked: str
    """Digest of the question and of how it is asked."""
    at: str
    usd: float | None = None
    """What it is expected to cost."""
    alike: str = ""
    """Digest of all that the provider is told: intents with the same one, such as samples of a question, may take each
    other's orders. Empty where it is not known."""

    @property
    def time(self) -> datetime:
        return datetime.fromisoformat(self.at)


@dataclass(slots=True)
class Entry:
    """All that the journal says of a job."""

    intent: Intent | None = None
    """The latest; None where none was sent, or where surely nothing was ordered."""
    ticket: Record | None = None
    """What the provider answered to the intent."""
    ticket_at: str | None = None
    had: list[str] = field(default_factory=list)
    """The provider's names of earlier orders that had tickets."""
    status: str | None = None
    """How the job ended; None as long as it is open."""
    closed: bool = False
    """Whether the ticket is of no further use."""
    lost: list[Intent] = field(default_factory=list)
    """Earlier intents that got no answer, and were sent again."""
    usd: float = 0.0
    """Spent on this job, as far as it is known."""

    @property
    def unanswered(self) -> list[Intent]:
        """Intents that may have become orders which nobody has a ticket for."""
        return self.lost if self.intent is None or self.ticket is not None else [*self.lost, self.intent]

    def take(self, record: Record) -> None:
        what = record["what"]
        if what == "intent":
            self.lost = self.unanswered
            if self.ticket is not None:
                self.had.append(str(self.ticket["id"]))
            self.intent = Intent(
                _job(record), record["key"], record["prompt"], record["asked"], record["at"], record["usd"],
                record.get("alike", ""),
            )  # fmt: skip
            self.ticket, self.ticket_at, self.status, self.closed = None, None, None, False
            self.usd += self.intent.usd or 0.0
        elif what == "void":
            self.usd -= (self.intent.usd or 0.0) if self.intent else 0.0
            self.intent = None
        elif what == "ticket":
            self.ticket, self.ticket_at, self.status, self.closed = record["ticket"], record["at"], None, False
        elif what == "settled":
            self.status, self.closed = record["status"], record["closed"]
            if record.get("usd") is not None and self.intent is not None:
                self.usd += record["usd"] - (self.intent.usd or 0.0)
                self.intent = replace(self.intent, usd=record["usd"])
        else:
            raise ValueError(f"no record is called {what!r}")


class Journal:
    """The journal of one experiment and model, open for writing. Only one process may have it, or the same part of it,
    open; what the other parts say is read once."""

    def __init__(self, folder: Path, part: str | None = None) -> None:
        self.path = layout.journal_file(folder, part)
        with storing(self.path):
            folder.mkdir(parents=True, exist_ok=True)
            self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            self._size = max((end for _, end in _records(self.path)), default=0)
            os.ftruncate(self._handle, self._size)
        self.entries = read_entries(layout.journals_of(folder))
        self._batch: Batch[Record] = Batch(self._write)
        self._secrets = secrets()

    def entry(self, job: JobName) -> Entry:
        """What is known of a job; an empty entry where nothing is."""
        return self.entries.get(job) or Entry()

    async def intend(self, intent: Intent) -> None:
        """Returns once it is on the disk: only now may the order be sent."""
        await self._put(
            {
                "what": "intent", "job": intent.job, "at": intent.at, "key": intent.key, "prompt": intent.prompt,
                "asked": intent.asked, "usd": intent.usd, "alike": intent.alike,
            }
        )  # fmt: skip

    def void(self, job: JobName) -> None:
        """Surely nothing was ordered. To lose this line would only make the job uncertain: nobody waits for it."""
        record = {"what": "void", "job": job, "at": now()}
        self._take(record)
        self._batch.soon(record)

    async def ticket(self, job: JobName, ticket: Record) -> None:
        """Returns once it is on the disk."""
        await self._put({"what": "ticket", "job": job, "at": now(), "ticket": ticket})

    async def settle(self, job: JobName, status: str, *, closed: bool, usd: float | None = None) -> None:
        """How the job ended. ``closed``: its ticket is of no further use. ``usd``: what it cost, where that is said."""
        await self._put({"what": "settled", "job": job, "at": now(), "status": status, "closed": closed, "usd": usd})

    async def close(self) -> None:
        await self._batch.close()
        os.close(self._handle)

    async def _put(self, record: Record) -> None:
        self._take(record)
        await self._batch.done(record)

    def _take(self, record: Record) -> None:
        self.entries.setdefault(_job(record), Entry()).take(record)

    def _write(self, records: list[Record]) -> None:
        text = "".join(_encode(record) + "\n" for record in records)
        data = memoryview(redacted(text, self._secrets).encode())
        length = len(data)
        with storing(self.path):
            try:
                while data:
                    data = data[os.write(self._handle, data) :]
                os.fsync(self._handle)
            except OSError:
                os.ftruncate(self._handle, self._size)  # no half line before what a later call appends
                raise
        self._size += length


def now() -> str:
    return datetime.now(UTC).isoformat()


def read_entries(paths: Iterable[Path]) -> dict[JobName, Entry]:
    """What the journals say together. A line that was being written when the process died does not count."""
    files = [[record for record, _ in _records(path)] for path in paths]
    records = [record for each in files for record in each]
    if len(files) > 1:  # a job may have been in another part of the work, earlier
        records.sort(key=lambda record: str(record["at"]))
    entries: defaultdict[JobName, Entry] = defaultdict(Entry)
    for record in records:
        entries[_job(record)].take(record)
    return dict(entries)


def entries_in(outputs: Path, but: Path, of: Callable[[str], bool] = lambda _model: True) -> Iterator[Entry]:
    """What the journals of all experiments say of the models ``of``, but those in the folder ``but``."""
    for folder in {path.parent for path in layout.all_journals(outputs)} - {but}:
        if of(layout.name_of(folder.name)):
            yield from read_entries(layout.journals_of(folder)).values()


def spent_usd(paths: Iterable[Path]) -> float:
    """What the journals say was spent, orders with unknown prices not counted."""
    return sum(entry.usd for path in paths for entry in read_entries([path]).values())


def _records(path: Path) -> Iterator[tuple[Record, int]]:
    """Each record, and where its line ends."""
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}") from error
    end = 0
    for number, line in enumerate(lines[:-1], 1):  # after the last newline is nothing, or a torn line
        end += len(line) + 1
        try:
            record = json.loads(line)
            Entry().take(record)
        except (ValueError, TypeError, KeyError, IndexError) as error:
            if number == len(lines) - 1:
                return  # a power cut may leave a line of rubbish at the end
            raise StoreError(
                f"line {number} of {path} is damaged ({error!r}): what was ordered there cannot be known; "
                "remove the line, and compare with the provider's list of orders"
            ) from error
        yield record, end


def _job(record: Record) -> JobName:
    domain, question, sample = record["job"]
    return domain, question, sample
