"""The image-question track beside lmms_eval, in one run: CPU time until the first question is asked, and per question
(images read, question asked, result on the disk; the page and its thumbnails are not counted).

lmms_eval is in an environment of its own: ``make test-lmms`` makes .venv-lmms, and VMEVALKIT_LMMS_PYTHON names another
interpreter. Without one only this runner is measured, and nothing is claimed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.measure import Claim, report, scratch

FEW, MANY = 20, 220
PROBE = Path(__file__).with_name("vqa_probe.py")
ROOT = Path(__file__).parents[1]


def find_lmms_python() -> Path | None:
    """Return the interpreter of the environment with lmms_eval; None where there is none."""
    named = os.environ.get("VMEVALKIT_LMMS_PYTHON")
    path = Path(named) if named else ROOT / ".venv-lmms" / "bin" / "python"
    return path if path.is_file() else None


def run_probe(python: str, kind: str, folder: Path, limit: int) -> dict[str, float]:
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(folder / "hf")}
    done = subprocess.run(
        [python, str(PROBE), kind, str(folder), str(limit)],
        cwd=folder, env={**os.environ, **offline}, capture_output=True, text=True,
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.startswith("PROBE ")]
    if not lines:
        raise RuntimeError(f"{kind} failed: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    measured: dict[str, float] = json.loads(lines[-1].removeprefix("PROBE "))
    return measured


def measure(python: str, kind: str, folder: Path) -> tuple[float, float]:
    """Return CPU seconds until the first question, and CPU milliseconds per question; the least of two runs each."""
    few = [run_probe(python, kind, folder, FEW) for _ in range(2)]
    many = [run_probe(python, kind, folder, MANY) for _ in range(2)]
    start = min(run["first_call_cpu_s"] for run in few)
    least = min(run["asked_cpu_s"] for run in many) - min(run["asked_cpu_s"] for run in few)
    return start, 1000 * least / (MANY - FEW)


def main() -> bool:
    from vmevalkit.vqa.synthetic.dataset import write_dataset

    with scratch() as folder:
        write_dataset(folder / "RunsenXu" / "MMSI-Bench", MANY)
        start, per_question = measure(sys.executable, "vmevalkit", folder)
        print(f"\nvqa: {start:.2f} s CPU until the first question, {per_question:.2f} ms CPU per question")
        python = find_lmms_python()
        if python is None:
            print("  lmms_eval is not installed here (make test-lmms): nothing to compare with")
            return True
        their_start, theirs = measure(str(python), "lmms_eval", folder)
    print(f"lmms_eval: {their_start:.2f} s CPU until the first question, {theirs:.2f} ms CPU per question")
    return report(
        "vqa beside lmms_eval",
        [Claim("start until the first question, lmms_eval over vmevalkit vqa", their_start / start, 5.0, "times")],
    )


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
