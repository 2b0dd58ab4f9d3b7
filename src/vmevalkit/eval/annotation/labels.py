"""What one annotator did: an append-only log of labels, and the score files that follow from it."""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from vmevalkit.core.errors import StoreError, UsageError
from vmevalkit.core.jsonable import from_json, parse_json
from vmevalkit.core.records import Score
from vmevalkit.core.scorer import PEOPLE
from vmevalkit.eval.annotation.items import VERSION, AnnotationItem
from vmevalkit.eval.annotation.plan import AnnotationPlan
from vmevalkit.eval.criteria import cap_value, is_solved
from vmevalkit.store import layout
from vmevalkit.store.atomic import os_errors
from vmevalkit.store.scores import Scored, save_score, score_file

MOST_NAME, MOST_TEXT = 100, 2000
"""Most characters of a name, and of an explanation."""
_MOST_SECONDS = 1e9
_MARKUP = '/\\<>&"'
_NOT_LETTERS = frozenset({"Cc", "Cs", "Co", "Cn"})
"""Categories of Unicode: control characters, half pairs, private and unassigned ones."""
CANNOT_TELL = "the annotator cannot tell"

Action = Literal["label", "undo"]


@dataclass(frozen=True, slots=True)
class LabelEvent:
    """One line of the log."""

    action: Action
    token: str
    """The item."""
    queue: str
    value: int | None = None
    """Of the final state, from 1 to 5; None where the annotator cannot tell, and for an undo."""
    explanation: str = ""
    seconds: float = 0.0
    """Time that the item was shown."""
    at: str = ""
    """Time in ISO format."""
    gold_value: int | None = None
    is_legal: bool | None = None
    """Whether every move is legal and shown; None where only the final state matters."""

    @property
    def capped(self) -> int | None:
        """The value after the moves are taken into account."""
        return None if self.value is None else cap_value(self.value, self.is_legal)


def check_name(name: str) -> str:
    """Return an annotator's name without spaces around it. Raises UsageError where it is not a name.

    A name may have any letters: people are called as they are called."""
    name = unicodedata.normalize("NFC", " ".join(name.split()))
    if not name:
        raise UsageError("the name is empty; enter your name")
    if len(name) > MOST_NAME:
        raise UsageError(f"the name has {len(name)} characters; use at most {MOST_NAME}")
    if any(letter in _MARKUP or unicodedata.category(letter) in _NOT_LETTERS for letter in name):
        raise UsageError(f"the name has a character that no name has ({' '.join(_MARKUP)}, or a control character)")
    if name.startswith(".") or ".." in name:
        raise UsageError("the name begins with a dot, or has two; enter your name")
    return name


def check_label(value: int | None, explanation: str) -> None:
    """Raise UsageError where a label is not one."""
    if value is not None and (isinstance(value, bool) or value not in (1, 2, 3, 4, 5)):
        raise UsageError(f"the value is {value!r}; use 1 to 5, or none where you cannot tell")
    if len(explanation) > MOST_TEXT:
        raise UsageError(f"the explanation has {len(explanation)} characters; use at most {MOST_TEXT}")


class LabelLog:
    """The log of one annotator. A line is on the disk before the annotator gets the next item."""

    def __init__(self, evaluations: Path, experiment: str, annotator: str) -> None:
        self.annotator = annotator
        self._evaluations, self._experiment = evaluations, experiment
        self._path = layout.annotation_log(evaluations, experiment, annotator)
        self._labels: dict[tuple[str, str], LabelEvent] = {}
        for event in read_events(self._path):
            self._apply(event)

    def find(self, queue: str, token: str) -> LabelEvent | None:
        """Return the label of an item; None where it has none."""
        return self._labels.get((queue, token))

    def list_labels(self, queue: str) -> list[LabelEvent]:
        """Return the labels of a queue in the order in which they were given."""
        return [label for (name, _), label in self._labels.items() if name == queue]

    def add_label(
        self,
        item: AnnotationItem,
        plan: AnnotationPlan,
        value: int | None,
        explanation: str,
        seconds: float,
        is_legal: bool | None = None,
    ) -> None:
        """Keep a label: a line of the log, and the score file of the video. A gold item has no score file."""
        event = LabelEvent(
            "label", item.token, plan.queue, value, explanation, round(seconds, 2), _now(), item.gold_value, is_legal
        )
        self._append(event)
        if not item.is_gold:
            save_score(self._evaluations, self._make_score(item, plan, event))

    def undo_label(self, item: AnnotationItem, plan: AnnotationPlan) -> None:
        """Take a label back. The log keeps it, and says that it was taken back."""
        self._append(LabelEvent("undo", item.token, plan.queue, at=_now()))
        if not item.is_gold:
            path = score_file(
                self._evaluations, self._experiment, item.model, item.question.domain, item.question.id, PEOPLE,
                sample=item.sample, annotator=self.annotator,
            )  # fmt: skip
            with os_errors(path):
                path.unlink(missing_ok=True)

    def _make_score(self, item: AnnotationItem, plan: AnnotationPlan, event: LabelEvent) -> Scored:
        if event.value is None:
            score = Score.unscored(PEOPLE, VERSION, event.explanation or CANNOT_TELL)
        else:
            solved, is_legal = is_solved(event.value), event.is_legal
            score = Score(
                PEOPLE, VERSION, value=event.capped, solved=solved, passed=solved and is_legal is not False,
                process=None if is_legal is None else float(is_legal), explanation=event.explanation,
            )  # fmt: skip
        return Scored(
            self._experiment, item.model, item.question.domain, item.question.id, PEOPLE, score, item.sample,
            item.run_id, item.video_digest, item.puzzle_digest, self.annotator, timestamp=event.at,
            details={"queue": plan.queue, "probability": plan.probability, "seconds": event.seconds},
        )  # fmt: skip

    def _append(self, event: LabelEvent) -> None:
        data = json.dumps(asdict(event), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        with os_errors(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            try:
                size = os.fstat(handle).st_size
                if size and os.pread(handle, 1, size - 1) != b"\n":
                    data = b"\n" + data  # the rest of a line that was cut off
                os.write(handle, data)
                os.fsync(handle)
            finally:
                os.close(handle)
        self._apply(event)

    def _apply(self, event: LabelEvent) -> None:
        self._labels.pop((event.queue, event.token), None)
        if event.action == "label":
            self._labels[event.queue, event.token] = event


def read_events(path: Path) -> Iterator[LabelEvent]:
    """Yield the events of a log. A line that a crash cut off, or that is no event, is skipped."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}") from error
    for line in data.split(b"\n"):
        try:
            event = from_json(LabelEvent, parse_json(line))
            check_label(event.value, event.explanation)
        except (ValueError, TypeError, UsageError):
            continue
        if 0 <= event.seconds < _MOST_SECONDS:
            yield event


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
