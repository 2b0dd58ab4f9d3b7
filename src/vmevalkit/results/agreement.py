"""How far rules, judges and people agree, how often a judge errs, and rates corrected for that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from vmevalkit.core.errors import UnknownName, UsageError
from vmevalkit.core.reference_baselines import REFERENCE_BASELINES
from vmevalkit.core.scorer import PEOPLE, RULES
from vmevalkit.results.labels import (
    Aspect,
    LabelledVideo,
    LabelTable,
    VideoLabel,
    choose_aspect,
    collect_labels,
    get_share,
)
from vmevalkit.results.words import count
from vmevalkit.stats.agreement import cohens_kappa, percent_agreement
from vmevalkit.stats.correction import prediction_powered_rate
from vmevalkit.stats.intervals import clopper_pearson, wilson_of_rate
from vmevalkit.stats.krippendorff import alpha_of_judges
from vmevalkit.stats.records import Estimate, missing_estimate
from vmevalkit.stats.rogan_gladen import rogan_gladen, youden_index

if TYPE_CHECKING:
    import pandas as pd

ALL = "all"
LABELS_ALONE = "labels of the reference alone, Clopper-Pearson"


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two scorers on the videos that both have labels for."""

    first: str
    second: str
    domain: str
    """A domain, or ``all``."""
    aspect: Aspect
    """What is compared: success; the final state (solved) alone where one of them does not judge the moves; the moves
    (process)."""
    videos: int
    percent: Estimate
    """Share of videos with the same label."""
    kappa: Estimate
    """Cohen's kappa of the labels."""
    weighted_kappa: Estimate
    """Cohen's kappa of the values from 1 to 5 with quadratic weights."""


@dataclass(frozen=True, slots=True)
class JudgeAccuracy:
    """How often a judge is right, measured by a reference."""

    judge: str
    reference: str
    domain: str
    aspect: Aspect
    sensitivity: Estimate
    """Share of the videos that succeed by the reference and by the judge too."""
    specificity: Estimate
    """Share of the videos that fail by the reference and by the judge too."""
    youden: Estimate
    """Sensitivity + specificity - 1; 0 is a judge that knows nothing."""


@dataclass(frozen=True, slots=True)
class CorrectedModelRate:
    """The success rate of a model by a judge, as it is and corrected for the judge's errors."""

    judge: str
    reference: str
    model: str
    aspect: Aspect
    raw: Estimate
    """The judge's own rate."""
    corrected: Estimate
    """The rate that the reference would give to all videos; without a number where it is refused."""
    reference_videos: int
    """Videos of this model with a label of the reference that was used."""


@dataclass(frozen=True, slots=True)
class PeopleAgreement:
    """Agreement among people."""

    domain: str
    people: int
    alpha: Estimate
    """Krippendorff's alpha of the values from 1 to 5; ``n`` is the number of videos with two labels or more."""


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """All of the above for one or several experiments."""

    reference: str | None
    """The scorer that the others are measured by; None where there is only one scorer."""
    pairs: tuple[PairAgreement, ...]
    accuracies: tuple[JudgeAccuracy, ...]
    rates: tuple[CorrectedModelRate, ...]
    people: tuple[PeopleAgreement, ...]
    notes: tuple[str, ...]


def measure_agreement(frame: pd.DataFrame, reference: str | None = None) -> AgreementReport:
    """Return how far the scorers of a tidy table agree.

    ``reference`` is the scorer that the others are measured by: people where they have labelled, else the rules."""
    table = collect_labels(frame)
    chosen = _choose_reference(table, reference)
    judges = [scorer for scorer in table.scorers if scorer != chosen]
    domains = sorted({video.domain for video in table.videos})
    pairs = [
        pair
        for first, second in combinations(table.scorers, 2)
        for domain in [ALL, *domains]
        for pair in _compare_aspects(table, first, second, domain)
    ]
    accuracies, rates = [], []
    if chosen is not None:
        trained = _leave_out_baselines(table)
        for judge in judges:
            accuracies += [_measure_accuracy(trained, judge, chosen, domain) for domain in [ALL, *domains]]
            rates += [_correct_rate(table, trained, judge, chosen, model) for model in table.models]
    return AgreementReport(
        chosen,
        tuple(pairs),
        tuple(accuracy for accuracy in accuracies if accuracy.sensitivity.n + accuracy.specificity.n),
        tuple(rate for rate in rates if rate.raw.n),
        tuple(_compare_people(table, domains)),
        tuple(_write_notes(table, chosen)),
    )


def _choose_reference(table: LabelTable, reference: str | None) -> str | None:
    if reference is not None:
        named = {"people": PEOPLE, "rules": RULES}.get(reference, reference)
        if named not in table.scorers:
            raise UnknownName("scorer", reference, [*table.scorers], "with labels in this experiment")
        return named
    if len(table.scorers) < 2:
        return None
    return next((name for name in (PEOPLE, RULES) if name in table.scorers), table.scorers[0])


def _common(videos: Sequence[LabelledVideo], first: str, second: str, domain: str) -> list[LabelledVideo]:
    return [
        video for video in videos if domain in (ALL, video.domain) and first in video.labels and second in video.labels
    ]


def _find_aspect(videos: Sequence[LabelledVideo], first: str, second: str) -> Aspect:
    """Return what is compared: the final state alone where that is so for any video."""
    aspects = {choose_aspect(video.labels[first], video.labels[second]) for video in videos}
    return "solved" if "solved" in aspects else "success"


def _compare_aspects(table: LabelTable, first: str, second: str, domain: str) -> Iterator[PairAgreement]:
    """Yield the agreement on the verdict, and, where both judge the moves apart, on the outcome and on the process."""
    videos = _common(table.videos, first, second, domain)
    if not videos:
        return
    yield _compare(videos, first, second, domain, _find_aspect(videos, first, second))
    both = [video for video in videos if all(video.labels[name].process is not None for name in (first, second))]
    if both:
        yield _compare(both, first, second, domain, "solved")
        yield _compare(both, first, second, domain, "process")


def _compare(videos: Sequence[LabelledVideo], first: str, second: str, domain: str, aspect: Aspect) -> PairAgreement:
    sides = [[video.labels[name] for video in videos] for name in (first, second)]
    flags, shares = _pair_shares(*([get_share(label, aspect) for label in side] for side in sides))
    values, parts = _pair_values(*sides)
    return PairAgreement(
        first, second, domain, aspect, len(videos),
        percent_agreement(*flags, sample_weight=shares),
        cohens_kappa(*flags, labels=[False, True], sample_weight=shares),
        cohens_kappa(*values, "quadratic", labels=[1, 2, 3, 4, 5], sample_weight=parts),
    )  # fmt: skip


def _pair_shares(first: Sequence[float], second: Sequence[float]) -> tuple[tuple[list[bool], list[bool]], list[float]]:
    """Return pairs of flags with weights: a video on which people are divided is part of several pairs."""
    cells = [
        (a, b, (x if a else 1 - x) * (y if b else 1 - y))
        for x, y in zip(first, second, strict=True)
        for a in (False, True)
        for b in (False, True)
    ]
    kept = [cell for cell in cells if cell[2] > 0]
    return ([a for a, _, _ in kept], [b for _, b, _ in kept]), [weight for _, _, weight in kept]


def _pair_values(
    first: Sequence[VideoLabel], second: Sequence[VideoLabel]
) -> tuple[tuple[list[int], list[int]], list[float]]:
    """Return pairs of values with weights, each person's label with the other scorer's."""
    cells = [
        (a, b, 1 / (len(x.values) * len(y.values)))
        for x, y in zip(first, second, strict=True)
        for a in x.values
        for b in y.values
    ]
    return ([a for a, _, _ in cells], [b for _, b, _ in cells]), [weight for _, _, weight in cells]


def _leave_out_baselines(table: LabelTable) -> list[LabelledVideo]:
    """Return the videos of models. Trick baselines fail so plainly that they would flatter every judge."""
    models = [video for video in table.videos if video.model not in REFERENCE_BASELINES]
    return models or list(table.videos)


def _measure_accuracy(videos: Sequence[LabelledVideo], judge: str, reference: str, domain: str) -> JudgeAccuracy:
    common = _common(videos, judge, reference, domain)
    aspect = _find_aspect(common, judge, reference)
    right, total = _count_right(common, judge, reference, aspect)
    sensitivity = _estimate_share(right[True], total[True], "no video succeeds by the reference")
    specificity = _estimate_share(right[False], total[False], "no video fails by the reference")
    return JudgeAccuracy(
        judge, reference, domain, aspect, sensitivity, specificity, youden_index(sensitivity, specificity)
    )


def _count_right(
    videos: Sequence[LabelledVideo], judge: str, reference: str, aspect: Aspect
) -> tuple[dict[bool, float], dict[bool, float]]:
    """Return how many videos the judge is right about, and how many there are, by what the reference says.

    A video on which people are divided counts on both sides, by their shares."""
    right, total = {True: 0.0, False: 0.0}, {True: 0.0, False: 0.0}
    for video in videos:
        truth, judged = (get_share(video.labels[name], aspect) for name in (reference, judge))
        for flag, share, agrees in ((True, truth, judged), (False, 1 - truth, 1 - judged)):
            total[flag] += share
            right[flag] += share * agrees
    return right, total


def _estimate_share(part: float, whole: float, reason: str) -> Estimate:
    if not whole:
        return missing_estimate(reason, "Wilson")
    rate = min(part / whole, 1.0)
    return Estimate(rate, *wilson_of_rate(rate, whole), round(whole), "Wilson")


def _correct_rate(
    table: LabelTable, trained: Sequence[LabelledVideo], judge: str, reference: str, model: str
) -> CorrectedModelRate:
    """Correct the rate of one model: by its own labels where it has a random sample of them, else by those of others.

    Rules label every video, so a correction by a model's own labels would be the rules' rate itself. There the errors
    of the judge are measured on the videos of the other models."""
    own = [video for video in table.videos if video.model == model and judge in video.labels]
    labelled = [video for video in own if reference in video.labels]
    others = [video for video in trained if video.model != model and {judge, reference} <= video.labels.keys()]
    aspect = _find_aspect([*labelled, *others], judge, reference)
    flags = np.array([get_share(video.labels[judge], aspect) for video in own], dtype=float)
    raw = _estimate_share(float(flags.sum()), len(flags), "the judge has no label")
    if reference == PEOPLE and labelled:
        chosen = {id(video) for video in labelled}
        is_labelled = np.array([id(video) in chosen for video in own], dtype=bool)
        truth = np.array([get_share(video.labels[reference], aspect) for video in labelled], dtype=float)
        corrected = correct_by_own_labels(flags, is_labelled, truth)
    else:
        right, total = _count_right(others, judge, reference, aspect)
        corrected = correct_by_others(
            float(flags.sum()), len(flags), right[True], total[True], right[False], total[False]
        )
    return CorrectedModelRate(judge, reference, model, aspect, raw, corrected, len(labelled))


def correct_by_own_labels(judge: np.ndarray, is_labelled: np.ndarray, truth: np.ndarray) -> Estimate:
    """Return the rate from the judge's labels of all videos and the reference's labels of a random part of them."""
    if not is_labelled.all():
        found = prediction_powered_rate(judge[~is_labelled], judge[is_labelled], truth)
        if found.used_machine or not len(truth):
            return found.estimate
    passed, total = min(float(truth.sum()), float(len(truth))), len(truth)
    return Estimate(passed / total, *clopper_pearson(passed, total), total, LABELS_ALONE)


def correct_by_others(
    passed: float, total: int, true_positives: float, positives: float, true_negatives: float, negatives: float
) -> Estimate:
    """Return the rate from the judge's labels and its errors on other videos. It is refused where the judge may know
    nothing."""
    return rogan_gladen(passed, total, true_positives, positives, true_negatives, negatives).estimate


def _compare_people(table: LabelTable, domains: Sequence[str]) -> list[PeopleAgreement]:
    if len(table.by_person) < 2:
        return []
    found = []
    for domain in [ALL, *domains]:
        labels = {
            person: {video: float(value) for video, (own, value) in videos.items() if domain in (ALL, own)}
            for person, videos in table.by_person.items()
        }
        labels = {person: videos for person, videos in labels.items() if videos}
        if len(labels) > 1:
            found.append(PeopleAgreement(domain, len(labels), alpha_of_judges(labels)))
    return found


def _write_notes(table: LabelTable, reference: str | None) -> list[str]:
    notes = []
    if reference is None:
        notes.append("one scorer alone agrees with nobody; score with a second one, such as --with gpt-4o")
    divided = sum(0 < video.labels[PEOPLE].success < 1 for video in table.videos if PEOPLE in video.labels)
    if divided:
        notes.append(f"people are divided on {count(divided, 'video')}; each counts by the share who call it a success")
    if table.chosen:
        notes.append(
            f"{count(table.chosen, 'label')} of people are on videos that were chosen, not drawn at random; they are "
            "in no number here"
        )
    if len({video.model for video in table.videos} - set(REFERENCE_BASELINES)) and set(REFERENCE_BASELINES) & set(
        table.models
    ):
        notes.append("the errors of judges leave out the trick baselines, which are too easy to judge")
    repeated = len(table.videos) - len({(video.model, video.domain, video.question) for video in table.videos})
    if repeated:
        notes.append(
            f"{count(repeated, 'video')} are further samples of a question; videos are counted as independent, so "
            "intervals are somewhat too narrow"
        )
    return notes


def require_scorers(report: AgreementReport) -> None:
    """Raise UsageError where nothing can be compared."""
    if not report.pairs and not report.people:
        raise UsageError(
            "no video has labels of two scorers; score with a second one: vmevalkit score --with gpt-4o, "
            "or let people label: vmevalkit annotate"
        )
