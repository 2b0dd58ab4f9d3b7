"""The server of the page: it shows one question after another, and stores what the person does."""

from __future__ import annotations

import base64
import binascii
import json
import secrets
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from vmevalkit.core.addresses import is_this_machine
from vmevalkit.core.errors import SetupError, UsageError, VMEvalKitError
from vmevalkit.core.records import Question
from vmevalkit.play.playable_question import PlayableQuestion
from vmevalkit.play.recording import find_run, make_model_name, parse_recording, save_recording

MOST_BYTES = 32 << 20
_ASSETS = {
    "/": ("play.html", "text/html"), "/play.js": ("play.js", "text/javascript"), "/play.css": ("play.css", "text/css"),
}  # fmt: skip
_POLICY = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; form-action 'none'; base-uri 'none'"


class PlaySession:
    """The questions of one experiment, for one person. One lock makes every step atomic."""

    def __init__(self, questions: Sequence[Question], experiment: str, person: str, outputs: Path) -> None:
        self.experiment, self.model, self._outputs = experiment, make_model_name(person), outputs
        self.questions = [PlayableQuestion(question) for question in questions]
        self._lock = Lock()
        self._done = [find_run(outputs, experiment, self.model, question) is not None for question in self.questions]

    @property
    def done(self) -> int:
        """Number of the questions that have a video."""
        return sum(self._done)

    def describe(self, skipped: Sequence[int] = ()) -> dict[str, Any]:
        """Return the next question, those that were skipped last."""
        counts = {"done": self.done, "total": len(self.questions), "model": self.model, "experiment": self.experiment}
        open_ = [index for index, done in enumerate(self._done) if not done]
        open_.sort(key=lambda index: (index in skipped, skipped.index(index) if index in skipped else index))
        if not open_:
            return {**counts, "question": None}
        return {**counts, "index": open_[0], "question": self.questions[open_[0]].describe()}

    def list_moves(self, message: dict[str, Any]) -> dict[str, Any]:
        played = self._find(message)
        return {"moves": played.list_moves(played.parse_parts(message.get("parts")))}

    def finish(self, message: dict[str, Any]) -> dict[str, Any]:
        """Store the recording of a question."""
        played = self._find(message)
        recording = parse_recording(played, message.get("recording"))
        seconds, restarts = message.get("seconds"), message.get("restarts")
        with self._lock:
            if self._done[message["index"]]:
                raise UsageError(f"{played.question.id} has a video already; reload the page")
            save_recording(
                played, recording, self.experiment, self.model, self._outputs,
                seconds=float(seconds) if isinstance(seconds, int | float) else 0.0,
                restarts=restarts if isinstance(restarts, int) else 0,
            )  # fmt: skip
            self._done[message["index"]] = True
        return {"stored": played.question.id}

    def _find(self, message: dict[str, Any]) -> PlayableQuestion:
        index = message.get("index")
        if type(index) is not int or not 0 <= index < len(self.questions):
            raise UsageError(f"there is no question {index!r:.80}")
        return self.questions[index]


def serve_page(session: PlaySession, host: str, port: int, password: str | None) -> ThreadingHTTPServer:
    """Return the server, which runs in a thread until ``shutdown``. An address that others reach needs a password."""
    if password is None and not is_this_machine(host):
        raise UsageError(
            f"the address {host} is open to others, who could play in this name; set a password: --password"
        )
    handler = partial(_Handler, session, secrets.token_urlsafe(24), password, is_this_machine(host))
    try:
        server = ThreadingHTTPServer((host, port), handler)
    except OSError as error:
        raise SetupError(f"cannot serve on port {port}: {error}; choose another one: --port") from error
    server.daemon_threads = True
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    return server


class _Handler(BaseHTTPRequestHandler):
    server_version, sys_version = "vmevalkit", ""
    timeout = 60

    def __init__(self, session: PlaySession, token: str, password: str | None, is_local: bool, *args: Any) -> None:
        self._session, self._token, self._password, self._is_local = session, token, password, is_local
        super().__init__(*args)

    def do_GET(self) -> None:
        if not self._is_allowed():
            return
        if self.path not in _ASSETS:
            self._send_json({"error": f"there is no {self.path[:80]}"}, HTTPStatus.NOT_FOUND)
            return
        name, kind = _ASSETS[self.path]
        text = files(__package__).joinpath("page").joinpath(name).read_text("utf-8")
        self._send(text.replace("{{ token }}", self._token).encode(), f"{kind}; charset=utf-8", HTTPStatus.OK)

    def do_POST(self) -> None:
        if not self._is_allowed():
            return
        # Only this server's own page knows the token: another page in the same browser cannot send for the person.
        if not secrets.compare_digest(self.headers.get("X-Play-Token", "").encode(), self._token.encode()):
            self._send_json({"error": "the page is from an earlier server; reload it"}, HTTPStatus.FORBIDDEN)
            return
        try:
            message = self._read_message()
            if self.path == "/api/next":
                skipped = message.get("skipped")
                answer = self._session.describe(skipped if isinstance(skipped, list) else [])
            elif self.path == "/api/moves":
                answer = self._session.list_moves(message)
            elif self.path == "/api/finish":
                answer = self._session.finish(message)
            else:
                raise UsageError(f"there is no {self.path[:80]}")
        except VMEvalKitError as error:
            code = HTTPStatus.BAD_REQUEST if isinstance(error, UsageError) else HTTPStatus.INTERNAL_SERVER_ERROR
            self._send_json({"error": str(error)}, code)
            return
        self._send_json(answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing: the terminal is for what the person has to know."""

    def _read_message(self) -> dict[str, Any]:
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit() or int(length) > MOST_BYTES:
            raise UsageError(f"a message has at most {MOST_BYTES} bytes, not {length!r:.40}; start over")
        try:
            message = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError) as error:
            raise UsageError(f"the message is not JSON: {error}") from error
        if not isinstance(message, dict):
            raise UsageError("the message is not an object of JSON")
        return message

    def _is_allowed(self) -> bool:
        """Answer and return False where the request may not come in."""
        # A name of the internet can be made to lead to this machine: only this machine's own names are served.
        name = self.headers.get("Host", "").rpartition(":")[0].strip("[]")
        if self._is_local and not is_this_machine(name):
            self._send_json({"error": f"this page is at 127.0.0.1, not at {name[:80]}"}, HTTPStatus.MISDIRECTED_REQUEST)
            return False
        if self._password is None or self._has_password(self._password):
            return True
        headers = {"WWW-Authenticate": 'Basic realm="vmevalkit play: any name, and the password"'}
        self._send_json({"error": "the password is wrong"}, HTTPStatus.UNAUTHORIZED, headers)
        return False

    def _has_password(self, password: str) -> bool:
        kind, _, value = self.headers.get("Authorization", "").partition(" ")
        try:
            given = base64.b64decode(value, validate=True).partition(b":")[2]
        except (binascii.Error, ValueError):
            return False
        return kind == "Basic" and secrets.compare_digest(given, password.encode())

    def _send_json(
        self, data: dict[str, Any], status: HTTPStatus = HTTPStatus.OK, headers: dict[str, str] | None = None
    ) -> None:
        self._send(json.dumps(data).encode(), "application/json", status, headers)

    def _send(self, body: bytes, kind: str, status: HTTPStatus, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": kind, "Content-Length": str(len(body)), "Cache-Control": "no-store",
            "Content-Security-Policy": _POLICY, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
            **(headers or {}),
        }.items():  # fmt: skip
            self.send_header(name, value)
        with suppress(ConnectionError):  # the page was closed meanwhile
            self.end_headers()
            self.wfile.write(body)
