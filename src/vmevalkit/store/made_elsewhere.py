"""Videos that were made elsewhere and scored where they were: a score file names each, and there is no run.

A score file may come from somebody else and name any file of this machine. What is read here is what was scored: the
content of the video has the digest that the score has, and its question the digest of the puzzle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from vmevalkit.core.errors import StoreError
from vmevalkit.core.records import Question
from vmevalkit.store.atomic import content_digest
from vmevalkit.store.foreign_file import read_foreign_file
from vmevalkit.store.questions import load_question, question_digest
from vmevalkit.store.scores import Scored


@dataclass(frozen=True, slots=True)
class VideoElsewhere:
    """A video without a run, and its question."""

    scored: Scored
    """One of its scores: it names model, question and sample."""
    content: bytes
    """The video."""
    suffix: str
    """How its name ends, such as ``.mp4``."""
    question: Question
    """The question that it was made for."""


def read_videos_elsewhere(scores: Iterable[Scored]) -> Iterator[VideoElsewhere]:
    """Yield each video without a run that one of the scores is about. Raises StoreError where it is another one now."""
    seen = set()
    for scored in scores:
        key = (scored.model, scored.domain, scored.question_id, scored.sample)
        if scored.run_id is not None or scored.video is None or scored.question_folder is None or key in seen:
            continue
        seen.add(key)
        content = read_foreign_file(scored.video.parent, scored.video.name)
        question = load_question(scored.question_folder)
        if content_digest(content) != scored.video_digest or question_digest(question) != scored.puzzle_digest:
            raise StoreError(
                f"{scored.video} or its question is not the one that was scored; score again: "
                f"vmevalkit score --videos {scored.video.parent} --name {scored.model} --experiment {scored.experiment}"
            )
        yield VideoElsewhere(scored, content, scored.video.suffix, question)
