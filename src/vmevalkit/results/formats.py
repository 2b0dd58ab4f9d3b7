"""Tables as text, CSV, JSON, parquet, Markdown and LaTeX."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from vmevalkit.core.errors import UnknownName, UsageError

if TYPE_CHECKING:
    import pandas as pd

    from vmevalkit.results.rate_table import RateTable

FORMATS = ("table", "csv", "json", "parquet", "markdown", "latex")
SUFFIXES = {".csv": "csv", ".json": "json", ".parquet": "parquet", ".md": "markdown", ".tex": "latex"}
_LATEX = {
    "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "<": "$<$", ">": "$>$", "|": "$|$", "–": "--",
}  # fmt: skip
_NUMERIC = {"rate", "share", "95% interval", "questions", "videos", "mean value", "mean", "difference"}

Texts = Sequence[Mapping[str, str]]


def choose_format(name: str | None, out: Path | None) -> str:
    """Return the format by its name, else by the suffix of the file, else ``table``."""
    if name is None:
        return "table" if out is None else SUFFIXES.get(out.suffix.lower(), "table")
    if name not in FORMATS:
        raise UnknownName("format", name, FORMATS)
    if name == "parquet" and out is None:
        raise UsageError("parquet is not text; name a file: --format parquet --out results.parquet")
    return name


def encode_rates(table: RateTable, name: str) -> bytes:
    """Return a table of rates in one of the formats."""
    if name in _OF_TEXTS:
        return _OF_TEXTS[name](table.texts).encode()
    return _OF_RECORDS[name](table.records)


def format_rows(rows: Texts, name: str) -> str:
    """Return lines of text as a ``table``, ``markdown`` or ``latex``."""
    return _OF_TEXTS[name](rows)


def encode_rows(frame: pd.DataFrame, name: str) -> bytes:
    """Return a tidy table in one of the formats. Mappings and lists become JSON text, except in JSON itself."""
    if name == "json":
        return _encode_json(_plain_records(frame))
    flat = frame.assign(**{name: [_json_text(cell) for cell in frame[name]] for name in _object_columns(frame)})
    if name == "parquet":
        buffer = BytesIO()
        flat.to_parquet(buffer, engine="pyarrow", index=False)
        return buffer.getvalue()
    if name == "csv":
        return str(flat.to_csv(index=False)).encode()
    rows = [{key: "" if cell is None else str(cell) for key, cell in row.items()} for row in _plain_records(flat)]
    return _OF_TEXTS[name](rows).encode()


def _object_columns(frame: pd.DataFrame) -> list[str]:
    return [name for name, kind in frame.dtypes.items() if str(kind) == "object"]


def _json_text(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()


def _plain_records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows with None for everything that is missing."""
    plain = {name: frame[name].astype(object).where(frame[name].notna(), None).tolist() for name in frame.columns}
    return [dict(zip(plain, cells, strict=True)) for cells in zip(*plain.values(), strict=True)]


def _encode_json(records: Sequence[Mapping[str, Any]]) -> bytes:
    return orjson.dumps(list(records), option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS) + b"\n"


def encode_csv(records: Sequence[Mapping[str, Any]]) -> bytes:
    """Return records of the same keys as CSV, with a header."""
    text = StringIO()
    if records:
        writer = csv.DictWriter(text, list(records[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
    return text.getvalue().encode()


def _encode_parquet(records: Sequence[Mapping[str, Any]]) -> bytes:
    import pandas as pd

    buffer = BytesIO()
    pd.DataFrame(list(records)).to_parquet(buffer, engine="pyarrow", index=False)
    return buffer.getvalue()


def _format_text(rows: Texts) -> str:
    """Return lines of equal columns. A last column that is empty everywhere is left out."""
    names = [name for name in (rows[0] if rows else ()) if name != "left out" or any(row[name] for row in rows)]
    widths = {name: max(len(name), *(len(row[name]) for row in rows)) for name in names}

    def line(cells: Mapping[str, str]) -> str:
        return "  ".join(
            cells[name].rjust(widths[name]) if name in _NUMERIC else cells[name].ljust(widths[name]) for name in names
        ).rstrip()

    return "".join(f"{line(cells)}\n" for cells in [dict(zip(names, names, strict=True)), *rows]) if rows else ""


def _format_markdown(rows: Texts) -> str:
    if not rows:
        return ""
    names = list(rows[0])
    lines = [names, ["---:" if name in _NUMERIC else "---" for name in names]]
    lines += [[row[name].replace("|", "\\|").replace("\n", " ") for name in names] for row in rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def format_latex(rows: Texts) -> str:
    """Return lines of text as a LaTeX tabular. Every character is escaped."""
    if not rows:
        return ""
    names = list(rows[0])
    columns = "".join("r" if name in _NUMERIC else "l" for name in names)
    lines = [" & ".join(escape_latex(cell) for cell in cells) for cells in [names, *([*row.values()] for row in rows)]]
    body = f"{lines[0]} \\\\\n\\hline\n" + "".join(f"{line} \\\\\n" for line in lines[1:])
    return f"\\begin{{tabular}}{{{columns}}}\n\\hline\n{body}\\hline\n\\end{{tabular}}\n"


def escape_latex(text: str) -> str:
    """Return a text that LaTeX shows as it is."""
    return "".join(_LATEX.get(letter, letter) for letter in text)


_OF_TEXTS: dict[str, Callable[[Texts], str]] = {
    "table": _format_text,
    "markdown": _format_markdown,
    "latex": format_latex,
}
_OF_RECORDS: dict[str, Callable[[Sequence[Mapping[str, Any]]], bytes]] = {
    "csv": encode_csv,
    "json": _encode_json,
    "parquet": _encode_parquet,
}
