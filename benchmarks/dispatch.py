"""Remote jobs without a network: the cost of dispatching itself, and the time of `vmevalkit models`.

Folders are in memory where the system has such a file system: on a disk, the three folders and six files of a run take
0.4 to 1.5 ms of system time, depending on its state and load, which would hide the rest.
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
from vmevalkit.core.remote import Failed, Finished, Pending, PreparedRequest, ProviderJob, Ticket
from vmevalkit.models.model import ModelSpec

JOBS, SAMPLES, IN_FLIGHT = 10_000, 10, 500


class InstantVideos:
    """A provider in this process. Its videos are empty, so that everything else is measured."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec
        self.most_in_flight, self._in_flight, self._polled = 0, 0, set[str]()

    async def prepare(self, request: Request) -> PreparedRequest:
        return PreparedRequest(None, {"prompt": request.prompt, "seconds": request.seconds})

    async def submit(self, prepared: PreparedRequest, key: str) -> Ticket:
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        return Ticket.for_request(key, prepared)

    async def poll(self, ticket: Ticket) -> Pending | Finished | Failed:
        if ticket.id in self._polled:
            self._polled.remove(ticket.id)
            return Finished(ticket, f"memory:{ticket.id}", {"id": ticket.id, "status": "completed"})
        self._polled.add(ticket.id)
        return Pending()

    async def fetch(self, done: Finished, into: Path, limit_bytes: int) -> None:
        os.close(os.open(into, os.O_WRONLY | os.O_CREAT, 0o644))
        self._in_flight -= 1
        MOST_IN_FLIGHT[0] = max(MOST_IN_FLIGHT[0], self.most_in_flight)

    async def list_jobs(self, since: datetime) -> list[ProviderJob] | None:
        return None

    async def close(self) -> None:
        return None


MOST_IN_FLIGHT = [0]
ROW = ModelSpec(
    "instant", "instant", "instant", "Instant", adapter="benchmarks.dispatch:InstantVideos",
    options={"limits": {"in_flight": IN_FLIGHT, "orders_per_minute": 1e9, "poll_every_s": 0.2}},
)  # fmt: skip


def measure(jobs: int) -> dict[str, float]:
    """Return CPU milliseconds per job, peak memory and jobs in flight. Call it in a new process."""
    from vmevalkit.datasets.generate import generate
    from vmevalkit.runs.run import run

    with scratch() as root:
        generate(["maze"], jobs // SAMPLES, out=root / "questions")
        run(["instant"], root / "questions", "warm", root / "outputs", limit=50, catalogue={"instant": ROW}, check=None)
        start, start_wall = time.process_time(), time.perf_counter()
        summary = run(
            ["instant"], root / "questions", "bench", root / "outputs",
            samples=SAMPLES, catalogue={"instant": ROW}, check=None,
        )  # fmt: skip
        assert (summary.made, summary.failed) == (jobs, ())
        return {
            "ms": (time.process_time() - start) * 1000 / jobs,
            "wall_s": time.perf_counter() - start_wall,
            "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "in_flight": MOST_IN_FLIGHT[0],
        }


def measure_in_process(jobs: int) -> dict[str, float]:
    code = f"import json; from benchmarks.dispatch import measure; print(json.dumps(measure({jobs})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure_models_command() -> float:
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "vmevalkit", "models"], capture_output=True, check=True)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime


def main() -> bool:
    few, many = measure_in_process(JOBS // 5), measure_in_process(JOBS)
    growth = (many["mb"] - few["mb"]) * 1024 / (JOBS - JOBS // 5)
    measure_models_command()  # the first call compiles
    claims = [
        Claim(f"{JOBS:,} jobs: CPU a job, videos without bytes", many["ms"], 1.0, "ms", at_least=False),
        Claim(f"{JOBS:,} jobs: in flight at once", many["in_flight"], IN_FLIGHT, "jobs"),
        Claim(f"{JOBS:,} jobs: memory for one more job", growth, 8, "kB", at_least=False),
        Claim("vmevalkit models", min(measure_models_command() for _ in range(3)), 0.5, "CPU s", at_least=False),
    ]
    return report("Dispatch", claims)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
