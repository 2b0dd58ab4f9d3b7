"""The package's convention: data from which nothing follows return a record with a reason; nothing raises or warns."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from vmevalkit import stats
from vmevalkit.stats.agreement import cohens_kappa, confusion, percent_agreement
from vmevalkit.stats.anova import friedman, kruskal_wallis, one_way_anova, tukey_hsd, two_way_anova
from vmevalkit.stats.bootstrap import bootstrap_ci, clustered_bootstrap_ci
from vmevalkit.stats.breakdown import success_by_level, success_by_parameter, success_by_tag
from vmevalkit.stats.comparison import compare_paired
from vmevalkit.stats.complexity import demand_ranking
from vmevalkit.stats.consistency import model_consistency
from vmevalkit.stats.correction import prediction_powered_rate
from vmevalkit.stats.correlation import pearson, spearman
from vmevalkit.stats.distribution import score_distribution
from vmevalkit.stats.effect import cliffs_delta, cohens_d
from vmevalkit.stats.failures import failure_profiles
from vmevalkit.stats.forest import success_forest
from vmevalkit.stats.krippendorff import krippendorffs_alpha
from vmevalkit.stats.logistic import conditional_logit
from vmevalkit.stats.mixed import mixed_model
from vmevalkit.stats.ranking import rank_bands
from vmevalkit.stats.rasch import rasch
from vmevalkit.stats.rates import delivery_rates, mean_score, pass_at_k, pass_hat_k, success_rate
from vmevalkit.stats.rogan_gladen import rogan_gladen

Rows = list[tuple[float, str, str, str]]
RNG = np.random.default_rng(0)


class Place(NamedTuple):
    """Numbers of a model, a domain and a question in it."""

    model: int
    domain: int
    question: int


def grid(models: int, domains: int, questions: int, passes: Callable[[Place], float]) -> Rows:
    return [
        (passes(Place(m, d, q)), f"m{m}", f"d{d}", f"d{d}q{q}")
        for m in range(models)
        for d in range(domains)
        for q in range(questions)
    ]


MIXED = grid(3, 3, 8, lambda at: float(RNG.random() < 0.3 + 0.2 * at.model))
CASES: dict[str, Rows] = {
    "empty": [],
    "one sample": grid(1, 1, 1, lambda _: 1.0),
    "one model": grid(1, 3, 8, lambda at: float(at.question % 2)),
    "one domain": grid(3, 1, 8, lambda at: float((at.question + at.model) % 2)),
    "all pass": grid(3, 3, 8, lambda _: 1.0),
    "all fail": grid(3, 3, 8, lambda _: 0.0),
    "two questions": grid(2, 1, 2, lambda at: float(at.model == at.question)),
    "one question a domain": grid(3, 3, 1, lambda at: float(at.model == at.domain)),
    "a model that never passes": grid(
        3, 3, 8, lambda at: float(at.model > 0 and (at.question + at.domain * at.model) % 3 == 0)
    ),
    "models decide": grid(3, 3, 8, lambda at: float(at.model == 1)),
    "questions decide": grid(3, 3, 8, lambda at: float(at.question % 2)),
    "unbalanced": [row for i, row in enumerate(MIXED) if i % 7 not in (1, 3)],
    "no common question": [row for row in MIXED if int(row[1][1]) == int(row[3][3]) % 3],
    "a missing combination": [row for row in MIXED if (row[1], row[2]) != ("m1", "d2")],
    "several samples": [*MIXED, *MIXED[::2], *MIXED[::3]],
    "usual": MIXED,
}


def columns(rows: Rows) -> tuple[list[float], list[str], list[str], list[str]]:
    if not rows:
        return [], [], [], []
    y, models, domains, questions = zip(*rows, strict=True)
    return list(y), list(models), list(domains), list(questions)


def half(rows: Rows, model: str) -> tuple[list[float], list[str]]:
    mine = [row for row in rows if row[1] == model]
    return [row[0] for row in mine], [row[3] for row in mine]


def paired(rows: Rows) -> object:
    return compare_paired(*half(rows, "m0"), *half(rows, "m1"), margin=0.1, n_bootstrap=200)


def counts_of_judge(rows: Rows) -> object:
    y = [row[0] for row in rows]
    passed = int(sum(y))
    return rogan_gladen(passed, len(y), passed, passed, len(y) - passed, len(y) - passed)


STATISTICS: dict[str, Callable[[Rows], object]] = {
    "success_rate": lambda rows: success_rate(columns(rows)[0], columns(rows)[3]),
    "mean_score": lambda rows: mean_score(columns(rows)[0], columns(rows)[3]),
    "pass_at_k": lambda rows: pass_at_k(columns(rows)[0], columns(rows)[3], 2),
    "pass_hat_k": lambda rows: pass_hat_k(columns(rows)[0], columns(rows)[3], 2),
    "delivery_rates": lambda rows: delivery_rates(len(rows), len(rows), len(rows), int(sum(r[0] for r in rows))),
    "bootstrap_ci": lambda rows: bootstrap_ci(columns(rows)[0], 200),
    "clustered_bootstrap_ci": lambda rows: clustered_bootstrap_ci(columns(rows)[0], columns(rows)[3], 200),
    "compare_paired": paired,
    "rank_bands": lambda rows: rank_bands(columns(rows)[0], columns(rows)[1], columns(rows)[3], n_bootstrap=200),
    "one_way_anova": lambda rows: one_way_anova(*columns(rows)[:2]),
    "two_way_anova": lambda rows: two_way_anova(*columns(rows)[:3]),
    "tukey_hsd": lambda rows: tukey_hsd(*columns(rows)[:2]),
    "kruskal_wallis": lambda rows: kruskal_wallis(*columns(rows)[:2]),
    "friedman": lambda rows: friedman(columns(rows)[0], columns(rows)[1], columns(rows)[3]),
    "cohens_d": lambda rows: cohens_d(half(rows, "m0")[0], half(rows, "m1")[0]),
    "cliffs_delta": lambda rows: cliffs_delta(half(rows, "m0")[0], half(rows, "m1")[0]),
    "mixed_model": lambda rows: mixed_model(*columns(rows)),
    "additive mixed_model": lambda rows: mixed_model(*columns(rows), interaction=False),
    "conditional_logit": lambda rows: conditional_logit(columns(rows)[0], columns(rows)[1], columns(rows)[3]),
    "success_forest": lambda rows: success_forest(
        {"model_family": columns(rows)[1]}, columns(rows)[0], columns(rows)[3], trees=5, repeats=2
    ),
    "model_consistency": lambda rows: model_consistency(*columns(rows)),
    "score_distribution": lambda rows: score_distribution([1 + 4 * y for y in columns(rows)[0]]),
    "failure_profiles": lambda rows: failure_profiles(["none" if r[0] else "static" for r in rows], columns(rows)[1]),
    "success_by_level": lambda rows: success_by_level(columns(rows)[0], columns(rows)[2], columns(rows)[3]),
    "success_by_tag": lambda rows: success_by_tag(columns(rows)[0], [[r[2]] for r in rows], columns(rows)[3]),
    "success_by_parameter": lambda rows: success_by_parameter(
        columns(rows)[0], [int(r[3].split("q")[1]) for r in rows], columns(rows)[3]
    ),
    "demand_ranking": lambda rows: demand_ranking(columns(rows)[0], columns(rows)[2], columns(rows)[3]),
    "rasch": lambda rows: rasch(columns(rows)[0], columns(rows)[1], columns(rows)[3], min_models=2),
    "percent_agreement": lambda rows: percent_agreement(columns(rows)[0], columns(rows)[0][::-1]),
    "confusion": lambda rows: confusion(columns(rows)[0], columns(rows)[0][::-1]),
    "cohens_kappa": lambda rows: cohens_kappa(columns(rows)[0], columns(rows)[0][::-1], "quadratic"),
    "krippendorffs_alpha": lambda rows: krippendorffs_alpha(
        np.array([columns(rows)[0], columns(rows)[0][::-1]]).reshape(2, -1), n_bootstrap=200
    ),
    "spearman": lambda rows: spearman(columns(rows)[0], columns(rows)[0][::-1]),
    "pearson": lambda rows: pearson(columns(rows)[0], columns(rows)[0][::-1]),
    "perfect pearson": lambda rows: pearson(
        columns(rows)[0] + [2.0] * bool(rows), columns(rows)[0] + [2.0] * bool(rows)
    ),
    "prediction_powered_rate": lambda rows: prediction_powered_rate(
        columns(rows)[0][3:], columns(rows)[0][:3], columns(rows)[0][:3]
    ),
    "rogan_gladen": counts_of_judge,
}
OPTIONAL = {"reason", "equivalence", "complexity", "reference"}


def records(found: object) -> Iterator[Any]:
    """Every record in a result, at any depth."""
    if is_dataclass(found) and not isinstance(found, type):
        yield found
        for field in fields(found):
            yield from records(getattr(found, field.name))
    elif isinstance(found, Mapping):
        for value in found.values():
            yield from records(value)
    elif isinstance(found, tuple):
        for value in found:
            yield from records(value)


def numbers(record: Any) -> Iterator[float]:
    for field in fields(record):
        value = getattr(record, field.name)
        if isinstance(value, float):
            yield value


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("statistic", STATISTICS)
def test_numbers_or_a_reason(statistic: str, case: str) -> None:
    for record in records(STATISTICS[statistic](CASES[case])):
        assert all(np.isfinite(number) for number in numbers(record)), record
        values = {f.name: getattr(record, f.name) for f in fields(record) if f.name not in OPTIONAL}
        missing = [name for name, value in values.items() if value is None]
        if not hasattr(record, "reason"):
            assert not missing, f"{record} has no reason for {missing}"
            continue
        if record.reason is None:
            assert not missing, f"{record} gives no reason for {missing}"
        else:
            empty = [name for name, value in values.items() if isinstance(value, Mapping) and not value]
            assert missing or empty, f"{record} has a reason and misses nothing"
            assert len(record.reason) > 10
            assert record.reason[-1] != "."


@pytest.mark.parametrize("statistic", sorted(set(STATISTICS) - {"perfect pearson"}))
def test_the_usual_case_has_numbers(statistic: str) -> None:
    """The cases above would also pass with a reason for everything."""
    found = list(records(STATISTICS[statistic](CASES["several samples"])))
    assert any(getattr(record, "reason", None) is None for record in found)


def test_records_are_frozen_and_document_every_field() -> None:
    for path in Path(stats.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.ClassDef) or not node.decorator_list:
                continue
            assert ast.unparse(node.decorator_list[0]) == "dataclass(frozen=True, slots=True)"
            body = [n for n in node.body if isinstance(n, ast.AnnAssign | ast.Expr)]
            for entry, after in zip(body, [*body[1:], None], strict=True):
                if isinstance(entry, ast.AnnAssign):
                    assert isinstance(after, ast.Expr), f"{path.name}: {node.name}.{ast.unparse(entry.target)}"
