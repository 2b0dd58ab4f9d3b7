"""HTML pages from templates. Everything that is shown is escaped, and a policy forbids scripts inside a page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from vmevalkit import __version__
from vmevalkit.report.section import FigurePart, Section, TablePart
from vmevalkit.store.atomic import write_file

if TYPE_CHECKING:
    from jinja2 import Environment

COMPACT_INCHES = 5.6
"""Narrower figures, such as a table of two columns, are not stretched to the width of the page."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
"""What a page may load: files of its own folder, and no script or style inside the page."""
ASSETS = ("report.css", "tables.js", "common.js", "gallery.js", "question.js", "tables.js")

_NUMBER = re.compile(r"[–-]|[+-]?[\d,.]+ ?%?( to [+-]?[\d,.]+ ?%?)?|[+-]?[\d,.]+%? \([^)]*\)|\d+–\d+")


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a page."""

    href: str
    text: str
    is_current: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table on a page."""

    name: str
    is_number: bool


def describe_table(part: TablePart) -> dict[str, Any]:
    """Return a table for the templates. A column of numbers is aligned at the right."""
    names = list(part.texts[0]) if part.texts else []
    columns = [Column(name, all(_NUMBER.fullmatch(line[name]) for line in part.texts)) for name in names]
    return {
        "name": part.name, "title": part.title, "texts": part.texts, "note": part.note, "is_long": part.is_long,
        "columns": columns,
    }  # fmt: skip


def describe_figure(part: FigurePart) -> dict[str, Any]:
    """Return a figure for the templates, with its size in pixels, so that the page does not jump."""
    width, height = part.figure.get_size_inches()
    return {
        "name": part.name, "title": part.title, "caption": part.caption, "description": part.description,
        "width": round(100 * width), "height": round(100 * height), "has_narrow": part.narrow is not None,
        "is_compact": width < COMPACT_INCHES,
    }  # fmt: skip


def describe_section(section: Section) -> dict[str, Any]:
    """Return a section for the templates."""
    return {
        "anchor": section.anchor,
        "title": section.title,
        "paragraphs": section.paragraphs,
        "figures": [describe_figure(part) for part in section.figures],
        "tables": [describe_table(part) for part in section.tables],
        "notes": section.notes,
    }


def encode_path(path: str) -> str:
    """Return a path inside the report as a URL."""
    return quote(path)


def make_links(current: str, has_gallery: bool = True, has_analysis: bool = True) -> list[Link]:
    """Return the links at the top of every page."""
    links = [Link("index.html", "Report", current == "index.html")]
    if has_analysis:
        links.append(Link("analysis.html", "Analysis", current == "analysis.html"))
    if has_gallery:
        links.append(Link("gallery.html", "Gallery", current == "gallery.html"))
    return [*links, Link("index.html#methods", "Methods")]


def render_page(template: str, title: str, links: Sequence[Link], values: Mapping[str, Any] | None = None) -> str:
    """Return the text of a page."""
    page = _environment().get_template(template)
    return page.render(title=title, links=links, policy=POLICY, version=__version__, **(values or {}))


def write_assets(out: Path) -> None:
    """Copy styles and scripts from the package."""
    for name in ASSETS:
        write_file(out / "assets" / name, files("vmevalkit.report").joinpath("assets", name).read_bytes())


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("vmevalkit.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
