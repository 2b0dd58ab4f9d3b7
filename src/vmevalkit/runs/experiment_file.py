"""Experiment files: the models, questions and scorers of an experiment, in YAML."""

from __future__ import annotations

import types
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from reprlib import repr as shorten
from typing import Any, Union, get_args, get_origin, get_type_hints

from vmevalkit.core.errors import StoreError, UnknownName, UsageError
from vmevalkit.core.reference_baselines import add_reference_baselines
from vmevalkit.store import layout

MAX_CHARACTERS = 20_000
MAX_BRACKETS = 1_000
"""YAML takes quadratic time for open brackets."""


@dataclass(frozen=True, slots=True)
class ExperimentFile:
    """The content of an experiment file. Every key is a field here; other keys are refused."""

    name: str
    """The name of the folders of videos, scores and report."""
    models: tuple[str, ...]
    tasks: tuple[str, ...]
    n: int
    """Number of questions of each task."""
    seed: int = 42
    """Seed of the questions."""
    difficulty: str | None = None
    samples: int = 1
    """Number of videos of each question."""
    seconds: float | None = None
    size: str | None = None
    """Size of the videos, such as ``1280x720``; None leaves it to the models."""
    prompt_variant: str = "default"
    scorers: tuple[str, ...] = ("rules",)
    baselines: bool = True
    """Whether the trick baselines static, cut_to_final and noise run as well: every ranking is read against them."""
    max_usd: float | None = None
    assume_usd: float | None = None
    judge_max_usd: float | None = None
    """Budget of each judge among the scorers, apart from that of the videos."""
    judge_assume_usd: float | None = None
    """Price of a judge's answer where it is unknown."""
    workers: int | None = None
    """Number of worker processes; None means one for each core."""
    questions: str = str(layout.QUESTIONS)
    outputs: str = str(layout.OUTPUTS)
    evaluations: str = str(layout.EVALUATIONS)

    @property
    def all_models(self) -> tuple[str, ...]:
        """The models, and the trick baselines unless the file excludes them."""
        return tuple(add_reference_baselines(self.models)) if self.baselines else self.models


def read_experiment(path: Path | str) -> ExperimentFile:
    """Return the content of a file. Raises UsageError where a key is unknown, missing or of the wrong type."""
    import yaml

    try:
        text = Path(path).read_text("utf-8")
        if len(text) > MAX_CHARACTERS:
            raise UsageError(f"{path} has {len(text):,} characters; an experiment file has at most {MAX_CHARACTERS:,}")
        if text.count("[") + text.count("{") > MAX_BRACKETS:
            raise UsageError(f"{path} has more than {MAX_BRACKETS:,} brackets; an experiment file needs a few lists")
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text, yaml.SafeLoader)):
            raise UsageError(f"{path} has an alias (*NAME), which can stand for a very large value; write the value")
        content = yaml.safe_load(text)
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}") from error
    except RecursionError as error:
        raise UsageError(f"{path} is not an experiment file: it is nested too deeply") from error
    except (yaml.YAMLError, ValueError, AttributeError, OverflowError) as error:
        raise UsageError(f"{path} is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(content, dict):
        raise UsageError(f"{path} has no keys; it needs name, models, tasks and n")
    return _parse(content, path)


def _parse(content: dict[Any, Any], path: Path | str) -> ExperimentFile:
    hints = get_type_hints(ExperimentFile)
    names = [field.name for field in fields(ExperimentFile)]
    for key in content:
        if key not in names:
            raise UnknownName(f"key of an experiment ({path})", str(key), names)
    missing = [field.name for field in fields(ExperimentFile) if field.default is MISSING and field.name not in content]
    if missing:
        raise UsageError(f"{path} lacks {', '.join(missing)}")
    values = {key: _convert(hints[key], value, f"{path}: {key}") for key, value in content.items()}
    experiment = ExperimentFile(**values)
    for key in ("models", "tasks", "scorers"):
        if not getattr(experiment, key):
            raise UsageError(f"{path}: {key} is an empty list; name at least one")
    return experiment


def _convert(field_type: Any, value: Any, place: str) -> Any:
    if get_origin(field_type) is tuple:
        if not isinstance(value, list):
            raise UsageError(f"{place} is {shorten(value)}; it must be a list, such as [maze, rotation]")
        return tuple(_convert(str, item, f"an item of {place}") for item in value)
    allowed = get_args(field_type) if get_origin(field_type) in (Union, types.UnionType) else (field_type,)
    if float in allowed and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, bool) != (allowed == (bool,)) or not isinstance(value, allowed):
        type_names = {
            str: "text", int: "a whole number", float: "a number", bool: "true or false", type(None): "nothing",
        }  # fmt: skip
        raise UsageError(f"{place} is {shorten(value)}; it must be {' or '.join(type_names[each] for each in allowed)}")
    return value
