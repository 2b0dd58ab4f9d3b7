"""``score --with gpt-4o``, ``audit --scorer gpt-4o`` and ``agree`` as a user calls them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openai")

from typer.testing import CliRunner

from emulators.chat_server import ChatEmulator, give_three
from eval.judged_videos import make_own_questions
from vmevalkit.cli.main import make_app


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatEmulator]:
    monkeypatch.chdir(tmp_path)
    with ChatEmulator() as emulator:
        for name, value in emulator.settings().items():
            monkeypatch.setenv(name, value)
        yield emulator
        assert emulator.bugs == []


def call(line: str) -> tuple[int, str]:
    result = CliRunner().invoke(make_app(), line.split())
    return result.exit_code, result.output


OWN = "score --videos videos --questions questions --name mine --evaluations e --answers answers --per-minute 100000"


def test_score_with_a_judge(server: ChatEmulator, tmp_path: Path) -> None:
    make_own_questions(tmp_path, 3)
    code, text = call(f"{OWN} --with gpt-4o")
    assert code == 0, text
    assert "mine: 3 scored, 0 kept; 0 passed, 0 without a verdict; $0.00 spent" in text
    code, text = call(f"{OWN} --with judge --judge-model gpt-4.1,gpt-5 --variant reason_first --votes 2")
    assert code == 0, text
    assert server.answered == 3 + 3 * 2 * 2
    assert len(list((tmp_path / "e").rglob("Judge-gpt-4.1+gpt-5-final_frame+reason_first+votes2.json"))) == 3


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"{OWN} --votes 3", "have no effect on the scorer 'rules'; use --with judge"),
        (f"{OWN} --with judge --votes 0", "--votes is 0; it must be 1 to 25"),
        (f"{OWN} --with judge --variant fast", "no variant of the judge 'fast'"),
        (f"{OWN} --with gpt-4o --max-usd -1", "--max-usd is -1"),
        (f"{OWN} --with gpt-4o --per-minute 0", "--per-minute is 0"),
        (f"{OWN} --with gpt-4o --base-url localhost", "is not the address of a server"),
        ("audit --task sudoku --videos 1 --dry-run", "rules makes no calls"),
    ],
)
def test_wrong_options(server: ChatEmulator, tmp_path: Path, line: str, message: str) -> None:
    make_own_questions(tmp_path, 1)
    code, text = call(line)
    assert code == 2, text
    assert message in " ".join(text.split())
    assert server.calls == []


@pytest.mark.slow
def test_an_experiment_needs_the_judges_key_before_anything_is_made(
    server: ChatEmulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "name: e\nmodels: [oracle]\ntasks: [sudoku]\nn: 1\nscorers: [rules, gpt-4o]\nbaselines: false\nseconds: 2\n"
    (tmp_path / "e.yaml").write_text(text)
    key = os.environ["OPENAI_API_KEY"]
    monkeypatch.delenv("OPENAI_API_KEY")
    code, text = call("experiment e.yaml --workers 1")
    assert (code, "OPENAI_API_KEY" in text) == (1, True)
    assert not (tmp_path / "data").exists()
    monkeypatch.setenv("OPENAI_API_KEY", key)
    code, text = call("experiment e.yaml --workers 1")
    assert code == 0, text
    assert "e, gpt-4o: 1 scored, 0 kept" in text
    assert server.answered == 1


def test_agree_without_a_second_scorer(server: ChatEmulator, tmp_path: Path) -> None:
    make_own_questions(tmp_path, 1)
    call(f"{OWN} --with gpt-4o")
    code, text = call("agree --experiment mine --evaluations e --outputs o")
    assert (code, "no video has labels of two scorers" in text) == (2, True)


def test_agree_of_two_judges(server: ChatEmulator, tmp_path: Path) -> None:
    make_own_questions(tmp_path, 4)
    call(f"{OWN} --with gpt-4o")
    server.reply = lambda _body: '{"solution_correctness_score": 5, "explanation": "good"}'
    call(f"{OWN} --with judge --judge-model gpt-4.1")
    code, text = call("agree --experiment mine --evaluations e --outputs o --format json")
    assert code == 0, text
    report = json.loads(text)
    [pair, *_] = report["pairs"]
    assert {pair["first"], pair["second"]} == {"GPT4OEvaluator", "Judge-gpt-4.1-final_frame"}
    assert (pair["videos"], pair["percent"]["value"]) == (4, 0.0)
    code, text = call("agree --experiment mine --evaluations e --outputs o --out a.md --format markdown")
    assert "a.md: " in text
    assert "| first | second |" in (tmp_path / "a.md").read_text()


@pytest.mark.slow
def test_audit_of_a_judge_prints_the_cost_first_and_repeats_for_nothing(server: ChatEmulator, tmp_path: Path) -> None:
    line = "audit --scorer gpt-4o --task sudoku --trick oracle static cut_to_final --videos 2 --workers 1"
    line += " --per-minute 100000 --answers answers --out certificate.md"
    code, text = call(f"{line} --dry-run")
    assert code == 0, text
    assert "GPT4OEvaluator: 6 videos; 6 calls for at most $0.00; nothing was asked" in text
    assert server.calls == []
    code, text = call(line)
    assert code == 1, text  # a judge that always gives 3 fails
    assert text.index("6 calls for at most") < text.index("By trick")
    assert "sees only the end of a video" in (tmp_path / "certificate.md").read_text()
    assert server.answered == 6
    call(line)
    assert server.answered == 6


def count_whole_lines(folder: Path) -> int:
    """Return the number of logged answers. A kill may leave a part of a line, which counts as nothing."""
    count = 0
    for line in (line for path in folder.glob("*.jsonl") for line in path.read_bytes().split(b"\n")):
        with suppress(ValueError):
            json.loads(line)
            count += 1
    return count


@pytest.mark.slow
def test_a_killed_run_asks_nothing_again_that_was_answered(server: ChatEmulator, tmp_path: Path) -> None:
    count, in_flight = 120, 4
    make_own_questions(tmp_path, count)
    is_killed = threading.Event()

    def reply(body: dict[str, Any]) -> str:
        if server.answered > count // 2:
            is_killed.wait()  # so that much is left to ask, however late this thread kills the run
        return give_three(body)

    server.reply = reply
    line = f"{OWN} --with gpt-4o --in-flight {in_flight}"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "vmevalkit", *line.split()]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while server.answered < count // 6 and process.poll() is None:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    is_killed.set()
    server.wait_until_idle()  # the server may read a request after the end of its sender
    logged = count_whole_lines(tmp_path / "answers")
    asked = len(server.calls)
    # A call keeps its slot until its answer is in the log: what is not there was in one of the slots.
    assert 0 <= asked - logged <= in_flight
    assert count // 6 - in_flight <= logged <= count // 2
    code, text = call(line)
    assert code == 0, text
    assert len(server.calls) - asked == count - logged
    prompts = [body["messages"][1]["content"][0]["text"] for body in server.bodies]
    assert len(set(prompts)) == count
    assert len(prompts) - count <= in_flight


@pytest.mark.parametrize("model", ["gpt-4o", "azure/some-deployment"])
def test_a_dry_run_needs_no_key(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "CHAT_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://some.openai.azure.com")
    call("generate --task sudoku --n 1 --workers 1 --out q")
    call("run --model static --questions q --experiment e --outputs o --workers 1")
    line = f"score --with judge --judge-model {model} --experiment e --outputs o --evaluations v --dry-run"
    code, text = call(line)
    assert code == 0, text
    assert "1 videos, 0 kept; 1 call" in text and "nothing was asked" in text
    code, text = call(line.removesuffix(" --dry-run"))
    assert code != 0 and "set " in text, "without --dry-run the key is asked for"
