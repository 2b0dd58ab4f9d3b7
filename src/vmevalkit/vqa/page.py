"""The static page of an output folder: tables, the figure, and every question with its images and all answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import orjson
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from vmevalkit import __version__
from vmevalkit.core.chat import ImagePart
from vmevalkit.core.errors import SetupError, StoreError
from vmevalkit.media.fitting import resample
from vmevalkit.media.image import encode_jpeg
from vmevalkit.models.chat_images import decode_rgb
from vmevalkit.store import vqa_layout
from vmevalkit.store.atomic import write_file
from vmevalkit.vqa.dataset import load_questions
from vmevalkit.vqa.figure import draw_accuracy
from vmevalkit.vqa.published import SOURCE, verify_published
from vmevalkit.vqa.results import CHANCE, Results, find_blind, load_results
from vmevalkit.vqa.samples import SampleResult
from vmevalkit.vqa.tables import format_estimate, format_rate, make_json, write_markdown
from vmevalkit.vqa.task_files.mmsi import CATEGORIES

THUMBNAIL_SIDE = 360


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answer of a run to a question."""

    label: str
    mode: str
    sample: SampleResult


@dataclass(slots=True)
class QuestionCard:
    """One question on the page."""

    id: str
    category: str
    expected: str
    text: str = ""
    images: list[str] = field(default_factory=list)
    """Paths of the thumbnails, relative to the page."""
    answers: list[AnswerRow] = field(default_factory=list)

    @property
    def statuses(self) -> str:
        """The statuses of all answers, for the filter of the page."""
        return " ".join(sorted({row.sample.status for row in self.answers}))


def write_report(output: Path) -> Path:
    """Write results.json, results.md, the figure and the page. Returns the page's path."""
    results = load_results(output)
    write_file(output / vqa_layout.RESULTS, orjson.dumps(make_json(results), option=orjson.OPT_INDENT_2))
    write_file(output / vqa_layout.TABLE, write_markdown(results))
    write_file(output / vqa_layout.FIGURE, draw_accuracy(results))
    cards, remarks = _make_cards(results)
    page = output / vqa_layout.PAGE
    write_file(page, _render(results, cards, remarks))
    return page


def _render(results: Results, cards: list[QuestionCard], remarks: list[str]) -> str:
    environment = Environment(
        loader=PackageLoader("vmevalkit.vqa"), autoescape=select_autoescape(), undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters["estimate"] = format_estimate
    environment.filters["rate"] = format_rate
    return environment.get_template("vqa.html").render(
        results=results,
        cards=cards,
        remarks=remarks,
        categories=_order_categories(cards),
        verification=verify_published(results),
        source=SOURCE,
        chance=CHANCE,
        blind=[find_blind(results, task) for task in results.tasks],
        figure=vqa_layout.FIGURE,
        visualizations=vqa_layout.visualizations_folder(Path()).as_posix(),
        version=__version__,
    )


def _order_categories(cards: list[QuestionCard]) -> list[str]:
    """Return the categories of the questions: ours in their order, then those of a user's own dataset."""
    found = {card.category for card in cards}
    return [*(name for name in CATEGORIES.values() if name in found), *sorted(found - set(CATEGORIES.values()))]


def _make_cards(results: Results) -> tuple[list[QuestionCard], list[str]]:
    """Return the questions that have answers, and what could not be shown."""
    cards: dict[tuple[str, str, str], QuestionCard] = {}
    wanted: dict[tuple[str, str], set[str]] = {}
    for run in results.runs:
        for name, task in run.tasks.items():
            for sample in results.samples[run.label, name]:
                key = (run.dataset, task.question_type, sample.question_id)
                card = cards.setdefault(key, QuestionCard(sample.question_id, sample.category, sample.expected))
                card.answers.append(AnswerRow(run.label, "Visual CoT" if task.is_two_stage else "direct", sample))
                wanted.setdefault(key[:2], set()).add(sample.question_id)
    remarks = []
    for (dataset, question_type), ids in wanted.items():
        try:
            _add_images(results.output, cards, dataset, question_type, ids)
        except (StoreError, SetupError) as error:
            remarks.append(f"images and text of the questions of the type {question_type} are not shown: {error}")
    return list(cards.values()), remarks


def _add_images(
    output: Path, cards: dict[tuple[str, str, str], QuestionCard], dataset: str, question_type: str, ids: set[str]
) -> None:
    left = set(ids)
    for question in load_questions(dataset, question_type):
        if question.id in left:
            card = cards[dataset, question_type, question.id]
            card.text = question.question
            card.images = [_write_thumbnail(output, image) for image in question.images]
            left.remove(question.id)
        if not left:
            return


def _write_thumbnail(output: Path, image: ImagePart) -> str:
    """Write a small copy of an image, unless it exists, and return its path relative to the page."""
    path = vqa_layout.thumbnails_folder(output) / f"{image.pixel_digest[:24]}.jpg"
    if not path.is_file():
        width, height = image.size
        scale = min(1.0, THUMBNAIL_SIDE / max(width, height))
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        write_file(path, encode_jpeg(resample(decode_rgb(image), size)))
    return path.relative_to(output).as_posix()
