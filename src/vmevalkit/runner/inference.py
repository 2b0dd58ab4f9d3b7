"""The specification's entry point for inference: ``InferenceRunner`` and ``run_inference``."""

from __future__ import annotations

from vmevalkit.runs.inference_runner import InferenceRunner, run_inference

__all__ = ["InferenceRunner", "run_inference"]
