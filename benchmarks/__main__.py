"""Run every benchmark; the exit code tells whether all claims hold."""

from __future__ import annotations

import sys

from benchmarks import dispatch, last_frame, questions, scoring

if __name__ == "__main__":
    held = [part.main() for part in (questions, last_frame, scoring, dispatch)]
    sys.exit(0 if all(held) else 1)
