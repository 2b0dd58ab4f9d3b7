"""``--log_samples``: one line for each sample with its prompts in full, in the form that lmms_eval writes."""

from __future__ import annotations

from pathlib import Path

import orjson

from vmevalkit.store import vqa_layout
from vmevalkit.store.atomic import write_file
from vmevalkit.vqa.models import VqaModel
from vmevalkit.vqa.run import VqaOptions, name_task, plan_samples
from vmevalkit.vqa.samples import read_samples
from vmevalkit.vqa.task_file import VqaTask


def export_samples(model: VqaModel, tasks: list[VqaTask], options: VqaOptions) -> list[Path]:
    """Write the samples of each task in the order of the dataset. Returns the files."""
    paths = []
    for task in tasks:
        lines = []
        rows = None
        planned = (sample for sample in plan_samples(model, task, options) if sample.rotation == 0)
        for number, sample in enumerate(planned):
            if rows is None:
                found = read_samples(options.output, model.label, name_task(task, options), sample.config)
                rows = {row.question_id: row for row in found}
            row = rows.get(sample.question.id)
            lines.append(
                orjson.dumps(
                    {
                        "doc_id": number,
                        "doc": sample.question.doc,
                        "target": sample.question.answer,
                        "generation_prompt": sample.generation_prompt,
                        "input": sample.prompt,
                        "images": [image.pixel_digest for image in sample.question.images],
                        "visualization": None if row is None else row.visualization,
                        "resps": [] if row is None else [[row.response]],
                        "filtered_resps": [] if row is None else [row.predicted],
                        "finish_reason": None if row is None else row.finish_reason,
                        "status": None if row is None else row.status,
                        "error": None if row is None else row.error,
                    }
                )
            )
        if not lines:
            continue  # an optional type that the dataset does not have
        path = vqa_layout.sample_export(options.output, model.label, name_task(task, options))
        write_file(path, b"\n".join(lines) + b"\n")
        paths.append(path)
    return paths
