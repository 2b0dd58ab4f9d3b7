"""Freeze a benchmark: write the fingerprints of its questions into the package.

``python tools/freeze_benchmark.py`` freezes vmeval-2 with all tasks of this package. Tasks that the file has already
are kept as they are; ``--again`` computes all of them anew, which is allowed only until the benchmark is published.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path

import orjson

from vmevalkit.datasets.frozen_sets import freeze, read_frozen_set
from vmevalkit.tasks import TASKS

FOLDER = Path(__file__).parent.parent / "src" / "vmevalkit" / "datasets" / "frozen"
NAME, SEED = "vmeval-2", 20261119
DIFFICULTIES = ("easy", "medium", "hard")
EACH = 20
"""Questions of each task and difficulty."""


def main() -> None:
    """Write the file, and say what is new in it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--again", action="store_true", help="compute all tasks anew")
    again = parser.parse_args().again
    place = FOLDER / f"{NAME}.json"
    known = read_frozen_set(place.read_text("utf-8")) if place.exists() and not again else None
    own = TASKS.list_own()
    frozen = freeze(NAME, own, EACH * len(DIFFICULTIES), SEED, DIFFICULTIES, known)
    place.write_bytes(orjson.dumps(asdict(frozen), option=orjson.OPT_INDENT_2) + b"\n")
    new = [name for name in own if known is None or name not in known.fingerprints]
    sys.stdout.write(
        f"{place.name}: {len(own)} tasks of {frozen.questions} questions; new: {', '.join(new) or 'none'}\n"
    )


if __name__ == "__main__":
    main()
