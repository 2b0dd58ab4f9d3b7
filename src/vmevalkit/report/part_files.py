"""Files of figures and tables: SVG, PNG and PDF, CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from vmevalkit.report.figure_style import encode_figure
from vmevalkit.report.section import Section, TablePart
from vmevalkit.results.formats import encode_csv, format_latex
from vmevalkit.store.atomic import write_file


def write_sections(sections: Iterable[Section], figures: Path, tables: Path) -> None:
    """Write all figures and tables of some sections."""
    for section in sections:
        for figure in section.figures:
            for end, data in encode_figure(figure.figure).items():
                write_file(figures / f"{figure.name}{end}", data)
            for end, data in encode_figure(figure.narrow).items() if figure.narrow is not None else ():
                if end.endswith(".svg"):
                    write_file(figures / f"{figure.name}-narrow{end}", data)
        for table in section.tables:
            write_table(table, tables)


def write_table(table: TablePart, folder: Path) -> None:
    """Write a table as CSV, with numbers, and as LaTeX, as the page shows it."""
    write_file(folder / f"{table.name}.csv", encode_csv(table.records))
    write_file(folder / f"{table.name}.tex", format_latex(table.texts))
