"""An experiment on one page: which models meet which questions, and who judges."""

from __future__ import annotations

import types
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

from vmevalkit.core.errors import StoreError, UnknownName, UsageError
from vmevalkit.store import layout


@dataclass(frozen=True, slots=True)
class ExperimentFile:
    """Every key of the file is a field here; no other key is taken."""

    name: str
    """Names the folders of films, scores and report."""
    models: tuple[str, ...]
    tasks: tuple[str, ...]
    n: int
    """Questions of each task."""
    seed: int = 42
    """Of the questions."""
    difficulty: str | None = None
    samples: int = 1
    """Films of each question."""
    seconds: float | None = None
    prompt_variant: str = "default"
    scorers: tuple[str, ...] = ("rules",)
    max_usd: float | None = None
    assume_usd: float | None = None
    workers: int = 1
    questions: str = str(layout.QUESTIONS)
    outputs: str = str(layout.OUTPUTS)
    evaluations: str = str(layout.EVALUATIONS)


def read_experiment(path: Path | str) -> ExperimentFile:
    """Raises UsageError where a key is unknown, missing or of the wrong kind."""
    import yaml

    try:
        content = yaml.safe_load(Path(path).read_text("utf-8"))
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(content, dict):
        raise UsageError(f"{path} holds no keys; it needs name, models, tasks and n")
    return _experiment(content, path)


def _experiment(content: dict[Any, Any], path: Path | str) -> ExperimentFile:
    hints = get_type_hints(ExperimentFile)
    names = [field.name for field in fields(ExperimentFile)]
    for key in content:
        if key not in names:
            raise UnknownName(f"key of an experiment ({path})", str(key), names)
    lacking = [field.name for field in fields(ExperimentFile) if field.default is MISSING and field.name not in content]
    if lacking:
        raise UsageError(f"{path} lacks {', '.join(lacking)}")
    values = {key: _value(hints[key], value, f"{path}: {key}") for key, value in content.items()}
    made = ExperimentFile(**values)
    for key in ("models", "tasks", "scorers"):
        if not getattr(made, key):
            raise UsageError(f"{path}: {key} is an empty list; name at least one")
    return made


def _value(kind: Any, value: Any, place: str) -> Any:
    if get_origin(kind) is tuple:
        if not isinstance(value, list):
            raise UsageError(f"{place} is {value!r}; it must be a list, such as [maze, rotation]")
        return tuple(_value(str, item, f"an item of {place}") for item in value)
    kinds = get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)
    if float in kinds and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, kinds):
        words = {str: "text", int: "a whole number", float: "a number", type(None): "nothing"}
        raise UsageError(f"{place} is {value!r}; it must be {' or '.join(words[k] for k in kinds)}")
    return value
