"""Prompts of the sudoku task."""

VIDEO_PROMPT = (
    "Solve this 3x3 Sudoku puzzle. Fill in all the empty cells following Sudoku rules: each row and column must "
    "contain the digits 1, 2, and 3 exactly once. Show the complete solution."
)
"""Prompt for video models, for a Latin square of order 3."""

VIDEO_PROMPT_WITH_BOXES = (
    "Solve this {order}x{order} Sudoku puzzle. Fill in all the empty cells following Sudoku rules: each row, column, "
    "and {box}x{box} box must contain the digits 1 to {order} exactly once. Show the complete solution."
)
"""Prompt for a larger one."""

JUDGE_HINT = "Check if the numbers placed in the final frame match the expected solution."
"""Hint for a judge of the final frame."""
