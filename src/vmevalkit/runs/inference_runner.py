"""One video from one image and one prompt, without a dataset."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from vmevalkit.core.errors import Blocked, MediaError, UsageError
from vmevalkit.core.records import Question, Run
from vmevalkit.jobs.budget import Budget
from vmevalkit.jobs.executor import LocalExecutor
from vmevalkit.jobs.interrupts import run_coroutine
from vmevalkit.jobs.progress import Progress
from vmevalkit.media.image import decode_image, encode_png, read_image_bytes
from vmevalkit.media.image_header import PNG_SIGNATURE
from vmevalkit.media.integrity import check_video
from vmevalkit.models.model import ModelSpec, RemoteVideoModel
from vmevalkit.runs.generation_params import GenerationParams
from vmevalkit.runs.job_specs import JobSpec, RetryPolicy, make_job_specs
from vmevalkit.runs.job_state import group_by_step, load_entries, remove_torn_runs
from vmevalkit.runs.local import run_local
from vmevalkit.runs.plan import RateLimits, resolve_model
from vmevalkit.runs.remote import run_remote
from vmevalkit.runs.remote_model_runner import RemoteBatch
from vmevalkit.store import layout
from vmevalkit.store.atomic import lock, os_errors, remove_folder
from vmevalkit.store.records import read_record, record_bytes
from vmevalkit.store.runs import find_free_run_id, load_standalone_run

UNKNOWN_DOMAIN = "unknown"


class InferenceRunner:
    """Generates videos into ``output_dir/{domain}_task/{task_id}/{run_id}``.

    Each folder is complete in itself: ``video/``, ``question/`` and ``metadata.json``.
    """

    def __init__(
        self,
        output_dir: Path | str = layout.OUTPUTS,
        *,
        params: GenerationParams | None = None,
        rate_limits: RateLimits | None = None,
        catalogue: Mapping[str, ModelSpec] | None = None,
    ) -> None:
        self.output_dir = Path(output_dir)
        self._params, self._rate_limits, self._catalogue = params, rate_limits, catalogue

    def run(
        self,
        model_name: str,
        image_path: Path | str,
        text_prompt: str,
        run_id: str | None = None,
        question_data: Mapping[str, Any] | None = None,
        *,
        resubmit_uncertain: bool = False,
    ) -> dict[str, Any]:
        """Return the result of ``run_inference``. Without a ``run_id`` every call generates a new video.

        An ``output_dir`` of the form EXPERIMENT/MODEL makes a run of that experiment. Any other one is an experiment
        itself."""
        data = question_data or {}
        task_id = str(data.get("id") or Path(image_path).stem)
        domain = str(data.get("domain") or UNKNOWN_DOMAIN)
        return run_inference(
            model_name,
            image_path,
            text_prompt,
            self.output_dir / layout.question_place(domain, task_id),
            question_data={**data, "id": task_id, "domain": domain},
            inference_id=run_id,
            resubmit_uncertain=resubmit_uncertain,
            params=self._params,
            rate_limits=self._rate_limits,
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
    resubmit_uncertain: bool = False,
    params: GenerationParams | None = None,
    rate_limits: RateLimits | None = None,
    catalogue: Mapping[str, ModelSpec] | None = None,
) -> dict[str, Any]:
    """Generate a video from an image and a prompt into ``output_dir/inference_id``.

    Returns success, status, run_id, model, inference_dir, video_path, error, duration_seconds, cost_usd and, as
    ``metadata``, the folder's record. A model that fails gives a result; a call that is wrong, as by its key,
    raises. The same ``inference_id`` again returns the existing video, or polls the earlier order: nothing is paid
    twice. ``resubmit_uncertain`` orders again where the answer to an earlier order was lost: it may be paid twice.
    """
    data, params = question_data or {}, params or GenerationParams()
    task_id, domain = str(data.get("id") or Path(image_path).stem), str(data.get("domain") or UNKNOWN_DOMAIN)
    model_name, spec = resolve_model(model_name, catalogue)
    place = Path(output_dir)
    run_id = inference_id or find_free_run_id(place, model_name, task_id)
    if re.fullmatch(r"[\w+=-][\w.+=-]{0,199}", run_id) is None:
        raise UsageError(f"the run id {run_id!r} cannot name a folder; use letters, digits, dashes and underscores")
    with tempfile.TemporaryDirectory() as folder, lock(place, run_id, temporary=True):
        data = {**data, "id": task_id, "domain": domain}
        question = _write_question(Path(folder), Path(image_path), text_prompt, data)
        experiment = _find_experiment(place, model_name, domain, task_id)
        [job_spec] = make_job_specs({model_name: spec}, [question], experiment, place.parent.parent, 1, params)
        job_spec = replace(job_spec, run_parent=place, run_id=run_id)
        return _make_result(_run(job_spec, rate_limits or RateLimits(), resubmit_uncertain))


def _find_experiment(place: Path, model: str, domain: str, task_id: str) -> str:
    """Return the experiment of a run folder's parent: what its place says, as for every run."""
    whole = place.absolute()
    if not whole.match(layout.question_place(domain, task_id)):
        return layout.name_of(whole.name)
    output_dir = whole.parent.parent
    is_of_model = output_dir.name == layout.folder_name(model)
    return layout.name_of(output_dir.parent.name if is_of_model else output_dir.name)


def _run(job_spec: JobSpec, rate_limits: RateLimits, resubmit_uncertain: bool) -> Run:
    run = _find_run(job_spec)
    if run is not None and run.status == "success":
        return run
    runs: list[Run] = []
    spec = job_spec.spec
    if spec is not None:
        from vmevalkit.models.catalogue import load_model

        spec.validate(job_spec.params.request(spec, job_spec.question))
        model = load_model(spec)
        if hasattr(model, "submit"):
            return _run_remotely(job_spec, cast(RemoteVideoModel, model), rate_limits, resubmit_uncertain)
    if run is not None:
        remove_folder(run.folder)
    run_local([job_spec], LocalExecutor(), runs.append)
    return runs[0]


def _run_remotely(job_spec: JobSpec, model: RemoteVideoModel, rate_limits: RateLimits, resubmit_uncertain: bool) -> Run:
    entries = load_entries(job_spec.folder, [job_spec])
    remove_torn_runs([job_spec], entries)
    earlier = _find_run(job_spec)
    retry = RetryPolicy(failed=True, refused=True, uncertain=resubmit_uncertain)
    steps = group_by_step([job_spec], entries, {} if earlier is None else {job_spec.job: earlier}, retry)
    if steps["keep"] and earlier is not None:
        return earlier
    if earlier is not None:
        remove_folder(earlier.folder)
    usd = job_spec.params.price_usd(model.spec)
    batch = RemoteBatch(model, job_spec.outputs, job_spec.folder, steps, {}, retry, usd, job_spec.run_id)
    progress = Progress()
    progress.of(model.spec.name).waiting = 1
    result = run_coroutine(run_remote([batch], rate_limits.limits_for, Budget(), progress, check_video, lambda: None))
    for block in result.blocked:
        raise Blocked(block.reason)
    run = result.runs[job_spec.job]
    if run.status == "success":
        layout.journal_file(job_spec.folder, job_spec.run_id).unlink(missing_ok=True)
    return run


def _find_run(job_spec: JobSpec) -> Run | None:
    """Return the run of an earlier call with the same id."""
    folder = job_spec.folder / str(job_spec.run_id)
    return load_standalone_run(folder) if read_record(folder / layout.RUN_RECORD) is not None else None


def _write_question(folder: Path, image: Path, prompt: str, data: Mapping[str, Any]) -> Question:
    """Write the image, the prompt and the caller's data as a question folder."""
    image = _find_image(image)
    with os_errors(folder):
        content = read_image_bytes(image)
        (folder / layout.FIRST_FRAME).write_bytes(
            content if content.startswith(PNG_SIGNATURE) else encode_png(decode_image(content, image))
        )
        (folder / layout.PROMPT).write_text(prompt, "utf-8")
        if final := data.get("final_image_path"):
            shutil.copyfile(_find_final_image(Path(str(final)), image, data), folder / layout.FINAL_FRAME)
        metadata = {**data, "prompt": prompt}
        try:
            record = record_bytes(metadata)
        except (TypeError, ValueError, RecursionError) as error:
            raise UsageError(
                f"question_data cannot be written as JSON ({error}); use texts, numbers and lists"
            ) from error
        (folder / layout.QUESTION_RECORD).write_bytes(record)
    return Question(str(data["id"]), str(data["domain"]), prompt, folder, metadata)


def _find_image(path: Path, *roots: Path) -> Path:
    """Return the path of an image. A record of a question gives it relative to the folder of all questions."""
    places = [path, *(root / path for root in (*roots, layout.QUESTIONS))]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        tried = " or ".join(str(place) for place in dict.fromkeys(places))
        raise MediaError(f"there is no image at {tried}; give a path from {Path.cwd()}, or run there where it is")
    return found


def _find_final_image(final: Path, image: Path, data: Mapping[str, Any]) -> Path:
    """Return the path of the final image, also where the first one is in another folder of questions."""
    first = str(data.get("first_image_path") or "")
    is_of_record = bool(first) and image.absolute().as_posix().endswith(f"/{first}")
    return _find_image(final, *([image.absolute().parents[first.count("/")]] if is_of_record else []))


def _make_result(run: Run) -> dict[str, Any]:
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
