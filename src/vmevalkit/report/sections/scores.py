"""What the videos got: the distribution of values, how videos failed, and outcome against process."""

from __future__ import annotations

from vmevalkit.report.charts import draw_scatter, draw_stacks
from vmevalkit.report.context import ReportContext
from vmevalkit.report.figure_style import CATEGORIES, VALUE_COLOURS
from vmevalkit.report.section import FigurePart, Section, TablePart
from vmevalkit.report.words import format_interval, format_number
from vmevalkit.results.words import count, percent
from vmevalkit.stats.distribution import SCORE_LABELS, score_distribution
from vmevalkit.stats.failures import CLASS_OF_MODE, FAILURE_CLASSES, failure_profile
from vmevalkit.stats.rates import mean_score, success_rate

MODE_WORDS = {
    "static": "the video does not move",
    "partial": "part of the way to the answer",
    "incorrect_termination": "ends in a wrong state",
    "illegal_process": "reaches the answer by an illegal change",
    "not_shown": "a change was not visible",
    "scene_broken": "the scene cannot be read, or is damaged",
    "misunderstood": "does something else",
}
"""Failure modes in words."""


def make_scores(context: ReportContext) -> Section | None:
    if not len(context.scored):
        return None
    names = {score: f"{score} {label}" for score, label in SCORE_LABELS.items()}
    shares, totals, texts, records = {}, {}, [], []
    for model in context.models:
        values = context.scored.loc[context.scored["model"] == model, "value"].to_numpy(float)
        found = score_distribution(values)
        if not found.n:
            continue
        label = context.label(model)
        shares[label] = {names[each.score]: each.share.value or 0.0 for each in found.scores}
        totals[label] = f"mean {format_number(found.mean, 2)}"
        texts.append(
            {"model": label, **{names[each.score]: str(each.count) for each in found.scores}, "videos": str(found.n)}
        )
        records.append({"model": model, **{str(each.score): each.count for each in found.scores}, "mean": found.mean})
    return Section(
        "values",
        "Distribution of values",
        [],
        [
            FigurePart(
                "values",
                "Values from 1 to 5",
                "Share of each value among the scored videos of a model. 4 and 5 are successes.",
                "; ".join(f"{name}: {total}" for name, total in totals.items()),
                draw_stacks(
                    shares,
                    {names[score]: colour for score, colour in VALUE_COLOURS.items()},
                    totals,
                    context.muted_labels,
                ),
            )
        ],
        [TablePart("values", "Number of videos with each value", texts, records, is_long=True)],
    )


def make_failures(context: ReportContext) -> Section | None:
    judged = context.scored[context.scored["failure_mode"].notna()]
    colours = {mode.replace("_", " "): CATEGORIES[place] for place, mode in enumerate(CLASS_OF_MODE)}
    shares, totals, texts, records = {}, {}, [], []
    for model in context.models:
        modes = [
            mode if mode in CLASS_OF_MODE or mode == "none" else "misunderstood"
            for mode in judged.loc[judged["model"] == model, "failure_mode"]
        ]
        profile = failure_profile(modes)
        if not profile.failed:
            continue
        label = context.label(model)
        shares[label] = {mode.replace("_", " "): n / profile.failed for mode, n in profile.modes.items()}
        totals[label] = f"{profile.failed} of {profile.total} failed"
        texts.append(
            {
                "model": label,
                "failed": f"{profile.failed} of {profile.total}",
                **{name: percent(profile.classes[name].value) for name in FAILURE_CLASSES},
            }
        )
        records.append({"model": model, "failed": profile.failed, "videos": profile.total} | {
            mode: profile.modes.get(mode, 0) for mode in CLASS_OF_MODE
        })  # fmt: skip
    if not shares:
        return None
    used = [name for name in colours if any(parts.get(name) for parts in shares.values())]
    words = "; ".join(f"{mode.replace('_', ' ')}: {MODE_WORDS[mode]}" for mode in CLASS_OF_MODE)
    return Section(
        "failures",
        "Failure modes",
        [],
        [
            FigurePart(
                "failures",
                "How videos failed",
                f"Share of each failure mode among the failed videos of a model. {words[0].upper()}{words[1:]}.",
                "; ".join(f"{name}: {total}" for name, total in totals.items()),
                draw_stacks(shares, {name: colours[name] for name in used}, totals, context.muted_labels),
            )
        ],
        [TablePart("failures", "Failed videos by class of failure", texts, records, is_long=True)],
    )


def make_process(context: ReportContext) -> Section | None:
    judged = context.scored[context.scored["outcome"].notna() & context.scored["process"].notna()]
    if not len(judged):
        return None
    points, texts, records = [], [], []
    for model in context.models:
        own = judged[judged["model"] == model]
        if not len(own):
            continue
        items = own["item"].to_numpy()
        outcome = mean_score(own["outcome"].to_numpy(float), items)
        process = mean_score(own["process"].to_numpy(float), items)
        solved = success_rate(own["solved"].fillna(False).to_numpy(float), items)
        passed = success_rate(own["passed"].fillna(False).to_numpy(float), items)
        points.append((model, outcome.value or 0.0, process.value or 0.0, model in context.muted))
        texts.append(
            {
                "model": context.label(model),
                "mean outcome": format_number(outcome.value, 2),
                "mean process": format_number(process.value, 2),
                "solved": f"{percent(solved.value)} ({format_interval(solved.low, solved.high)})",
                "passed": f"{percent(passed.value)} ({format_interval(passed.low, passed.high)})",
                "solved, not passed": str(int((own["solved"].fillna(False) & ~own["passed"].fillna(False)).sum())),
            }
        )
        records.append(
            {
                "model": model, "outcome": outcome.value, "outcome_low": outcome.low, "outcome_high": outcome.high,
                "process": process.value, "process_low": process.low, "process_high": process.high,
                "solved": solved.value, "passed": passed.value, "videos": len(own),
            }
        )  # fmt: skip
    return Section(
        "process",
        "Outcome against process",
        describe_process(context),
        [
            FigurePart(
                "process",
                "Right answer or right way",
                "Outcome is the progress of the final state to an accepted answer; process is the share of the video "
                "before the first change that breaks a rule. Means over questions. A model at the top right gets "
                "there, and legally; at the bottom right it shows the answer without a legal way to it.",
                "; ".join(f"{name}: outcome {x:.2f}, process {y:.2f}" for name, x, y, _ in points),
                draw_scatter(points, "mean outcome", "mean process"),
            )
        ],
        [TablePart("process", "Outcome and process", texts, records)],
    )


def describe_process(context: ReportContext) -> list[str]:
    """Return a sentence on videos that end in an accepted answer and fail all the same."""
    is_solved = context.scored["solved"].fillna(False).astype(bool)
    is_passed = context.scored["passed"].fillna(False).astype(bool)
    solved, failed = int(is_solved.sum()), int((is_solved & ~is_passed).sum())
    if not solved:
        return []
    verb = "ends" if solved == 1 else "end"
    fail = "fails" if failed == 1 else "fail"
    return [
        f"{count(solved, 'video')} {verb} in an accepted answer; {failed:,} of them {fail}, because a rule was broken "
        "or a change was not visible on the way. A check of the final frame alone would pass them."
        if failed
        else f"{count(solved, 'video')} {verb} in an accepted answer, and none of them breaks a rule on the way."
    ]
