"""The methods paragraph: what was done, in sentences for a paper, made from what was really used."""

from __future__ import annotations

from vmevalkit.report.certificates import format_bounds
from vmevalkit.report.context import ReportContext
from vmevalkit.report.provenance import Provenance
from vmevalkit.report.summary import name_models
from vmevalkit.results.words import count, join_names
from vmevalkit.stats.ranking import RankBands


def write_methods(context: ReportContext, provenance: Provenance, bands: RankBands | None) -> list[str]:
    """Return the paragraphs."""
    if provenance.table is not None:
        return [_describe_source(context, provenance.table), _describe_statistics(context, bands)]
    return [
        _describe_questions(provenance),
        _describe_runs(context, provenance),
        _describe_scorer(context, provenance),
        _describe_statistics(context, bands),
    ]


def _describe_source(context: ReportContext, table: str) -> str:
    left_out = sum(rate.left_out.total for rate in context.totals)
    text = (
        f"The scores by {context.scorer} were read from a table, {table}; the questions, videos and prompts are not "
        "part of it. A success is a score of 4 or 5 on a scale from 1 to 5, or a row that passed."
    )
    return (
        f"{text} {count(left_out, 'row')} without a score {'is' if left_out == 1 else 'are'} left out."
        if left_out
        else text
    )


def _describe_questions(provenance: Provenance) -> str:
    total = sum(each.questions for each in provenance.datasets)
    parts = (
        join_names([f"{each.domain} ({each.questions})" for each in provenance.datasets])
        if provenance.datasets
        else "none"
    )
    seeds = sorted({seed for each in provenance.datasets for seed in each.seeds})
    generators = sorted({each for note in provenance.datasets for each in note.generators})
    text = f"We used {count(total, 'question')} in {count(len(provenance.datasets), 'domain')}: {parts}."
    if seeds and generators:
        versions = sorted({generator.split(",")[0] for generator in generators})
        text += f" They were generated with {join_names(versions)}, seed {join_names(seeds)}."
    prints = [f"{each.domain} {each.fingerprint[:16]}" for each in provenance.datasets if each.fingerprint]
    if prints:
        text += f" Fingerprints of the questions: {', '.join(prints)}."
    return text


def _describe_runs(context: ReportContext, provenance: Provenance) -> str:
    real = [name for name in context.models if name not in context.baselines]
    baselines = [name for name in context.models if name in context.baselines]
    jobs = context.videos["job"].nunique()
    samples = int(context.videos["sample"].max()) + 1 if len(context.videos) else 1
    each = "one video" if samples == 1 else f"up to {samples} videos"
    text = f"{name_models(context)} were asked for {each} of each question from its first frame and prompt"
    days = sorted({day for note in provenance.models for day in (note.first, note.last) if day})
    if days:
        text += f", {days[0]}" if days[0] == days[-1] else f", {days[0]} to {days[-1]}"
    text += f" ({count(jobs, 'run')})."
    settings = [
        f"{note.model}: {'; '.join(note.settings)}"
        for note in provenance.models
        if note.settings and note.model in real
    ]
    if settings:
        text += f" Settings: {' | '.join(settings)}."
    if baselines:
        text += f" The baselines ({', '.join(baselines)}) make videos from the puzzle itself and need no model."
    return text[0].upper() + text[1:]


def _describe_scorer(context: ReportContext, provenance: Provenance) -> str:
    note = next(each for each in provenance.scorers if each.scorer == context.scorer)
    versions = sorted({version for _, own in note.versions for version in own})
    text = (
        f"Videos were scored by {context.scorer} (version {join_names(versions)})"
        if versions
        else f"Videos were scored by {context.scorer}"
    )
    text += f" with VMEvalKit {provenance.package}. A success is a value of 4 or 5 on a scale from 1 to 5."
    left_out = sum(rate.left_out.total for rate in context.totals)
    text += (
        f" {count(left_out, 'video')} without a score {'is' if left_out == 1 else 'are'} left out, not "
        "counted as failures."
        if left_out
        else " Every video has a score."
    )
    if note.certificates:
        parts = [
            f"{each.domain} {each.right:,} of {each.videos:,} (seed {each.seed}; {format_bounds(each)})"
            for each in note.certificates
        ]
        text += f" In audits with trick videos whose verdicts are known, the scorer was right on: {'; '.join(parts)}."
        if not all(each.is_same_version for each in note.certificates):
            text += " Some audits are of another version of the scorer."
    else:
        text += " No certificate of this scorer was available to this report."
    return text


def _describe_statistics(context: ReportContext, bands: RankBands | None) -> str:
    text = (
        "A success rate is the mean over questions of their success rates. Its 95% interval is Wilson's with the "
        "effective number of questions; several videos of a question do not count as several questions."
    )
    if bands is not None and not bands.reason:
        single = context.scored.groupby(["model", "item"]).size().max() == 1
        test = "McNemar's exact test" if single else "the paired t-test of the questions' means"
        text += (
            f" All {len(bands.p_values)} pairs of models were compared on {count(bands.questions, 'common question')} "
            f"by {test}, with Holm's correction; ranks are reported as bands that hold together with 95% confidence."
        )
    return text
