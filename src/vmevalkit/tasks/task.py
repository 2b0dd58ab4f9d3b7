"""The contract of a task: a scene that can be drawn and read back.

P is a puzzle: frozen, JSON-able, the whole truth. S is a state: the whole visible scene at one time, with what moves
and what must stay. ``draw`` and ``read`` are inverse to each other; everything else is logic without pixels.
"""

from __future__ import annotations

import copyreg
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Protocol, TypeVar, runtime_checkable

from vmevalkit.core.errors import UnknownName
from vmevalkit.core.records import Finding
from vmevalkit.media.image import Frame
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.media.residual import Blob, Box, find_changed_boxes
from vmevalkit.tasks.complexity import Complexity
from vmevalkit.tasks.evidence import MotionLimits

if TYPE_CHECKING:
    from vmevalkit.tasks.kit.question_pictures import Pictures
    from vmevalkit.tasks.pictures.scene import PicturedScene

P = TypeVar("P")
S = TypeVar("S")
S_co = TypeVar("S_co", covariant=True)
K = TypeVar("K")

GROUPS = ("planning", "deduction", "perception")
"""Cognitive groups: to plan a way, to deduce an answer, to see what is where and how it turns."""
Expected = Literal["pass", "fail", "n/a"]
"""The verdict that a trick video deserves by construction."""


class Offer(StrEnum):
    """What a task offers to the kinds of videos of an audit, so that their verdicts hold for it.

    The first group follows from the task's class (``audit.kinds.find_offers``), a task declares the second itself.
    """

    PROCESS = "process"
    """Every move must be legal and visible."""
    FINAL_STATE = "final_state"
    """Only the final state matters."""
    PARTS = "parts"
    """The scene is made of the kit's parts."""
    MOVES = "moves"
    """Parts move or turn by legal moves."""
    SLIDES = "slides"
    """Parts move from place to place."""
    ONE_BY_ONE = "one_by_one"
    """One move is made after another, never two at once."""
    FILLS = "fills"
    """Blank cells get contents."""

    FREE_CAMERA = "free_camera"
    """The prompt does not demand a fixed camera, so that a small camera motion is allowed."""
    MARGIN = "margin"
    """Three percent at each edge of the picture are empty."""
    STILL_EDGES = "still_edges"
    """Nothing of the puzzle moves at the edges of the picture."""
    QUICK = "quick"
    """The whole solution fits into two seconds without a jump."""
    ASYMMETRIC = "asymmetric"
    """The picture never looks the same when it is mirrored or turned over."""
    FREE_HUES = "free_hues"
    """No rule asks for hues: all of them may drift together."""
    MEANT_COLOURS = "meant_colours"
    """With inverted colours the picture means something else."""
    WHOLE = "whole"
    """The halves of the picture belong together: one that is shifted is damage."""
    SOLID_ANSWER = "solid_answer"
    """Half of the ink of an answer over the question cannot be read as the answer."""


_COMMON: dict[str, Expected] = {
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
FINAL_STATE_MATTERS: Mapping[str, Expected] = _COMMON | {"cut_to_final": "pass", "crossfade": "pass"}
"""Verdicts of the generic tricks where only the final state matters: a cut to the answer is an answer."""
PROCESS_MATTERS: Mapping[str, Expected] = _COMMON | {"cut_to_final": "fail", "crossfade": "fail"}
"""Verdicts of the generic tricks where every move must be legal and visible: a cut is not an answer."""


@dataclass(frozen=True, slots=True)
class FrameReading(Generic[S]):
    """The state that was read from one frame."""

    seconds: float
    state: S | None
    """None where the frame could not be read."""
    blobs: tuple[Blob, ...] | None = None
    """Areas that the state does not explain; None where the frame was not compared with it."""
    is_card: bool = False
    """Whether an unreadable frame is part of a fade or of a still card."""
    is_covered: bool = False
    """Whether an unreadable frame has something over the moving part."""


Trace = Sequence[FrameReading[S]]


@dataclass(frozen=True, slots=True)
class StateTrajectory(Generic[S]):
    """A state trajectory with the verdict it deserves."""

    state_at: Callable[[float], S]
    """The scene at time t, from 0 to 1."""
    expected: Expected
    why: str
    """What the video shows, in a few words."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Findings and metrics of a whole trace."""

    findings: tuple[Finding, ...] = ()
    metrics: Mapping[str, float] = field(default_factory=dict)


class Reader(Protocol[S]):
    """Reads the frames of one video of a puzzle, in order."""

    def read(self, frame: RegisteredFrame, before: S | None) -> S | None:
        """Return the state that the registered frame shows, or None where it cannot be read.

        ``before`` is the state that was read last: a start for the search, never evidence.
        """
        ...


@runtime_checkable
class CoverAwareReader(Protocol):
    """A reader that knows why it could not read a frame."""

    @property
    def is_covered(self) -> bool:
        """Whether something covers the moving part in the frame that was read last."""
        ...


class Task(ABC, Generic[P, S, K]):
    """One kind of puzzle. K are its params: a frozen dataclass with defaults whose ``__post_init__`` raises UsageError
    on impossible values."""

    name: ClassVar[str]
    """The domain, such as ``maze``; the folder is ``maze_task``."""
    title: ClassVar[str]
    """Title in tables, such as ``Maze``."""
    group: ClassVar[str] = ""
    """The ability that the puzzle asks for, one of ``GROUPS``; empty where a task of a user states none."""
    category: ClassVar[str]
    """The specification's task_category."""
    description: ClassVar[str]
    version: ClassVar[str]
    """Version of the rules: raise it when the same video may get another verdict than in the previous release."""
    puzzle_type: ClassVar[type]
    params_type: ClassVar[type]
    difficulties: ClassVar[Mapping[str, Any]]
    """Preset params by name: ``easy``, ``medium``, ``hard``."""
    default_difficulty: ClassVar[str] = "easy"
    anchored: ClassVar[bool] = True
    """Whether most of the image stands still, so that each frame can be registered. Where it is False, frames are
    registered like the first one, and the reader finds scale and position itself."""
    has_flat_colours: ClassVar[bool] = True
    """Whether things keep their colours wherever they move, so that the light of each frame can be measured by them. It
    is False where the shading of a solid changes as it turns."""
    reading_scale: ClassVar[float] = 1.0
    """Size of a registered frame relative to the drawn image."""
    video_seconds: ClassVar[float] = 4.0
    """Length of the solution video."""
    smallest_part_area: ClassVar[float] = 0.002
    """Area, as a share of the image, of the smallest part of a scene."""
    motion: ClassVar[MotionLimits | None] = None
    """Limits of the motion where every move must be visible; None where only the final state matters."""
    may_have_trails: ClassVar[bool] = False
    """Whether a thin leftover where the state has changed is a trail, an arrow, or the outline of an answer: parts move
    over plain ground, or are drawn in any typeface."""
    complexity: ClassVar[Complexity | None] = None
    """What the task states about its puzzles in the domain complexity table; None where it states nothing."""
    judge_hint: ClassVar[str] = ""
    """What people and VLM judges are told to check in the final frame."""
    offers: ClassVar[frozenset[Offer]] = frozenset()
    """What the pictures and the prompt offer to the audit's kinds of videos, beyond what follows from the class."""
    tricks: ClassVar[Mapping[str, Expected]]
    """The verdict of each generic trick of ``baselines``: mostly FINAL_STATE_MATTERS or PROCESS_MATTERS."""

    # -- making puzzles ------------------------------------------------------------------------------------------

    @abstractmethod
    def sample(self, rng: Random, params: K) -> P:
        """Return a candidate puzzle. Planning tries again where it is a duplicate or cannot be certified."""

    @abstractmethod
    def key(self, puzzle: P) -> Hashable:
        """Return a key that is equal for two puzzles that are the same question."""

    @abstractmethod
    def certify(self, puzzle: P) -> None:
        """Prove by solving that the puzzle is legal, not solved at the start, and has one answer or lists all answers.

        Raises Uncertified."""

    def catalogue(self, params: K) -> Sequence[P] | None:
        """Return every distinct puzzle where they can be listed. Planning then shuffles the list."""
        return None

    def capacity(self, params: K) -> int | None:
        """Return the number of distinct questions; None where it is not known."""
        listed = self.catalogue(params)
        return None if listed is None else len(listed)

    @abstractmethod
    def prompt(self, puzzle: P) -> str: ...

    @abstractmethod
    def metadata(self, puzzle: P) -> dict[str, Any]:
        """Return the specification's keys of this task for question_metadata.json, beside the common ones."""

    # -- the scene -----------------------------------------------------------------------------------------------

    @abstractmethod
    def size(self, puzzle: P) -> tuple[int, int]:
        """Return width and height of the drawn image."""

    @abstractmethod
    def solution(self, puzzle: P, t: float) -> S:
        """Return the scene at time t of the reference solution, from 0 (first frame) to 1 (final frame)."""

    @abstractmethod
    def draw(self, puzzle: P, state: S) -> Frame: ...

    @abstractmethod
    def reader(self, puzzle: P) -> Reader[S]: ...

    # -- the logic -----------------------------------------------------------------------------------------------

    @abstractmethod
    def accepted(self, puzzle: P, state: S) -> bool:
        """Return whether the state is an accepted answer with nothing damaged."""

    @abstractmethod
    def progress(self, puzzle: P, state: S) -> float:
        """Return the progress from 0 (the first frame, or worse) to 1 (accepted), less damage to what must stay."""

    @abstractmethod
    def check(self, puzzle: P, trace: Trace[S]) -> CheckResult:
        """Return what happened on the way. Unreadable frames are skipped."""

    def learn_looks(self, puzzle: P, pictures: Pictures) -> PicturedScene[S] | None:
        """Return how a question's own pictures show the scenes, where somebody else drew them; None where the task
        reads its own drawing only. Raises UnreadablePictures where the pictures do not show the puzzle."""
        return None

    def is_intact(self, puzzle: P, state: S) -> bool:
        """Return whether everything that must stay is there as it was; by default nothing is known to be damaged."""
        return True

    def accepted_states(self, puzzle: P) -> Sequence[S]:
        """Return the final state of each accepted answer, that of the reference solution first; by default only that.

        Where there are too many answers to list, it is the only one too."""
        return [self.solution(puzzle, 1.0)]

    def check_puzzle(self, puzzle: P) -> None:
        """Raise ValueError where the parts of a loaded puzzle do not fit each other, such as a cell outside its grid.

        Types and the ranges of fields (``Annotated[int, Range(2, 4)]``) are checked before. It must be cheap: it is
        called for every video that is scored."""

    def describe(self, records: Sequence[Mapping[str, Any]]) -> str:
        """Return a description of a dataset of these questions; by default the task's description."""
        return self.description

    def consensus_state(self, puzzle: P, states: Sequence[S]) -> S:
        """Return the state that several readings of a still scene agree on; by default the most frequent one."""
        return states[majority_index([self.state_key(puzzle, state) for state in states])]

    def state_key(self, puzzle: P, state: S) -> Hashable:
        """Return a key that is equal for two readings of the same scene: continuous values are rounded here."""
        return state

    def deciding_boxes(self, puzzle: P, state: S) -> Sequence[Box]:
        """Return the boxes of the parts that decide whether the state is an answer; by default all that has changed."""
        return find_changed_boxes(self.first_frame(puzzle), self.draw(puzzle, state))

    def explained_boxes(self, puzzle: P, state: S) -> Sequence[Box]:
        """Return the boxes in which the reader itself accounts for everything, though ``draw`` draws it otherwise."""
        return ()

    def vary_backdrop(self, puzzle: P, state: S, image: Frame) -> Sequence[Frame]:
        """Return further images that explain a frame, of any size: the state on a backdrop that the video may show."""
        return ()

    def highlight_boxes(self, puzzle: P) -> Sequence[Box]:
        """Return the boxes of the cells: a video may give a whole cell another colour, behind what it shows."""
        return ()

    def field_boxes(self, puzzle: P, state: S) -> Sequence[Box]:
        """Return the boxes of parts that a video may highlight by a field behind them, where there are no cells."""
        return ()

    def board_box(self, puzzle: P) -> Box:
        """Return the box of the puzzle: what is beside it is a caption. By default, that of all cells, or the image."""
        cells = self.highlight_boxes(puzzle)
        if not cells:
            return 0.0, 0.0, 1.0, 1.0
        left, top, right, bottom = zip(*cells, strict=True)
        return min(left), min(top), max(right), max(bottom)

    def keep_parts(self, puzzle: P, state: S, before: S, is_touched: Callable[[Box], bool]) -> S:
        """Return the state with the parts of an earlier one where something else touches them. Parts that decide are
        not kept."""
        return state

    def unseen_boxes(self, puzzle: P, state: S) -> Mapping[Hashable, Box]:
        """Return the boxes of the parts that the reader could not see, and took to be as they were, by name."""
        return {}

    def moving_parts(self, puzzle: P, state: S) -> Mapping[Hashable, Any]:
        """Return the position of each moving part that the state shows, by name. Unseen parts are left out."""
        return {}

    def part_boxes(self, puzzle: P, state: S) -> Mapping[Hashable, Box]:
        """Return the boxes of moving parts that the reader may read wrongly where something covers them."""
        return {}

    def count_steps(self, puzzle: P, part: Hashable, before: Any, after: Any) -> float:
        """Return the length of the shortest legal way of a part from one position to another, in steps."""
        return 0.0

    @abstractmethod
    def cheats(self, puzzle: P, rng: Random) -> dict[str, StateTrajectory[S]]:
        """Return the task's own trick videos by name: cheats, wrong answers, and right answers that look unusual."""

    # -- what follows from the rest ------------------------------------------------------------------------------

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Send a registered task to other processes by its name: its module may be a file that they cannot import."""
        from vmevalkit.tasks import TASKS, load_task

        if self.name in TASKS and TASKS[self.name] is self:
            return load_task, (self.name,)
        return copyreg.__newobj__, (type(self),), self.__dict__ or None  # type: ignore[attr-defined]

    def preset(self, difficulty: str | None = None) -> K:
        name = difficulty or self.default_difficulty
        if name not in self.difficulties:
            raise UnknownName(f"difficulty of {self.name}", name, self.difficulties)
        params: K = self.difficulties[name]
        return params

    def first_frame(self, puzzle: P) -> Frame:
        return self.draw(puzzle, self.solution(puzzle, 0.0))

    def final_frame(self, puzzle: P) -> Frame:
        return self.draw(puzzle, self.solution(puzzle, 1.0))

    def reading_size(self, puzzle: P) -> tuple[int, int]:
        width, height = self.size(puzzle)
        return round(width * self.reading_scale), round(height * self.reading_scale)


AnyTask = Task[Any, Any, Any]


def readable(trace: Iterable[FrameReading[S]]) -> list[tuple[float, S]]:
    """Return the frames that could be read, as (seconds, state)."""
    return [(reading.seconds, reading.state) for reading in trace if reading.state is not None]


def majority_index(readings: Sequence[Hashable]) -> int:
    """Return the index of the most frequent value, of several the latest: a scene may still be changing."""
    counts = Counter(readings)
    latest = {reading: place for place, reading in enumerate(readings)}
    return latest[max(counts, key=lambda reading: (counts[reading], latest[reading]))]
