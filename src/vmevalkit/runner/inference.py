"""One film of one picture and prompt, for whoever has no dataset."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, cast

from vmevalkit.core.errors import MediaError, UsageError
from vmevalkit.core.records import Question, Run
from vmevalkit.jobs.budget import Budget
from vmevalkit.jobs.tally import Board
from vmevalkit.media.picture import encode_png, read_picture
from vmevalkit.media.wholeness import whole_film
from vmevalkit.models.model import ModelSpec, RemoteModel
from vmevalkit.runner.errands import Again, Errand, errands_of
from vmevalkit.runner.interrupts import wait_for
from vmevalkit.runner.local import film_here
from vmevalkit.runner.plan import Pace, find_spec
from vmevalkit.runner.remote import Task, entries_of, film_remotely, mend, steps_of
from vmevalkit.runner.wishes import SECONDS, Wishes
from vmevalkit.store import layout
from vmevalkit.store.commit import lock, remove_folder, storing
from vmevalkit.store.records import read_record, record_bytes
from vmevalkit.store.runs import load_run

UNKNOWN = "unknown"
_PNG = b"\x89PNG\r\n\x1a\n"


class InferenceRunner:
    """Films into ``output_dir/{domain}_task/{task_id}/{run_id}``, each folder complete in itself: ``video/``,
    ``question/`` and ``metadata.json``."""

    def __init__(
        self,
        output_dir: Path | str = layout.OUTPUTS,
        *,
        wishes: Wishes | None = None,
        pace: Pace | None = None,
        catalogue: Mapping[str, ModelSpec] | None = None,
    ) -> None:
        self.output_dir = Path(output_dir)
        self._wishes, self._pace, self._catalogue = wishes, pace, catalogue

    def run(
        self,
        model_name: str,
        image_path: Path | str,
        text_prompt: str,
        run_id: str | None = None,
        question_data: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """The result of one film, as ``run_inference`` gives it. Without a ``run_id`` every call makes a new film."""
        data = question_data or {}
        task_id = str(data.get("id") or Path(image_path).stem)
        domain = str(data.get("domain") or UNKNOWN)
        return run_inference(
            model_name,
            image_path,
            text_prompt,
            self.output_dir / layout.question_place(domain, task_id),
            question_data={**data, "id": task_id, "domain": domain},
            inference_id=run_id,
            wishes=self._wishes,
            pace=self._pace,
            catalogue=self._catalogue,
        )


def run_inference(
    model_name: str,
    image_path: Path | str,
    text_prompt: str,
    output_dir: Path | str = layout.OUTPUTS,
    question_data: Mapping[str, Any] | None = None,
    inference_id: str | None = None,
    *,
    wishes: Wishes | None = None,
    pace: Pace | None = None,
    catalogue: Mapping[str, ModelSpec] | None = None,
) -> dict[str, Any]:
    """Have a model film a picture and a prompt into ``output_dir/inference_id``.

    Returns success, status, run_id, model, inference_dir, video_path, error, duration_seconds, cost_usd and, as
    ``metadata``, the folder's record. A model that fails is a result; a call that cannot be carried out raises. The
    same ``inference_id`` again returns the film that is there, or asks for the one that was ordered: it is not paid
    twice.
    """
    data, wishes = question_data or {}, wishes or Wishes()
    task_id, domain = str(data.get("id") or Path(image_path).stem), str(data.get("domain") or UNKNOWN)
    spec = find_spec(model_name, catalogue)
    place = Path(output_dir)
    run_id = inference_id or _vacant(place, model_name, task_id)
    if Path(run_id).name != run_id or run_id.startswith("."):
        raise UsageError(f"the run id {run_id!r} cannot name a folder; use letters, digits, dashes and underscores")
    with tempfile.TemporaryDirectory() as folder, lock(place, run_id):
        question = _question(Path(folder), Path(image_path), text_prompt, {**data, "id": task_id, "domain": domain})
        [errand] = errands_of({model_name: spec}, [question], place.name, place.parent.parent, 1, wishes)
        errand = replace(errand, place=place, run_id=run_id)
        return _result(_run(errand, pace or Pace()))


def _run(errand: Errand, pace: Pace) -> Run:
    run = _there(errand)
    if run is not None and run.status == "success":
        return run
    made: list[Run] = []
    spec = errand.spec
    if spec is not None:
        from vmevalkit.models.catalogue import load

        spec.allow(errand.wishes.request(spec, errand.question))
        model = load(spec)
        if hasattr(model, "submit"):
            return _run_remotely(errand, cast(RemoteModel, model), pace)
    if run is not None:
        remove_folder(run.folder)
    film_here([errand], 1, made.append)
    return made[0]


def _run_remotely(errand: Errand, model: RemoteModel, pace: Pace) -> Run:
    entries = entries_of(errand.folder, [errand])
    mend([errand], entries)
    old = _there(errand)
    again = Again(failed=True, refused=True)
    steps = steps_of([errand], entries, {} if old is None else {errand.job: old}, again)
    if steps["keep"] and old is not None:
        return old
    if old is not None:
        remove_folder(old.folder)
    usd = model.spec.cost_usd(model.spec.seconds_for(errand.wishes.seconds, SECONDS))
    task = Task(model, errand.outputs, errand.folder, steps, {}, again, usd, errand.run_id)
    board = Board()
    board.of(model.spec.name).waiting = 1
    filmed = wait_for(film_remotely([task], pace.limits, Budget(), board, whole_film, lambda: None))
    run = filmed.runs[errand.job]
    if run.status == "success":
        layout.journal_file(errand.folder, errand.run_id).unlink(missing_ok=True)
    return run


def _there(errand: Errand) -> Run | None:
    folder = errand.folder / str(errand.run_id)
    return load_run(folder) if read_record(folder / layout.RUN_RECORD) is not None else None


def _question(folder: Path, image: Path, prompt: str, data: Mapping[str, Any]) -> Question:
    """The picture and the prompt as a question folder, with what the caller knows of it."""
    if not image.is_file():
        raise MediaError(f"there is no picture at {image}")
    with storing(folder):
        content = image.read_bytes()
        (folder / layout.FIRST_FRAME).write_bytes(
            content if content.startswith(_PNG) else encode_png(read_picture(image))
        )
        (folder / layout.PROMPT).write_text(prompt, "utf-8")
        final = data.get("final_image_path")
        if isinstance(final, str) and Path(final).is_file():
            shutil.copyfile(final, folder / layout.FINAL_FRAME)
        metadata = {**data, "prompt": prompt}
        (folder / layout.QUESTION_RECORD).write_bytes(record_bytes(metadata))
    return Question(str(data["id"]), str(data["domain"]), prompt, folder, metadata)


def _result(run: Run) -> dict[str, Any]:
    return {
        "success": run.status == "success",
        "status": run.status,
        "run_id": run.run_id,
        "model": run.model,
        "inference_dir": str(run.folder),
        "video_path": None if run.video is None else str(run.video),
        "error": run.error,
        "duration_seconds": run.seconds,
        "cost_usd": run.cost_usd,
        "metadata": read_record(run.folder / layout.RUN_RECORD),
    }


def _vacant(place: Path, model: str, task_id: str) -> str:
    """model_task_date_time; a number follows where that second is taken."""
    stem = f"{layout.folder_name(model)}_{layout.folder_name(task_id)}_{datetime.now(UTC):%Y%m%d_%H%M%S}"
    names = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
    return next(name for name in names if not (place / name).exists())
