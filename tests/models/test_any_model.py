"""Models without a row: a command, a server, and the names that they get."""

from __future__ import annotations

import base64
import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("httpx")

from vmevalkit.core.errors import ModelError, SetupError, UnknownName, UsageError
from vmevalkit.core.records import Request
from vmevalkit.media.image import encode_png
from vmevalkit.media.video import write_video
from vmevalkit.models._program import fill_fields
from vmevalkit.models.catalogue import load_model
from vmevalkit.models.function_inference import make_function_row
from vmevalkit.models.model_reference import parse_model_reference

HOSTILE = """Slide "it"; $(touch pwned) `touch pwned` > pwned && {seed} {0} '; touch pwned #"""


@pytest.fixture
def video(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """Write a first frame, and return a video of the right kind."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "first_frame.png").write_bytes(encode_png(np.full((48, 64, 3), 90, np.uint8)))
    write_video(tmp_path / "some.mp4", [np.full((48, 64, 3), 20 * i, np.uint8) for i in range(4)], 8.0)
    return (tmp_path / "some.mp4").read_bytes()


def generate(reference: str, folder: Path, prompt: str = "Slide it.", **options: Any) -> bytes:
    spec = parse_model_reference(reference)
    assert spec is not None
    spec.options.update(options)  # type: ignore[attr-defined]
    model = load_model(spec)
    model.generate(Request("q_1", prompt, folder / "first_frame.png", 8.0, seed=5), folder / "out.mp4")  # type: ignore[union-attr]
    return (folder / "out.mp4").read_bytes()


def write_program(folder: Path, text: str) -> str:
    (folder / "my.py").write_text("import json, shutil, sys, time\n" + text)
    return f"cmd:{sys.executable} my.py"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("mine=cmd:python my.py {image} {out}", "mine"),
        ("cmd:python -u tools/my.py {image} {out}", "cmd-my-"),
        ("http://127.0.0.1:8000/v1/generate", "http-127.0.0.1-8000-v1-generate-"),
        ("http:https://video.example/x", "http-video.example-x-"),
        ("served=http:http://gpu:1", "served"),
        ("fal:fal-ai/wan/v2/x", "fal-fal-ai-wan-v2-x"),
        ("replicate:owner/name", "replicate-owner-name"),
    ],
)
def test_a_reference_has_the_same_name_each_time(text: str, name: str) -> None:
    first, second = parse_model_reference(text), parse_model_reference(text)
    assert first is not None and second is not None
    assert first.name == second.name and first.name.startswith(name)
    assert first.charged is name.startswith(("fal", "replicate"))


@pytest.mark.parametrize("name", ["veo-3.1", "oracle+zoom_75", "command", "a=b"])
def test_other_names_are_no_references(name: str) -> None:
    assert parse_model_reference(name) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cmd:", "is empty"),
        ("cmd:python my.py {image} {prompt}", "lacks {out}"),
        ("cmd:python my.py {out}", "lacks {image}"),
        ("cmd:python my.py {image} {out} {answer}", "contains {answer}"),
        ("cmd:python my.py {image} {out} {prompt!r}", "has a format"),
        ("cmd:python my.py {image.parent} {out}", "contains {image.parent}"),
        ("cmd:python my.py '{image} {out}", "No closing quotation"),
        ("http:my-server", "not a web address"),
        ("http://user:secret@host/x", "VMEVALKIT_HTTP_KEY"),
        ("http://host/x?key=1", "VMEVALKIT_HTTP_KEY"),
        ("fal:one", "not an id at fal"),
        ("replicate:a/b/c", "not an id at replicate"),
    ],
)
def test_a_malformed_reference_says_what_to_write(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        parse_model_reference(text)
    assert "secret" not in str(caught.value)


def test_a_command_gets_its_fields_and_no_shell_reads_the_prompt(tmp_path: Path, video: bytes) -> None:
    program = write_program(
        tmp_path, "json.dump(sys.argv, open('called.json', 'w')); shutil.copy('some.mp4', sys.argv[2])"
    )
    reference = f"{program} {{image}} {{out}} --prompt={{prompt}} {{seed}} {{seconds}} {{{{}}}} {{prompt_file}}"
    assert generate(reference, tmp_path, HOSTILE) == video
    called = json.loads((tmp_path / "called.json").read_text())
    assert called[1] == str(tmp_path / "first_frame.png")
    assert called[3:7] == [f"--prompt={HOSTILE}", "5", "8", "{}"]
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [("sys.exit('no GPU')", "code 1.*no GPU"), ("", "wrote no video"), ("time.sleep(60)", "stopped after 0.5 s")],
)
def test_a_command_that_fails_says_why(
    tmp_path: Path, video: bytes, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    if "sleep" in text:
        monkeypatch.setenv("VMEVALKIT_PROGRAM_TIMEOUT_S", "0.5")
    with pytest.raises(ModelError, match=message):
        generate(f"{write_program(tmp_path, text)} {{image}} {{out}}", tmp_path)
    assert not (tmp_path / "out.mp4").exists()


def test_a_program_that_is_not_installed_is_reported_before_the_first_video() -> None:
    spec = parse_model_reference("cmd:no-such-program {image} {out}")
    assert spec is not None
    with pytest.raises(SetupError, match="finds no program 'no-such-program'"):
        load_model(spec)


class Server:
    """A server whose answers are given in order; the last one is repeated."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, Any, dict[str, str]]] = []
        self.calls: list[tuple[str, str, dict[str, str], Any]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def handle_call(self) -> None:
                size = int(self.headers.get("Content-Length", 0))
                body = json.loads(self.rfile.read(size)) if size else None
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.calls.append((self.command, self.path, headers, body))
                status, answer, more = outer.answers.pop(0) if len(outer.answers) > 1 else outer.answers[0]
                data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(status)
                kind = "video/mp4" if isinstance(answer, bytes) else "application/json"
                for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **more}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = handle_call

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/generate"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def answer(self, *answers: Any, status: int = 200, **headers: str) -> None:
        self.answers += [(status, answer, headers) for answer in answers]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.delenv("VMEVALKIT_HTTP_KEY", raising=False)
    started = Server()
    yield started
    started.close()


def test_a_server_gets_the_question_and_answers_with_the_video(tmp_path: Path, video: bytes, server: Server) -> None:
    server.answer(video)
    assert generate(server.url, tmp_path) == video
    [(method, path, headers, body)] = server.calls
    assert (method, path, body["prompt"], body["seed"], body["seconds"]) == ("POST", "/generate", "Slide it.", 5, 8.0)
    assert base64.b64decode(body["image"]) == (tmp_path / "first_frame.png").read_bytes()
    assert "authorization" not in headers


@pytest.mark.parametrize("last", ["video", "base64", "url"])
def test_a_server_that_needs_time_is_polled(tmp_path: Path, video: bytes, server: Server, last: str) -> None:
    server.answer({"id": "a/1"}, {"status": "running"})
    if last == "url":
        server.answer({"video_url": "/videos/1.mp4"})
    server.answer({"status": "done", "video": base64.b64encode(video).decode()} if last == "base64" else video)
    assert generate(server.url, tmp_path, poll_every_s=0.01) == video
    paths = [path for _, path, _, _ in server.calls]
    assert paths[:3] == ["/generate", "/generate/a%2F1", "/generate/a%2F1"]
    assert (paths[-1] == "/videos/1.mp4") is (last == "url")


def test_a_busy_server_is_asked_again(tmp_path: Path, video: bytes, server: Server) -> None:
    server.answer({"error": "full"}, status=503, **{"Retry-After": "0"})
    server.answer(video)
    assert generate(server.url, tmp_path) == video
    assert len(server.calls) == 2


@pytest.mark.parametrize(
    ("status", "answer", "message"),
    [
        (200, {"status": "failed", "error": "out of memory"}, "failed: out of memory"),
        (500, {"error": "broken"}, "answered 500.*broken"),
        (200, {"ok": True}, "neither video, video_url, error nor an id"),
        (200, ["a"], "cannot be read"),
        (200, {"video": "###"}, "not base64"),
        (302, {}, "redirects"),
    ],
)
def test_an_answer_without_a_video_is_a_failed_video(
    tmp_path: Path, video: bytes, server: Server, status: int, answer: Any, message: str
) -> None:
    server.answer(answer, status=status)
    with pytest.raises(ModelError, match=message):
        generate(server.url, tmp_path)
    assert not (tmp_path / "out.mp4").exists()


def test_the_key_is_sent_to_the_server_only(
    tmp_path: Path, video: bytes, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VMEVALKIT_HTTP_KEY", "key-0123456789")
    other = Server()
    try:
        other.answer(video)
        server.answer({"video_url": other.url})
        assert generate(server.url, tmp_path) == video
        assert server.calls[0][2]["authorization"] == "Bearer key-0123456789"
        assert "authorization" not in other.calls[0][2]
    finally:
        other.close()


def test_a_wrong_key_or_no_server_stops_the_whole_call(
    tmp_path: Path, video: bytes, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answer({"error": "who are you?"}, status=401)
    with pytest.raises(SetupError, match="VMEVALKIT_HTTP_KEY"):
        generate(server.url, tmp_path)
    monkeypatch.setattr("vmevalkit.models.http_inference.ATTEMPTS", 1)
    server.close()
    with pytest.raises(SetupError, match=r"the connection was refused.*start the server"):
        generate(server.url, tmp_path)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (None, "returned NoneType"),
        ([], "no frames"),
        ([np.zeros((4, 4))], r"shape \(4, 4\)"),
        ([np.zeros((4, 4, 3), np.int64)], "type int64"),
        ([np.full((4, 4, 3), np.nan)], "NaN"),
        ("missing.mp4", "there is no file"),
    ],
)
def test_a_function_that_returns_no_video_says_what_it_returned(
    tmp_path: Path, video: bytes, result: Any, message: str
) -> None:
    model = load_model(make_function_row(lambda *_: result, "mine", 8.0))
    with pytest.raises(ModelError, match=message):
        model.generate(Request("q_1", "Go.", tmp_path / "first_frame.png", 8.0), tmp_path / "out.mp4")  # type: ignore[union-attr]


def test_an_unknown_field_of_a_command_is_named_with_the_known_ones() -> None:
    assert fill_fields("mine", ["go", "{out}.mp4"], {"out": "a"}) == ["go", "a.mp4"]
    for word in ("{output}", "{", "{}"):
        with pytest.raises(SetupError, match=r"the command of mine .*use \{out\}, \{seed\}"):
            fill_fields("mine", [word], {"out": "a", "seed": 1})


def test_a_baseline_is_not_suggested_for_the_name_of_a_model() -> None:
    from vmevalkit.runs.plan import find_spec

    with pytest.raises(UnknownName) as found:
        find_spec("sora")
    assert "slower" not in str(found.value)
    with pytest.raises(UnknownName, match="did you mean 'oracle'"):
        find_spec("orcale")
