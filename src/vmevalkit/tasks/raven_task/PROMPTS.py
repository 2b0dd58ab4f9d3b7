"""The prompts of the raven task."""

VIDEO_PROMPT = "This is Raven's Progressive Matrices like task. Complete the missing pattern in this 3x3 matrix."
"""The prompt for a video model."""

JUDGE_HINT = "Verify that the pattern completion in the final frame matches the expected pattern."
"""The hint for a judge of the final frame."""
