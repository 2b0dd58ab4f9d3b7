"""The sections of the report, each a function from the table of one scorer to sentences, figures and tables.

A section that the table has nothing for is None and is not shown.
"""

from __future__ import annotations

from collections.abc import Callable

from vmevalkit.report.context import ReportContext
from vmevalkit.report.section import Section
from vmevalkit.report.sections.agreement import make_agreement
from vmevalkit.report.sections.costs import make_costs
from vmevalkit.report.sections.difficulty import make_difficulty
from vmevalkit.report.sections.domains import make_domains
from vmevalkit.report.sections.groups import make_groups
from vmevalkit.report.sections.measurements import make_measurements
from vmevalkit.report.sections.ranking import make_ranking
from vmevalkit.report.sections.scores import make_failures, make_process, make_scores
from vmevalkit.report.sections.variants import make_variants

SECTIONS: tuple[Callable[[ReportContext], Section | None], ...] = (
    make_ranking, make_domains, make_groups, make_scores, make_failures, make_process, make_difficulty, make_variants,
    make_agreement, make_measurements, make_costs,
)  # fmt: skip
"""In the order of the page."""
