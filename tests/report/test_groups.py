"""The sections of cognitive groups and of many domains, from tables made of values."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from vmevalkit.report.context import make_context
from vmevalkit.report.sections.domains import MOST_COLUMNS, make_domains
from vmevalkit.report.sections.groups import make_groups
from vmevalkit.results.columns import make_frame


def make_scores(groups: dict[str, str | None], models: tuple[str, ...] = ("alpha", "beta")) -> pd.DataFrame:
    """Return a table in which the first model solves everything that is planned, and nothing else."""
    rows = [
        {
            "experiment": "first", "model": model, "domain": domain, "group": group, "question": f"{domain}_{index}",
            "sample": 0, "scorer": "RuleEvaluator", "value": 5 if (solved := model == "alpha" and group == "planning")
            else 1, "success": solved, "is_current": True, "status": "success", "puzzle_digest": f"p{index}",
        }
        for model in models
        for domain, group in groups.items()
        for index in range(4)
    ]  # fmt: skip
    return make_frame(rows)


def test_each_model_has_a_rate_in_each_group() -> None:
    frame = make_scores({"maze": "planning", "sokoban": "planning", "sudoku": "deduction"})
    section = make_groups(make_context(frame, "RuleEvaluator", Path("outputs"), Path("evaluations")))
    assert section is not None and "planning: maze and sokoban" in section.paragraphs[0]
    found = {(line["model"], line["group"]): (line["success"], line["questions"]) for line in section.tables[0].records}
    assert found == {
        ("alpha", "planning"): (1.0, 8), ("alpha", "deduction"): (0.0, 4),
        ("beta", "planning"): (0.0, 8), ("beta", "deduction"): (0.0, 4),
    }  # fmt: skip
    assert section.figures[0].description.startswith("alpha: deduction 0%, planning 100%")


def test_one_group_or_none_has_no_section() -> None:
    for groups in ({"maze": "planning", "sokoban": "planning"}, {"maze": None, "mine": None}):
        context = make_context(make_scores(dict(groups)), "RuleEvaluator", Path("outputs"), Path("evaluations"))
        assert make_groups(context) is None


def test_many_domains_stand_below_each_other() -> None:
    for count in (MOST_COLUMNS, MOST_COLUMNS + 1):
        frame = make_scores({f"domain{index:02d}": "planning" for index in range(count)})
        section = make_domains(make_context(frame, "RuleEvaluator", Path("outputs"), Path("evaluations")))
        assert section is not None
        [table] = [each for each in section.tables if each.name == "model_domain"]
        columns = list(table.texts[0])
        assert columns[0] == ("model" if count == MOST_COLUMNS else "domain")
        assert len(table.texts) == (2 if count == MOST_COLUMNS else count)
        assert len(table.records) == 2 * count
        width, height = section.figures[-1].figure.get_size_inches()
        assert (height > width) == (count > MOST_COLUMNS)
