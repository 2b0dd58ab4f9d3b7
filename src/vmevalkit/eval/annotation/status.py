"""Who rated how much, and how well the gold items."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from vmevalkit.core.errors import StoreError
from vmevalkit.eval.annotation.labels import LabelEvent, read_events
from vmevalkit.store import layout
from vmevalkit.store.records import read_record


def describe_progress(evaluations: Path, experiment: str) -> Iterator[str]:
    """Yield a line for each annotator. Raises StoreError where nobody rated anything."""
    folder = layout.annotation_folder(evaluations, experiment)
    logs = sorted(folder.glob("[!.]*.jsonl"))
    if not logs:
        raise StoreError(f"nobody has rated a video of {experiment!r} yet; run: vmevalkit annotate --experiment NAME")
    codes = read_record(layout.annotation_codes(evaluations, experiment)) or {}
    names = {layout.person_name(name): name for name in codes}
    for path in logs:
        labels: dict[tuple[str, str], LabelEvent] = {}
        for event in read_events(path):
            labels.pop((event.queue, event.token), None)
            if event.action == "label":
                labels[event.queue, event.token] = event
        yield f"{names.get(path.stem) or layout.name_of(path.stem)}: {_describe(list(labels.values()))}"


def _describe(labels: list[LabelEvent]) -> str:
    videos = [label for label in labels if label.gold_value is None]
    gold = [label for label in labels if label.gold_value is not None]
    unsure = sum(label.value is None for label in videos)
    right = sum((label.capped or 0) >= 4 if label.gold_value == 5 else (label.capped or 5) <= 2 for label in gold)
    seconds = sorted(label.seconds for label in labels)
    median = f", median {seconds[len(seconds) // 2]:.0f} s" if seconds else ""
    return f"{len(videos)} videos, {unsure} cannot tell{median}; {right} of {len(gold)} gold items right"
