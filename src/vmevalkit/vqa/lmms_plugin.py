"""The two-stage models as models of lmms_eval: ``lmms_eval --model azure_trapi_visual_cot --tasks ...``.

lmms_eval finds them by the entry point ``lmms_eval.models``. Only this module imports lmms_eval, and only lmms_eval
imports this module. Answers are kept in ``cache_dir``, so that a run that was cut off asks nothing twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from lmms_eval.api.model import lmms
from lmms_eval.models.registry_v2 import ModelManifest

from vmevalkit.core.chat import CUT_OFF, ChatParams
from vmevalkit.jobs.chat_calls import run_chat_items
from vmevalkit.models.chat_images import make_image_part
from vmevalkit.vqa.intermediate import write_intermediate
from vmevalkit.vqa.models import VqaModel, load_model
from vmevalkit.vqa.run import make_result
from vmevalkit.vqa.staged_caller import CallOptions, StagedCaller
from vmevalkit.vqa.task_files.mmsi import msr_process_results, split_stages

logger = logging.getLogger(__name__)


class _PluginModel(lmms):  # type: ignore[misc]
    """A model of VMEvalKit behind lmms_eval's interface."""

    model_name = ""
    is_simple = True

    def __init__(
        self,
        batch_size: int | str = 1,
        cache_dir: str = "vmevalkit_answers",
        in_flight: int | None = None,
        per_minute: float | None = None,
        **model_args: Any,
    ) -> None:
        super().__init__()
        for name in ("device", "max_batch_size"):  # lmms_eval passes them to every model
            model_args.pop(name, None)
        text = ",".join(f"{key}={value}" for key, value in model_args.items())
        self._options = CallOptions(int(batch_size), in_flight, per_minute)
        self._load = partial(load_model, self.model_name, text, int(batch_size))
        self._model: VqaModel | None = self._load()  # a wrong argument ends the run before any question is read
        self._output = Path(cache_dir)

    def generate_until(self, requests: list[Any]) -> list[str]:
        """Return the answers to direct questions."""
        return asyncio.run(self._answer_all(requests))

    def generate_visual_cot(self, requests: list[Any]) -> list[str]:
        """Return the answers in two stages. Where the model refuses to draw, the answer is empty: it is unparsed."""
        return asyncio.run(self._answer_all(requests))

    def loglikelihood(self, requests: list[Any]) -> list[tuple[float, bool]]:
        raise NotImplementedError(f"{self.model_name} writes answers; it has no likelihoods")

    def generate_until_multi_round(self, requests: list[Any]) -> list[str]:
        raise NotImplementedError(f"{self.model_name} answers in one round")

    async def _answer_all(self, requests: list[Any]) -> list[str]:
        """Return the answers. Exits with code 1 where some could not be asked: an outage is not an answer."""
        answers = [""] * len(requests)
        failures: list[str] = []
        # A model is closed with the calls that it answered, and lmms_eval calls once for each kind of question.
        model, self._model = self._model or self._load(), None
        has_stage1 = any(split_stages(request.args[0]) is not None for request in requests)
        caller = StagedCaller(model, self._output, self._options, has_stage1=has_stage1)

        async def answer_one(place: int) -> None:
            context, generation, doc_to_visual, doc_id, task, split = requests[place].args
            doc = self.task_dict[task][split][doc_id]
            try:
                images = [make_image_part(np.asarray(image.convert("RGB"), np.uint8)) for image in doc_to_visual(doc)]
            except (OSError, ValueError, TypeError, SyntaxError) as error:
                failures.append(f"{task} {doc_id}: an image cannot be read: {error}")
                return
            stages = split_stages(context)
            generation_prompt, prompt = (None, context) if stages is None else stages
            answer = await caller.ask(images, generation_prompt, prompt, make_params(generation))
            if answer.status in ("failed", "unaffordable"):
                failures.append(f"{task} {doc_id}: {answer.error}")
                return
            answers[place] = answer.text
            if answer.finish_reason in CUT_OFF:
                logger.warning("%s %s: the answer was cut off at the token limit (--gen_kwargs)", task, doc_id)
            if answer.status != "answered":
                logger.warning("%s %s: %s: %s", task, doc_id, answer.status, answer.error)
            if model.save_intermediate and generation_prompt is not None:
                row = msr_process_results(doc, [answer.text])["accuracy"]
                result = make_result(row, answer, generation_prompt)
                write_intermediate(self._output, model.label, task, prompt, result)

        await run_chat_items(caller.callers, range(len(requests)), answer_one, self._options.choose_at_once(model))
        if failures:
            for line in failures[:10]:
                logger.error("failed: %s", line)
            # lmms_eval logs an exception and exits with code 0
            raise SystemExit(
                f"{len(failures)} of {len(requests)} questions have no answer, so there is no score; the same command "
                f"asks them again: all answers are kept in {self._output}"
            )
        return answers


def make_params(generation: Mapping[str, Any]) -> ChatParams:
    """Return the parameters of lmms_eval's generation arguments."""
    return ChatParams(
        temperature=float(generation.get("temperature") or 0.0),
        max_tokens=generation.get("max_new_tokens"),
        seed=generation.get("seed"),
        top_p=generation.get("top_p") or None,
        reasoning_effort=generation.get("reasoning_effort"),
    )


class AzureTrapiVisualCot(_PluginModel):
    """azure_trapi_visual_cot."""

    model_name = "azure_trapi_visual_cot"


class NanoBananaVisualCot(_PluginModel):
    """nano_banana_visual_cot."""

    model_name = "nano_banana_visual_cot"


class BagelVisualCot(_PluginModel):
    """bagel_visual_cot."""

    model_name = "bagel_visual_cot"


class RandomBaseline(_PluginModel):
    """The random baseline, as ``vmevalkit_random``."""

    model_name = "random"


def list_manifests() -> list[ModelManifest]:
    """Return the models for lmms_eval's registry."""
    classes = (AzureTrapiVisualCot, NanoBananaVisualCot, BagelVisualCot)
    named = [(kind.model_name, kind) for kind in classes] + [("vmevalkit_random", RandomBaseline)]
    return [ModelManifest(model_id=name, simple_class_path=f"{__name__}.{kind.__name__}") for name, kind in named]
