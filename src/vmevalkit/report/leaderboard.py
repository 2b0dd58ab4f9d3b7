"""A leaderboard: several experiments on the same questions, merged into one static page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vmevalkit.core.errors import UsageError
from vmevalkit.report.build import PAGE, load_experiment, write_scorer_page
from vmevalkit.report.context import choose_scorers, make_context
from vmevalkit.report.pages import Link, write_assets
from vmevalkit.report.provenance import DatasetNote, collect_datasets, collect_provenance
from vmevalkit.report.sections.domains import make_domains
from vmevalkit.report.sections.ranking import make_ranking
from vmevalkit.report.sections.scores import make_failures, make_process, make_scores
from vmevalkit.results.selection import find_baselines
from vmevalkit.results.words import count, join_names
from vmevalkit.store import layout
from vmevalkit.store.atomic import clean_tree

if TYPE_CHECKING:
    import pandas as pd

LEADERBOARD_SECTIONS = (make_ranking, make_domains, make_process, make_scores, make_failures)


def build_leaderboard(
    experiments: Sequence[str],
    out: Path | str,
    outputs: Path | str = layout.OUTPUTS,
    evaluations: Path | str = layout.EVALUATIONS,
    *,
    title: str = "Leaderboard",
    scorer: str | None = None,
    certificates: Path | None = None,
) -> Path:
    """Write the page and return its path. Raises UsageError where the experiments have different questions.

    A model of several experiments appears once for each, with the experiment's name. A baseline appears once: its
    videos do not depend on the experiment.
    """
    names = list(dict.fromkeys(experiments))
    outputs, evaluations, folder = Path(outputs), Path(evaluations), Path(out)
    frames = {name: load_experiment(name, outputs, evaluations) for name in names}
    check_same_questions({name: collect_datasets(frame) for name, frame in frames.items()})
    frame = merge_experiments(frames)
    clean_tree(folder)
    write_assets(folder)
    provenance = collect_provenance(frame, certificates)
    contexts = [make_context(frame, each, outputs, evaluations) for each in choose_scorers(frame, scorer)]
    if not contexts:
        raise UsageError(
            f"no video of {join_names(names)} is scored; score first: vmevalkit score --experiment {names[0]}"
        )
    shared = {
        "notes": [],
        "with_videos": True,
        "examples": [],
        "video_count": "0",
        "downloads": [],
        "kicker": f"{count(len(names), 'experiment')} on the same questions: {join_names(names)}",
    }
    for place in reversed(range(len(contexts))):
        links = [Link(PAGE, "Leaderboard", True), Link(f"{PAGE}#methods", "Methods")]
        write_scorer_page(contexts, place, provenance, folder, title, shared, LEADERBOARD_SECTIONS, links)
    return folder / PAGE


def check_same_questions(datasets: dict[str, tuple[DatasetNote, ...]]) -> None:
    """Raise UsageError, with what differs, unless all experiments have the same questions."""
    first, *others = datasets
    wanted = {note.domain: note for note in datasets[first]}
    for name in others:
        own = {note.domain: note for note in datasets[name]}
        for domain in sorted(wanted.keys() | own.keys()):
            a, b = wanted.get(domain), own.get(domain)
            if a is None or b is None or a.fingerprint is None or a.fingerprint != b.fingerprint:
                raise UsageError(
                    f"{first} and {name} have different questions, so their rates cannot be ranked together: {domain} "
                    f"is {_describe(a)} in {first} and {_describe(b)} in {name}; run both on the same questions"
                )


def _describe(note: DatasetNote | None) -> str:
    if note is None:
        return "missing"
    text = count(note.questions, "question")
    return (
        f"{text} with the fingerprint {note.fingerprint[:16]}" if note.fingerprint else f"{text} without a fingerprint"
    )


def merge_experiments(frames: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Return one table in which a model's name is unique: that of a repeated one has its experiment in parentheses."""
    import pandas as pd

    baselines: set[str] = set()
    kept = []
    for frame in frames.values():
        own = find_baselines(frame)
        kept.append(frame[~frame["model"].isin(own & baselines)])
        baselines |= own
    merged = pd.concat(kept, ignore_index=True)
    pairs = merged[["experiment", "model"]].drop_duplicates()["model"].value_counts()
    is_repeated = merged["model"].isin(pairs[pairs > 1].index)
    merged["model"] = merged["model"].where(~is_repeated, merged["model"] + " (" + merged["experiment"] + ")")
    return merged
