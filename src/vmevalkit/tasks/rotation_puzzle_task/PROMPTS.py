"""Prompts of the rotation puzzle."""

VIDEO_PROMPT = (
    "Solve this rotation puzzle by rotating the {number} squares to connect the pipe paths. "
    "Each square can be rotated 90 degrees clockwise or counterclockwise. "
    "Rotate the squares so that all pipe paths connect to form a continuous path. "
    "Keep the camera view fixed in the top-down perspective and maintain all square positions unchanged. "
    "Stop the video when all pipes are connected and the puzzle is solved."
)
"""Prompt for a video model; the number of squares is written as a word."""

NUMBERS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "twenty-one",
    "twenty-two", "twenty-three", "twenty-four",
)  # fmt: skip

JUDGE_HINT = (
    "Verify that in the final frame the pipes of all squares form one continuous connection, with every square in its "
    "place. Any connected arrangement is right."
)
"""Task-specific part of the prompt for a judge of the final frame."""
