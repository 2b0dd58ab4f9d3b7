"""The gallery and the pages of questions: media are copied and data are written, a part of the questions at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from vmevalkit.core.errors import StoreError
from vmevalkit.jobs.pool import map_jobs
from vmevalkit.report.examples import ExampleChooser
from vmevalkit.report.gallery_data import GalleryWriter
from vmevalkit.report.media_files import MediaCopier, QuestionCopy, list_copies
from vmevalkit.report.pages import make_links, render_page
from vmevalkit.report.video_list import QuestionRows, find_media, list_questions
from vmevalkit.results.selection import find_baselines
from vmevalkit.results.table import REASONS
from vmevalkit.store.atomic import write_file

if TYPE_CHECKING:
    import pandas as pd

BATCH = 1000
"""Videos whose media are copied before their data are written: so many are in memory at a time."""


def write_gallery(
    frame: pd.DataFrame,
    folder: Path,
    evaluations: Path,
    models: Sequence[str],
    scorers: Sequence[str],
    title: str,
    with_videos: bool,
    workers: int,
    chooser: ExampleChooser,
    on_done: Callable[[int, int], None] | None = None,
    has_analysis: bool = True,
) -> None:
    """Copy the media of all questions and write the data and the two pages that show them. ``has_analysis`` says
    whether the report has a page of the analysis to link to."""
    # A score whose run was removed has neither a video nor a question to show.
    frame = frame[frame["reason"].fillna("") != REASONS["without_run"]]
    total = len(frame[["experiment", "model", "domain", "question", "sample"]].drop_duplicates())
    copier, writer = MediaCopier(str(folder), with_videos), GalleryWriter(folder, evaluations, models, scorers)
    stale = list_copies(folder)
    done = 0
    for batch in _split(list_questions(frame)):
        copies = _copy_media(copier, batch, evaluations, workers)
        for question, copy in zip(batch, copies, strict=True):
            key = writer.add(question, copy)
            stale -= _list_files(copy)
            for video, files in zip(question.videos, copy.videos, strict=True):
                chooser.see(key, question.domain, video, files)
            done += len(question.videos)
            if on_done:
                on_done(done, total)
    writer.finish({"experiment": title, "hasVideos": with_videos, "baselines": sorted(find_baselines(frame))})
    for page in ("gallery.html", "question.html"):
        write_file(folder / page, render_page(page, title, make_links(page, has_analysis=has_analysis)))
    for path in stale:
        (folder / path).unlink()


def _split(questions: Iterator[QuestionRows]) -> Iterator[list[QuestionRows]]:
    batch: list[QuestionRows] = []
    for question in questions:
        batch.append(question)
        if sum(len(each.videos) for each in batch) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _copy_media(
    copier: MediaCopier, batch: Sequence[QuestionRows], evaluations: Path, workers: int
) -> Iterator[QuestionCopy]:
    sources = [find_media(question, evaluations) for question in batch]
    for result in map_jobs(copier, sources, min(workers, len(sources))):
        if result.value is None:
            raise StoreError(f"cannot copy the media of {result.item.stem}: {result.error}")
        yield result.value


def _list_files(copy: QuestionCopy) -> set[str]:
    own = (copy.first_frame, copy.final_frame)
    videos = chain.from_iterable((each.video, each.thumb, *(strip[1] for strip in each.strips)) for each in copy.videos)
    return {path for path in chain(own, videos) if path is not None}
