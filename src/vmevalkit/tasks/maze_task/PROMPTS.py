"""Prompts of the maze task."""

VIDEO_PROMPT = (
    "Move the green dot from its starting position through the maze paths to the red flag. "
    "Navigate only through open spaces (white)."
)
"""Prompt for video models."""

JUDGE_HINT = "Verify that the final frame shows a complete path from start to end that matches the expected solution."
"""Hint for a judge of the final frame."""
