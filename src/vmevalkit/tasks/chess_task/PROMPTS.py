"""The prompts of the chess task."""

VIDEO_PROMPT = "{side} can deliver checkmate in one move. Show the winning move."
"""The prompt for a video model; ``side`` is White or Black."""

JUDGE_HINT = "Check if the final board position matches the expected position after the correct move."
"""The hint for a judge of the final frame."""
