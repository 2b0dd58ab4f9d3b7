"""A section of the report: sentences, figures and tables, before anything is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class FigurePart:
    """A figure with what is said about it."""

    name: str
    """Name of its files, such as ``ranking``."""
    title: str
    """Heading of the figure."""
    caption: str
    """What is shown, and how to read it."""
    description: str
    """What the figure shows, in words, for readers who do not see it."""
    figure: Figure
    """The drawing."""
    narrow: Figure | None = None
    """The same for a narrow screen, where it has to be drawn in another shape."""


@dataclass(frozen=True, slots=True)
class TablePart:
    """A table: its lines as text for the page and for LaTeX, and as numbers for CSV."""

    name: str
    """Name of its files."""
    title: str
    """Caption of the table."""
    texts: Sequence[Mapping[str, str]]
    """Lines as readers see them; all have the same keys."""
    records: Sequence[Mapping[str, Any]]
    """Lines as numbers."""
    note: str = ""
    """A sentence below the table."""
    is_long: bool = False
    """Whether the page shows the table folded."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page below one heading."""

    anchor: str
    """Its place in the page, such as ``ranking``."""
    title: str
    """The heading."""
    paragraphs: Sequence[str] = ()
    """Sentences at the top."""
    figures: Sequence[FigurePart] = ()
    """Figures in the order in which they are shown."""
    tables: Sequence[TablePart] = ()
    """Tables below the figures."""
    notes: Sequence[str] = field(default_factory=tuple)
    """Remarks in a list below everything."""
