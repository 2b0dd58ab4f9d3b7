"""One run of the direct MSR task with a model that answers at once: by this runner, or by lmms_eval.

    python vqa_probe.py vmevalkit|lmms_eval FOLDER LIMIT

Prints CPU seconds until the model is first asked, and until all results are written. The lmms_eval form is started by
an interpreter that has lmms_eval, and needs nothing of VMEvalKit but the folder of the task files.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

FIRST: list[float] = []
ASKED: list[float] = []
TASK_FILES = Path(__file__).parents[1] / "src" / "vmevalkit" / "vqa" / "task_files"


def note_first_call() -> None:
    if not FIRST:
        FIRST.append(time.process_time())


def run_vmevalkit(folder: Path, limit: int) -> None:
    from vmevalkit.core.chat import ChatAnswer, ChatRequest
    from vmevalkit.vqa import models, run

    def run_tasks(*args: Any) -> Any:
        summary = run_and_write(*args)
        ASKED.append(time.process_time())
        return summary

    run_and_write, run.run_tasks = run.run_tasks, run_tasks

    class InstantAnswers:
        """A chat model that answers at once."""

        name, provider, identity = "instant", "local", "instant"

        def estimate_usd(self, request: ChatRequest) -> float | None:
            return 0.0

        async def ask(self, request: ChatRequest) -> ChatAnswer:
            note_first_call()
            return ChatAnswer("``A``", usd=0.0)

        async def close(self) -> None:
            return None

    models.MODELS = {"instant": lambda _args, _batch: models.VqaModel("instant", InstantAnswers())}
    sys.argv = ["vmevalkit", "--quiet", "vqa", "--model", "instant", "--tasks", "mmsi_msr", "--limit", str(limit),
                "--output_path", str(folder / f"ours-{limit}-{time.monotonic_ns()}")]  # fmt: skip
    from vmevalkit.cli.main import main

    main()


def run_lmms_eval(folder: Path, limit: int) -> None:
    from lmms_eval import models
    from lmms_eval.api.model import lmms
    from lmms_eval.models.registry_v2 import ModelManifest

    class InstantAnswers(lmms):  # type: ignore[misc]
        """A model that reads its images and answers at once."""

        is_simple = True

        def __init__(self, **_: Any) -> None:
            super().__init__()

        def generate_until(self, requests: list[Any]) -> list[str]:
            answers = []
            for request in requests:
                _, _, doc_to_visual, doc_id, task, split = request.args
                doc_to_visual(self.task_dict[task][split][doc_id])
                note_first_call()
                answers.append("``A``")
            return answers

        def loglikelihood(self, requests: list[Any]) -> Any:
            raise NotImplementedError

        generate_until_multi_round = loglikelihood

    module = sys.modules["__main__"]
    module.InstantAnswers = InstantAnswers  # type: ignore[attr-defined]
    registry = next(value for value in vars(models).values() if type(value).__name__ == "ModelRegistryV2")
    registry.register_manifest(ModelManifest(model_id="instant", simple_class_path="__main__.InstantAnswers"))
    sys.argv = ["lmms_eval", "--model", "instant", "--tasks", "mmsi_msr", "--include_path", str(TASK_FILES),
                "--limit", str(limit), "--batch_size", "1", "--log_samples",
                "--output_path", str(folder / f"theirs-{limit}")]  # fmt: skip
    from lmms_eval.__main__ import cli_evaluate

    cli_evaluate()


def main() -> None:
    sys.path.remove(str(Path(__file__).parent))  # its statistics.py would replace the standard library's
    kind, folder, limit = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    try:
        (run_vmevalkit if kind == "vmevalkit" else run_lmms_eval)(folder, limit)
    except SystemExit as end:
        if end.code:
            raise
    asked = ASKED[0] if ASKED else time.process_time()
    print("\nPROBE " + json.dumps({"first_call_cpu_s": FIRST[0], "asked_cpu_s": asked}))


if __name__ == "__main__":
    main()
