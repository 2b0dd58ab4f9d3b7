"""Experiments for Weights & Biases and Trackio, which track training runs: a run for each model, without network."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vmevalkit.core.errors import SetupError, UsageError
from vmevalkit.core.extras import make_install_command
from vmevalkit.core.records import SUCCESS
from vmevalkit.exchange.row import Row

PROJECT = "vmevalkit"
COLUMNS = (
    "domain",
    "question",
    "sample",
    "video",
    "prompt",
    "scorer",
    "value",
    "passed",
    "failure_mode",
    "explanation",
)
"""Columns of the table of a run: a line for each scorer of each video."""


def write_wandb(rows: Iterable[Row], folder: Path) -> None:
    """Write an offline run of Weights & Biases for each model. ``wandb sync`` sends them."""
    try:
        import wandb
    except ImportError as error:
        raise SetupError(f"Weights & Biases runs need wandb: {make_install_command('trackers')}") from error
    settings = wandb.Settings(
        mode="offline", silent=True, console="off", root_dir=str(folder), save_code=False, disable_git=True,
        x_disable_stats=True, x_disable_meta=True, x_disable_machine_info=True,
    )  # fmt: skip
    for model, lines, media in _list_models(rows):
        # A table of an offline run holds no media: it names the panel that shows the video.
        table, videos = wandb.Table(columns=list(COLUMNS)), {}
        for line in lines:
            place = line["video"] and f"video/{Path(line['video']).stem}"
            if place:
                videos[place] = wandb.Video(line["video"], format="mp4")
            table.add_data(*({**line, "video": place}[name] for name in COLUMNS))
        with wandb.init(
            project=PROJECT, name=model, config={"model": model}, dir=str(folder), settings=settings
        ) as run:
            run.log({"videos": table, **videos, **summarize_lines(lines)})
        media.cleanup()
    for link in [path for path in folder.rglob("*") if path.is_symlink()]:
        link.unlink()  # it leads to where the folder was made


def write_trackio(rows: Iterable[Row], folder: Path) -> None:
    """Write a local run of Trackio for each model. ``trackio show`` shows them."""
    with _trackio_folder(folder):
        try:
            import trackio
        except ImportError as error:
            raise SetupError(f"Trackio runs need trackio: {make_install_command('trackers')}") from error
        for model, lines, media in _list_models(rows):
            with redirect_stdout(sys.stderr):  # it greets on the stream that is for results
                run = trackio.init(
                    project=PROJECT, name=model, config={"model": model}, embed=False, auto_log_gpu=False,
                    auto_log_cpu=False,
                )  # fmt: skip
                data = [
                    [
                        line["video"] and trackio.Video(line["video"]) if name == "video" else line[name]
                        for name in COLUMNS
                    ]
                    for line in lines
                ]
                run.log({"videos": trackio.Table(columns=list(COLUMNS), data=data), **summarize_lines(lines)})
                trackio.finish()
            media.cleanup()


@contextmanager
def _trackio_folder(folder: Path) -> Iterator[None]:
    """Make Trackio write into a folder. It reads the setting once, when it is imported."""
    if "trackio" in sys.modules:
        raise SetupError("trackio was imported before, so its folder is fixed; export in a process of its own")
    before = os.environ.get("TRACKIO_DIR")
    os.environ["TRACKIO_DIR"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ["TRACKIO_DIR"]
        else:
            os.environ["TRACKIO_DIR"] = before


def summarize_lines(lines: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Return success rates and mean values by scorer and domain; videos without a verdict are left out."""
    counts: dict[str, list[int]] = {}
    for line in lines:
        if line["value"] is not None:
            for part in (line["domain"], "all"):
                counts.setdefault(f"{line['scorer']}/{part}", []).append(line["value"])
    rates = {f"{name}/success": sum(v >= SUCCESS for v in values) / len(values) for name, values in counts.items()}
    return rates | {f"{name}/mean_value": sum(values) / len(values) for name, values in counts.items()}


def _list_models(rows: Iterable[Row]) -> Iterator[tuple[str, list[dict[str, Any]], TemporaryDirectory[str]]]:
    """Yield each model with its lines, and the folder of their videos, which the caller removes."""
    for model, group in groupby(rows, lambda row: row.model):
        if model is None:
            raise UsageError("trackers get the videos of an experiment: --experiment NAME")
        media = TemporaryDirectory(prefix="vmevalkit-media-")
        lines: list[dict[str, Any]] = []
        for row in group:
            video = None
            if row.video is not None:
                video = str(Path(media.name, f"{row.key}.mp4"))
                Path(video).write_bytes(row.video)
            facts = {
                "domain": row.domain,
                "question": row.id,
                "sample": row.sample,
                "video": video,
                "prompt": row.prompt,
            }
            scores = json.loads(row.scores or "{}") or {"": {}}
            for scorer, score in scores.items():
                judged = {name: score.get(name) for name in ("value", "passed", "failure_mode")}
                text = score.get("explanation") or score.get("reason") or ""
                lines.append({**facts, "scorer": scorer, **judged, "explanation": text})
        yield model, lines, media
