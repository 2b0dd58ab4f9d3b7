"""Reading the letter of an answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmevalkit.vqa.task_files.mmsi import msr_process_results, read_answer, strip_reasoning

CASES = [
    ("Option ``A`` is wrong; the answer is ``C``", "C"),
    ("<think>Could be D. No, B.</think> B", "B"),
    ("``a``", "A"),
    ("In set {left, right} I choose B", "B"),
    ("shows a 90-degree turn, so the answer is C", "C"),
    ("B", "B"),
    ("b", "B"),
    ("(c)", "C"),
    ("**D**", "D"),
    ("D.", "D"),
    ("`B`", "B"),
    ("```C```", "C"),
    ("A", "A"),
    ("a", "A"),
    ("The answer is ``C``; ``A`` is wrong.", "C"),
    ("I first thought ``A``, but it is ``C``", "C"),
    ("The answer is C, not A.", "C"),
    ("The answer is not A but B.", "B"),
    ("Answer: A or B", None),
    ("A or B", None),
    ("N/A", None),
    ("<|begin_of_thought|>A?<|end_of_thought|>B", "B"),
    ("It could be A, B, or C.", None),
    ("A: left\nB: right\nC: up\nD: down", None),
    ("B. to the left", "B"),
    ("B: to the left", "B"),
    ("(B) to the left", "B"),
    ("The camera makes a turn to the left.", None),
    ("A turn to the left.", None),
    ("I cannot tell.", None),
    ("", None),
    ("``", None),
    ("\\boxed{D}", "D"),
    ("$\\boxed{\\text{D}}$", "D"),
    ("<answer>B</answer>", "B"),
    ("<answer>(B) left</answer>", "B"),
    ("<think>A A A</think>", None),
    ("<think>the answer is A", None),
    ("reasoning ... the answer is A</think>``D``", "D"),
    ("The answer is a.", "A"),
    ("answer is a bit unclear", None),
    ("The correct option is: **C**", "C"),
    ("Final answer: C", "C"),
    ("Final Answer\nC", "C"),
    ("**Answer:** ``B``", "B"),
    ("Answer: B. left", "B"),
    ("Option B is correct.", "B"),
    ("Therefore, B is the correct answer.", "B"),
    ("Option C is incorrect. Option D is correct", "D"),
    ("Neither A nor B; it must be C", "C"),
    ("Not A.", None),
    ("The object is a sphere, so D", "D"),
    ("So, A is the answer.", "A"),
    ("A is the best choice because it turns", "A"),
    ("I would go with option d.", "D"),
    ("The answer is ``E``", None),
    ("E", None),
    ("Vitamin C is red. The answer is D", "D"),
    ("The letter is A", "A"),
    ("Thus the answer is (A) left", "A"),
    ("Camera A moved left. The answer is B", "B"),
    ("Looking at the image, C", "C"),
    ("It's B", "B"),
    ("I'd pick A", "A"),
    ("answer:b", "B"),
    ("Answer=B", "B"),
    ("The correct answer is option A: left", "A"),
    ("Based on the images, the answer is ``C: 3``.", "C"),
    ("``C: 3``", "C"),
    ("``(C)``", "C"),
    ("The answer is A because the camera moved", "A"),
    ("D is wrong, C is wrong, A is wrong, so B", "B"),
    ("The answer is either A or C, but I choose C", "C"),
    ("Between A and B, the answer is A", "A"),
    ("the answer is B. A is wrong because of x. C is wrong.", "B"),
    ("答案是B", "B"),
    ("答案：``B``", "B"),
    ("A、B 都不对，选 C", None),
    ("The answer to the question is therefore B", "B"),
    ("The final answer would be: C) left", "C"),
    ("I choose B and not A", "B"),
    ("B and C are both right", None),
    ("The camera moves a lot. ``D``\n", "D"),
    ("My answer: Option A", "A"),
    ("The best answer choice is D", "D"),
    ("Let me think. If A then x. If B then y. The second is visible. ``B``", "B"),
    ("Option A: no. Option B: yes.", None),
    ("So the answer is:\n\nB", "B"),
    ("So the answer is:\n\n**B. left**", "B"),
    ("The answer isn't A, it's D", "D"),
    ("Answer: ``B`` (not ``C``)", "B"),
]


@pytest.mark.parametrize(("response", "expected"), CASES)
def test_the_last_committed_answer_is_read(response: str, expected: str | None) -> None:
    assert read_answer(response) == expected


LETTERS = st.sampled_from("ABCD")
COMMITMENTS = st.sampled_from(
    [
        "``{}``",
        "The answer is {}.",
        "Answer: {}",
        "So the answer is ({}).",
        "I choose {}",
        "\\boxed{{{}}}",
        "**Answer:** `{}`",
    ]
)
WORDS = st.lists(st.sampled_from(["the camera", "moves", "left", "a turn", "red", "because", "it", "."]), max_size=12)


@given(LETTERS, LETTERS, COMMITMENTS, COMMITMENTS, WORDS)
def test_of_two_commitments_the_last_one_counts(first: str, last: str, one: str, other: str, words: list[str]) -> None:
    text = f"{one.format(first)} {' '.join(words)}. Wait. {other.format(last)}"
    assert read_answer(text) == last


@given(LETTERS, LETTERS, COMMITMENTS, COMMITMENTS, st.sampled_from(["think", "thinking", "reasoning"]))
def test_reasoning_in_tags_never_counts(inside: str, answer: str, one: str, other: str, tag: str) -> None:
    reasoning = f"<{tag}>{one.format(inside)}</{tag}>"
    assert read_answer(f"{reasoning}{other.format(answer)}") == answer
    assert read_answer(reasoning) is None
    assert read_answer(f"<{tag}>{one.format(inside)}") is None  # cut off before the answer


@given(LETTERS, COMMITMENTS)
def test_lower_case_is_accepted(letter: str, commitment: str) -> None:
    assert read_answer(commitment.format(letter.lower())) == letter


@given(st.text(alphabet="efghijklmnopqrstuvwxyz ,.!\n", max_size=200))
def test_text_without_a_letter_of_an_option_has_no_answer(text: str) -> None:
    assert read_answer(text) is None


@given(st.text(max_size=300))
def test_any_text_is_read_without_an_error(text: str) -> None:
    assert read_answer(text) in (None, "A", "B", "C", "D")


def test_reasoning_whose_first_tag_is_missing_is_stripped() -> None:
    assert strip_reasoning("maybe A</think>B") == "B"


def test_unparsed_is_apart_from_wrong() -> None:
    doc = {"id": 7, "question_type": "MSR", "question": "?", "answer": "b"}
    statuses = {text: msr_process_results(doc, [text]) for text in ("``B``", "``C``", "no idea")}
    assert [row["accuracy"]["status"] for row in statuses.values()] == ["correct", "wrong", "unparsed"]
    assert [row["score"] for row in statuses.values()] == [1.0, 0.0, 0.0]
    assert [row["unparsed"] for row in statuses.values()] == [0.0, 0.0, 1.0]
    assert statuses["``B``"]["msr"]["question_id"] == "7"


@pytest.mark.parametrize(
    "response",
    [
        "A or B", "``A`` or ``B``", "``A``/``B``", "``A`` and ``B``", "A, B", "The answer is A or possibly B.",
        "The answer is ``A``, or maybe ``B``.", r"\boxed{A, B}", "answer: A|B", "Either option A or option B",
    ],
)  # fmt: skip
def test_two_letters_at_once_are_no_answer(response: str) -> None:
    assert read_answer(response) is None


@pytest.mark.parametrize(
    ("response", "letter"),
    [
        ("[THINK]It is ``A``.[/THINK]\n``B``", "B"),
        ("It is ``A``.[/THINK]``B``", "B"),
        ("[THINK]It may be ``A``", None),
        ("◁think▷A◁/think▷The answer is D", "D"),
        ("<|channel|>analysis<|message|>A<|end|><|start|>assistant<|channel|>final<|message|>``C``<|return|>", "C"),
        ("<|channel|>analysis<|message|>It is ``A``, but", None),
        ("analysisIt is ``A``.assistantfinal``D``", "D"),
        ("Between A and B, the answer is ``B``.", "B"),
        ("Not A and not C, so ``D``.", "D"),
    ],
)  # fmt: skip
def test_reasoning_in_other_marks_does_not_count(response: str, letter: str | None) -> None:
    assert read_answer(response) == letter
