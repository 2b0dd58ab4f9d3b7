"""The records that pass between the stages. All are frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

FailureMode = Literal[
    "none",
    "static",
    "partial",
    "incorrect_termination",
    "illegal_process",
    "not_shown",
    "scene_broken",
    "misunderstood",
]
SUCCESS = 4
"""The lowest value that is a success, for every scorer."""
RunStatus = Literal["success", "failed", "refused", "uncertain"]
"""refused: by the provider's content policy. uncertain: an order was sent and its answer was lost."""


@dataclass(frozen=True, slots=True, repr=False)
class Question:
    """One puzzle as a model gets it: a first frame and a prompt."""

    id: str
    """Unique in its dataset, such as ``maze_0007``."""
    domain: str
    """The task's name, such as ``maze``; its folder is ``maze_task``."""
    prompt: str
    folder: Path
    """Contains first_frame.png, prompt.txt and question_metadata.json."""
    metadata: dict[str, Any] = field(default_factory=dict)
    """The content of question_metadata.json. Its ``puzzle`` rebuilds frames, prompt and verdict."""

    @property
    def first_frame(self) -> Path:
        return self.folder / "first_frame.png"

    @property
    def final_frame(self) -> Path | None:
        """Path of the solved image; None where the question has a ``goal.txt`` instead."""
        path = self.folder / "final_frame.png"
        return path if path.is_file() else None

    @property
    def goal(self) -> str | None:
        """The solved state in words; None where the question has a final frame instead."""
        path = self.folder / "goal.txt"
        return path.read_text("utf-8") if path.is_file() else None

    def __repr__(self) -> str:
        return f"Question({self.domain}/{self.id}, folder={str(self.folder)!r})"


@dataclass(frozen=True, slots=True)
class Placement:
    """Position of an image on a canvas of another size, so that a scorer can reverse it."""

    canvas: tuple[int, int]
    """Width and height of the image that the model got."""
    box: tuple[float, float, float, float]
    """Left, top, width and height of the whole image on that canvas; a cropped image extends beyond it."""
    colour: tuple[int, int, int] | None = None
    """Colour of the padding around the image; None where there is no padding."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a model gets: prompt, first frame and parameters of the video. It does not contain the answer."""

    question_id: str
    prompt: str
    first_frame: Path
    seconds: float
    """Requested length of the video."""
    fps: float | None = None
    size: tuple[int, int] | None = None
    """Width and height of the video; None leaves it to the model."""
    seed: int | None = None
    sample: int = 0
    """0 for the first video of a question, 1 for the second, ..."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Further parameters, such as ``enhance_prompt`` or ``temperature``; only those that the model supports."""


@dataclass(frozen=True, slots=True)
class Run:
    """One attempt of one model at one question. Its record, metadata.json, is written last."""

    experiment: str
    model: str
    question_id: str
    domain: str
    sample: int
    run_id: str
    status: RunStatus
    folder: Path
    video: Path | None = None
    """None unless the status is success."""
    error: str | None = None
    seconds: float | None = None
    """Wall-clock time that the model needed."""
    cost_usd: float | None = None
    placement: Placement | None = None
    question_digest: str | None = None
    """Digest of the puzzle that the video was generated for."""
    video_digest: str | None = None
    prompt_variant: str = "default"
    """Name of the change that was made to the question's prompt."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One observation of a scorer, for or against a video."""

    name: str
    """Defined by the task, such as ``wall_crossed``."""
    gating: bool
    """Whether it prevents a solved video from passing."""
    detail: str
    """A sentence for the reader of a report."""
    seconds: float | None = None
    """Time in the video at which it first appears."""


@dataclass(frozen=True, slots=True, repr=False)
class Score:
    """A verdict. Without a value it is unscored, for the reason in ``explanation``, and is never averaged as 0."""

    scorer: str
    version: str
    value: int | None = None
    """5: solved without a finding. 4: solved with findings that do not gate. 3: an outcome of 0.5 or more.
    2: an outcome above 0, or solved with a gating finding. 1: an outcome of 0."""
    solved: bool | None = None
    """The final state is an accepted answer with nothing damaged. None, as for the next three and the failure mode,
    where the scorer does not judge it."""
    passed: bool | None = None
    """Solved, without any gating finding."""
    outcome: float | None = None
    """Progress of the final state from the first frame (0) to an accepted answer (1), less damage."""
    process: float | None = None
    """Share of the video before the first gating finding."""
    legal_progress: float | None = None
    """Progress that was legally shown: that of the state before the first violation, or of the final state where there
    is none or only the final state matters. What something foreign hides does not lower it. None where the scorer does
    not judge the process."""
    findings: tuple[Finding, ...] = ()
    metrics: dict[str, float] = field(default_factory=dict)
    """Measurements of the task, each described in the task's documentation."""
    failure_mode: FailureMode | None = None
    ever_solved: bool | None = None
    solved_at_s: float | None = None
    held_s: float | None = None
    """How long the accepted answer was visible at the end."""
    first_violation_s: float | None = None
    explanation: str = ""

    @classmethod
    def unscored(cls, scorer: str, version: str, reason: str) -> Score:
        """Return a score without a value."""
        return cls(scorer=scorer, version=version, explanation=reason)

    @property
    def scored(self) -> bool:
        return self.value is not None

    @property
    def success(self) -> bool:
        """Whether the video counts as a success: a value of 4 or 5, for every scorer."""
        return self.value is not None and self.value >= SUCCESS

    @property
    def reward(self) -> float:
        """A reward for training, from 0 to 1: 1 for a pass, 0 where unscored, else half of the smaller of outcome and
        legal progress.

        Where a scorer does not judge the process, the outcome counts alone; without an outcome the value is scaled."""
        if self.value is None:
            return 0.0
        if self.success if self.passed is None else self.passed:
            return 1.0
        if self.outcome is None:
            return 0.5 * (self.value - 1) / (SUCCESS - 1)
        return 0.5 * min(self.outcome, 1.0 if self.legal_progress is None else self.legal_progress)

    def __repr__(self) -> str:
        if self.value is None:
            return f"Score({self.scorer}, unscored: {self.explanation!r})"
        parts = [
            self.scorer,
            str(self.value),
            "passed" if self.passed or self.success else self.failure_mode or "failed",
        ]
        parts += [f"outcome={self.outcome:g}"] if self.outcome is not None else []
        parts += [f"process={self.process:g}"] if self.process is not None else []
        return f"Score({', '.join(parts)})"
