"""The synthetic set as a dataset: rows with the columns of MMSI-Bench, in memory or as a parquet file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import Exhausted, Uncertified, UsageError
from vmevalkit.core.randomness import rng_for
from vmevalkit.media.image import encode_png
from vmevalkit.vqa.synthetic.object_questions import OBJECT_QUESTIONS
from vmevalkit.vqa.synthetic.question import QuestionMaker, SyntheticQuestion, choose_letters
from vmevalkit.vqa.synthetic.ray_casting import certify_views
from vmevalkit.vqa.synthetic.recount import certify_objects
from vmevalkit.vqa.synthetic.voxel_questions import make_camera_question, make_side_question
from vmevalkit.vqa.task_files.mmsi import CATEGORIES

FILE = Path("data") / "test-00000-of-00001.parquet"
"""Where the rows are in the folder of a dataset; Hugging Face ``datasets`` finds them there."""
_TRIES = 400
_MAKERS: dict[str, Sequence[QuestionMaker]] = {
    **OBJECT_QUESTIONS,
    "motion_cam": (make_camera_question,),
    "msr": (make_side_question,),
}
_TYPES = {category: kind for kind, category in CATEGORIES.items()}


def certify_question(question: SyntheticQuestion) -> None:
    """Raise Uncertified unless other code than that which drew the question finds the same answer, and only that."""
    if question.category in OBJECT_QUESTIONS:
        certify_objects(question)
    else:
        certify_views(question)


def make_questions(category: str, n: int, seed: int = 42) -> Iterator[SyntheticQuestion]:
    """Yield certified questions of a category. The letters of the answers are balanced."""
    makers = _MAKERS[category]
    for index, letter in enumerate(choose_letters(rng_for("vqa", category, seed, "letters"), n)):
        yield _make_question(makers[index % len(makers)], category, seed, index, letter)


def _make_question(maker: QuestionMaker, category: str, seed: int, index: int, letter: str) -> SyntheticQuestion:
    for attempt in range(_TRIES):
        try:
            question = maker(rng_for("vqa", category, seed, index, attempt), letter, index)
            certify_question(question)
        except Uncertified:
            continue
        return question
    raise Exhausted(f"no certified question {index} of {category} in {_TRIES} attempts; choose another seed")


def make_rows(n: int = 20, seed: int = 42) -> Iterator[dict[str, Any]]:
    """Yield ``n`` rows of each of the five categories, with the columns of MMSI-Bench."""
    if n < 1:
        raise UsageError(f"{n} questions of each category were asked for; ask for at least 1")
    for category in _MAKERS:
        for index, question in enumerate(make_questions(category, n, seed)):
            yield {
                "id": f"synthetic_{category}_{index:04d}",
                "images": [encode_png(image) for image in question.images],
                "question_type": _TYPES[category],
                "question": question.full_text,
                "answer": question.answer,
                "thought": "",
                "mean_normed_duration_seconds": 0.0,
                "difficulty": question.kind,
            }


def write_dataset(folder: Path, n: int = 20, seed: int = 42) -> Path:
    """Write the rows into a folder that ``datasets``, lmms_eval and ``vmevalkit vqa`` load. Returns the file."""
    from io import BytesIO

    import pyarrow as pa
    import pyarrow.parquet as pq

    from vmevalkit.store.atomic import write_file

    schema = pa.schema(
        [
            ("id", pa.string()),
            ("images", pa.list_(pa.binary())),
            ("question_type", pa.string()),
            ("question", pa.string()),
            ("answer", pa.string()),
            ("thought", pa.string()),
            ("mean_normed_duration_seconds", pa.float64()),
            ("difficulty", pa.string()),
        ]
    )
    buffer = BytesIO()
    pq.write_table(pa.Table.from_pylist(list(make_rows(n, seed)), schema), buffer)
    path = folder / FILE
    write_file(path, buffer.getvalue())
    return path
