"""Films whose verdict is known by construction, and what providers do to films. Both together stand in for models."""

from __future__ import annotations

from vmevalkit.baselines.artefacts import ARTEFACTS
from vmevalkit.baselines.baseline import BASELINES, Baseline, BaselineRequest
from vmevalkit.baselines.tricks import TRICKS

__all__ = ["ARTEFACTS", "BASELINES", "TRICKS", "Baseline", "BaselineRequest"]
