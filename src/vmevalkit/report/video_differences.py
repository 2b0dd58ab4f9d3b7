"""How the videos of the models of a report differ where their content should not: resolution and length.

The files are asked, not the requests: a model may return another size or length than it was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from vmevalkit.core.errors import VMEvalKitError
from vmevalkit.media.resolution import find_tier
from vmevalkit.media.video_reader import VideoInfo, probe
from vmevalkit.results.selection import find_baselines
from vmevalkit.store import layout

if TYPE_CHECKING:
    import pandas as pd

SAMPLE = 3
"""Videos of each model that are opened. A model's videos are alike in resolution and length."""


def list_video_differences(frame: pd.DataFrame) -> list[str]:
    """Return a line for resolution and for length where they are not the same for all models, apart from baselines."""
    videos = frame[~frame["model"].isin(find_baselines(frame))].dropna(subset=["video"])
    infos = {str(model): _probe_some(part["video"].unique()) for model, part in videos.groupby("model", sort=False)}
    return [
        *_list_values("resolution", infos, lambda info: f"{find_tier((info.width, info.height))}p"),
        *_list_values("length", infos, lambda info: None if info.seconds is None else f"{round(info.seconds)} s"),
    ]


def _probe_some(paths: Iterable[str]) -> list[VideoInfo]:
    found: list[VideoInfo] = []
    for path in sorted(paths, key=layout.natural_key)[:SAMPLE]:
        try:
            found.append(probe(Path(path)))
        except (VMEvalKitError, OSError):  # a file that cannot be read is reported where it is scored
            continue
    return found


def _list_values(
    what: str, infos: dict[str, list[VideoInfo]], describe: Callable[[VideoInfo], str | None]
) -> list[str]:
    models: dict[str, list[str]] = {}
    for model, own in infos.items():
        values = sorted({value for info in own if (value := describe(info)) is not None}, key=layout.natural_key)
        if values:
            models.setdefault(" and ".join(values), []).append(model)
    if len(models) < 2:
        return []
    parts = (
        f"{value} ({', '.join(sorted(models[value], key=layout.natural_key))})"
        for value in sorted(models, key=layout.natural_key)
    )
    return [f"the {what} of the videos differs between models: {'; '.join(parts)}"]
