"""The wording of the rotation task."""

from __future__ import annotations

VIDEO_PROMPT = (
    "A {num_voxels}-block sculpture sits fixed on a table. "
    "First frame: Your camera is tilted at {elev1}° elevation, viewing from {azim1}° azimuth. "
    "Final frame: Your camera remains at {elev2}° elevation, but rotates horizontally to {azim2}° azimuth. "
    "This is a {angle}-degree rotation "
    "Create a smooth video showing the camera's horizontal rotation around the sculpture, "
    "and try to maintain the tilted viewing angle throughout."
)
"""The specification's wording, which has no full stop after "rotation"."""

PROMPTS = [VIDEO_PROMPT]

JUDGE_HINT = "Check if the final rotation angle and position match the expected result."
"""The instruction for a judge that sees the final frames."""
