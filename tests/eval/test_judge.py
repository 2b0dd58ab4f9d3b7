"""VLM judges against a strict server: what is asked, how answers are read, and what ends up in the files."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

pytest.importorskip("openai")

from emulators.chat_server import ChatEmulator
from eval.judged_videos import BLUE, make_own_questions, make_question, plan_faults, write_solution
from vmevalkit.core.async_scorer import CallOptions, Judgement
from vmevalkit.core.chat import ChatAnswer
from vmevalkit.core.errors import SetupError, UnknownName, UsageError
from vmevalkit.core.records import Question
from vmevalkit.eval import GPT4OEvaluator
from vmevalkit.eval.experiment import ScoreSummary, estimate_experiment, score_videos
from vmevalkit.eval.judge import JudgeScorer, find_fault, read_value
from vmevalkit.eval.judge_config import JudgeConfig, make_config, parse_judge_name
from vmevalkit.eval.judge_frames import select_frames
from vmevalkit.eval.judge_requests import make_request
from vmevalkit.eval.scorers import find_scorer
from vmevalkit.jobs.limits import CHAT_LIMITS, choose_chat_limits
from vmevalkit.media.last_frame import last_frame
from vmevalkit.media.video_writer import write_video
from vmevalkit.models.openai_chat import make_message
from vmevalkit.store.scores import load_scores
from vmevalkit.tasks import TASKS

GOLDEN = Path(__file__).parents[1] / "data" / "judge_requests"
FAST = {"first_backoff_s": 0.001, "longest_backoff_s": 0.01, "call_limit_s": 20.0}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatEmulator]:
    with ChatEmulator() as emulator:
        for name, value in emulator.settings().items():
            monkeypatch.setenv(name, value)
        yield emulator
        assert emulator.bugs == []


def options(folder: Path, **given: Any) -> CallOptions:
    limits = {**FAST, **given.pop("limits", {})}
    return CallOptions(per_minute=1e6, answers=folder / "answers", limits=limits, **given)


def judge_video(judge: JudgeScorer, question: Question, video: Path, folder: Path, **given: Any) -> Judgement:
    async def score() -> Judgement:
        session = judge.open_session(options(folder, **given))
        try:
            return await session.score(question, video, "openai-sora-2")
        finally:
            await session.close()

    return asyncio.run(score())


def judge_own(root: Path, judge: JudgeScorer | str = "gpt-4o", **given: Any) -> ScoreSummary:
    return score_videos(
        root / "videos", root / "questions", "mine", root / "evaluations", scorer=judge, calls=options(root, **given)
    )


def as_golden(body: dict[str, Any]) -> dict[str, Any]:
    """Return a request with the type and size of each image in place of its bytes."""
    for part in body["messages"][1]["content"]:
        if part["type"] == "image_url":
            head, data = part["image_url"]["url"].split(",")
            image = decode(data)
            part["image_url"]["url"] = f"{head},({image.shape[1]}x{image.shape[0]} pixels)"
    return body


def decode(data: str) -> Any:
    return cv2.cvtColor(cv2.imdecode(np.frombuffer(base64.b64decode(data), np.uint8), 1), cv2.COLOR_BGR2RGB)


def images_of(body: dict[str, Any]) -> list[Any]:
    parts = [part for part in body["messages"][1]["content"] if part["type"] == "image_url"]
    return [decode(part["image_url"]["url"].split(",")[1]) for part in parts]


@pytest.mark.parametrize("name", [name for name in TASKS if (GOLDEN / f"{name}.json").is_file()])
def test_the_request_of_each_task_is_the_specifications(server: ChatEmulator, tmp_path: Path, name: str) -> None:
    question, puzzle = make_question(tmp_path, name)
    video = write_solution(question, puzzle, tmp_path / "video.mp4")
    judge_video(JudgeScorer(), question, video, tmp_path)
    [body] = server.bodies
    task = TASKS[name]
    first, expected, actual = images_of(body)
    assert np.array_equal(first, task.first_frame(puzzle))
    assert np.array_equal(expected, task.final_frame(puzzle))
    assert np.array_equal(actual, last_frame(video))
    assert "sora" not in json.dumps(as_golden(body)).lower()
    assert body == json.loads((GOLDEN / f"{name}.json").read_text())


def test_the_prompt_is_the_specifications() -> None:
    specified = (
        "You are evaluating video generation models.\n"
        "Compare the final frame of the generated video with the expected ground truth final frame.\n\n"
        "Rate solution correctness on a 1-5 scale:\n"
        "1: Completely wrong - no understanding of task\n"
        "2: Mostly incorrect - minimal progress toward solution  \n"
        "3: Partially correct - about half the expected solution\n"
        "4: Mostly correct - close to expected result with minor errors\n"
        "5: Perfect - matches expected result\n\n"
        "Check if the final board position matches the expected position after the correct move.\n\n"
        'Respond in JSON: {"solution_correctness_score": <1-5>, "explanation": "<brief explanation>"}'
    )
    assert GPT4OEvaluator().create_prompt("chess_task") == specified
    assert GPT4OEvaluator().create_prompt("chess") == specified
    assert "{" not in GPT4OEvaluator().create_prompt("my_own_task").replace('{"solution', "")


VARIANTS = ("change_frames", "uniform_frames+reason_first", "final_frame", "reason_first")


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_requests_of_variants(server: ChatEmulator, tmp_path: Path, variant: str) -> None:
    question, puzzle = make_question(tmp_path, "rotation_puzzle")
    video = write_solution(question, puzzle, tmp_path / "video.mp4")
    judge = JudgeScorer(make_config(variant=variant))
    judge_video(judge, question, video, tmp_path)
    body = as_golden(server.bodies[0])
    assert body == json.loads((GOLDEN / f"variant-{variant}.json").read_text())
    assert judge.evaluator.startswith("Judge-gpt-4o-")


def test_a_goal_in_words_is_judged_too(server: ChatEmulator, tmp_path: Path) -> None:
    make_own_questions(tmp_path, 3)
    folders = sorted((tmp_path / "questions" / "doors_task").iterdir())
    (folders[0] / "final_frame.png").unlink()
    (folders[0] / "goal.txt").write_text("The door is open.\n")
    (folders[1] / "final_frame.png").unlink()
    summary = judge_own(tmp_path)
    by_question = {result.job.question.id: result.score for result in summary.results}
    assert by_question["door_0000"].value == 3
    assert by_question["door_0001"].value is None
    assert "neither final_frame.png nor goal.txt" in by_question["door_0001"].explanation
    goal = next(body for body in server.bodies if "number 0." in json.dumps(body["messages"]))
    assert len(images_of(goal)) == 2
    assert "\n2. Expected result: The door is open." in json.dumps(goal["messages"]).replace("\\n", "\n")
    assert "described in words" in goal["messages"][0]["content"]


def test_the_file_has_the_specifications_keys_and_the_judges_record(server: ChatEmulator, tmp_path: Path) -> None:
    make_own_questions(tmp_path, 1)
    judge_own(tmp_path)
    [path] = (tmp_path / "evaluations").rglob("GPT4OEvaluator.json")
    assert path.relative_to(tmp_path / "evaluations").as_posix() == "mine/mine/doors_task/door_0000/GPT4OEvaluator.json"
    record = json.loads(path.read_text())
    assert record["metadata"]["evaluator"] == "GPT4OEvaluator"
    assert record["metadata"]["model_name"] == "mine"
    assert record["result"]["solution_correctness_score"] == 3
    assert record["result"]["explanation"] == "about half"
    assert (record["result"]["solved"], record["result"]["passed"], record["result"]["process"]) == (False, None, None)
    [vote] = record["details"]["votes"]
    assert vote["server_model"] == "gpt-4o-2024-11-20"
    assert vote["answered_at"].startswith("20")
    assert (vote["input_tokens"], vote["output_tokens"]) == (1300, 40)
    [scored] = load_scores(tmp_path / "evaluations", "mine")
    assert (scored.score.value, scored.details is not None) == (3, True)


def test_what_was_judged_is_kept_and_judges_do_not_overwrite_each_other(server: ChatEmulator, tmp_path: Path) -> None:
    make_own_questions(tmp_path, 2)
    judge_own(tmp_path)
    assert [result.kept for result in judge_own(tmp_path).results] == [True, True]
    assert server.answered == 2
    judge_own(tmp_path, find_scorer("judge:gpt-4.1"))
    judge_own(tmp_path, find_scorer("judge:gpt-4o+reason_first"))
    names = {path.stem for path in (tmp_path / "evaluations").rglob("*.json")}
    assert names == {"GPT4OEvaluator", "Judge-gpt-4.1-final_frame", "Judge-gpt-4o-final_frame+reason_first"}


def test_five_votes_are_five_requests_and_the_next_run_none(server: ChatEmulator, tmp_path: Path) -> None:
    make_own_questions(tmp_path, 1)
    values = iter([5, 2, 4, 4, 1])
    server.reply = lambda _: json.dumps({"solution_correctness_score": next(values), "explanation": "x"})
    judge = JudgeScorer(make_config(votes=5))
    [result] = judge_own(tmp_path, judge).results
    assert server.answered == 5
    assert result.score is not None
    spread = [result.score.metrics[name] for name in ("votes_lowest", "votes_highest")]
    assert (result.score.value, spread) == (4, [1.0, 5.0])
    for path in (tmp_path / "evaluations").rglob("*.json"):
        path.unlink()  # without the scores, the answers are still there
    [again] = judge_own(tmp_path, judge).results
    assert (server.answered, again.score) == (5, result.score)


def test_a_panel_asks_every_model(server: ChatEmulator, tmp_path: Path) -> None:
    make_own_questions(tmp_path, 1)
    server.reply = lambda body: json.dumps(
        {"solution_correctness_score": {"gpt-4o": 5, "gpt-4.1": 2, "gpt-5": 4}[body["model"]], "explanation": "x"}
    )
    judge = JudgeScorer(make_config("gpt-4o,gpt-4.1,gpt-5", votes=2))
    [result] = judge_own(tmp_path, judge).results
    assert server.answered == 6
    assert result.score is not None
    assert (result.score.value, result.score.solved) == (4, True)
    assert judge.evaluator == "Judge-gpt-4o+gpt-4.1+gpt-5-final_frame+votes2"


def test_a_judge_of_the_same_vendor_is_flagged(server: ChatEmulator, tmp_path: Path) -> None:
    question, puzzle = make_question(tmp_path, "sudoku")
    video = write_solution(question, puzzle, tmp_path / "video.mp4")
    judged = judge_video(JudgeScorer(), question, video, tmp_path)
    assert [finding.name for finding in judged.score.findings] == ["judge_of_same_vendor"]
    assert judged.details is not None
    assert judged.details["is_same_vendor"] is True


ODD = ("prose", "string", "out_of_range", "empty", "cut", "fraction")


@pytest.mark.parametrize("fault", ODD)
def test_an_unreadable_answer_is_unscored_and_asked_for_again(server: ChatEmulator, tmp_path: Path, fault: str) -> None:
    make_own_questions(tmp_path, 1)
    server.faults.create = [fault]
    summary = judge_own(tmp_path)
    [result] = summary.unscored
    assert result.score is not None
    assert result.score.value is None
    assert result.score.explanation
    [again] = judge_own(tmp_path).results
    assert again.score is not None
    assert (again.score.value, server.answered) == (3, 2)


@pytest.mark.parametrize("fault", ["refuse", "filter", "moderate"])
def test_a_refusal_is_recorded_and_asked_again_only_on_demand(server: ChatEmulator, tmp_path: Path, fault: str) -> None:
    make_own_questions(tmp_path, 1)
    server.faults.create = [fault]
    for _ in range(2):
        [result] = judge_own(tmp_path).unscored
        assert result.score is not None
        assert result.score.explanation.startswith("the judge refused: ")
    assert len(server.calls) == 1
    [again] = judge_own(tmp_path, retry_refused=True).results
    assert again.score is not None
    assert again.score.value == 3


@pytest.mark.parametrize(("is_legal", "value", "passed"), [(True, 5, True), (False, 2, False)])
def test_a_judge_of_the_video_is_asked_about_the_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_legal: bool, value: int, passed: bool
) -> None:
    reply = {"solution_correctness_score": 5, "every_move_legal_and_shown": is_legal, "explanation": "x"}
    question, puzzle = make_question(tmp_path, "maze")
    video = write_solution(question, puzzle, tmp_path / "video.mp4")
    with ChatEmulator(lambda _body: json.dumps(reply)) as server:
        for name, setting in server.settings().items():
            monkeypatch.setenv(name, setting)
        score = judge_video(JudgeScorer(make_config(variant="change_frames")), question, video, tmp_path).score
        assert "is every move on the way" in server.bodies[0]["messages"][0]["content"]
    assert (score.value, score.solved, score.passed, score.process) == (value, True, passed, float(is_legal))


def test_values_of_answers() -> None:
    def read(value: Any) -> int | None:
        return read_value(ChatAnswer("", {"solution_correctness_score": value}))

    assert [read(value) for value in (1, 5, 4.0, "3", "4.0")] == [1, 5, 4, 3, 4]
    assert {read(value) for value in (0, 6, 3.5, "four", None, True, [4], "nan")} == {None}
    assert find_fault(ChatAnswer("x", {"score": 4})) == "the answer has no solution_correctness_score: ['score']"


def test_the_budget_and_the_dry_run(server: ChatEmulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from vmevalkit.models import chat

    monkeypatch.setattr(chat, "is_own_server", lambda _host: False)  # as if the server charged
    make_own_questions(tmp_path, 6)
    summary = judge_own(tmp_path, max_usd=0.034, in_flight=1)
    spent = (1300 * 2.5 + 40 * 10) / 1e6
    assert summary.spent_usd == pytest.approx(len(server.bodies) * spent)
    assert 2 < len(server.bodies) < 8
    assert summary.spent_usd <= 0.034
    with pytest.raises(UsageError, match="price of some-model is unknown"):
        judge_own(tmp_path, find_scorer("judge:some-model"), max_usd=1.0)
    with pytest.raises(UsageError, match="costs nothing"):
        estimate_experiment("mine", scorer="rules")


def test_two_servers_of_one_model_name_are_two_judges(
    server: ChatEmulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_own_questions(tmp_path, 2)
    judge = JudgeScorer(make_config("my-model", base_url=f"{server.url}/v1"))
    server.models, server.key = None, "none"
    monkeypatch.delenv("OPENAI_BASE_URL")
    judge_own(tmp_path, judge)
    with ChatEmulator(lambda _: '{"solution_correctness_score": 5, "explanation": "other weights"}') as other:
        other.models, other.key = None, "none"
        moved = JudgeScorer(make_config("my-model", base_url=f"{other.url}/v1"))
        assert [result.score.value for result in judge_own(tmp_path, moved).results if result.score] == [5, 5]
        assert (server.answered, other.answered) == (2, 2)
        assert [result.kept for result in judge_own(tmp_path, moved).results] == [True, True]
        written = "".join(path.read_text("utf-8") for path in tmp_path.rglob("*.json*") if path.is_file())
        assert other.url not in written and "127.0.0.1" not in written
        monkeypatch.setenv("VMEVALKIT_MOVED_SERVERS", f"{other.url}/v1={server.url}/v1")
        judge_own(tmp_path, moved)
        assert (server.answered, other.answered) == (2, 2)  # the same server, elsewhere: all is known


def test_a_budget_with_an_assumed_price_holds_on_a_server_of_ones_own(server: ChatEmulator, tmp_path: Path) -> None:
    make_own_questions(tmp_path, 6)
    summary = judge_own(tmp_path, max_usd=0.03, assumed_usd=0.01, in_flight=2)
    assert (len(server.bodies), summary.spent_usd) == (3, pytest.approx(0.03))
    again = judge_own(tmp_path, max_usd=0.03, assumed_usd=0.01, in_flight=2)
    assert len(server.bodies) == 3 and again.spent_usd == pytest.approx(0.03)


def test_a_server_of_ones_own_has_no_rate_limit_unless_asked() -> None:
    assert choose_chat_limits(CHAT_LIMITS, is_own=True).orders_per_minute == float("inf")
    assert choose_chat_limits(CHAT_LIMITS, is_own=True, per_minute=7).orders_per_minute == 7
    assert choose_chat_limits(CHAT_LIMITS, is_own=False).orders_per_minute == 60


def test_a_wrong_key_stops_at_once_and_names_the_setting(
    server: ChatEmulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_own_questions(tmp_path, 30)
    monkeypatch.setenv("OPENAI_API_KEY", "a-wrong-key-of-somebody")
    summary = judge_own(tmp_path, in_flight=4)
    assert len(summary.unscored) == 30
    assert len(server.calls) <= 4
    assert all("OPENAI_API_KEY" in result.score.explanation for result in summary.unscored if result.score)
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(SetupError, match="OPENAI_API_KEY"):
        judge_own(tmp_path)


def test_the_specifications_evaluator(server: ChatEmulator, tmp_path: Path) -> None:
    question, puzzle = make_question(tmp_path / "outputs" / "pilot" / "m", "maze")
    run = question.folder / "m_maze_0000_20260101_000000"
    (run / "video").mkdir(parents=True)
    video = write_solution(question, puzzle, run / "video" / "out.mp4")
    (run / "question").mkdir()
    for path in question.folder.iterdir():
        if path.is_file():
            path.rename(run / "question" / path.name)
    evaluator = GPT4OEvaluator(tmp_path / "evaluations", "pilot", options=options(tmp_path))
    result = asyncio.run(evaluator.evaluate_single_async("m", "maze_task", "maze_0000", str(video)))
    assert (result["solution_correctness_score"], result["explanation"]) == (3, "about half")
    assert (tmp_path / "evaluations/pilot/m/maze_task/maze_0000/GPT4OEvaluator.json").is_file()
    again = asyncio.run(evaluator.evaluate_single_async("m", "maze_task", "maze_0000", str(video)))
    assert (again["solution_correctness_score"], server.answered) == (3, 1)
    frame = evaluator.extract_final_frame(video)
    assert np.array_equal(decode(evaluator.encode_image(frame)), frame)
    first = decode(evaluator.encode_image(str(run / "question" / "first_frame.png")))
    assert np.array_equal(first, images_of(server.bodies[0])[0])
    messages = [make_message(message) for message in make_request(JudgeConfig(), question_of(run), video).messages]
    response = asyncio.run(evaluator.call_gpt4o(messages))
    assert json.loads(response["choices"][0]["message"]["content"])["solution_correctness_score"] == 3
    assert server.answered == 1  # the same question was answered before


def question_of(run: Path) -> Question:
    from dataclasses import replace

    from vmevalkit.store.questions import load_question

    return replace(load_question(run / "question"), id="maze_0000", domain="maze")


def test_a_file_of_the_specifications_form_is_kept(server: ChatEmulator, tmp_path: Path) -> None:
    make_own_questions(tmp_path, 1)
    path = tmp_path / "evaluations/mine/mine/doors_task/door_0000/GPT4OEvaluator.json"
    path.parent.mkdir(parents=True)
    metadata = {"evaluator": "GPT4OEvaluator", "timestamp": "2025-10-01T00:00:00", "model_name": "mine",
                "task_type": "doors_task", "task_id": "door_0000"}  # fmt: skip
    result = {"solution_correctness_score": 5, "explanation": "fine"}
    path.write_text(json.dumps({"metadata": metadata, "result": result}))
    [kept] = judge_own(tmp_path).results
    assert (kept.kept, kept.score and kept.score.value, server.answered) == (True, 5, 0)


@pytest.mark.parametrize(
    ("name", "evaluator"),
    [
        ("gpt-4o", "GPT4OEvaluator"),
        ("judge:gpt-4o", "GPT4OEvaluator"),
        ("judge:OpenGVLab/InternVL3-8B+reason_first+change_frames", "Judge-InternVL3-8B-change_frames+reason_first"),
        ("judge:a,b+votes3", "Judge-a+b-final_frame+votes3"),
        ("judge:a+specification", "Judge-a-specification"),
        ("judge:qwen2.5vl:7b", "Judge-qwen2.5vl:7b-final_frame"),
    ],
)
def test_names_of_judges(name: str, evaluator: str) -> None:
    config = parse_judge_name(name)
    assert config is not None
    assert config.evaluator == evaluator


def test_a_long_name_of_a_panel_is_cut_and_stays_its_own() -> None:
    models = ",".join(f"a-long-name-of-a-model-{number}" for number in range(5))
    names = [make_config(models, votes=votes).evaluator for votes in (1, 2)]
    assert len(set(names)) == 2
    assert max(map(len, names)) <= 64


def test_wrong_names_of_judges() -> None:
    assert parse_judge_name("rules") is None
    for name, error in (("judge:m+final_fram", UnknownName), ("judge:", UsageError), ("judge:m,m", UsageError)):
        with pytest.raises(error):
            parse_judge_name(name)
    with pytest.raises(UsageError, match="exclude each other"):
        parse_judge_name("judge:m+uniform_frames+change_frames")
    with pytest.raises(UnknownName, match="did you mean 'gpt-4o'"):
        find_scorer("gpt-4")


def test_frames_are_taken_where_the_video_changes(tmp_path: Path) -> None:
    dark = np.zeros((64, 64, 3), np.uint8)
    moving = []
    for step in range(8):
        frame = dark.copy()
        frame[10:30, 8 * step : 8 * step + 8] = 255
        moving.append(frame)
    write_video(tmp_path / "v.mp4", [dark] * 40 + moving + [moving[-1]] * 40, 8.0)
    by_change = [timed.seconds for timed in select_frames(tmp_path / "v.mp4", 8, by_change=True)]
    uniform = [timed.seconds for timed in select_frames(tmp_path / "v.mp4", 8, by_change=False)]
    assert by_change[0] == uniform[0] == 0.0
    assert by_change[-1] == uniform[-1] == pytest.approx(87 / 8)
    assert sum(4.5 <= seconds <= 6.2 for seconds in by_change) >= 5
    assert sum(4.5 <= seconds <= 6.2 for seconds in uniform) <= 2
    assert len(select_frames(tmp_path / "v.mp4", 500, by_change=True)) == 88


def test_the_server_sees_the_real_last_frame(server: ChatEmulator, tmp_path: Path) -> None:
    make_own_questions(tmp_path, 1)
    judge_own(tmp_path)
    assert np.abs(images_of(server.bodies[0])[2].astype(int) - BLUE).max() < 12


FAULTS = ("throttle", "throttle_bare", "fail", "stall", "prose", "string", "out_of_range", "refuse")


@pytest.mark.slow
def test_a_thousand_judgements_with_faults(server: ChatEmulator, tmp_path: Path) -> None:
    make_own_questions(tmp_path, 1000)
    server.retry_after_s = 0  # as a header it still says when to come back
    server.faults.create = plan_faults(FAULTS, 3000, 0.2, seed=7)
    how = {"in_flight": 16, "limits": {"call_limit_s": 4.0, "attempts": 8}}
    first = judge_own(tmp_path, **how)
    assert len(first.results) == 1000
    assert first.failed == ()
    assert all(result.score and (result.score.value in (3, None)) for result in first.results)
    assert all(result.score and result.score.explanation for result in first.results)
    refused = {
        result.job.question.id
        for result in first.unscored
        if result.score and result.score.explanation.startswith("the judge refused")
    }
    unreadable = {result.job.question.id for result in first.unscored} - refused
    assert 10 < len(refused) < 60
    assert 40 < len(unreadable) < 140
    server.faults.create = []
    before = len(server.calls)
    second = judge_own(tmp_path, **how)
    assert len(server.calls) - before == len(unreadable)  # nothing is asked again that was answered
    assert {result.job.question.id for result in second.unscored} == refused
