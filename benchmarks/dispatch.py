"""Remote jobs without a network: what dispatching itself costs, and that `vmevalkit models` answers at once.

Folders lie in memory where there is such a place: a disk's file system charges 0.4 to 1.5 ms of system time for the
three folders and six files of a run, depending on its state and on who else is at work, and would drown the rest.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

from benchmarks.measure import Claim, report, scratch
from vmevalkit.core.records import Request
from vmevalkit.models.model import Done, Failed, Listed, ModelSpec, Pending, Ticket

JOBS, SAMPLES, IN_FLIGHT = 10_000, 10, 500


class InstantVideos:
    """A provider in this process. Its films are empty: what is measured is all the rest."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec
        self.most, self._now, self._asked = 0, 0, set[str]()

    async def submit(self, request: Request, key: str) -> Ticket:
        self._now += 1
        self.most = max(self.most, self._now)
        return Ticket(key, None, {"prompt": request.prompt, "seconds": request.seconds})

    async def poll(self, ticket: Ticket) -> Pending | Done | Failed:
        if ticket.id in self._asked:
            self._asked.remove(ticket.id)
            return Done(ticket, f"memory:{ticket.id}", {"id": ticket.id, "status": "completed"})
        self._asked.add(ticket.id)
        return Pending()

    async def fetch(self, done: Done, into: Path, limit_bytes: int) -> None:
        os.close(os.open(into, os.O_WRONLY | os.O_CREAT, 0o644))
        self._now -= 1
        MOST[0] = max(MOST[0], self.most)

    async def orders(self, since: datetime) -> list[Listed] | None:
        return None

    async def close(self) -> None:
        return None


MOST = [0]
ROW = ModelSpec(
    "instant", "instant", "instant", "Instant", adapter="benchmarks.dispatch:InstantVideos",
    options={"limits": {"in_flight": IN_FLIGHT, "orders_per_minute": 1e9, "poll_every_s": 0.2}},
)  # fmt: skip


def measure(jobs: int) -> dict[str, float]:
    """CPU milliseconds a job, peak memory and jobs in flight; to be called in a fresh process."""
    from vmevalkit.runner.generate import generate
    from vmevalkit.runner.run import run

    with scratch() as root:
        generate(["maze"], jobs // SAMPLES, out=root / "questions")
        run(["instant"], root / "questions", "warm", root / "outputs", limit=50, catalogue={"instant": ROW}, check=None)
        begin, wall = time.process_time(), time.perf_counter()
        summary = run(
            ["instant"], root / "questions", "bench", root / "outputs",
            samples=SAMPLES, catalogue={"instant": ROW}, check=None,
        )  # fmt: skip
        assert (summary.made, summary.failed) == (jobs, ())
        return {
            "ms": (time.process_time() - begin) * 1000 / jobs,
            "wall_s": time.perf_counter() - wall,
            "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "in_flight": MOST[0],
        }


def in_a_process(jobs: int) -> dict[str, float]:
    code = f"import json; from benchmarks.dispatch import measure; print(json.dumps(measure({jobs})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def models_seconds() -> float:
    begin = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "vmevalkit", "models"], capture_output=True, check=True)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime


def main() -> bool:
    few, many = in_a_process(JOBS // 5), in_a_process(JOBS)
    growth = (many["mb"] - few["mb"]) * 1024 / (JOBS - JOBS // 5)
    models_seconds()  # compiles
    claims = [
        Claim(f"{JOBS:,} jobs: CPU a job, films without bytes", many["ms"], 1.0, "ms", at_least=False),
        Claim(f"{JOBS:,} jobs: in flight at once", many["in_flight"], IN_FLIGHT, "jobs"),
        Claim(f"{JOBS:,} jobs: memory for one more job", growth, 8, "kB", at_least=False),
        Claim("vmevalkit models", min(models_seconds() for _ in range(3)), 0.5, "CPU s", at_least=False),
    ]
    return report("Dispatch", claims)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
