"""Every row of the catalogue that is behind an API: a job from question to score, through the provider's own SDK.

The emulator is a model that knows the answer: it films the reference solution on the canvas that it was sent.
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

from emulators.server import Order
from emulators.studio import EMULATORS, LIMIT, Studio, finished
from vmevalkit.baselines.tricks import TRICKS
from vmevalkit.core.randomness import rng_for
from vmevalkit.core.records import Placement, Request, Score
from vmevalkit.eval.api import score_puzzle
from vmevalkit.media.fitting import fit
from vmevalkit.media.picture import encode_png, read_picture
from vmevalkit.media.video import write_video
from vmevalkit.models.catalogue import MODELS
from vmevalkit.models.model import Done, RemoteModel
from vmevalkit.models.preparing import film_size
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.planning import plan

ROWS = [name for name, spec in MODELS.items() if spec.provider in EMULATORS]
FPS, SECONDS = 10.0, 2.5


@cache
def puzzle() -> Any:
    return plan(TASKS["maze"], 1, 11, TASKS["maze"].preset())[0]


@cache
def solution() -> list[np.ndarray]:
    reel = TRICKS["oracle"].reel(TASKS["maze"], puzzle(), rng_for("every row"), SECONDS, FPS)
    return list(reel.frames)


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Films of the solution by size and colour of the bars; many rows share one."""
    folder = tmp_path_factory.mktemp("films")

    @cache
    def film(size: tuple[int, int], colour: tuple[int, int, int]) -> bytes:
        path = folder / "film.mp4"
        write_video(path, [fit(frame, size, "letterbox", colour)[0] for frame in solution()], FPS)
        return path.read_bytes()

    return film


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The verdict on a film; the same film laid in the same way is read once."""
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


@pytest.mark.parametrize("studio", ROWS, indirect=True)
def test_a_question_becomes_a_film_that_is_scored(studio: Studio, films: Any, scores: Any) -> None:
    question = studio.folder / "first_frame.png"
    question.write_bytes(encode_png(TASKS["maze"].first_frame(puzzle())))
    prompt = TASKS["maze"].prompt(puzzle())
    request: Request = replace(studio.request, prompt=prompt, seed=-1, parameters={"enhance_prompt": True})
    fitted = studio.spec.options["fit"] != "as_it_is"

    def film(order: Order) -> bytes:
        size = film_size(studio.spec, request) if fitted else None
        height, width = order.picture.shape[:2]
        width, height = size or (width, height)
        smaller = 2 if width > 2000 else 1  # to encode films at 4K would take longer than all the rest
        return bytes(films((width // smaller, height // smaller), tuple(int(level) for level in order.picture[0, 0])))

    async def story(model: RemoteModel) -> Done:
        done = await finished(model, request)
        await model.fetch(done, studio.film, LIMIT)
        return done

    studio.provider.film = film
    done = studio.tell(story)
    (order,) = studio.provider.orders.values()
    assert (done.ticket.placement is not None) is fitted
    if not fitted:
        assert (order.picture == read_picture(question)).all()
    score = scores(studio.film, done.ticket.placement)
    assert (score.value, score.passed) == (5, True), score.explanation
