"""The journal of paid orders: an append-only file for each experiment and model, in the model's folder.

A line is on the disk before the step that it announces: the intent before the order is sent, the ticket before the
first poll. So after any crash the file shows what may have been paid for, and how to ask for it. The experiment and the
model are those of the folder: a line names domain, question and sample only.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar, get_args

from vmevalkit.core.errors import StoreError
from vmevalkit.core.jsonable import parse_json
from vmevalkit.core.records import RunStatus
from vmevalkit.core.secrets import find_secrets, redact, redact_values
from vmevalkit.store import layout, old_keys
from vmevalkit.store.atomic import os_errors
from vmevalkit.store.group_commit import GroupCommit
from vmevalkit.store.old_keys import rename_old_keys

JobKey = tuple[str, str, int]
"""Domain, question and sample: identifies a job in the journals of one experiment and model."""

Record = dict[str, Any]
V = TypeVar("V")
_MOST_USD = 1e9

# An adapter may put values of any type into ``sent``: no order may be lost because its record cannot be encoded.
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode


@dataclass(frozen=True, slots=True)
class Intent:
    """An order that is about to be sent."""

    job: JobKey
    idempotency_key: str
    """The same when a lost order is sent again."""
    prompt: str
    input_digest: str
    """Digest of the question and of the prompt as it is sent."""
    at: str
    """Time in ISO format."""
    usd: float | None = None
    """The expected price."""
    request_digest: str = ""
    """Digest of everything that the provider gets. Orders with the same digest, such as samples of a question, are
    interchangeable. Empty where it is unknown."""

    @property
    def time(self) -> datetime:
        return datetime.fromisoformat(self.at)


@dataclass(slots=True)
class JournalEntry:
    """The state of one job according to the journal."""

    intent: Intent | None = None
    """The latest; None where none was sent, or where nothing was ordered for certain."""
    ticket: Record | None = None
    """The provider's answer to the intent."""
    ticket_at: str | None = None
    """Time of the ticket in ISO format."""
    earlier_order_ids: list[str] = field(default_factory=list)
    """The provider's ids of earlier orders that had tickets."""
    status: str | None = None
    """The status of the finished job; None while it is open."""
    is_closed: bool = False
    """Whether the provider has finished with the ticket without a video: polling it again is pointless."""
    lost_intents: list[Intent] = field(default_factory=list)
    """Earlier intents that got no answer, and were sent again."""
    usd: float = 0.0
    """The sum spent on this job, as far as it is known."""

    @property
    def unanswered_intents(self) -> list[Intent]:
        """Intents that may have become orders without a known ticket."""
        if self.intent is None or self.ticket is not None:
            return self.lost_intents
        return [*self.lost_intents, self.intent]

    def apply(self, record: Record) -> None:
        """Update the entry with the next line of the journal. Raises ValueError or KeyError where it is malformed."""
        what = record["what"]
        if what == "intent":
            self.lost_intents = self.unanswered_intents
            if self.ticket is not None:
                self.earlier_order_ids.append(str(self.ticket["id"]))
            self.intent = _parse_intent(record)
            self.ticket, self.ticket_at, self.status, self.is_closed = None, None, None, False
            self.usd += self.intent.usd or 0.0
        elif what == "void":
            self.usd -= (self.intent.usd or 0.0) if self.intent else 0.0
            self.intent = None
        elif what == "ticket":
            self.ticket, self.ticket_at, self.status, self.is_closed = record["ticket"], record["at"], None, False
        elif what == "settled":
            self.status, self.is_closed = record["status"], record["closed"]
            if record.get("usd") is not None and self.intent is not None:
                self.usd += record["usd"] - (self.intent.usd or 0.0)
                self.intent = replace(self.intent, usd=record["usd"])
        else:
            raise ValueError(f"unknown kind of record {what!r}")


class Journal:
    """The journal of one experiment and model, open for writing.

    Only one process may have it open, or one process for each shard. The journals of other shards are read once.
    """

    def __init__(self, folder: Path, part: str | None = None) -> None:
        self.path = layout.journal_file(folder, part)
        with os_errors(self.path):
            folder.mkdir(parents=True, exist_ok=True)
            self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            self._size = max((end for _, end in _read_records(self.path)), default=0)
            os.ftruncate(self._handle, self._size)
        self.entries = read_entries(layout.journals_of(folder))
        self._lines: GroupCommit[Record] = GroupCommit(self._write)
        self._secrets = find_secrets()

    def entry(self, job: JobKey) -> JournalEntry:
        """Return the state of a job; an empty entry where nothing is known."""
        return self.entries.get(job) or JournalEntry()

    async def record_intent(self, intent: Intent) -> None:
        """Return once the intent is on the disk: only then may the order be sent."""
        await self._append(
            {
                "what": "intent", "job": intent.job, "at": intent.at, "key": intent.idempotency_key,
                "prompt": intent.prompt, "input_digest": intent.input_digest, "usd": intent.usd,
                "request_digest": intent.request_digest,
            }
        )  # fmt: skip

    def record_void(self, job: JobKey) -> None:
        """Record that nothing was ordered. Losing this line would only make the job uncertain, so it is not awaited."""
        record = {"what": "void", "job": job, "at": now_text()}
        self._apply(record)
        self._lines.commit_later(record)

    async def record_ticket(self, job: JobKey, ticket: Record) -> None:
        """Return once the ticket is on the disk."""
        await self._append({"what": "ticket", "job": job, "at": now_text(), "ticket": ticket})

    async def record_settled(self, job: JobKey, status: str, *, is_closed: bool, usd: float | None = None) -> None:
        """Record the end of a job. ``is_closed``: polling its ticket again is pointless. ``usd``: the charged price."""
        await self._append(
            {"what": "settled", "job": job, "at": now_text(), "status": status, "closed": is_closed, "usd": usd}
        )

    async def close(self) -> None:
        await self._lines.close()
        os.close(self._handle)

    async def _append(self, record: Record) -> None:
        self._apply(record)
        await self._lines.commit(record)

    def _apply(self, record: Record) -> None:
        self.entries.setdefault(_job_key(record), JournalEntry()).apply(record)

    def _redact(self, record: Record) -> Record:
        """Return a record without secrets in what comes from outside: the prompt, and the request as it was sent.

        Names, times, digests and ids are the journal's own: without them an order would be lost."""
        if "prompt" in record:
            return {**record, "prompt": redact(record["prompt"], self._secrets)}
        if "ticket" in record:
            kept = {name: record["ticket"][name] for name in ("id",) if name in record["ticket"]}
            return {**record, "ticket": {**redact_values(record["ticket"], self._secrets), **kept}}
        return record

    def _write(self, records: list[Record]) -> None:
        data = memoryview(
            "".join(_encode(self._redact(record)) + "\n" for record in records).encode("utf-8", "replace")
        )
        length = len(data)
        with os_errors(self.path):
            try:
                while data:
                    data = data[os.write(self._handle, data) :]
                os.fsync(self._handle)
            except OSError:
                os.ftruncate(self._handle, self._size)  # a later call must not append to half a line
                raise
        self._size += length


def now_text() -> str:
    """Return the current time in ISO format."""
    return datetime.now(UTC).isoformat()


def read_entries(paths: Iterable[Path]) -> dict[JobKey, JournalEntry]:
    """Return the state of each job from several journals together, without a last line that is incomplete."""
    files = [[record for record, _ in _read_records(path)] for path in paths]
    records = [record for each in files for record in each]
    if len(files) > 1:  # an earlier call may have had the job in another shard
        records.sort(key=lambda record: str(record["at"]))
    entries: defaultdict[JobKey, JournalEntry] = defaultdict(JournalEntry)
    for record in records:
        entries[_job_key(record)].apply(record)
    return dict(entries)


def read_other_entries(
    outputs: Path, excluded_folder: Path, is_wanted_model: Callable[[str], bool] = lambda _model: True
) -> Iterator[JournalEntry]:
    """Yield the entries of all experiments, without those in ``excluded_folder`` and those of unwanted models."""
    for folder in {path.parent for path in layout.all_journals(outputs)} - {excluded_folder}:
        if is_wanted_model(layout.name_of(folder.name)):
            yield from read_entries(layout.journals_of(folder)).values()


def sum_spent_usd(paths: Iterable[Path]) -> float:
    """Return what was spent according to the journals. Orders with unknown prices are not counted."""
    return sum(entry.usd for path in paths for entry in read_entries([path]).values())


class JournalReader:
    """Reads what another process spends, from its journal as it grows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._forget()

    def _forget(self) -> None:
        self._end, self._usd = 0, 0.0
        self._entries: defaultdict[JobKey, JournalEntry] = defaultdict(JournalEntry)

    def read_usd(self) -> float:
        """Return the sum of all orders. Only lines that are new since the last call are read."""
        try:
            size = self._path.stat().st_size
        except FileNotFoundError:
            size = 0
        if size < self._end:  # lines that could not be written completely were taken back
            self._forget()
        if size > self._end:
            for record, end in _read_records(self._path, self._end):
                entry = self._entries[_job_key(record)]
                before = entry.usd
                entry.apply(record)
                self._usd += entry.usd - before
                self._end = end
        return self._usd


def _read_records(path: Path, start: int = 0) -> Iterator[tuple[Record, int]]:
    """Yield each record from a position on, with the position where its line ends."""
    try:
        with path.open("rb") as file:
            file.seek(start)
            lines = file.read().split(b"\n")
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}") from error
    end = start
    for number, line in enumerate(lines[:-1], 1):  # after the last newline comes nothing, or an incomplete line
        end += len(line) + 1
        try:
            record = _check_record(parse_json(line))
        except (ValueError, TypeError, KeyError) as error:
            if number == len(lines) - 1:
                return  # a power cut may leave garbage in the last line
            place = f"line {number}" if start == 0 else f"the line that ends at byte {end}"
            raise StoreError(
                f"{place} of {path} is damaged ({error!r}), so its order is unknown; "
                "remove the line, and compare the journal with the provider's list of orders"
            ) from error
        yield record, end


def _check_record(record: Any) -> Record:
    """Return a line of a journal. Raises ValueError, TypeError or KeyError where it is not one."""
    if not isinstance(record, dict):
        raise TypeError("it is not an object")
    domain, question, sample = record["job"]
    for value, kind, name in ((domain, str, "domain"), (question, str, "question"), (sample, int, "sample")):
        _require(value, kind, name)
    datetime.fromisoformat(_require(record["at"], str, "at"))
    what = record["what"]
    if what == "intent":
        intent = rename_old_keys(record, old_keys.INTENT)
        for name in ("key", "prompt", "input_digest"):
            _require(intent[name], str, name)
        _require(intent.get("request_digest", ""), str, "request_digest")
        check_usd(intent["usd"])
    elif what == "ticket":
        _require(_require(record["ticket"], dict, "ticket")["id"], str, "id")
    elif what == "settled":
        if record["status"] not in get_args(RunStatus):
            raise ValueError(f"the status is {record['status']!r}")
        _require(record["closed"], bool, "closed")
        check_usd(record.get("usd"))
    elif what != "void":
        raise ValueError(f"unknown kind of record {what!r}")
    return record


def _require(value: Any, kind: type[V], name: str) -> V:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError(f"{name} is {value!r}")
    return value


def check_usd(usd: Any) -> None:
    """Raise ValueError where a price is not one: a sum with NaN would pass every budget."""
    is_number = isinstance(usd, int | float) and not isinstance(usd, bool)
    if usd is not None and not (is_number and 0 <= usd < _MOST_USD):
        raise ValueError(f"the price is {usd!r}")


def _parse_intent(record: Record) -> Intent:
    record = rename_old_keys(record, old_keys.INTENT)
    return Intent(
        _job_key(record), record["key"], record["prompt"], record["input_digest"], record["at"], record["usd"],
        record.get("request_digest", ""),
    )  # fmt: skip


def _job_key(record: Record) -> JobKey:
    domain, question, sample = record["job"]
    return domain, question, sample
