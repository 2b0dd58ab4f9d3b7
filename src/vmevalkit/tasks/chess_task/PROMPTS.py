"""The words of the chess task."""

VIDEO_PROMPT = "{side} can deliver checkmate in one move. Show the winning move."
"""What a video model is told; ``side`` is White or Black."""

JUDGE_HINT = "Check if the final board position matches the expected position after the correct move."
"""What a judge of the final frame is told."""
