"""The server of the play page, over HTTP: what it stores, and whom it lets in."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from vmevalkit.core.errors import SetupError, UsageError
from vmevalkit.media.video import probe
from vmevalkit.play.playable_question import PlayableQuestion
from vmevalkit.play.recording import FIRST_FRAMES, LAST_FRAMES, PAUSE_FRAMES, parse_recording
from vmevalkit.play.server import PlaySession, serve_page
from vmevalkit.store.questions import load_questions
from vmevalkit.store.runs import find_runs


class Client:
    """The page, without a browser."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.token = re.findall('name="play-token" content="([^"]+)"', fetch(address).decode())[0]

    def post(self, path: str, message: Any, **headers: str) -> dict[str, Any]:
        given = {"Content-Type": "application/json", "X-Play-Token": self.token, **headers}
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        return json.loads(fetch(self.address + path, given, body))  # type: ignore[no-any-return]


def fetch(url: str, headers: dict[str, str] | None = None, body: bytes | None = None) -> bytes:
    with urlopen(Request(url, body, headers or {}), timeout=60) as answer:
        return answer.read()  # type: ignore[no-any-return]


def refuse(call: Callable[[], object]) -> tuple[int, str]:
    """Return the code and the message of a call that is refused."""
    with pytest.raises(HTTPError) as caught:
        call()
    with caught.value as answer:
        return answer.code, json.loads(answer.read())["error"]


def test_what_is_recorded_becomes_a_run_and_is_not_asked_again(serve: Callable[..., str], tmp_path: Path) -> None:
    client = Client(serve("colouring"))
    shown = client.post("/api/next", {})
    assert (shown["done"], shown["total"], shown["model"]) == (0, 1, "human-anna")
    parts = shown["question"]["parts"]
    blank = next(part for part in parts if not part["look"])
    filled = [{**part, "look": "red"} if part is blank else part for part in parts]
    recording = [{"parts": parts, "frames": 500}, {"parts": filled, "frames": 1}]
    assert client.post("/api/finish", {"index": 0, "recording": recording, "seconds": 21.5, "restarts": 2})
    [run] = find_runs(tmp_path / "outputs", "first")
    assert (run.model, run.domain, run.seconds) == ("human-anna", "colouring", 21.5)
    record = json.loads((run.folder / "metadata.json").read_text())
    assert (record["family"], record["restarts"]) == ("human", 2)
    assert run.video is not None
    assert probe(run.video).seconds == pytest.approx((FIRST_FRAMES + LAST_FRAMES) / 24, abs=0.05)
    assert client.post("/api/next", {})["question"] is None
    assert Client(serve("colouring")).post("/api/next", {})["question"] is None, "another server resumes"
    code, message = refuse(lambda: client.post("/api/finish", {"index": 0, "recording": recording}))
    assert (code, message.endswith("has a video already; reload the page")) == (400, True)


def test_skipped_questions_come_again_at_the_end(serve: Callable[..., str]) -> None:
    client = Client(serve())
    assert [client.post("/api/next", {"skipped": each})["index"] for each in ([], [0], [0, 1], [1, 0, 2, 3])] == [
        0, 1, 2, 1,
    ]  # fmt: skip


def test_legal_moves_start_from_what_is_shown(serve: Callable[..., str]) -> None:
    client = Client(serve("hanoi"))
    parts = client.post("/api/next", {})["question"]["parts"]
    moves = client.post("/api/moves", {"index": 0, "parts": parts})["moves"]
    assert moves and all(len(frames) == 12 for frames in moves)
    after = moves[0][-1]
    assert client.post("/api/moves", {"index": 0, "parts": after})["moves"] != moves
    aside = [{**part, "x": part["x"] + 60, "y": 20} for part in parts]
    assert client.post("/api/moves", {"index": 0, "parts": aside})["moves"] == [], "no arrangement is shown"


def test_pauses_are_shortened_and_the_end_is_held(questions: Path) -> None:
    board = PlayableQuestion(load_questions(questions, ["sokoban"])[0])
    start = [asdict(part) for part in board.stage.start.parts]
    moved = [[{**part, "x": part["x"] + step} for part in start] for step in (1, 2)]
    recording = [{"parts": parts, "frames": n} for parts, n in ((moved[0], 99), (moved[0], 1), (moved[1], 2))]
    shown = parse_recording(board, recording)
    assert [each.frames for each in shown] == [FIRST_FRAMES, PAUSE_FRAMES, LAST_FRAMES]
    assert shown[0].parts == board.stage.start.parts


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "dragon"}, "no part 'dragon'"),
        ({"look": "dragon"}, "cannot look like 'dragon'"),
        ({"x": "left"}, "is not a number"),
        ({"x": float("nan")}, "is not a number"),
        ({"y": None}, "is not a number"),
        ({"opacity": True}, "is not a number"),
    ],
)
def test_parts_that_the_puzzle_cannot_have_are_refused(
    serve: Callable[..., str], change: dict[str, Any], message: str
) -> None:
    client = Client(serve("sokoban"))
    part = client.post("/api/next", {})["question"]["parts"][0]
    code, text = refuse(lambda: client.post("/api/moves", {"index": 0, "parts": [{**part, **change}]}))
    assert (code, message in text) == (400, True), text


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("/api/next", b"[1]", 400),
        ("/api/next", b"{", 400),
        ("/api/next", b"[" * 100_000, 400),
        ("/api/moves", b'{"index": 7}', 400),
        ("/api/moves", b'{"index": true}', 400),
        ("/api/finish", b'{"index": 0}', 400),
        ("/api/finish", b'{"index": 0, "recording": [{"parts": [], "frames": 0}]}', 400),
        ("/api/finish", b'{"index": 0, "recording": [{"parts": [], "frames": 9e9}]}', 400),
        ("/api/other", b"{}", 400),
    ],
)
def test_messages_that_make_no_sense_are_refused(serve: Callable[..., str], path: str, body: bytes, code: int) -> None:
    client = Client(serve("sokoban"))
    assert refuse(lambda: client.post(path, body))[0] == code


def test_only_the_page_itself_may_send(serve: Callable[..., str]) -> None:
    address = serve("sokoban")
    client = Client(address)
    assert refuse(lambda: client.post("/api/next", {}, **{"X-Play-Token": "guess"}))[0] == 403
    assert refuse(lambda: fetch(address, {"Host": "puzzles.example"}))[0] == 421
    assert refuse(lambda: fetch(address + "/../../etc/passwd"))[0] == 404
    assert fetch(address, {"Host": address.removeprefix("http://").replace("127.0.0.1", "localhost")})


def test_a_password_is_asked_for(serve: Callable[..., str]) -> None:
    address = serve("sokoban", password="apple")
    for given in (None, "Basic !", "Basic " + base64.b64encode(b"anna:pear").decode(), "Bearer apple"):
        assert refuse(lambda given=given: fetch(address, {"Authorization": given} if given else {}))[0] == 401  # type: ignore[misc]
    assert fetch(address, {"Authorization": "Basic " + base64.b64encode(b"anna:apple").decode()})


def test_an_open_address_needs_a_password_and_a_port_must_be_free(questions: Path, tmp_path: Path) -> None:
    found = load_questions(questions, ["sokoban"])
    session = PlaySession(found, "first", "anna", tmp_path)
    with pytest.raises(UsageError, match=r"0\.0\.0\.0 is open to others"):
        serve_page(session, "0.0.0.0", 0, None)
    server = serve_page(session, "127.0.0.1", 0, None)
    with pytest.raises(SetupError, match="choose another one: --port"):
        serve_page(session, "127.0.0.1", server.server_port, None)
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("name", ["", "a b", "../up", "x" * 41, "é"])
def test_a_name_is_part_of_a_path(questions: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="is not valid"):
        PlaySession(load_questions(questions, ["sokoban"]), "first", name, tmp_path)
