"""The annotation itself, without a page: annotators join, get items, rate them, and can take a label back.

One lock makes every step atomic: the page serves many people from many threads.
"""

from __future__ import annotations

import logging
import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from threading import Lock
from time import monotonic

from vmevalkit.core.errors import StoreError, UsageError
from vmevalkit.core.scorer import PEOPLE
from vmevalkit.eval.annotation.assignment import choose_next, order_items
from vmevalkit.eval.annotation.items import AnnotationItem
from vmevalkit.eval.annotation.labels import LabelEvent, LabelLog, check_label, check_name
from vmevalkit.eval.annotation.plan import AnnotationPlan
from vmevalkit.eval.annotation.resume_code import is_code, make_resume_code, protect_code
from vmevalkit.eval.criteria import is_process_judged
from vmevalkit.store import layout
from vmevalkit.store.atomic import os_errors, write_file
from vmevalkit.store.records import read_record, record_bytes
from vmevalkit.store.scores import load_score, score_file

_log = logging.getLogger(__name__)
FREE_ATTEMPTS, LONGEST_PAUSE_S = 5, 300.0
"""Wrong resume codes before a name waits, and the longest wait."""
LEASE_S = 30 * 60.0
"""How long an item that somebody has on the screen counts as theirs."""


class SessionError(UsageError):
    """The session is unknown or belongs to somebody else: the annotator must join again."""


@dataclass(slots=True)
class Session:
    """One annotator at work."""

    annotator: str
    log: LabelLog
    order: list[str]
    skipped: list[str] = field(default_factory=list)
    current: str | None = None
    """The item on the screen."""
    since: float = 0.0
    """When it was shown."""


@dataclass(frozen=True, slots=True)
class Screen:
    """What an annotator sees."""

    annotator: str
    item: AnnotationItem | None
    """None where everything is rated."""
    label: LabelEvent | None
    """The label that the item has already."""
    rated: int
    total: int
    """Items that this annotator can still get, and those that are rated."""
    seconds_left: float | None = None
    """By the median time of this annotator's labels; None before the first."""


@dataclass(frozen=True, slots=True)
class Joined:
    """The answer to an annotator who joins."""

    session: str
    """Secret of this session: it comes with every further call."""
    resume_code: str | None
    """Given once, to a new annotator. It opens the same name on another day or in another browser."""
    screen: Screen


class AnnotationService:
    """The annotation of one queue of one experiment."""

    def __init__(
        self,
        experiment: str,
        evaluations: Path,
        plan: AnnotationPlan,
        items: Sequence[AnnotationItem],
        gold: Sequence[AnnotationItem] = (),
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.experiment, self.plan = experiment, plan
        self._evaluations, self._clock = evaluations, clock
        self._items = {item.token: item for item in (*items, *gold)}
        self._videos = [token for token in plan.tokens if token in self._items]
        self._gold = [item.token for item in gold]
        self._sessions: dict[str, Session] = {}
        self._logs: dict[str, LabelLog] = {}
        self._attempts: dict[str, tuple[int, float]] = {}
        """For each name the wrong codes, and the time until which no further one is looked at."""
        self._lock = Lock()
        self._codes_file = layout.annotation_codes(evaluations, experiment)
        for name in sorted(self._read_codes()):
            self._open_log(name)

    def join(self, name: str, resume_code: str = "") -> Joined:
        """Begin or resume the work of an annotator. A name that is taken needs its resume code."""
        name = check_name(name)
        with self._lock:
            codes = self._read_codes()
            taken = next((known for known in codes if known.casefold() == name.casefold()), None)
            new_code = None
            if taken is None:
                self._open_log(name)  # before the name is taken: it must not be taken by somebody who cannot begin
                new_code = make_resume_code()
                codes[name] = protect_code(new_code)
                write_file(self._codes_file, record_bytes(codes), durable=True)
            else:
                self._check_code(taken, codes[taken], resume_code.strip())
            name = taken or name
            order = order_items(self._videos, self._gold, self.plan.gold_share, self.plan.seed, name)
            session = Session(name, self._open_log(name), order)
            key = secrets.token_urlsafe(24)
            self._sessions[key] = session
            return Joined(key, new_code, self._show_next(session))

    def rate(
        self, key: str, token: str, value: int | None, explanation: str = "", is_legal: bool | None = None
    ) -> Screen:
        """Keep the label of the item on the screen, and show the next one. A value of None says: cannot tell.

        ``value`` is of the final state. Where the rules judge the moves, ``is_legal`` says whether each is legal and
        shown."""
        check_label(value, explanation)
        with self._lock:
            session = self._require_session(key)
            item = self._require_current(session, token)
            if not is_process_judged(item.question.domain) or value is None:
                is_legal = None
            elif is_legal is None:
                raise UsageError("answer the second question too: is every move legal and shown?")
            # A second label of the same item replaces the first, so a repeated click does no harm.
            session.log.add_label(item, self.plan, value, explanation.strip(), self._clock() - session.since, is_legal)
            if token in session.skipped:
                session.skipped.remove(token)
            return self._show_next(session)

    def skip(self, key: str, token: str) -> Screen:
        """Put the item aside: it comes again at the end."""
        with self._lock:
            session = self._require_session(key)
            self._require_current(session, token)
            if token in session.skipped:
                session.skipped.remove(token)
            session.skipped.append(token)
            return self._show_next(session)

    def go_back(self, key: str) -> Screen:
        """Show the item that was rated last, or the one before it, with its label."""
        with self._lock:
            session = self._require_session(key)
            rated = [label.token for label in session.log.list_labels(self.plan.queue) if label.token in self._items]
            if session.current in rated:
                rated = rated[: rated.index(session.current)]
            if rated:
                self._put_on_screen(session, rated[-1])
            return self._look(session)

    def undo(self, key: str) -> Screen:
        """Take the last label back, and show its item again."""
        with self._lock:
            session = self._require_session(key)
            labels = session.log.list_labels(self.plan.queue)
            last = next((label.token for label in reversed(labels) if label.token in self._items), None)
            if last is not None:
                session.log.undo_label(self._items[last], self.plan)
                self._put_on_screen(session, last)
            return self._look(session)

    # -- inside the lock -----------------------------------------------------------------------------------------

    def _check_code(self, name: str, protected: str, given: str) -> None:
        """Raise UsageError where this is not the resume code. After a few wrong ones the name waits."""
        if not given:
            raise UsageError(f"the name {name!r} is taken; enter its resume code, or choose another name")
        wrong, until = self._attempts.get(name, (0, 0.0))
        if self._clock() < until:
            raise UsageError(f"too many wrong codes for {name!r}; try again in {until - self._clock():.0f} s")
        if not is_code(given, protected):
            pause = 0.0 if wrong + 1 < FREE_ATTEMPTS else min(LONGEST_PAUSE_S, 2.0 ** (wrong + 2 - FREE_ATTEMPTS))
            self._attempts[name] = wrong + 1, self._clock() + pause
            raise UsageError(f"this is not the resume code of {name!r}; check it, or choose another name")
        self._attempts.pop(name, None)

    def _show_next(self, session: Session) -> Screen:
        own = self._list_done(session)
        session.current = None
        token = choose_next(
            session.order, own, session.skipped, self._count_others(session), self.plan.people, self._gold
        )
        if token is not None:
            self._put_on_screen(session, token)
        return self._look(session)

    def _put_on_screen(self, session: Session, token: str) -> None:
        session.current, session.since = token, self._clock()

    def _look(self, session: Session) -> Screen:
        done = self._list_done(session)
        others = self._count_others(session)
        left = [
            token
            for token in session.order
            if token not in done and (token in self._gold or others[token] < self.plan.people)
        ]
        item = self._items[session.current] if session.current else None
        label = session.log.find(self.plan.queue, item.token) if item else None
        seconds = [each.seconds for each in session.log.list_labels(self.plan.queue)]
        seconds_left = median(seconds) * len(left) if seconds else None
        return Screen(session.annotator, item, label, len(done), len(done) + len(left), seconds_left)

    def _list_done(self, session: Session) -> set[str]:
        """Return the items that the annotator rated, in this queue or in another one."""
        rated = {label.token for label in session.log.list_labels(self.plan.queue)}
        return {token for token in session.order if token in rated or self._is_rated_elsewhere(session, token)}

    def _is_rated_elsewhere(self, session: Session, token: str) -> bool:
        """Return whether the annotator rated the video in another queue: that label must not be replaced."""
        item = self._items[token]
        if item.is_gold or self.plan.queue != "disagreement":
            return False
        path = score_file(
            self._evaluations, self.experiment, item.model, item.question.domain, item.question.id, PEOPLE,
            sample=item.sample, annotator=session.annotator,
        )  # fmt: skip
        scored = load_score(path)
        return scored is not None and (scored.details or {}).get("queue") != self.plan.queue

    def _count_others(self, session: Session) -> Counter[str]:
        """Return how many others rated each item or have it on the screen."""
        counts: Counter[str] = Counter()
        for log in self._logs.values():
            if log.annotator != session.annotator:
                counts.update(label.token for label in log.list_labels(self.plan.queue))
        for other in self._sessions.values():
            is_recent = self._clock() - other.since < LEASE_S
            if other.annotator != session.annotator and other.current and is_recent:
                counts[other.current] += other.log.find(self.plan.queue, other.current) is None
        return counts

    def _require_session(self, key: str) -> Session:
        session = self._sessions.get(key)
        if session is None:
            raise SessionError("this session is not known here; enter your name again: every label is kept")
        return session

    def _require_current(self, session: Session, token: str) -> AnnotationItem:
        if token != session.current or token not in self._items:
            raise SessionError("this item is not the one on your screen; reload the page: every label is kept")
        return self._items[token]

    def _open_log(self, name: str) -> LabelLog:
        if name not in self._logs:
            self._logs[name] = LabelLog(self._evaluations, self.experiment, name)
        return self._logs[name]

    def _read_codes(self) -> dict[str, str]:
        try:
            codes = read_record(self._codes_file) or {}
        except StoreError as error:
            if isinstance(error.__cause__, OSError):
                raise
            aside = self._codes_file.with_name(f".{self._codes_file.name}.damaged")  # hidden files are never pushed
            with os_errors(aside):
                self._codes_file.replace(aside)
            _log.warning("%s; it is now %s, and everybody gets a new resume code", error, aside)
            codes = {}
        return {name: code for name, code in codes.items() if isinstance(code, str)}
