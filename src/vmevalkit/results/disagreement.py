"""How much scorers differ on each video."""

from __future__ import annotations

from pathlib import Path

from vmevalkit.results.table import load_results


def measure_disagreement(experiment: str, outputs: Path, evaluations: Path) -> dict[tuple[str, str, str, int], float]:
    """Return the largest difference of two scorers' values on each video, by model, domain, question and sample.

    People's labels are left out: the queue that is made from this must not depend on them."""
    frame = load_results(experiment, outputs=outputs, evaluations=evaluations)
    scored = frame[frame["value"].notna() & frame["annotator"].isna() & frame["is_current"].fillna(True).astype(bool)]
    values = scored.groupby(["model", "domain", "question", "sample"])["value"].agg(["min", "max"])
    differences = (values["max"] - values["min"]).astype(float)
    return {(str(m), str(d), str(q), int(s)): float(v) for (m, d, q, s), v in differences.items()}
