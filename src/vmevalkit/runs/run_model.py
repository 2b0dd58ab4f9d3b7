"""Runs of a Python function as a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from vmevalkit.core.errors import UsageError
from vmevalkit.models.function_inference import VideoFunction, make_function_row
from vmevalkit.runs.generation_params import GenerationParams
from vmevalkit.runs.run import RunSummary, run
from vmevalkit.store import layout


def run_model(
    function: VideoFunction,
    questions: Path | str = layout.QUESTIONS,
    experiment: str = "first",
    outputs: Path | str = layout.OUTPUTS,
    *,
    name: str | None = None,
    fps: float = 24.0,
    domains: Sequence[str] | None = None,
    samples: int = 1,
    seed: int = 0,
    params: GenerationParams | None = None,
    retry_failed: bool = False,
    limit: int | None = None,
    on_done: Callable[[int, int], None] | None = None,
) -> RunSummary:
    """Run a Python function as a model on every question, in this process, and return all runs.

    ``function(image, prompt, seed)`` gets the first frame (RGB, height x width x 3, uint8), the prompt and a seed,
    which differs between questions and samples. It returns the frames of the video (uint8, or floats from 0 to 1),
    shown at ``fps`` frames per second, or the path of a video file. Where it raises, the run is recorded as failed and
    the next question follows. Existing videos are kept, so the same call resumes; ``name`` (by default the function's
    own) identifies the model in files and reports.
    """
    name = name or str(getattr(function, "__name__", ""))
    if not callable(function) or re.fullmatch(r"\w[\w.+-]{0,79}", name) is None:
        raise UsageError(
            f"the model {function!r} has no usable name; call run_model with a function and name='my-model'"
        )
    if not 0 < fps <= 240:
        raise UsageError(f"fps is {fps:g}; it must be more than 0 and at most 240")
    params = params or replace(GenerationParams(), seed=seed)
    return run(
        [name], questions, experiment, outputs, domains=domains, samples=samples, params=params,
        retry_failed=retry_failed, limit=limit, catalogue={name: make_function_row(function, name, fps)},
        on_done=on_done,
    )  # fmt: skip
