"""What a reward function returns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from vmevalkit.core.records import FailureMode, Score

Shaping = Literal["partial", "strict"]
"""partial: ``Score.reward``, up to half of the reward for legal progress without a pass. strict: 1 for a pass, else 0.
"""


@dataclass(frozen=True, slots=True)
class RewardParts:
    """What the reward of one video is made of."""

    question_id: str
    reward: float
    """From 0 to 1."""
    passed: bool
    solved: bool | None = None
    """The final state is an accepted answer, whatever the way to it. None, as below, where the video is unscored."""
    outcome: float | None = None
    """Progress of the final state from the first frame (0) to an accepted answer (1)."""
    process: float | None = None
    """Share of the video before the first gating finding."""
    legal_progress: float | None = None
    """Progress that was legally shown."""
    failure_mode: FailureMode | None = None
    findings: tuple[str, ...] = ()
    """Names of the findings that make the video fail."""
    explanation: str = ""
    error: str | None = None
    """Why the video is unscored; its reward is 0. A trainer may leave it out instead."""

    @classmethod
    def from_score(cls, question_id: str, score: Score, shaping: Shaping) -> RewardParts:
        """Return the parts of a score."""
        if not score.scored:
            return cls.unscored(question_id, score.explanation)
        passed = bool(score.success if score.passed is None else score.passed)
        return cls(
            question_id, float(passed) if shaping == "strict" else score.reward, passed, score.solved, score.outcome,
            score.process, score.legal_progress, score.failure_mode,
            tuple(finding.name for finding in score.findings if finding.gating), score.explanation,
        )  # fmt: skip

    @classmethod
    def unscored(cls, question_id: str, reason: str) -> RewardParts:
        """Return the parts of a video that could not be scored."""
        return cls(question_id, 0.0, False, explanation=reason, error=reason)


@dataclass(frozen=True, slots=True)
class RewardBatch(Sequence[RewardParts]):
    """The rewards of a batch, in the order of its videos."""

    parts: tuple[RewardParts, ...]

    @property
    def rewards(self) -> list[float]:
        return [each.reward for each in self.parts]

    @property
    def passed(self) -> list[bool]:
        return [each.passed for each in self.parts]

    @property
    def scored(self) -> list[bool]:
        """Whether each video could be scored."""
        return [each.error is None for each in self.parts]

    def to_json(self) -> dict[str, Any]:
        """Return the batch as the service sends it."""
        return {"rewards": self.rewards, "passed": self.passed, "parts": [asdict(each) for each in self.parts]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> RewardBatch:
        """Return the batch that ``to_json`` was called on."""
        rows = [{**part, "findings": tuple(part["findings"])} for part in data["parts"]]
        return cls(tuple(RewardParts(**row) for row in rows))

    def __getitem__(self, index: Any) -> Any:
        return self.parts[index]

    def __len__(self) -> int:
        return len(self.parts)

    def __iter__(self) -> Iterator[RewardParts]:
        return iter(self.parts)
