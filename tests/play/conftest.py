"""Questions of the scene kit, and a page on which they are played."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from vmevalkit.datasets.generate import generate
from vmevalkit.play.server import PlaySession, serve_page
from vmevalkit.store.questions import load_questions

TASKS = ["clock", "colouring", "hanoi", "sokoban"]


@pytest.fixture(scope="session")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("play") / "questions"
    generate(TASKS, n=1, seed=5, out=folder, workers=1)
    return folder


@pytest.fixture
def serve(questions: Path, tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Return a function that serves questions, and gives the address; the videos are in ``tmp_path / "outputs"``."""
    servers = []

    def begin(*tasks: str, password: str | None = None, person: str = "anna") -> str:
        session = PlaySession(load_questions(questions, tasks or None), "first", person, tmp_path / "outputs")
        server = serve_page(session, "127.0.0.1", 0, password)
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield begin
    for server in servers:
        server.shutdown()
        server.server_close()
