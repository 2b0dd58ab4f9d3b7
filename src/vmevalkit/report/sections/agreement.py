"""Agreement of scorers, judges and people on the same videos."""

from __future__ import annotations

from itertools import combinations

from vmevalkit.report.charts import draw_heatmap
from vmevalkit.report.context import ReportContext
from vmevalkit.report.section import FigurePart, Section, TablePart
from vmevalkit.report.sections.corrected_rates import make_correction_tables
from vmevalkit.report.words import format_interval, format_number
from vmevalkit.results.selection import JOB, is_chosen
from vmevalkit.results.words import percent
from vmevalkit.stats.agreement import cohens_kappa, confusion, percent_agreement
from vmevalkit.stats.krippendorff import alpha_of_judges
from vmevalkit.stats.records import Estimate

VALUES = (1, 2, 3, 4, 5)


def make_agreement(context: ReportContext) -> Section | None:
    labels = _collect_labels(context)
    pairs = [
        (first, second, sorted(labels[first].keys() & labels[second].keys()))
        for first, second in combinations(labels, 2)
    ]
    pairs = [pair for pair in pairs if pair[2]]
    if not pairs:
        return None
    texts, records = [], []
    for first, second, videos in pairs:
        a, b = ([labels[judge][video] for video in videos] for judge in (first, second))
        equal = percent_agreement([value >= 4 for value in a], [value >= 4 for value in b])
        kappa = cohens_kappa([value >= 4 for value in a], [value >= 4 for value in b])
        weighted = cohens_kappa(a, b, "quadratic", VALUES)
        texts.append(
            {
                "judges": f"{first}, {second}",
                "videos": str(len(videos)),
                "same success": f"{percent(equal.value)} ({format_interval(equal.low, equal.high)})",
                "kappa of success": _format(kappa),
                "weighted kappa of values": _format(weighted),
            }
        )
        records.append(
            {
                "first": first, "second": second, "videos": len(videos), "same_success": equal.value,
                "same_success_low": equal.low, "same_success_high": equal.high, "kappa": kappa.value,
                "kappa_low": kappa.low, "kappa_high": kappa.high, "weighted_kappa": weighted.value,
                "weighted_kappa_low": weighted.low, "weighted_kappa_high": weighted.high,
            }
        )  # fmt: skip
    corrections, notes = make_correction_tables(context.frame)
    return Section(
        "agreement",
        "Agreement of scorers",
        [_describe_alpha(labels), "Agreement says that scorers see the same, not that both are right."],
        [_draw_confusion(labels, *pairs[0])],
        [TablePart("agreement", "Pairs of scorers on the videos that both scored", texts, records), *corrections],
        notes,
    )


def _collect_labels(context: ReportContext) -> dict[str, dict[str, float]]:
    """Return the values of each scorer or person by video."""
    counted = context.frame[context.frame["value"].notna() & ~is_chosen(context.frame)]
    found: dict[str, dict[str, float]] = {}
    counted = counted.assign(annotator=counted["annotator"].fillna(""))
    columns = [*JOB, "scorer", "annotator", "value"]
    for *job, scorer, annotator, value in counted[columns].itertuples(index=False):
        judge = f"{scorer} {annotator}" if annotator else scorer
        found.setdefault(str(judge), {})["\n".join(map(str, job))] = int(value)
    return dict(sorted(found.items(), key=lambda item: not item[0].startswith(context.scorer)))


def _describe_alpha(labels: dict[str, dict[str, float]]) -> str:
    alpha = alpha_of_judges(labels)
    text = f"Krippendorff's alpha of all {len(labels)} scorers (ordinal, values 1 to 5) is {_format(alpha)}"
    return f"{text} on {alpha.n:,} videos." if alpha.value is not None else f"There is no alpha: {alpha.reason}."


def _format(found: Estimate) -> str:
    interval = "" if found.low is None or found.high is None else f" ({found.low:.2f} to {found.high:.2f})"
    return f"{format_number(found.value, 2)}{interval}"


def _draw_confusion(labels: dict[str, dict[str, float]], first: str, second: str, videos: list[str]) -> FigurePart:
    table = confusion([labels[first][each] for each in videos], [labels[second][each] for each in videos], VALUES)
    cells = [[float(cell) for cell in line] for line in table.counts]
    return FigurePart(
        "confusion",
        f"Values of {first} and {second}",
        f"Number of videos with each pair of values. Lines: {first}. Columns: {second}.",
        "; ".join(
            f"{value}: {', '.join(f'{cell:.0f}' for cell in line)}" for value, line in zip(VALUES, cells, strict=True)
        ),
        draw_heatmap(
            cells,
            [f"{first} {value}" for value in VALUES],
            [str(value) for value in VALUES],
            unit="videos",
            is_count=True,
        ),
    )
