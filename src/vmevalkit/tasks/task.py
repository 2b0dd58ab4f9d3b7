"""The contract: a task is a scene that can be drawn, and read back.

P is a puzzle: frozen, JSON-able, the whole truth. S is a state: the whole visible scene at one time, what moves and
what must stay. ``draw`` and ``read`` are inverse to each other; everything else is logic without pixels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar

from vmevalkit.core.errors import UnknownName
from vmevalkit.core.records import Finding
from vmevalkit.media.picture import Frame
from vmevalkit.media.sighting import Sighting

P = TypeVar("P")
S = TypeVar("S")
S_co = TypeVar("S_co", covariant=True)
K = TypeVar("K")

Expected = Literal["pass", "fail", "n/a"]
"""The verdict that a trick film deserves: known by construction."""


_ALIKE: dict[str, Expected] = {
    "oracle": "pass",
    "slower": "pass",
    "faster": "pass",
    "eased": "pass",
    "paused": "pass",
    "fps8": "pass",
    "static": "fail",
    "noise": "fail",
    "reversed": "fail",
    "halfway": "fail",
    "solved_then_destroyed": "fail",
}
ANSWER_COUNTS: Mapping[str, Expected] = _ALIKE | {"cut_to_final": "pass", "crossfade": "pass"}
"""What the generic tricks deserve where the final state says it all: a cut to the answer is an answer."""
WAY_COUNTS: Mapping[str, Expected] = _ALIKE | {"cut_to_final": "fail", "crossfade": "fail"}
"""What they deserve where the way to it is a part of the answer."""


@dataclass(frozen=True, slots=True)
class Glimpse(Generic[S]):
    """What was read of one frame."""

    seconds: float
    state: S | None
    """None where the frame could not be read."""


Trace = Sequence[Glimpse[S]]


@dataclass(frozen=True, slots=True)
class Film(Generic[S]):
    """A state trajectory with the verdict it deserves."""

    state_at: Callable[[float], S]
    """The scene at time t, from 0 to 1."""
    expected: Expected
    why: str
    """What the film does, in a few words."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What ``check`` found on the way: pure logic over a trace."""

    findings: tuple[Finding, ...] = ()
    metrics: Mapping[str, float] = field(default_factory=dict)


class Reader(Protocol[S]):
    """Perception for one film of a puzzle, whose frames it is given in order."""

    def read(self, sighting: Sighting, before: S | None) -> S | None:
        """The state that the registered frame shows, or None if unreadable.

        ``before`` is the state read last: a place to start looking, never a reason to see it again.
        """
        ...


class Task(ABC, Generic[P, S, K]):
    """One kind of puzzle. K are its knobs: a frozen dataclass with defaults, whose ``__post_init__`` raises
    UsageError on impossible values."""

    name: ClassVar[str]
    """The domain, such as ``maze``; the folder is ``maze_task``."""
    title: ClassVar[str]
    """For tables, such as ``Maze``."""
    category: ClassVar[str]
    """The specification's task_category."""
    description: ClassVar[str]
    version: ClassVar[str]
    """Of the rules: raise it when the same film may get another verdict than by the release before."""
    puzzle_type: ClassVar[type]
    knobs_type: ClassVar[type]
    difficulties: ClassVar[Mapping[str, Any]]
    """Preset knobs by name: ``easy``, ``medium``, ``hard``."""
    default_difficulty: ClassVar[str] = "easy"
    anchored: ClassVar[bool] = True
    """Whether most of the picture stays where it is, so that a film can be registered frame by frame. Where it is
    False, frames are registered as the first one was, and the reader finds scale and place itself."""
    reading_scale: ClassVar[float] = 1.0
    """Size of a sighting relative to the drawn picture."""
    film_seconds: ClassVar[float] = 4.0
    """Length of the solution film."""
    tricks: ClassVar[Mapping[str, Expected]]
    """What each generic trick deserves (see ``vmevalkit.baselines``): mostly ANSWER_COUNTS or WAY_COUNTS."""

    # -- making puzzles ------------------------------------------------------------------------------------------

    @abstractmethod
    def sample(self, rng: Random, knobs: K) -> P:
        """A candidate puzzle. It may turn out uncertified or a duplicate; planning then tries again."""

    @abstractmethod
    def key(self, puzzle: P) -> Hashable:
        """Equal for two puzzles that are the same question."""

    @abstractmethod
    def certify(self, puzzle: P) -> None:
        """Prove by solving: legal, not solved at the start, one answer or all listed. Raises Uncertified."""

    def catalogue(self, knobs: K) -> Sequence[P] | None:
        """Every distinct puzzle, where they can be listed; planning then permutes instead of sampling."""
        return None

    def capacity(self, knobs: K) -> int | None:
        """How many distinct questions exist; None where nobody can count them."""
        listed = self.catalogue(knobs)
        return None if listed is None else len(listed)

    @abstractmethod
    def prompt(self, puzzle: P) -> str: ...

    @abstractmethod
    def metadata(self, puzzle: P) -> dict[str, Any]:
        """The specification's keys for this task, beside the common ones."""

    # -- the scene -----------------------------------------------------------------------------------------------

    @abstractmethod
    def size(self, puzzle: P) -> tuple[int, int]:
        """Width and height of the drawn picture."""

    @abstractmethod
    def solution(self, puzzle: P, t: float) -> S:
        """The scene at time t of the reference solution: 0 is the first frame, 1 the final one."""

    @abstractmethod
    def draw(self, puzzle: P, state: S) -> Frame: ...

    @abstractmethod
    def reader(self, puzzle: P) -> Reader[S]: ...

    # -- the logic -----------------------------------------------------------------------------------------------

    @abstractmethod
    def accepted(self, puzzle: P, state: S) -> bool:
        """Whether the state is an answer, with nothing damaged."""

    @abstractmethod
    def progress(self, puzzle: P, state: S) -> float:
        """From 0 (the first frame, or worse) to 1 (accepted), less damage to what must stay."""

    @abstractmethod
    def check(self, puzzle: P, trace: Trace[S]) -> Checked:
        """What happened on the way. Unreadable glimpses are passed over."""

    def describe(self, records: Sequence[Mapping[str, Any]]) -> str:
        """What a dataset of these questions is; by default the task's description, whatever the knobs."""
        return self.description

    def settle(self, puzzle: P, states: Sequence[S]) -> S:
        """The state that several readings of a still scene amount to. By default the one that prevails."""
        return states[prevailing([self.identity(puzzle, state) for state in states])]

    def identity(self, puzzle: P, state: S) -> Hashable:
        """Equal for two readings of the same scene: what is continuous is rounded away here."""
        return state

    @abstractmethod
    def films(self, puzzle: P, rng: Random) -> dict[str, Film[S]]:
        """The task's own cheats and wrong answers, and right answers that look unusual."""

    # -- what follows from the rest ------------------------------------------------------------------------------

    def preset(self, difficulty: str | None = None) -> K:
        name = difficulty or self.default_difficulty
        if name not in self.difficulties:
            raise UnknownName(f"difficulty of {self.name}", name, self.difficulties)
        knobs: K = self.difficulties[name]
        return knobs

    def first_frame(self, puzzle: P) -> Frame:
        return self.draw(puzzle, self.solution(puzzle, 0.0))

    def final_frame(self, puzzle: P) -> Frame:
        return self.draw(puzzle, self.solution(puzzle, 1.0))

    def reading_size(self, puzzle: P) -> tuple[int, int]:
        width, height = self.size(puzzle)
        return round(width * self.reading_scale), round(height * self.reading_scale)


AnyTask = Task[Any, Any, Any]


def readable(trace: Iterable[Glimpse[S]]) -> list[tuple[float, S]]:
    """The glimpses that were read, as (seconds, state)."""
    return [(glimpse.seconds, glimpse.state) for glimpse in trace if glimpse.state is not None]


def prevailing(readings: Sequence[Hashable]) -> int:
    """The place of the most frequent reading; of several, of the latest: a scene may still be on its way."""
    counts = Counter(readings)
    latest = {reading: place for place, reading in enumerate(readings)}
    return latest[max(counts, key=lambda reading: (counts[reading], latest[reading]))]
