"""An S3 server on this machine, moto's, that fails now and then as real ones do."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Iterable
from typing import Any, NoReturn

from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server


class FaultyS3:
    """Serves S3 over HTTP. ``faults`` says of each kind of fault how many requests pass until the next one."""

    def __init__(self) -> None:
        self._app = DomainDispatcherApplication(create_backend_app)
        self._server = make_server("127.0.0.1", 0, self._serve, threaded=True)
        self._server.daemon_threads, self._server.block_on_close = True, False  # clients keep connections open
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.faults: dict[str, int] = {}
        self.injected: dict[str, int] = {}
        self.stored: list[str] = []
        """Paths of the objects that were stored, in order."""
        self._requests = 0
        self._lock = threading.Lock()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _serve(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        fault = self._next_fault()
        if fault == "error":
            environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            start_response("500 Internal Server Error", [("Content-Type", "application/xml")])
            return [b"<Error><Code>InternalError</Code><Message>We encountered an internal error.</Message></Error>"]
        if fault == "slow":
            time.sleep(1.5)
        if fault == "reset":
            _reset(environ["werkzeug.socket"])
        body = b"".join(self._app(environ, start_response))
        if environ["REQUEST_METHOD"] == "PUT" and environ["PATH_INFO"].count("/") > 1:
            with self._lock:
                self.stored.append(environ["PATH_INFO"])
        return _break_off(body, environ["werkzeug.socket"]) if fault == "break" else [body]

    def _next_fault(self) -> str | None:
        with self._lock:
            self._requests += 1
            for fault, every in self.faults.items():
                if self._requests % every == 0:
                    self.injected[fault] = self.injected.get(fault, 0) + 1
                    return fault
        return None


def _break_off(body: bytes, connection: socket.socket) -> Iterable[bytes]:
    """Send half of an answer and end the connection."""
    yield body[: len(body) // 2]
    connection.shutdown(socket.SHUT_RDWR)


def _reset(connection: socket.socket) -> NoReturn:
    """Reset the connection. Its descriptor is closed itself: files of the server still refer to the socket."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    socket.close(connection.detach())
    raise ConnectionResetError  # which the server takes as a connection that the client has left
