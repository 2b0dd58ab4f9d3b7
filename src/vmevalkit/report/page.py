"""One plain page for an experiment: a table, and every film with its verdict and its evidence."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from vmevalkit import __version__
from vmevalkit.core.errors import MediaError
from vmevalkit.core.records import Question, Score
from vmevalkit.report.filmstrip import filmstrip, jpeg
from vmevalkit.report.tables import table
from vmevalkit.report.verdicts import Verdict, Verdicts, read_verdicts, remarks
from vmevalkit.store import layout
from vmevalkit.store.commit import write_file
from vmevalkit.store.questions import load_question
from vmevalkit.store.runs import question_of
from vmevalkit.store.scores import Scored

PAGE = "index.html"
STRIPS = "strips"


@dataclass(frozen=True, slots=True)
class FilmCard:
    """One film as the page shows it. Paths are relative to the page."""

    anchor: str
    model: str
    question_id: str
    sample: int
    score: Score
    prompt: str = ""
    video: str | None = None
    strip: str | None = None
    first_frame: str | None = None
    final_frame: str | None = None


@dataclass(frozen=True, slots=True)
class Gap:
    """A film without a verdict, or a run without a film."""

    model: str
    question_id: str
    sample: int
    reason: str


def build_report(
    experiment: str,
    outputs: Path | str = layout.OUTPUTS,
    evaluations: Path | str = layout.EVALUATIONS,
    out: Path | str | None = None,
    on_done: Callable[[int, int], None] | None = None,
    tell: Callable[[str], None] | None = None,
) -> Path:
    """Write the page of an experiment and return its path. It reads files only; it scores nothing. ``on_done`` is told
    how many films of how many are on the page, and ``tell`` what the pass rates leave out."""
    outputs, evaluations = Path(outputs), Path(evaluations)
    verdicts = read_verdicts(experiment, outputs, evaluations)
    told = remarks(verdicts, experiment, outputs, evaluations)
    folder = layout.experiment_folder(layout.REPORTS, experiment) if out is None else Path(out)
    films = []
    for verdict in verdicts.counted:
        films.append(_card(verdict, folder))
        if on_done:
            on_done(len(films), len(verdicts.counted))
    write_file(folder / PAGE, _page(experiment, verdicts, films, told))
    if tell:
        for line in told:
            tell(line)
    return folder / PAGE


def _page(experiment: str, verdicts: Verdicts, films: list[FilmCard], told: list[str]) -> str:
    rows = table(
        [(verdict.scored.model, verdict.scored.domain, verdict.scored.score) for verdict in verdicts.counted],
        [(run.model, run.domain) for run in verdicts.not_scored],
        [(run.model, run.domain) for run in verdicts.without_film],
    )
    environment = Environment(
        loader=PackageLoader("vmevalkit.report"),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html").render(
        experiment=experiment,
        rows=rows,
        domains=list(rows[0].by_domain) if rows else [],
        films=films,
        gaps=_gaps(verdicts),
        remarks=told,
        scorers=sorted({verdict.scored.evaluator for verdict in verdicts.counted}),
        version=__version__,
    )


def _gaps(verdicts: Verdicts) -> list[Gap]:
    reasons = [(run, f"no film; {run.status}: {run.error or 'no reason is known'}") for run in verdicts.without_film]
    reasons += [(run, "not scored yet") for run in verdicts.not_scored]
    return [Gap(run.model, run.question_id, run.sample, reason) for run, reason in reasons]


def _card(verdict: Verdict, folder: Path) -> FilmCard:
    scored, run = verdict.scored, verdict.run
    anchor = f"{scored.model}-{scored.domain}-{scored.question_id}-{scored.sample}-{scored.evaluator}"
    video, place = (scored.film, scored.question_folder) if run is None else (run.video, question_of(run))
    if video is None or place is None or not video.is_file() or not place.is_dir():
        return FilmCard(anchor, scored.model, scored.question_id, scored.sample, scored.score)
    question = load_question(place)
    return FilmCard(
        anchor=anchor,
        model=scored.model,
        question_id=scored.question_id,
        sample=scored.sample,
        score=scored.score,
        prompt=question.prompt,
        video=_link(video, folder),
        strip=_strip(video, scored, folder),
        first_frame=_link(question.first_frame, folder),
        final_frame=_final(question, folder),
    )


def _final(question: Question, folder: Path) -> str | None:
    return None if question.final_frame is None else _link(question.final_frame, folder)


def _strip(video: Path, scored: Scored, folder: Path) -> str | None:
    """The strip is named by the film's digest: it is drawn once, and again only for another film."""
    name = f"{layout.folder_name(scored.question_id)}-{scored.video_digest or scored.run_id}.jpg"
    path = folder / STRIPS / name
    if not path.is_file():
        try:
            strip = filmstrip(video)
        except MediaError:  # the score says why there is nothing to see
            return None
        write_file(path, jpeg(strip))
    return _link(path, folder)


def _link(path: Path, folder: Path) -> str:
    return quote(Path(os.path.relpath(path.absolute(), folder.absolute())).as_posix())
