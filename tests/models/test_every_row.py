"""Every row of the catalogue with a web API: from question to score, through the provider's own SDK.

The emulator returns a video of the reference solution on the canvas of the image that it got.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("openai")
pytest.importorskip("google.genai")
pytest.importorskip("runwayml")
pytest.importorskip("lumaai")
pytest.importorskip("luma_agents")

from emulators.adapter_harness import EMULATORS, LIMIT, AdapterHarness, run_until_finished
from emulators.server import Order
from vmevalkit.baselines.tricks import TRICKS
from vmevalkit.core.randomness import rng_for
from vmevalkit.core.records import Placement, Request, Score
from vmevalkit.core.remote import Finished
from vmevalkit.eval.api import score_puzzle
from vmevalkit.media.fitting import fit
from vmevalkit.media.image import encode_png, read_image
from vmevalkit.media.video import write_video
from vmevalkit.models.catalogue import MODELS
from vmevalkit.models.input_image import choose_video_size
from vmevalkit.models.model import RemoteVideoModel
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.planning import plan

ROWS = [name for name, spec in MODELS.items() if spec.provider in EMULATORS]
FPS, SECONDS = 10.0, 2.5


@cache
def puzzle() -> Any:
    return plan(TASKS["maze"], 1, 11, TASKS["maze"].preset())[0]


@cache
def solution() -> list[np.ndarray]:
    stream = TRICKS["oracle"].render(TASKS["maze"], puzzle(), rng_for("every row"), SECONDS, FPS)
    return list(stream.frames)


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return videos of the solution by size and colour of the bars. Many rows share one."""
    folder = tmp_path_factory.mktemp("videos")

    @cache
    def video(size: tuple[int, int], colour: tuple[int, int, int]) -> bytes:
        path = folder / "video.mp4"
        write_video(path, [fit(frame, size, "letterbox", colour)[0] for frame in solution()], FPS)
        return path.read_bytes()

    return video


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the score of a video. The same video with the same placement is scored once."""
    known: dict[tuple[str, Placement | None], Score] = {}

    def score(path: Path, placement: Placement | None) -> Score:
        key = hashlib.sha256(path.read_bytes()).hexdigest(), placement
        if key not in known:
            known[key] = score_puzzle(TASKS["maze"], puzzle(), path, placement=placement)
        return known[key]

    return score


def test_there_are_rows_of_every_provider() -> None:
    assert {MODELS[name].provider for name in ROWS} == set(EMULATORS)
    assert len(ROWS) >= 40


@pytest.mark.slow
@pytest.mark.parametrize("harness", ROWS, indirect=True)
def test_a_question_gives_a_video_that_passes(harness: AdapterHarness, videos: Any, scores: Any) -> None:
    question = harness.folder / "first_frame.png"
    question.write_bytes(encode_png(TASKS["maze"].first_frame(puzzle())))
    prompt = TASKS["maze"].prompt(puzzle())
    request: Request = replace(harness.request, prompt=prompt, seed=-1, parameters={"enhance_prompt": True})
    fitted = harness.spec.options["fit"] != "unchanged"

    def video(order: Order) -> bytes:
        size = choose_video_size(harness.spec, request) if fitted else None
        height, width = order.image.shape[:2]
        width, height = size or (width, height)
        smaller = 2 if width > 2000 else 1  # encoding at 4K would take longer than everything else
        return bytes(videos((width // smaller, height // smaller), tuple(int(level) for level in order.image[0, 0])))

    async def scenario(model: RemoteVideoModel) -> Finished:
        done = await run_until_finished(model, request)
        await model.fetch(done, harness.video, LIMIT)
        return done

    harness.provider.video = video
    done = harness.run(scenario)
    (order,) = harness.provider.orders.values()
    assert (done.ticket.placement is not None) is fitted
    if not fitted:
        assert (order.image == read_image(question)).all()
    score = scores(harness.video, done.ticket.placement)
    assert (score.value, score.passed) == (5, True), score.explanation
