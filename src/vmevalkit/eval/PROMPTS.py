"""Prompts of the VLM judge. Those of the final frame are the specification's, word for word."""

from __future__ import annotations

JUDGE_PROMPT = (
    "You are evaluating video generation models.\n"
    "Compare the final frame of the generated video with the expected ground truth final frame.\n"
    "\n"
    "Rate solution correctness on a 1-5 scale:\n"
    "1: Completely wrong - no understanding of task\n"
    "2: Mostly incorrect - minimal progress toward solution  \n"
    "3: Partially correct - about half the expected solution\n"
    "4: Mostly correct - close to expected result with minor errors\n"
    "5: Perfect - matches expected result\n"
    "\n"
    "{TASK_SPECIFIC_GUIDANCE}\n"
    "\n"
    'Respond in JSON: {"solution_correctness_score": <1-5>, "explanation": "<brief explanation>"}'
)

TASK_GUIDANCE = {
    "chess": "Check if the final board position matches the expected position after the correct move.",
    "maze": "Verify that the final frame shows a complete path from start to end that matches the expected solution.",
    "rotation": "Check if the final rotation angle and position match the expected result.",
    "raven": "Verify that the pattern completion in the final frame matches the expected pattern.",
    "sudoku": "Check if the numbers placed in the final frame match the expected solution.",
    # The specification names no guidance for the next two.
    "object_subtraction": (
        "Check if exactly the objects that the prompt asks to remove are gone and all other objects are unchanged."
    ),
    "rotation_puzzle": "Check if the squares are rotated so that all pipes are connected as in the expected result.",
}
"""By domain."""

COMPARE = "Compare the final frame of the generated video with the expected ground truth final frame."
COMPARE_GOAL = "Compare the final frame of the generated video with the expected result, which is described in words."
COMPARE_ANSWERS = (
    "Compare the final frame of the generated video with the expected ground truth final frames. "
    "Each of them is a correct answer: rate against the one that is nearest."
)
COMPARE_FRAMES = (
    "You see frames of the generated video in order, with their times; the last one is its final frame. "
    "Compare the final frame with the expected ground truth final frame."
)
ASK_PROCESS = (
    "Answer a second question apart from the score: is every move on the way to the final frame legal and shown? A "
    "jump to the answer and a step against the rules, such as a line through a wall, make it false. Rate the final "
    "frame for itself: an illegal move does not lower its score."
)
"""Added for several frames of a task in which every move must be legal and visible."""
PROCESS = "every_move_legal_and_shown"
"""Key of the answer to the second question."""
RESPOND = 'Respond in JSON: {"solution_correctness_score": <1-5>, "explanation": "<brief explanation>"}'
RESPOND_REASON_FIRST = (
    "First describe what differs between the final frame and the expected result, then rate. "
    'Respond in JSON: {"explanation": "<what differs>", "solution_correctness_score": <1-5>}'
)

INPUT_IMAGE = "Task: {task_type}\nPrompt: {prompt}\n\n1. Input image:"
EXPECTED_FRAME = "\n2. Expected final frame:"
EXPECTED_FRAMES = "\n2. Expected final frames, each of them a correct answer:"
EXPECTED_GOAL = "\n2. Expected result: {goal}"
ACTUAL_FRAME = "\n3. Actual final frame from video:"
ACTUAL_FRAMES = "\n3. Actual frames from video:"
FRAME_TIME = "\nAt {seconds:.2f} s:"
CLOSING = "\nProvide your evaluation."


def find_guidance(task_type: str) -> str | None:
    """Return the guidance of a task, given as ``maze`` or ``maze_task``; None for a task of a user."""
    return TASK_GUIDANCE.get(task_type) or TASK_GUIDANCE.get(task_type.removesuffix("_task"))


def make_judge_prompt(task_type: str, guidance: str | None = None) -> str:
    """Return the specification's prompt with the guidance of the task, or with another one."""
    guidance = find_guidance(task_type) if guidance is None else guidance
    if not guidance:
        return JUDGE_PROMPT.replace("{TASK_SPECIFIC_GUIDANCE}\n\n", "")
    return JUDGE_PROMPT.replace("{TASK_SPECIFIC_GUIDANCE}", guidance)
