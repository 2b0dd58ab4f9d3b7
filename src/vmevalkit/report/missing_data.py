"""Videos without a score, with the reasons."""

from __future__ import annotations

from vmevalkit.report.context import ReportContext
from vmevalkit.report.section import TablePart
from vmevalkit.results.selection import SCORED
from vmevalkit.results.words import count

MOST_LINES = 100
"""Lines on the page; the CSV file has all."""


def list_missing_data(context: ReportContext) -> list[TablePart]:
    """Return the table of videos without a score by this scorer; none where every video has one."""
    scored = set(context.scored["job"])
    left_out = context.videos[(context.videos["state"] != SCORED) & ~context.videos["job"].isin(scored)]
    rows = left_out.drop_duplicates("job")
    if not len(rows):
        return []
    columns = ["model", "domain", "question", "sample", "state", "reason"]
    records = [
        dict(zip(columns, cells, strict=True))
        for cells in rows[columns]
        .fillna({"reason": f"not scored by {context.scorer}"})
        .itertuples(index=False, name=None)
    ]
    texts = [{name: str(record[name]) for name in columns} for record in records[:MOST_LINES]]
    rest = len(records) - MOST_LINES
    note = f"The first {MOST_LINES}; {count(rest, 'further line')} in the CSV file." if rest > 0 else ""
    return [TablePart("without_score", f"{count(len(records), 'video')} without a score", texts, records, note)]
