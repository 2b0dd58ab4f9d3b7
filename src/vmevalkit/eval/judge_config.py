"""Which judge: its models, what it is shown, and how often it is asked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from vmevalkit.core.errors import UnknownName, UsageError
from vmevalkit.core.jsonable import digest
from vmevalkit.eval import PROMPTS
from vmevalkit.models.chat import find_endpoint

SPECIFICATION_MODEL = "gpt-4o"
FINAL_FRAME = "final_frame"
UNIFORM_FRAMES, CHANGE_FRAMES = "uniform_frames", "change_frames"
REASON_FIRST, SPECIFICATION = "reason_first", "specification"
VARIANTS = {
    FINAL_FRAME: "the final frame beside the expected one, or beside all accepted answers, with the task's own hint",
    UNIFORM_FRAMES: "eight frames at equal distances instead of the final one",
    CHANGE_FRAMES: "eight frames where the video changes most instead of the final one",
    REASON_FIRST: "the explanation comes before the score",
    SPECIFICATION: "the published prompt word for word: the final frame, one expected frame, the published guidance",
}
"""Parts of a variant; several are joined by ``+``."""
FRAMES = 8
"""Frames that a judge of several frames sees."""
MAX_VOTES = 25
MOST_CHARACTERS = 64
"""Length of a judge's name; a longer one, as of a panel, ends with a digest: file systems limit names."""
TEMPERATURE = 0.1
MAX_TOKENS = 1000
TIMEOUT_S = 60.0
NAME_PREFIX = "judge:"
"""Names of scorers that begin so are judges, such as ``judge:gpt-4.1+reason_first+votes5``."""


@dataclass(frozen=True, slots=True)
class JudgeConfig:
    """A judge. Two judges with the same name of files give the same verdicts, apart from chance."""

    models: tuple[str, ...] = (SPECIFICATION_MODEL,)
    """One chat model, or several: a panel."""
    variant: frozenset[str] = frozenset({FINAL_FRAME, SPECIFICATION})
    """What the judge is shown and asked."""
    votes: int = 1
    """How often each model is asked about a video."""
    base_url: str | None = None
    """The address of the server, in place of the setting OPENAI_BASE_URL."""
    temperature: float = TEMPERATURE
    max_tokens: int = MAX_TOKENS

    VERSION: ClassVar[str] = "2"
    """Raise it when the same answers may give another verdict than in the previous release."""

    def __post_init__(self) -> None:
        for part in self.variant:
            if part not in VARIANTS:
                raise UnknownName("variant of the judge", part, VARIANTS)
        if {UNIFORM_FRAMES, CHANGE_FRAMES} <= self.variant:
            raise UsageError(f"{UNIFORM_FRAMES} and {CHANGE_FRAMES} exclude each other; choose one")
        if SPECIFICATION in self.variant and self.variant - {FINAL_FRAME, SPECIFICATION}:
            raise UsageError(f"{SPECIFICATION} is the published prompt as it is; it goes with no other variant")
        if not 1 <= self.votes <= MAX_VOTES:
            raise UsageError(f"--votes is {self.votes}; it must be 1 to {MAX_VOTES}")
        if not self.models or len(set(self.models)) != len(self.models) or not all(self.models):
            raise UsageError(f"the models of the judge are {', '.join(self.models) or 'none'}; name each once")

    @property
    def sees_process(self) -> bool:
        """Whether the judge sees more than the final frame, so that it is held to the way as well."""
        return bool(self.variant & {UNIFORM_FRAMES, CHANGE_FRAMES})

    @property
    def variant_name(self) -> str:
        """The variant in one word, such as ``change_frames+reason_first+votes5``."""
        parts = [part for part in VARIANTS if part in self.variant and part != FINAL_FRAME]
        if not self.sees_process and SPECIFICATION not in self.variant:
            parts.insert(0, FINAL_FRAME)
        return "+".join([*parts, *([f"votes{self.votes}"] if self.votes > 1 else [])])

    @property
    def evaluator(self) -> str:
        """The name of the score files. The specification's judge has its own; all others are told apart by name."""
        if self == JudgeConfig(base_url=self.base_url):
            return "GPT4OEvaluator"
        tuned = "" if (self.temperature, self.max_tokens) == (TEMPERATURE, MAX_TOKENS) else f"-{digest(self)[:6]}"
        name = f"Judge-{'+'.join(map(_shorten, self.models))}-{self.variant_name}{tuned}"
        return name if len(name) <= MOST_CHARACTERS else f"{name[: MOST_CHARACTERS - 9]}-{digest(name)[:8]}"

    def compute_version(self, task_type: str, hint: str = "") -> str:
        """Return a version that changes with everything that decides a verdict: prompts, parameters, models and the
        addresses of their servers. ``hint`` is what the task says about its final state."""
        content: list[object] = [
            self.models, sorted(self.variant), self.votes, self.temperature, self.max_tokens,
            PROMPTS.make_judge_prompt(task_type), hint, PROMPTS.COMPARE_FRAMES, PROMPTS.ASK_PROCESS,
            PROMPTS.COMPARE_ANSWERS,
            PROMPTS.RESPOND_REASON_FIRST, FRAMES,
        ]  # fmt: skip
        endpoints = [find_endpoint(model, self.base_url) for model in self.models]
        content += [endpoints] if any(endpoints) else []
        return f"{self.VERSION}-{digest(content)[:8]}"


def _shorten(model: str) -> str:
    """Return a model's name without its organisation, which is often long."""
    return model.rsplit("/", 1)[-1]


def make_config(
    models: str | None = None, variant: str | None = None, votes: int | None = None, base_url: str | None = None
) -> JudgeConfig:
    """Return the judge that options of a command describe; ``models`` and ``variant`` may have several parts."""
    names = tuple(filter(None, (name.strip() for name in (models or SPECIFICATION_MODEL).split(","))))
    if variant is None and votes is None and names == (SPECIFICATION_MODEL,):
        variant = SPECIFICATION  # gpt-4o without further options is the published judge
    parts = frozenset(filter(None, (part.strip() for part in (variant or FINAL_FRAME).split("+"))))
    return JudgeConfig(names, parts | {FINAL_FRAME}, 1 if votes is None else votes, base_url)


def parse_judge_name(name: str) -> JudgeConfig | None:
    """Return the judge of a scorer's name, such as ``gpt-4o`` or ``judge:gpt-4.1,gpt-5+change_frames+votes3``.

    None where the name is not that of a judge. An experiment file names judges so."""
    if name == SPECIFICATION_MODEL:
        return JudgeConfig()
    if not name.startswith(NAME_PREFIX):
        return None
    models, *parts = name.removeprefix(NAME_PREFIX).split("+")
    votes = [int(found[1]) for part in parts if (found := re.fullmatch(r"votes(\d+)", part))]
    variant = "+".join(part for part in parts if not re.fullmatch(r"votes(\d+)", part))
    if not models:
        raise UsageError(f"{name!r} names no model; write judge:MODEL, such as judge:gpt-4.1")
    return make_config(models, variant or None, votes[0] if votes else None)
