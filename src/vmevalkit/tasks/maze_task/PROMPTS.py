"""The words of the maze task."""

VIDEO_PROMPT = (
    "Move the green dot from its starting position through the maze paths to the red flag. "
    "Navigate only through open spaces (white)."
)
"""What a video model is told."""

JUDGE_HINT = "Verify that the final frame shows a complete path from start to end that matches the expected solution."
"""What a judge of the final frame is told."""
