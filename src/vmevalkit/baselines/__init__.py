"""Baselines: videos whose verdict is known by construction, and degradations of videos. They are usable as models."""

from __future__ import annotations

from vmevalkit.baselines.baseline import BASELINES, Baseline, BaselineInfo, BaselineRequest, list_baselines
from vmevalkit.baselines.degradations import DEGRADATIONS
from vmevalkit.baselines.tricks import TRICKS

__all__ = ["BASELINES", "DEGRADATIONS", "TRICKS", "Baseline", "BaselineInfo", "BaselineRequest", "list_baselines"]
