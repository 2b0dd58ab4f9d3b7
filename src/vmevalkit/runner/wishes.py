"""What models are asked for beside the question: the specification's defaults, and what a model has no place for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vmevalkit.core.errors import UsageError
from vmevalkit.core.randomness import rng_for
from vmevalkit.core.records import Question, Request
from vmevalkit.models.model import ModelSpec
from vmevalkit.runner.prompts import VARIANTS

SECONDS = 8.0
"""Length of a film where nothing else is asked for."""
LONGEST_S = 600.0
"""Whoever asks for a longer film has mistyped."""
SIDES = (16, 8192)
"""The least and the greatest side of a film, in pixels; likewise."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """For all films of a call."""

    seconds: float | None = None
    """None: eight seconds, or the length nearest to it that the model makes; of a baseline, its task's own length."""
    size: tuple[int, int] | None = None
    """None leaves it to the model."""
    seed: int = -1
    """-1 lets the provider choose. From any other number follows a seed for each model, question and sample."""
    enhance_prompt: bool = True
    auto_pad: bool = True
    temperature: float = 0.7
    prompt_variant: str = "default"

    def __post_init__(self) -> None:
        if self.seconds is not None and not 0 < self.seconds <= LONGEST_S:
            raise UsageError(
                f"a film cannot last {self.seconds:g} s; ask for more than 0 s, and for {LONGEST_S:g} s at most"
            )
        if self.size is not None and not all(SIDES[0] <= side <= SIDES[1] for side in self.size):
            raise UsageError(
                f"a film cannot have {self.size[0]}x{self.size[1]} pixels; each side must have {SIDES[0]} to {SIDES[1]}"
            )

    def request(self, spec: ModelSpec, question: Question, sample: int = 0) -> Request:
        """The question as a request to a model, in so far as the model has a place for the wishes."""
        return Request(
            question_id=question.id,
            prompt=VARIANTS[self.prompt_variant](question.prompt),
            first_frame=question.first_frame,
            seconds=spec.seconds_for(self.seconds, SECONDS),
            size=self.size,
            seed=self._seed(spec, question, sample),
            sample=sample,
            parameters={name: value for name, value in self._parameters().items() if name in spec.takes},
        )

    def unmet(self, spec: ModelSpec) -> list[str]:
        """What cannot be had of this model, a phrase each."""
        phrases = []
        seconds = spec.seconds_for(self.seconds, SECONDS)
        wanted = self.seconds or SECONDS
        if seconds != wanted:
            phrases.append(f"films of {seconds:g} s instead of {wanted:g} s")
        without = [name for name in self._parameters() if name not in spec.takes]
        if self.seed != -1 and "seed" not in spec.takes:
            without.append("seed")
        if without:
            phrases.append(f"no place for {', '.join(without)}")
        return phrases

    def _parameters(self) -> dict[str, Any]:
        return {
            "enhance_prompt": self.enhance_prompt, "auto_pad": self.auto_pad, "temperature": self.temperature,
        }  # fmt: skip

    def _seed(self, spec: ModelSpec, question: Question, sample: int) -> int | None:
        if self.seed == -1 or "seed" not in spec.takes:
            return None
        return rng_for("request", self.seed, spec.name, question.id, sample).getrandbits(31)
