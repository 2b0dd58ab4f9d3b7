"""Parameters of generation beside the question: the specification's defaults, and what a model does not support."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vmevalkit.core.errors import UsageError
from vmevalkit.core.randomness import rng_for
from vmevalkit.core.records import Question, Request
from vmevalkit.models.model import ModelSpec
from vmevalkit.runs.prompts import VARIANTS

DEFAULT_SECONDS = 8.0
"""Length of a video where no other is requested."""
MAX_SECONDS = 600.0
"""A longer video is refused as a typing error."""
SIDE_RANGE_PX = (16, 8192)
"""The smallest and the largest side of a video; others are refused as typing errors."""


@dataclass(frozen=True, slots=True)
class GenerationParams:
    """Parameters of all videos of a call."""

    seconds: float | None = None
    """None: 8 s, or the nearest length that the model supports; for a baseline, the length of its task."""
    size: tuple[int, int] | None = None
    """None: the size of the model at the ratio nearest to the question's and the resolution nearest to 720p."""
    seed: int = -1
    """-1 lets the provider choose. Any other number gives a seed for each model, question and sample."""
    enhance_prompt: bool = True
    auto_pad: bool = True
    temperature: float = 0.7
    prompt_variant: str = "default"

    def __post_init__(self) -> None:
        if self.seconds is not None and not 0 < self.seconds <= MAX_SECONDS:
            raise UsageError(
                f"a video cannot last {self.seconds:g} s; ask for more than 0 s and at most {MAX_SECONDS:g} s"
            )
        if self.size is not None and not all(SIDE_RANGE_PX[0] <= side <= SIDE_RANGE_PX[1] for side in self.size):
            raise UsageError(
                f"a video cannot have {self.size[0]}x{self.size[1]} pixels; "
                f"each side must have {SIDE_RANGE_PX[0]} to {SIDE_RANGE_PX[1]}"
            )

    def request(self, spec: ModelSpec, question: Question, sample: int = 0) -> Request:
        """Return the question as a request to a model, with the parameters that the model supports."""
        return Request(
            question_id=question.id,
            prompt=VARIANTS[self.prompt_variant](question.prompt),
            first_frame=question.first_frame,
            seconds=spec.choose_seconds(self.seconds, DEFAULT_SECONDS),
            size=self.size,
            seed=self._seed(spec, question, sample),
            sample=sample,
            parameters={name: value for name, value in self._parameters().items() if name in spec.supported_params},
        )

    def price_usd(self, spec: ModelSpec) -> float | None:
        """Return the listed price of one video with these parameters; None where it is unknown."""
        return spec.cost_usd(spec.choose_seconds(self.seconds, DEFAULT_SECONDS), spec.choose_tier(self.size))

    def list_unsupported(self, spec: ModelSpec) -> list[str]:
        """Return what the model does not support, one phrase each."""
        phrases = []
        seconds = spec.choose_seconds(self.seconds, DEFAULT_SECONDS)
        requested = self.seconds or DEFAULT_SECONDS
        if seconds != requested:
            phrases.append(f"videos of {seconds:g} s instead of {requested:g} s")
        unsupported = [name for name in self._parameters() if name not in spec.supported_params]
        if self.seed != -1 and "seed" not in spec.supported_params:
            unsupported.append("seed")
        if unsupported:
            phrases.append(f"no support for {', '.join(unsupported)}")
        return phrases

    def _parameters(self) -> dict[str, Any]:
        return {
            "enhance_prompt": self.enhance_prompt, "auto_pad": self.auto_pad, "temperature": self.temperature,
        }  # fmt: skip

    def _seed(self, spec: ModelSpec, question: Question, sample: int) -> int | None:
        if self.seed == -1 or "seed" not in spec.supported_params:
            return None
        return rng_for("request", self.seed, spec.name, question.id, sample).getrandbits(31)
