"""The paths of the image-question track, below the folder that ``--output_path`` names.

    {output}/{label}/run.json                         what was asked: model, dataset, tasks
    {output}/{label}/{task}.jsonl                     one line for each sample, appended as it is answered
    {output}/{label}/samples_{task}.jsonl             with --log_samples: prompts and answers in full
    {output}/{label}/intermediate/{task}/{id}.{png, json}     with save_intermediate=true
    {output}/answers/*.jsonl                          every answer that was received, so that none is asked for twice
    {output}/visualizations/{digest}.png              images of stage 1
    {output}/{results.json, results.md, accuracy.png, index.html, images/}

A label is the model, with what distinguishes its run from others.
"""

from __future__ import annotations

from pathlib import Path

from vmevalkit.store.layout import folder_name, name_of, subfolders

RUN = "run.json"
RESULTS, TABLE, FIGURE, PAGE = "results.json", "results.md", "accuracy.png", "index.html"


def run_folder(output: Path, label: str) -> Path:
    return output / folder_name(label)


def run_record(output: Path, label: str) -> Path:
    return run_folder(output, label) / RUN


def sample_log(output: Path, label: str, task: str) -> Path:
    return run_folder(output, label) / f"{folder_name(task)}.jsonl"


def sample_export(output: Path, label: str, task: str) -> Path:
    return run_folder(output, label) / f"samples_{folder_name(task)}.jsonl"


def intermediate_folder(output: Path, label: str, task: str) -> Path:
    return run_folder(output, label) / "intermediate" / folder_name(task)


def answers_folder(output: Path) -> Path:
    return output / "answers"


def visualizations_folder(output: Path) -> Path:
    return output / "visualizations"


def thumbnails_folder(output: Path) -> Path:
    return output / "images"


def list_labels(output: Path) -> list[str]:
    """Return the labels of all runs in an output folder."""
    return [name_of(folder.name) for folder in subfolders(output) if (folder / RUN).is_file()]
