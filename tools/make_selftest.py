"""Makes the videos of ``vmevalkit selftest`` and records the scores that they must get: ``make selftest-data``.

After a change of the rules, ``--scores-only`` records the scores of the existing videos again. Read the diff.
"""

from __future__ import annotations

import argparse
import sys

from vmevalkit.audit.selftest import write_cases
from vmevalkit.eval.scorers import SCORERS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scores-only", action="store_true", help="keep the videos")
    options = parser.parse_args()
    write_cases(SCORERS["rules"], on_case=lambda line: sys.stdout.write(f"{line}\n"), scores_only=options.scores_only)


if __name__ == "__main__":
    main()
