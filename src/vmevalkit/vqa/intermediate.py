"""What ``save_intermediate=true`` writes: prompts, visualization and answer of each question, as files to look at."""

from __future__ import annotations

from pathlib import Path

import orjson

from vmevalkit.core.jsonable import to_json
from vmevalkit.store import vqa_layout
from vmevalkit.store.atomic import write_file
from vmevalkit.store.foreign_file import read_foreign_file
from vmevalkit.store.layout import folder_name
from vmevalkit.vqa.samples import SampleResult


def write_intermediate(output: Path, label: str, task: str, prompt: str, result: SampleResult) -> None:
    """Write the visualization, where there is one, and a record of both stages."""
    folder = vqa_layout.intermediate_folder(output, label, task)
    name = folder_name(result.question_id)
    if result.visualization:
        content = read_foreign_file(vqa_layout.visualizations_folder(output), result.visualization)
        write_file(folder / f"{name}{Path(result.visualization).suffix}", content)
    record = {"question_prompt": prompt, **to_json(result)}
    write_file(folder / f"{name}.json", orjson.dumps(record, option=orjson.OPT_INDENT_2))
