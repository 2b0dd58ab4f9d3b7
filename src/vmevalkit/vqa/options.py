"""The options of a question: another order of them, and circular evaluation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal, get_args

from vmevalkit.core.errors import StoreError
from vmevalkit.core.randomness import rng_for
from vmevalkit.vqa.dataset import ImageQuestion
from vmevalkit.vqa.task_files.mmsi import LETTERS

Arrangement = Literal["original", "shuffled", "circular"]
"""shuffled: a random order, the same for each model. circular: one request for each rotation of the options, and the
question is correct where all are (CircularEval)."""
ARRANGEMENTS: tuple[str, ...] = get_args(Arrangement)
_SEPARATOR = re.compile(r"[\s,;]*\Z")


def arrange_options(question: ImageQuestion, arrangement: str) -> Iterator[tuple[int, ImageQuestion]]:
    """Yield the forms in which a question is asked, each with its number. Raises StoreError where it has no options."""
    if arrangement == "original":
        yield 0, question
        return
    count = len(find_options(question.question))
    if count < 2 or question.answer not in LETTERS[:count]:
        raise StoreError(
            f"question {question.id}: its options A, B, ... cannot be told apart, so that they cannot be rearranged; "
            "use --options original"
        )
    if arrangement == "shuffled":
        order = list(range(count))
        rng_for("vqa", "options", question.id).shuffle(order)
        yield 0, reorder(question, order)
        return
    for shift in range(count):
        yield shift, reorder(question, [(place + shift) % count for place in range(count)])


def reorder(question: ImageQuestion, order: list[int]) -> ImageQuestion:
    """Return the question with option ``order[i]`` at place i, and its answer under the new letter."""
    spans = find_options(question.question)
    texts = [question.question[start:end] for start, end in spans]
    parts, last = [], 0
    for (start, end), source in zip(spans, order, strict=True):
        parts += [question.question[last:start], texts[source]]
        last = end
    text = "".join([*parts, question.question[last:]])
    return replace(question, question=text, answer=LETTERS[order.index(LETTERS.index(question.answer))])


def find_options(text: str) -> list[tuple[int, int]]:
    """Return where the text of each option starts and ends: ``A: left, B: right`` or ``(A) left`` in lines."""
    head = [match.end() for match in re.finditer(r"(?i)\b(?:options|choices)\s*:", text)]
    position, marks = head[-1] if head else 0, []
    for letter in LETTERS:
        mark = re.compile(rf"(?<![A-Za-z0-9])\(?{letter}(?:\)\s*[:.]?|[:.])\s*").search(text, position)
        if mark is None:
            break
        marks.append(mark)
        position = mark.end()
    ends = [*(mark.start() for mark in marks[1:]), len(text)][: len(marks)]
    return [
        (mark.end(), mark.end() + len(_SEPARATOR.sub("", text[mark.end() : end])))
        for mark, end in zip(marks, ends, strict=True)
    ]
