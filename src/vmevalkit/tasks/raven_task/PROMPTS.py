"""The words of the raven task."""

VIDEO_PROMPT = "This is Raven's Progressive Matrices like task. Complete the missing pattern in this 3x3 matrix."
"""What a video model is told."""

JUDGE_HINT = "Verify that the pattern completion in the final frame matches the expected pattern."
"""What a judge of the final frame is told."""
