"""The records that pass between the stages. All are frozen; each field says what it holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

FailureMode = Literal[
    "none", "static", "partial", "incorrect_termination", "illegal_process", "scene_broken", "misunderstood"
]
RunStatus = Literal["success", "failed", "refused", "uncertain"]
"""refused: by the provider's content policy. uncertain: ordered, perhaps, and the answer was lost."""


@dataclass(frozen=True, slots=True)
class Question:
    """One puzzle as a model meets it: a first frame and a prompt."""

    id: str
    """Unique in its dataset, such as ``maze_0007``."""
    domain: str
    """The task's name, such as ``maze``; its folder is ``maze_task``."""
    prompt: str
    folder: Path
    """Where first_frame.png, prompt.txt and question_metadata.json lie."""
    metadata: dict[str, Any] = field(default_factory=dict)
    """The whole of question_metadata.json. ``puzzle`` in it rebuilds frames, prompt and verdict."""

    @property
    def first_frame(self) -> Path:
        return self.folder / "first_frame.png"

    @property
    def final_frame(self) -> Path | None:
        """The solved picture; a question may have a ``goal.txt`` instead."""
        path = self.folder / "final_frame.png"
        return path if path.is_file() else None

    @property
    def goal(self) -> str | None:
        path = self.folder / "goal.txt"
        return path.read_text("utf-8") if path.is_file() else None


@dataclass(frozen=True, slots=True)
class Placement:
    """How a picture was laid on a canvas of another size, so that a scorer can undo it."""

    canvas: tuple[int, int]
    """Width and height of what the model was given."""
    box: tuple[float, float, float, float]
    """Left, top, width and height of the whole picture on that canvas; it may reach beyond it."""
    colour: tuple[int, int, int] | None = None
    """The padding around the picture; None where there is none."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is asked for. It holds no answer."""

    question_id: str
    prompt: str
    first_frame: Path
    seconds: float
    """Length of the film that is wanted."""
    fps: float | None = None
    size: tuple[int, int] | None = None
    """Width and height of the film; None leaves it to the model."""
    seed: int | None = None
    sample: int = 0
    """0 for the first try at a question, 1 for the second, ..."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Further wishes, such as ``enhance_prompt`` or ``temperature``; a model leaves out what it has no place for."""


@dataclass(frozen=True, slots=True)
class Run:
    """One try of one model at one question. Its record, metadata.json, is written last."""

    experiment: str
    model: str
    question_id: str
    domain: str
    sample: int
    run_id: str
    status: RunStatus
    folder: Path
    video: Path | None = None
    """The film, when there is one."""
    error: str | None = None
    seconds: float | None = None
    """Wall time of the model's work."""
    cost_usd: float | None = None
    placement: Placement | None = None
    question_digest: str | None = None
    """Digest of the puzzle the film was made for."""
    video_digest: str | None = None
    prompt_variant: str = "default"
    """How the question's prompt was changed before the model met it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a scorer saw, for or against a film."""

    name: str
    """A word of the task, such as ``wall_crossed``."""
    gating: bool
    """Whether it keeps a solved film from passing."""
    detail: str
    """A sentence for the reader of a report."""
    seconds: float | None = None
    """When it was first seen."""


@dataclass(frozen=True, slots=True)
class Score:
    """A verdict. No value means unscored, with the reason in ``explanation``; it is never averaged as 0."""

    scorer: str
    version: str
    value: int | None = None
    """5 solved without a finding; 4 solved with findings that do not gate; 3 an outcome of a half or more;
    2 above nothing, or solved with a gating finding; 1 nothing."""
    solved: bool = False
    """The final state is an accepted answer with nothing damaged."""
    passed: bool = False
    """Solved, and nothing on the way gates."""
    outcome: float = 0.0
    """Progress of the final state from the first frame (0) to an accepted answer (1), less damage."""
    process: float = 0.0
    """Share of the film before the first gating finding."""
    findings: tuple[Finding, ...] = ()
    metrics: dict[str, float] = field(default_factory=dict)
    """The task's own measurements, each named in its document."""
    failure_mode: FailureMode = "none"
    ever_solved: bool = False
    solved_at_s: float | None = None
    held_s: float | None = None
    """How long the accepted answer stood at the end."""
    first_violation_s: float | None = None
    explanation: str = ""

    @classmethod
    def unscored(cls, scorer: str, version: str, reason: str) -> Score:
        return cls(scorer=scorer, version=version, explanation=reason)

    @property
    def scored(self) -> bool:
        return self.value is not None
