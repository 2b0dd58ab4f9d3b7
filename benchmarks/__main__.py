"""Run every benchmark; the exit code tells whether all claims hold."""

from __future__ import annotations

import sys

from benchmarks import (
    attack,
    cluster,
    dispatch,
    last_frame,
    memory,
    questions,
    report_size,
    results_table,
    reward,
    scoring,
    statistics,
    vqa,
)

if __name__ == "__main__":
    parts = (
        questions,
        last_frame,
        scoring,
        reward,
        attack,
        dispatch,
        statistics,
        results_table,
        memory,
        vqa,
        report_size,
        cluster,
    )
    held = [part.main() for part in parts]
    sys.exit(0 if all(held) else 1)
