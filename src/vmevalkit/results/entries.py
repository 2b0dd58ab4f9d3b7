"""What the table takes from a score file, from the record of a run and from a question, as plain JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import InvalidRecord, StoreError
from vmevalkit.core.verdict_check import find_contradiction, find_missing_origin
from vmevalkit.store import layout, old_keys
from vmevalkit.store.foreign_file import join_inside
from vmevalkit.store.old_keys import rename_old_keys
from vmevalkit.store.records import read_record
from vmevalkit.store.runs import check_run_record, refuse_links_of_run

Entry = dict[str, Any]


VERDICT = ("solved", "passed", "outcome", "process", "legal_progress", "failure_mode")
"""Parts of a verdict that a scorer may leave out."""

FILES = ("trace", "evidence")
"""Files beside the score, by name."""

_TIMES = ("solved_at_s", "held_s", "first_violation_s")
_SCORE_ORIGIN = ("run_id", "video_digest", "puzzle_digest", "timestamp", "video", "question_folder")
_RUN = (
    "sample", "status", "video", "error", "seconds", "cost_usd", "question_digest", "video_digest", "prompt_variant",
    "created_at", "family",
)  # fmt: skip
_NOT_PARAMS = ("seed", "index")


def read_score_entry(path: Path) -> Entry:
    """Return the verdict in a score file. What the scorer did not judge is None."""
    record = read_record(path) or {}
    try:
        about, result = rename_old_keys(record["metadata"], old_keys.SCORE), record["result"]
        value = result["value"] if "value" in result else result["solution_correctness_score"]
        problem = find_contradiction({**result, "value": value}) or find_missing_origin(about, result)
        if problem is not None:
            raise InvalidRecord(f"{path} is left out: {problem}; score again")
        entry = {name: about.get(name) for name in _SCORE_ORIGIN}
        entry["value"] = None if value is None else int(value)
        entry["version"] = about.get("scorer_version", result.get("version"))
        # The verdict of an unscored video consists of default values, which nobody judged.
        entry |= {name: None if value is None else result.get(name) for name in (*VERDICT, *_TIMES)}
        entry["metrics"] = rename_old_keys(result.get("metrics") or {}, old_keys.METRICS)
        entry["findings"] = result.get("findings") or []
        entry["explanation"] = result.get("explanation") or ""
        for name in FILES:
            entry[name] = None if result.get(name) is None else join_inside(path.parent, result[name]).name
        entry["queue"] = _mapping(record.get("details")).get("queue")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreError(f"{path} is not a score file ({error!r}); remove it and score again") from error
    return entry


def read_run_entry(folder: Path) -> Entry:
    """Return what the table shows of a run, from its record."""
    path = folder / layout.RUN_RECORD
    record = read_record(path) or {}
    try:
        check_run_record(record)
        video = join_inside(folder, str(record["video"])) if record.get("video") else None
    except ValueError as error:
        raise InvalidRecord(f"{path} is left out: {error}; repair it, or move its folder elsewhere") from error
    refuse_links_of_run(folder, video)
    return {"sample": 0, **{name: record[name] for name in _RUN if name in record}}


def read_question_entry(folder: Path) -> Entry:
    """Return difficulty, params and tags of a question; its domain's own data are in ``{domain}_data``."""
    metadata = rename_old_keys(read_record(folder / layout.QUESTION_RECORD) or {}, old_keys.QUESTION)
    data = _mapping(metadata.get(f"{metadata.get('domain')}_data"))
    rule = data.get("rule")
    places = (metadata, data, _mapping(rule))
    level = _first("level", places) or _first("difficulty_level", places)
    entry = {
        "group": metadata.get("group"),
        "difficulty": metadata.get("difficulty"),
        "pattern_tags": [str(tag) for tag in _first("pattern_tags", places) or []],
        "rule_type": _first("rule_type", places),
        "level": None if level is None else str(level),
        "rule": _describe_rule(rule),
        # The puzzle's own numbers win: ``num_objects`` is 8 here, and 5 to 8 for the generator.
        "params": {**_mapping(metadata.get("params")), **_numbers(metadata), **_numbers(data)},
    }
    entry["tags"] = _collect_tags(entry)
    return entry


def _collect_tags(entry: Entry) -> list[str]:
    level = [] if entry["level"] is None else [f"level {entry['level']}"]
    rule_type = [] if entry["rule_type"] is None else [str(entry["rule_type"])]
    return [*entry["pattern_tags"], *rule_type, *level]


def _describe_rule(rule: Any) -> str | None:
    """Return a rule in words. A rule that is a mapping has a type and a level, which have columns of their own."""
    if isinstance(rule, Mapping):
        own = {key: value for key, value in rule.items() if key not in ("level", "rule_type")}
        words = [f"{key}={value}" for key, value in own.items() if isinstance(value, str | int | float)]
        return ", ".join(words) or None
    return None if rule is None else str(rule)


def _first(name: str, places: tuple[Mapping[str, Any], ...]) -> Any:
    return next((place[name] for place in places if place.get(name) is not None), None)


def _mapping(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def _numbers(values: Mapping[str, Any]) -> dict[str, float]:
    return {
        name: value
        for name, value in values.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and name not in _NOT_PARAMS
    }
