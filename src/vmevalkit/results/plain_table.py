"""A plain table of scores made elsewhere, as the tidy table: model, domain, question, and a score or a verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from vmevalkit.core.errors import StoreError, UsageError
from vmevalkit.core.records import SUCCESS
from vmevalkit.results.columns import BOOLEAN, COLUMNS, INTEGER, KEY, NUMBER, OBJECT, make_frame
from vmevalkit.results.words import count, join_names

if TYPE_CHECKING:
    import pandas as pd

SUFFIXES = (".csv", ".tsv", ".parquet")
REQUIRED = ("model", "domain", "question")
SCORER = "unnamed scorer"
"""The scorer of a table without a column of that name."""
PASS, FAIL = 5, 1
"""The values that stand for a verdict without a score."""
SCALE = "a whole number from 1 to 5. For scores on another scale give a column passed instead: true or false, 1 or 0"
UNSCORED = "the table has no score"

_OTHER_NAMES = {"score": "value", "passed": "success"}
"""Columns of plain tables, and those of the tidy table that they fill."""
_TRUE, _FALSE = frozenset({"true", "1", "1.0", "yes"}), frozenset({"false", "0", "0.0", "no"})
_EMPTY = frozenset({"", "nan", "none", "null", "na", "n/a", "-"})
_EMPTY_OBJECTS: Mapping[str, Callable[[], Any]] = {
    "metrics": dict, "params": dict, "findings": list, "tags": list, "pattern_tags": list,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PlainTable:
    """A table that was read from one file."""

    frame: pd.DataFrame
    """The tidy table."""
    notes: tuple[str, ...]
    """What was assumed, in sentences."""


def read_plain_table(path: Path) -> PlainTable:
    """Return the tidy table of a CSV, TSV or parquet file.

    It has a row for each video, with ``model``, ``domain``, ``question``, and ``score`` (1 to 5; 4 and 5 are successes)
    or ``passed`` (true or false, 1 or 0). ``sample`` numbers several videos of a model on a question. Other columns of
    the tidy table are read where they are present, so that what ``vmevalkit results --rows`` wrote is read back whole.
    Raises UsageError with the line of a cell that is not valid.
    """
    cells = _read_cells(path)
    names = {name if (own := _OTHER_NAMES.get(name, name)) in cells else own: name for name in cells}
    _check_columns(path, names)
    known = {own: given for own, given in names.items() if own in COLUMNS}
    rows: list[dict[str, Any]] = []
    numbering: Counter[Hashable] = Counter()
    for line, values in enumerate(zip(*(cells[given] for given in known.values()), strict=True), start=2):
        row = {
            own: _parse(f"{path}, line {line}: {given}", own, cell)
            for (own, given), cell in zip(known.items(), values, strict=True)
        }
        for name in REQUIRED:
            if row[name] is None:
                raise UsageError(f"{path}, line {line}: no {name}; every row needs {join_names(REQUIRED)}")
        row |= {name: empty() for name, empty in _EMPTY_OBJECTS.items() if row.get(name) is None}
        row["experiment"] = row.get("experiment") or path.stem
        row["scorer"] = row.get("scorer") or SCORER
        row["is_current"] = row.get("is_current") is not False
        _complete_verdict(f"{path}, line {line}", row, names)
        if row.get("sample") is None:
            of_question = tuple(row.get(name) for name in KEY if name != "sample")
            row["sample"] = numbering[of_question]
            numbering[of_question] += 1
        rows.append(row)
    _check_unique(path, rows)
    frame = make_frame(rows)
    unused = [given for own, given in names.items() if own not in COLUMNS]
    return PlainTable(frame, tuple(_write_notes(path.name, frame, "value" in names, unused)))


def _read_cells(path: Path) -> dict[str, list[Any]]:
    """Return the columns of a file, as text where it is CSV."""
    import pandas as pd

    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(f"{path} is not a table; use a file that ends with {', '.join(SUFFIXES)}")
    if not path.is_file():
        raise StoreError(f"there is no file {path}")
    try:
        if suffix == ".parquet":
            frame = pd.read_parquet(path, engine="pyarrow")
        else:
            separator = "\t" if suffix == ".tsv" else ","
            frame = pd.read_csv(path, sep=separator, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as {suffix[1:]}: {str(error).strip()}") from error
    if not len(frame):
        raise UsageError(f"{path} has no rows")
    frame = frame.astype(object)
    return {str(name).strip().lower(): frame[name].where(frame[name].notna(), None).tolist() for name in frame.columns}


def _check_columns(path: Path, names: Mapping[str, str]) -> None:
    missing = [name for name in REQUIRED if name not in names]
    if missing:
        raise UsageError(
            f"{path} has no column {join_names(missing)}; it has {join_names(list(names.values()))}. A table has "
            f"{join_names(REQUIRED)}, and score or passed"
        )
    if "value" not in names and "success" not in names:
        raise UsageError(
            f"{path} has neither a column score (1 to 5) nor a column passed (true or false); it has "
            f"{join_names(list(names.values()))}"
        )


def _parse(place: str, name: str, cell: Any) -> Any:
    """Return a cell in the type of its column; None where it is empty."""
    kind = COLUMNS[name]
    if cell is None or kind not in _READERS:
        return None if cell is None else str(cell).strip() or None
    if isinstance(cell, Mapping | list):
        return cell
    text, (reader, what) = str(cell).strip(), _READERS[kind]
    if text.lower() in _EMPTY:
        return None
    try:
        return reader(text)
    except ValueError:
        raise UsageError(f"{place} is {text!r}; it is {SCALE if name == 'value' else what}") from None


def _read_integer(text: str) -> int:
    number = float(text)
    if number != int(number):
        raise ValueError(text)
    return int(number)


def _read_flag(text: str) -> bool:
    if text.lower() not in _TRUE | _FALSE:
        raise ValueError(text)
    return text.lower() in _TRUE


_READERS: dict[str, tuple[Callable[[str], Any], str]] = {
    INTEGER: (_read_integer, "a whole number"),
    NUMBER: (float, "a number"),
    BOOLEAN: (_read_flag, "true or false, 1 or 0"),
    OBJECT: (orjson.loads, "JSON"),
}


def _complete_verdict(place: str, row: dict[str, Any], names: Mapping[str, str]) -> None:
    """Fill in what follows from the score, or from the verdict where there is no score."""
    value, success = row.get("value"), row.get("success")
    if value is not None and not 1 <= value <= 5:
        raise UsageError(f"{place}: {names['value']} is {value}; it is {SCALE}")
    if value is None and success is not None and "value" not in names:
        row["value"] = value = PASS if success else FAIL
    if value is not None and success is not None and success != (value >= SUCCESS):
        raise UsageError(
            f"{place}: {names['value']} is {value} and {names['success']} is {str(success).lower()}; a "
            f"success is a score of {SUCCESS} or 5. Leave one of the two columns out"
        )
    row["success"] = None if value is None else value >= SUCCESS
    if value is None and not row.get("reason"):
        row["reason"] = UNSCORED


def _check_unique(path: Path, rows: list[dict[str, Any]]) -> None:
    seen: dict[Hashable, int] = {}
    for line, row in enumerate(rows, start=2):
        key = tuple(row.get(name) for name in KEY)
        if key in seen:
            what = ", ".join(str(row[name]) for name in ("model", "domain", "question"))
            raise UsageError(
                f"{path}, lines {seen[key]} and {line}: {what} has sample {row['sample']} twice; number the samples "
                "of a question, or leave the column sample out"
            )
        seen[key] = line


def _write_notes(name: str, frame: pd.DataFrame, has_scores: bool, unused: list[str]) -> list[str]:
    notes = []
    if not has_scores:
        notes.append(f"{name} says passed or not: where values are compared, a pass counts as {PASS}, a fail as {FAIL}")
    if unused:
        notes.append(f"columns of {name} that are not used: {join_names(unused)}")
    empty = int(frame["value"].isna().sum())
    if empty:
        notes.append(f"{count(empty, 'row')} of {name} {'has' if empty == 1 else 'have'} no score")
    return notes
