"""``vmevalkit play``: a person solves puzzles in the browser, and becomes a model."""

from __future__ import annotations

import threading
from typing import Annotated

import typer

from vmevalkit.cli.command import inform, select_tasks
from vmevalkit.cli.completion import complete_experiments
from vmevalkit.cli.options import OUTPUTS, QUESTIONS, Outputs, Questions, Tasks
from vmevalkit.core.errors import UsageError


def play(
    name: Annotated[str, typer.Option(help="Who plays: the videos are those of the model human-NAME.")],
    experiment: Annotated[
        str, typer.Option(help="The experiment that gets the videos.", autocompletion=complete_experiments)
    ],
    questions: Questions = QUESTIONS,
    outputs: Outputs = OUTPUTS,
    task: Tasks = None,
    port: Annotated[int, typer.Option(help="Port of the page.")] = 7861,
    host: Annotated[str, typer.Option(help="Address to serve on; 0.0.0.0 opens it to the network.")] = "127.0.0.1",
    password: Annotated[str | None, typer.Option(help="Ask for this password.", show_default=False)] = None,
) -> None:
    """Solve puzzles in the browser; what you do is stored as videos of the model human-NAME, to be scored like any
    other.

    Only puzzles of the scene kit can be played. The same command resumes.
    """
    from vmevalkit.play.server import PlaySession, serve_page
    from vmevalkit.results.words import count
    from vmevalkit.store.questions import load_questions
    from vmevalkit.tasks import TASKS
    from vmevalkit.tasks.kit.scene_task import SceneTask

    found = load_questions(questions, select_tasks(task))
    playable = [each for each in found if each.domain in TASKS and isinstance(TASKS[each.domain], SceneTask)]
    if not playable:
        kit = ", ".join(each for each, known in TASKS.items() if isinstance(known, SceneTask))
        raise UsageError(f"no question in {questions} is a puzzle of the scene kit ({kit}); generate some first")
    others = sorted({each.domain for each in found} - {each.domain for each in playable})
    if others:
        inform(f"not puzzles of the scene kit, left out: {', '.join(others)}")
    session = PlaySession(playable, experiment, name, outputs)
    server = serve_page(session, host, port, password)
    inform(f"{experiment}: {count(len(playable), 'question')} for {session.model}, {session.done} done")
    inform(f"open http://{'127.0.0.1' if host == '0.0.0.0' else host}:{server.server_port} and stop with Ctrl+C")
    inform(f"then: vmevalkit score --experiment {experiment}")
    try:
        threading.Event().wait()
    finally:
        server.shutdown()
        server.server_close()
