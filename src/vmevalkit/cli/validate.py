"""``vmevalkit validate``: compare rules with people on labelled videos."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vmevalkit.cli.command import FAILED, inform
from vmevalkit.core.errors import UsageError

if TYPE_CHECKING:
    from vmevalkit.eval.validation import ValidatedVideo


def validate(
    folder: Annotated[Path, typer.Argument(help="A folder with labels.json, videos and first frames.")],
    at_least: Annotated[
        float, typer.Option(min=0, max=1, help="Share of the sure labels that must be right.", show_default="0: any")
    ] = 0.0,
    only: Annotated[list[str] | None, typer.Option(help="Videos whose id has this in it.", show_default="all")] = None,
    find_boxes: Annotated[
        bool, typer.Option("--find-boxes", help="Find the boards in the first frames, though their boxes are given.")
    ] = False,
    perturb: Annotated[
        bool, typer.Option("--perturb", help="Also change honest videos in harmless and harmful ways and score them.")
    ] = False,
    change: Annotated[
        list[str] | None, typer.Option(help="With --perturb, only these changes.", show_default="all")
    ] = None,
    evidence: Annotated[
        Path | None, typer.Option(help="Write the evidence strip of each disagreement here.", show_default="none")
    ] = None,
) -> None:
    """Score labelled videos by rules and print how well both agree, by task and by model.

    Only labels count whose sureness is high or medium. The exit code is 1 where a video that people fail is passed, or
    where fewer labels are right than --at-least; with --perturb also where a harmful change passes."""
    from vmevalkit.eval.labelled_videos import load_labelled_videos
    from vmevalkit.eval.validation import perturb_videos, validate_videos

    videos = [v for v in load_labelled_videos(folder) if not only or any(part in v.id for part in only)]
    if not videos:
        raise UsageError(f"no video of {folder} has {' or '.join(only or ['an entry'])} in its id")
    done = []
    for video in validate_videos(videos, find_boxes=find_boxes):
        done.append(video)
        inform(f"{video.outcome.replace('_', ' ')}: {video.labelled.id}")
    counted = [video for video in done if video.outcome != "not_counted"]
    _print_table("task", ((video.labelled.task or f"({video.labelled.kind})", video.outcome) for video in counted))
    _print_table("model", ((video.labelled.model, video.outcome) for video in counted))
    for video in counted:
        if video.outcome != "right":
            _print_disagreement(video, evidence)
    right = sum(video.outcome == "right" for video in counted)
    typer.echo(f"{right} of {len(counted)} sure labels are right{_format_interval(right, len(counted))}")
    failed = any(video.outcome == "false_pass" for video in counted) or right < at_least * len(counted)
    if perturb:
        changed = []
        for perturbed in perturb_videos(videos, change or (), find_boxes=find_boxes):
            changed.append(perturbed)
            if not perturbed.is_right:
                what = "harmless change fails" if perturbed.must_pass else "harmful change passes"
                typer.echo(f"{what}: {perturbed.change} of {perturbed.id}: {perturbed.score.explanation}")
        for must_pass, words in ((True, "harmless changes pass"), (False, "harmful changes fail")):
            of_kind = [each for each in changed if each.must_pass == must_pass]
            good = sum(each.is_right for each in of_kind)
            typer.echo(f"{good} of {len(of_kind)} {words}{_format_interval(good, len(of_kind))}")
        failed = failed or any(not each.is_right and not each.must_pass for each in changed)
    if failed:
        raise typer.Exit(FAILED)


def _print_table(what: str, outcomes: Iterable[tuple[str, str]]) -> None:
    counts: dict[str, Counter[str]] = {}
    for name, outcome in outcomes:
        counts.setdefault(name, Counter())[outcome] += 1
    width = max(map(len, (what, *counts)))
    typer.echo(f"{what:{width}}  labels  right  false pass  false fail  unscored")
    for name, count in sorted(counts.items()):
        numbers = f"{count['right']:5}  {count['false_pass']:10}  {count['false_fail']:10}  {count['unscored']:8}"
        typer.echo(f"{name:{width}}  {count.total():6}  {numbers}{_format_interval(count['right'], count.total())}")
    typer.echo("")


def _format_interval(right: int, count: int) -> str:
    from vmevalkit.stats.intervals import wilson

    if not count:
        return ""
    low, high = wilson(right, count)
    return f"  ({right / count:.0%}, 95% interval {low:.0%} to {high:.0%})"


def _print_disagreement(video: ValidatedVideo, evidence: Path | None) -> None:
    labelled = video.labelled
    typer.echo(f"{video.outcome.replace('_', ' ')}: {labelled.id} ({labelled.model}): {video.score.explanation}")
    if labelled.why:
        typer.echo(f"  label: {labelled.why}")
    if evidence is not None and video.strip is not None:
        evidence.mkdir(parents=True, exist_ok=True)
        place = evidence / f"{labelled.id}.jpg"
        place.write_bytes(video.strip)
        typer.echo(f"  evidence: {place}")
