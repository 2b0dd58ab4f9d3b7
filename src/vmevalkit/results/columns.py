"""The columns of the tidy table and their types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from vmevalkit.core.errors import UnknownName

if TYPE_CHECKING:
    import pandas as pd

TEXT, INTEGER, BOOLEAN, NUMBER, OBJECT = "string", "Int64", "boolean", "float64", "object"

COLUMNS: dict[str, str] = {
    "experiment": TEXT,
    "model": TEXT,
    "family": TEXT,
    "domain": TEXT,
    "group": TEXT,
    "question": TEXT,
    "sample": INTEGER,
    "scorer": TEXT,
    "annotator": TEXT,
    "queue": TEXT,
    "value": INTEGER,
    "success": BOOLEAN,
    "solved": BOOLEAN,
    "passed": BOOLEAN,
    "outcome": NUMBER,
    "process": NUMBER,
    "legal_progress": NUMBER,
    "failure_mode": TEXT,
    "metrics": OBJECT,
    "findings": OBJECT,
    "explanation": TEXT,
    "trace": TEXT,
    "evidence": TEXT,
    "solved_at_s": NUMBER,
    "held_s": NUMBER,
    "first_violation_s": NUMBER,
    "is_current": BOOLEAN,
    "reason": TEXT,
    "status": TEXT,
    "cost_usd": NUMBER,
    "seconds": NUMBER,
    "prompt_variant": TEXT,
    "difficulty": TEXT,
    "params": OBJECT,
    "tags": OBJECT,
    "pattern_tags": OBJECT,
    "rule_type": TEXT,
    "level": TEXT,
    "rule": TEXT,
    "run_id": TEXT,
    "video": TEXT,
    "question_folder": TEXT,
    "video_digest": TEXT,
    "puzzle_digest": TEXT,
    "scorer_version": TEXT,
    "timestamp": TEXT,
}
"""Every column with its pandas type. What does not apply is missing, never 0 or False."""

KEY = ("experiment", "model", "domain", "question", "sample", "scorer", "annotator")
"""No two rows agree in all of these."""
MAPPINGS = ("metrics", "params")
"""Columns whose cells are mappings."""


def make_frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return the table of some rows, with every column in its type. A row may lack columns.

    Rows become cells of columns as they come, so memory does not hold all of them."""
    import pandas as pd

    cells: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for row in rows:
        for name, column in cells.items():
            column.append(row.get(name))
    return pd.DataFrame({name: pd.Series(cells.pop(name), dtype=kind) for name, kind in COLUMNS.items()})


def expand(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return the table with a column for each key of a mapping column: ``metrics`` gives ``metrics.path_length``, ...

    A key that a row does not have is missing there.
    """
    import pandas as pd

    if column not in MAPPINGS:
        raise UnknownName("column of mappings", column, MAPPINGS)
    cells = [cell or {} for cell in frame[column]]
    names = sorted({name for cell in cells for name in cell})
    parts = {f"{column}.{name}": [cell.get(name) for cell in cells] for name in names}
    return pd.concat([frame.drop(columns=column), pd.DataFrame(parts, index=frame.index)], axis=1)
