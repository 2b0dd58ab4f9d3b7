"""The reward service: a real server process, a real client, and what hostile clients send."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from tests.reward.solutions import show_solution
from vmevalkit.core.errors import MediaError, UsageError
from vmevalkit.media.image import encode_png
from vmevalkit.media.video import write_video
from vmevalkit.reward import RewardBatch, RewardFunction
from vmevalkit.reward.payloads import parse_npy
from vmevalkit.reward.service import ServiceLimits, check_address, make_app

TOKEN = "correct horse"
FPS = 12.0
SMALL_MB = 100
HEAD = (
    f"POST /rewards HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n"
    "Content-Type: multipart/form-data; boundary=x\r\n"
)


@dataclass
class Service:
    process: subprocess.Popen[str]
    url: str

    @property
    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=120)

    def children(self, pid: int) -> list[int]:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
        return [int(child) for child in text.split()]


def start_service(*options: str, env: dict[str, str] | None = None) -> Service:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "vmevalkit", "serve", "--task", "clock", "--n", "2", "--seed", "4", "--port", str(port),
         *options],
        env={**os.environ, "VMEVALKIT_REWARD_TOKEN": TOKEN, **(env or {})}, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    url = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + 60
    while True:
        try:
            httpx.get(f"{url}/health", timeout=5).raise_for_status()
            return Service(process, url)
        except httpx.TransportError:
            assert process.poll() is None, process.stderr and process.stderr.read()
            assert time.monotonic() < deadline, "the service does not start"
            time.sleep(0.1)


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    service = start_service("--workers", "2", "--batch", "8", "--waiting", "3", "--max-mb", str(SMALL_MB))
    yield service
    service.process.send_signal(signal.SIGINT)
    service.process.communicate(timeout=60)
    assert service.process.returncode == 0


@pytest.fixture(scope="module")
def reward() -> RewardFunction:
    return RewardFunction(tasks=["clock"], n=2, seed=4)


@pytest.fixture(scope="module")
def solved(reward: RewardFunction) -> np.ndarray:
    return show_solution(reward, "clock_0000")


def npy(array: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def post(service: Service, videos: list[bytes], names: Any = "clock_0000", fps: Any = FPS) -> httpx.Response:
    request = json.dumps({"question_ids": names, "fps": fps})
    files = [("videos", (f"{n}.bin", video)) for n, video in enumerate(videos)]
    with service.client as client:
        return client.post("/rewards", data={"request": request}, files=files)


def claim(shape: tuple[int, ...], dtype: str = "|u1", payload: bytes = b"x" * 64) -> bytes:
    """Return an npy file whose header claims more than there is."""
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}}}".encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + payload


def test_a_batch_over_http_has_the_rewards_of_the_function(
    service: Service, reward: RewardFunction, solved: np.ndarray, tmp_path: Path
) -> None:
    half = show_solution(reward, "clock_0000", 0.5)
    write_video(tmp_path / "video.mp4", list(solved), FPS)
    floats = (solved / 255).astype(np.float32).transpose(0, 3, 1, 2)
    videos = [npy(solved), npy(half), (tmp_path / "video.mp4").read_bytes(), npy(np.asfortranarray(solved))]
    answer = post(service, videos)
    assert answer.status_code == 200, answer.text
    wanted = reward([solved, half, tmp_path / "video.mp4", solved], "clock_0000", FPS)
    assert RewardBatch.from_json(answer.json()) == wanted
    assert answer.json()["rewards"] == wanted.rewards and wanted.passed == [True, False, True, True]
    assert post(service, [npy(floats[:, :, ::2, ::2])]).json()["passed"] == [True]


def test_the_remote_client_of_flow_factory_is_answered(service: Service, solved: np.ndarray) -> None:
    """Its request is JSON with PNG images in base64; docs/TRAINING.md names the client."""
    frames = [base64.b64encode(encode_png(frame)).decode() for frame in solved]
    payload = {
        "prompt": ["p"], "image": None, "video": [frames], "condition_images": None, "condition_videos": None,
        "kwargs": {"metadata": [json.dumps({"question_id": "clock_0000"})]},
    }  # fmt: skip
    with service.client as client:
        answer = client.post("/compute", json=payload)
        assert answer.status_code == 200, answer.text
        assert answer.json() == {"rewards": [1.0]}
        for bad in (b"[", b"[1]", b"{}"):
            assert client.post("/compute", content=bad).status_code == 422
    assert httpx.post(f"{service.url}/compute", json=payload).status_code == 401


def test_health_needs_no_token_and_rewards_do(service: Service, solved: np.ndarray) -> None:
    health = httpx.get(f"{service.url}/health").json()
    assert health["status"] == "ok" and health["questions"] == 2 and health["limit"] == 3
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}):
        answer = httpx.post(f"{service.url}/rewards", headers=headers, files={"videos": npy(solved)})
        assert answer.status_code == 401
        assert "Authorization: Bearer TOKEN" in answer.json()["detail"]


def test_what_is_wrong_with_a_request_is_said(service: Service, solved: np.ndarray) -> None:
    small = npy(solved[:1])
    for videos, names, fps, message in (
        ([small], "clock_0009", FPS, "no question 'clock_0009'"),
        ([small], ["clock_0000"] * 2, FPS, "one value, or a list with one for each of the 1 videos"),
        ([small], [3], FPS, "holds a value of another type"),
        ([small], "clock_0000", -1, "above 0"),
        ([small], "clock_0000", [True], "holds a value of another type"),
        ([], "clock_0000", FPS, "no video"),
    ):
        answer = post(service, videos, names, fps)
        assert answer.status_code == 422, answer.text
        assert message in answer.json()["detail"]
    assert post(service, [small] * 9).status_code == 400, "more videos than a request may have"
    with service.client as client:
        for text in ("[", "[1]", "null", "[" * 100_000):
            answer = client.post("/rewards", data={"request": text}, files={"videos": small})
            assert answer.status_code == 422 and "not JSON with 'question_ids'" in answer.json()["detail"]
        assert client.post("/rewards", content=b"junk").status_code in (400, 422)
        broken = {"content-type": "multipart/form-data; boundary=x"}
        assert client.post("/rewards", content=b"--x\r\nbroken", headers=broken).status_code in (400, 422)


def test_hostile_videos_cost_themselves_alone(service: Service, solved: np.ndarray, tmp_path: Path) -> None:
    write_video(tmp_path / "video.mp4", list(solved), FPS)
    video = (tmp_path / "video.mp4").read_bytes()
    pickled = npy(np.array([{"a": 1}], dtype=object), allow_pickle=True)
    bad = [pickled, claim((10**6, 10**6, 10**6, 3)), video[:300], b"", b"\x93NUMPY\x07\x00junk", claim((2, -4, 8, 3))]
    answer = post(service, [*bad, npy(solved)])
    assert answer.status_code == 200, answer.text
    batch = RewardBatch.from_json(answer.json())
    assert batch.rewards == [0.0] * len(bad) + [1.0]
    assert batch.scored == [False] * len(bad) + [True]
    assert "pickled objects are refused" in str(batch[0].error)
    assert "claims (1000000, 1000000, 1000000, 3)" in str(batch[1].error)


NOT_NUMBERS = [claim((4,), "|O"), claim((64,), "<U1"), claim((64,), "<M8")]
NOT_IN_FULL = [claim((10**30,)), claim((8,), "<f8", b""), b"\x93NUMPY"]


@pytest.mark.parametrize("data", NOT_NUMBERS + NOT_IN_FULL)
def test_an_npy_file_is_plain_numbers_in_full_or_refused(data: bytes) -> None:
    with pytest.raises(MediaError, match="npy file"):
        parse_npy(data)


def test_large_and_slow_requests_are_refused(service: Service) -> None:
    def stream() -> Iterator[bytes]:
        for _ in range(SMALL_MB + 5):
            yield b"0" * 1_000_000

    with service.client as client:
        headers = {"content-type": "multipart/form-data; boundary=x"}
        try:
            answer = client.post("/rewards", content=stream(), headers=headers)
            assert answer.status_code in (400, 413)
        except httpx.TransportError:
            pass  # the service closed the connection while the client was still sending
    host, port = service.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as client:  # no byte of what it announces is awaited
        client.sendall(f"{HEAD}Content-Length: {10**12}\r\n\r\n".encode())
        assert client.recv(100).startswith(b"HTTP/1.1 413")
    wait_for_requests(service, 0)


def test_a_queue_that_is_full_says_when_to_come_again(service: Service, solved: np.ndarray) -> None:
    """Three clients send slowly; the fourth gets 429, and an answer once they have gone."""
    host, port = service.url.removeprefix("http://").split(":")
    slow = [socket.create_connection((host, int(port))) for _ in range(3)]
    for client in slow:
        client.sendall(f"{HEAD}Content-Length: 1000\r\n\r\n--x".encode())
    wait_for_requests(service, 3)
    answer = post(service, [npy(solved)])
    assert answer.status_code == 429 and int(answer.headers["retry-after"]) > 0
    for client in slow:
        client.close()
    wait_for_requests(service, 0)
    assert post(service, [npy(solved)]).json()["rewards"] == [1.0]


def wait_for_requests(service: Service, count: int) -> None:
    deadline = time.monotonic() + 30
    while httpx.get(f"{service.url}/health").json()["requests"] != count:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_killed_workers_lose_no_request(service: Service, solved: np.ndarray) -> None:
    first = post(service, [npy(solved)] * 2)
    servers = [child for child in service.children(service.process.pid) if service.children(child)]
    for server in servers:
        for worker in service.children(server):
            os.kill(worker, signal.SIGKILL)
    with ThreadPoolExecutor(2) as clients:
        answers = list(clients.map(lambda _: post(service, [npy(solved)] * 2), range(2)))
    assert [answer.json() for answer in answers] == [first.json()] * 2
    for server in servers:  # the process that starts them
        os.kill(server, signal.SIGKILL)
    assert post(service, [npy(solved)] * 2).json() == first.json()


def test_a_request_that_does_not_arrive_in_time_is_refused(reward: RewardFunction) -> None:
    app = make_app(reward, limits=ServiceLimits(receive_s=0.05))
    sent: list[Any] = []

    async def receive() -> Any:
        await asyncio.sleep(30)

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"content-type", b"multipart/form-data; boundary=x")]
    scope = {
        "type": "http", "path": "/rewards", "method": "POST", "headers": headers, "query_string": b"", "root_path": "",
        "http_version": "1.1", "scheme": "http", "server": ("x", 80), "client": ("x", 1), "raw_path": b"/rewards",
    }  # fmt: skip
    asyncio.run(app(scope, receive, send))
    assert sent[0]["status"] == 408


def test_other_machines_need_a_token() -> None:
    check_address("127.0.0.1", None)
    check_address("0.0.0.0", "secret")
    with pytest.raises(UsageError, match=r"open to other machines at 0\.0\.0\.0; set a token"):
        check_address("0.0.0.0", None)
    done = subprocess.run(
        [sys.executable, "-m", "vmevalkit", "serve", "--task", "clock", "--host", "0.0.0.0"],
        capture_output=True, text=True, env={**os.environ, "VMEVALKIT_REWARD_TOKEN": ""}, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2 and "set a token" in done.stderr
