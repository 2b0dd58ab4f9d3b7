"""The log of paid answers: one append-only file for each model, shared by all experiments.

A line is on the disk before its answer is used. So after any crash nothing is asked again that was answered, apart from
answers that arrived in the last moment. Several processes may append to one file.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import StoreError
from vmevalkit.core.jsonable import parse_json
from vmevalkit.core.secrets import find_secrets, redact, redact_values
from vmevalkit.store.atomic import os_errors
from vmevalkit.store.group_commit import GroupCommit
from vmevalkit.store.journal import check_usd

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class LoggedAnswer:
    """One line of the log."""

    key: str
    """Digest of everything that was asked."""
    purpose: str
    """What the answer was bought for, such as the name of an experiment. A budget counts the answers of its purpose."""
    answer: Mapping[str, Any]
    """The answer as a JSON object."""
    usd: float | None = None
    rejected: str | None = None
    """Why the answer is of no use. It is asked for again, and this line only shows what was received and paid."""


class AnswerLog:
    """The log of one model, open for reading and appending."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with os_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        self._answers: dict[str, bytes] = {}
        """The last line of each key that can be used; it is decoded when it is asked for."""
        self._spent: dict[str, float] = {}
        self._load()
        self._lines: GroupCommit[LoggedAnswer] = GroupCommit(self._write)
        self._secrets = find_secrets()

    def find(self, key: str) -> dict[str, Any] | None:
        """Return the answer to a request; None where it was not asked, or where its answer was rejected."""
        line = self._answers.get(key)
        if line is None:
            return None
        answer: dict[str, Any] = json.loads(line)["answer"]
        return answer

    def spent_usd(self, purpose: str) -> float:
        """Return what the answers for a purpose have cost, as far as their prices are known."""
        return self._spent.get(purpose, 0.0)

    async def add(self, answer: LoggedAnswer) -> None:
        """Return once the answer is on the disk."""
        await self._lines.commit(answer)

    async def close(self) -> None:
        await self._lines.close()
        os.close(self._handle)

    def _load(self) -> None:
        try:
            data = self.path.read_bytes()
        except OSError as error:
            raise StoreError(f"cannot read {self.path}: {error.strerror}") from error
        for line in data.split(b"\n"):
            try:
                answer = LoggedAnswer(**parse_json(line))
                check_usd(answer.usd)
                if answer.rejected is None and not isinstance(answer.answer, dict):
                    raise TypeError("the answer is not an object")
                self._apply(answer, line)
            except (ValueError, TypeError):
                continue  # a crash may leave half a line: its answer is asked for again, and nothing else is lost

    def _apply(self, answer: LoggedAnswer, line: bytes) -> None:
        if answer.rejected is None:
            self._answers[answer.key] = line
        self._spent[answer.purpose] = self._spent.get(answer.purpose, 0.0) + (answer.usd or 0.0)

    def _write(self, answers: list[LoggedAnswer]) -> None:
        lines = [_encode(_to_record(answer, self._secrets)).encode("utf-8", "replace") for answer in answers]
        data = memoryview(b"".join(line + b"\n" for line in lines))
        with os_errors(self.path):
            fcntl.flock(self._handle, fcntl.LOCK_EX)  # another process may append to the same file
            try:
                size = os.fstat(self._handle).st_size
                if size and os.pread(self._handle, 1, size - 1) != b"\n":
                    os.write(self._handle, b"\n")  # the rest of a line that was cut off
                while data:
                    data = data[os.write(self._handle, data) :]
                os.fsync(self._handle)
            finally:
                fcntl.flock(self._handle, fcntl.LOCK_UN)
        for answer, line in zip(answers, lines, strict=True):
            self._apply(answer, line)


def _to_record(answer: LoggedAnswer, secrets: Sequence[str]) -> dict[str, Any]:
    return {
        "key": answer.key, "purpose": answer.purpose, "usd": answer.usd,
        "rejected": None if answer.rejected is None else redact(answer.rejected, secrets),
        "answer": redact_values(answer.answer, secrets),
    }  # fmt: skip
