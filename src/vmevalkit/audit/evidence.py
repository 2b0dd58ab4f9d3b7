"""The evidence of one trial: its video, a filmstrip and the score, kept to be looked at."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from vmevalkit.audit.audit import AuditWorker, Trial, TrialSpec, render_video, write_question_of
from vmevalkit.audit.session_trials import PURPOSE, MadeTrials, MadeVideo, judge_trials
from vmevalkit.core.async_scorer import AnyScorer, CallOptions, is_async, require_sync
from vmevalkit.core.jsonable import to_json
from vmevalkit.media.filmstrip import make_filmstrip
from vmevalkit.media.image import encode_png
from vmevalkit.store.atomic import check_writable, write_file


def save_evidence(
    spec: TrialSpec, scorer: AnyScorer, folder: Path, calls: CallOptions | None = None
) -> tuple[Trial, Path]:
    """Run a trial and keep its files in ``folder``. Returns the trial and the path of the filmstrip.

    ``calls`` says how a scorer may call a service."""
    name = str(spec.trial_id).replace("/", "-")
    video = folder / f"{name}.mp4"
    check_writable(video)
    trial = _run(spec, scorer, video, calls or CallOptions(purpose=PURPOSE))
    strip = folder / f"{name}.png"
    write_file(strip, encode_png(make_filmstrip(video)))
    write_file(folder / f"{name}.json", json.dumps(to_json(trial.score), indent=2) + "\n")
    return trial, strip


def _run(spec: TrialSpec, scorer: AnyScorer, video: Path, calls: CallOptions) -> Trial:
    if not is_async(scorer):
        return AuditWorker(require_sync(scorer, scorer.evaluator)).run(spec, video)
    render_video(spec, video)
    with TemporaryDirectory(prefix="vmevalkit-audit-") as folder:
        question = write_question_of(spec, Path(folder))
        made = MadeTrials((MadeVideo(spec, question, video, 0.0),), ())
        trials, _ = judge_trials(made, scorer, calls)
    return trials[0]
