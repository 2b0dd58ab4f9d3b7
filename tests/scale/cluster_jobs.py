"""Functions and a model that the processes of a cluster import."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np

from vmevalkit.core.records import Placement, Request
from vmevalkit.media.video import write_video
from vmevalkit.models.model import ModelSpec


def square(number: int) -> int:
    return number * number


def fail_for_some(number: int) -> int:
    if number % 10 == 7:
        raise ValueError(f"no {number}")
    return number


def die_like_out_of_memory(job: tuple[Path, int, int]) -> int:
    """Note the attempt, and die as the kernel ends a process that takes too much memory, as often as the job says."""
    folder, number, deaths = job
    with (folder / f"attempts_{number}").open("a") as file:
        file.write("x")
    if len((folder / f"attempts_{number}").read_text()) <= deaths:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def return_unpicklable(number: int) -> object:
    return (lambda: number) if number == 1 else number


def describe_process(folder: Path) -> tuple[int, str | None]:
    """Wait until two processes have a job, and return this process and its GPUs."""
    (folder / str(os.getpid())).touch()
    deadline = time.monotonic() + 60
    while len(list(folder.iterdir())) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    return os.getpid(), os.environ.get("CUDA_VISIBLE_DEVICES")


SPEC = ModelSpec("grey", "test", "grey", "test", adapter="scale.cluster_jobs:GreyModel")


class GreyModel:
    """A local model that notes each time that its weights are loaded."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec
        (Path(spec.options["loads"]) / f"{os.getpid()}-{time.time_ns()}").touch()

    def generate(self, request: Request, into: Path) -> Placement | None:
        shade = sum(request.first_frame.read_bytes()) % 200
        write_video(into, [np.full((32, 32, 3), shade + step, np.uint8) for step in range(8)], 8)
        return None


def read_setting(name: str) -> str | None:
    """Return a setting as the worker sees it."""
    return os.environ.get(name)
