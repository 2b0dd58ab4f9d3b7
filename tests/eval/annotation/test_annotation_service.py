"""Annotators, items and labels, without a page."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pandas as pd
import pytest
from annotated_experiment import make_experiment, make_service, rate_all
from hypothesis import given
from hypothesis import strategies as st

from vmevalkit import load_results
from vmevalkit.core.errors import ConflictError, UsageError
from vmevalkit.eval.annotation.assignment import choose_next, order_items
from vmevalkit.eval.annotation.gold import make_gold_items
from vmevalkit.eval.annotation.human import HumanEvaluator
from vmevalkit.eval.annotation.labels import MOST_TEXT, check_name
from vmevalkit.eval.annotation.page_text import write_rubric
from vmevalkit.eval.annotation.plan import PlanOptions, open_plan
from vmevalkit.eval.annotation.service import LEASE_S, AnnotationService, SessionError
from vmevalkit.eval.annotation.status import describe_progress
from vmevalkit.eval.criteria import is_process_judged
from vmevalkit.store import layout
from vmevalkit.store.scores import load_scores


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("annotation")
    make_experiment(root)
    return root / "outputs"


@pytest.fixture
def root(tmp_path: Path, videos: Path) -> Path:
    (tmp_path / "outputs").symlink_to(videos)
    return tmp_path


def read_labels(root: Path) -> dict[tuple[str, str, str], object]:
    frame = load_results("first", outputs=root / "outputs", evaluations=root / "evaluations")
    people = frame[frame["scorer"] == "HumanEvaluator"]
    return {(row.model, row.question, row.annotator): row.value for row in people.itertuples()}


def test_labels_become_scores_of_each_annotator(root: Path) -> None:
    service = make_service(root, PlanOptions(people=2))
    for name, value in (("Ann", 5), ("Bo", 2)):
        screen = rate_all(service, service.join(name), value)
        assert (screen.item, screen.rated, screen.total) == (None, 6, 6)
    labels = read_labels(root)
    assert len(labels) == 12
    assert labels["oracle", "maze_0000", "Ann"] == 5
    assert labels["oracle", "maze_0000", "Bo"] == 2
    path = root / "evaluations/first/oracle/maze_task/maze_0000/HumanEvaluator/Ann.json"
    record = json.loads(path.read_text())
    assert record["result"]["solution_correctness_score"] == 5
    assert record["details"]["queue"] == "all" and record["details"]["probability"] == 1.0
    assert next(iter(describe_progress(root / "evaluations", "first"))).startswith("Ann: 6 videos, 0 cannot tell")


def test_every_video_goes_to_the_asked_number_of_people(root: Path) -> None:
    service = make_service(root, PlanOptions(people=2, gold_share=0.0))
    names = ["Ann", "Bo", "Cy"]
    counts = [rate_all(service, service.join(name)).rated for name in names]
    assert counts == [6, 6, 0]  # two people have rated everything


def test_an_item_on_a_screen_is_not_given_to_a_third_person_until_it_is_left(root: Path) -> None:
    now = [0.0]
    service = make_service(root, PlanOptions(people=1, gold_share=0.0), clock=lambda: now[0])
    first = service.join("Ann").screen.item
    second = service.join("Bo")
    assert rate_all(service, second).rated == 5
    assert first is not None
    now[0] = LEASE_S + 1
    last = service.join("Cy").screen.item
    assert last is not None and last.token == first.token


def test_order_differs_between_annotators_and_not_between_days(root: Path) -> None:
    tokens = [str(number) for number in range(20)]
    ann, bo = (order_items(tokens, [], 0.0, 1, name) for name in ("Ann", "Bo"))
    assert ann != bo and sorted(ann) == sorted(bo) == sorted(tokens)
    assert ann == order_items(tokens, [], 0.0, 1, "Ann")


def test_work_is_resumed_on_another_day_with_the_code_alone(root: Path) -> None:
    joined = make_service(root).join("Ann")
    service = make_service(root)
    with pytest.raises(UsageError, match="is taken"):
        service.join("ann")
    with pytest.raises(UsageError, match="not the resume code"):
        service.join("Ann", "12345678")
    assert joined.resume_code is not None
    again = service.join("Ann", joined.resume_code)
    assert again.resume_code is None
    assert again.screen.item is not None and joined.screen.item is not None
    screen = service.rate(again.session, again.screen.item.token, 4, is_legal=True)
    assert make_service(root).join("Ann", joined.resume_code).screen.rated == screen.rated == 1


def test_somebody_elses_session_and_item_are_refused(root: Path) -> None:
    service = make_service(root)
    ann, bo = service.join("Ann"), service.join("Bo")
    assert ann.screen.item is not None and bo.screen.item is not None
    with pytest.raises(SessionError, match="not known"):
        service.rate("guessed", ann.screen.item.token, 5)
    other = next(token for token in service.plan.tokens if token != bo.screen.item.token)
    with pytest.raises(SessionError, match="not the one on your screen"):
        service.rate(bo.session, other, 5)
    assert read_labels(root) == {}


def test_undo_skip_and_back(root: Path) -> None:
    service = make_service(root)
    joined = service.join("Ann")
    first = joined.screen.item
    assert first is not None
    second = service.rate(joined.session, first.token, 2, "wrong way", True).item
    assert second is not None
    assert len(read_labels(root)) == 1
    back = service.go_back(joined.session)
    assert back.item == first and back.label is not None and back.label.explanation == "wrong way"
    undone = service.undo(joined.session)
    assert undone.item == first and undone.label is None and undone.rated == 0
    assert read_labels(root) == {}
    third = service.skip(joined.session, first.token)
    assert third.item is not None and third.item.token not in (first.token,)
    screen = third
    seen = []
    while screen.item is not None:
        seen.append(screen.item.token)
        screen = service.rate(joined.session, screen.item.token, None)
    assert seen[-1] == first.token  # a skipped item comes again at the end
    assert len(seen) == 6 and pd.isna(list(read_labels(root).values())).all()  # nobody could tell
    log = (root / "evaluations/first/annotation/Ann.jsonl").read_text()
    assert '"undo"' in log and "wrong way" in log  # raw labels are kept


def test_gold_items_are_measured_and_are_no_scores(root: Path) -> None:
    plan, items = open_plan("first", root / "outputs", root / "evaluations", PlanOptions(gold_share=0.3))
    gold = make_gold_items(items, plan, root / "gold")
    assert sorted({item.gold_value for item in gold}) == [1, 5]
    service = AnnotationService("first", root / "evaluations", plan, items, gold)
    joined = service.join("Ann")
    screen, values = joined.screen, count()
    while screen.item is not None:
        next(values)
        screen = service.rate(joined.session, screen.item.token, screen.item.gold_value or 3, is_legal=True)
    assert next(values) == 6 + len(gold)
    assert len(read_labels(root)) == 6
    [line] = describe_progress(root / "evaluations", "first")
    assert f"{len(gold)} of {len(gold)} gold items right" in line


def test_a_sample_is_drawn_once_and_its_probability_is_recorded(root: Path) -> None:
    options = PlanOptions("sample", share=0.5, seed=3, gold_share=0.0)
    plan, items = open_plan("first", root / "outputs", root / "evaluations", options)
    assert len(items) == 3 and plan.probability == 0.5
    assert open_plan("first", root / "outputs", root / "evaluations", options)[0] == plan
    with pytest.raises(ConflictError, match="drawn with seed 3"):
        open_plan("first", root / "outputs", root / "evaluations", PlanOptions("sample", 0.5, seed=4, gold_share=0.0))


def test_labels_on_chosen_videos_are_marked_and_replace_no_others(root: Path) -> None:
    service = make_service(root, PlanOptions("sample", share=0.5, seed=1, people=1, gold_share=0.0))
    joined = service.join("Ann")
    rate_all(service, joined)
    drawn = set(read_labels(root))
    differing = {("oracle", "maze", f"maze_000{i}", 0): 3.0 for i in range(3)}
    options = PlanOptions("disagreement", seed=1, gold_share=0.0)
    plan, items = open_plan("first", root / "outputs", root / "evaluations", options, differing)
    assert plan.probability is None and len(items) == 3
    chosen = AnnotationService("first", root / "evaluations", plan, items)
    assert joined.resume_code is not None
    rate_all(chosen, chosen.join("Ann", joined.resume_code), 1)
    frame = load_results("first", outputs=root / "outputs", evaluations=root / "evaluations")
    people = frame[frame["scorer"] == "HumanEvaluator"]
    queues = {(row.model, row.question, row.annotator): row.queue for row in people.itertuples()}
    assert {job for job, queue in queues.items() if queue == "sample"} == drawn
    assert set(queues.values()) == {"sample", "disagreement"}
    with pytest.raises(UsageError, match="no two scorers differ"):
        open_plan("first", root / "outputs", root / "elsewhere", options, {})


@pytest.mark.parametrize(
    "name", ["", "  ", "../../etc/passwd", "<b>x</b>", "a/b", "a\\b", ".hidden", "x" * 101, "a\0b", "a..b", "&amp;"]
)
def test_names_that_are_no_names_are_refused(root: Path, name: str) -> None:
    with pytest.raises(UsageError):
        make_service(root).join(name)


@given(st.text(max_size=60))
def test_an_accepted_name_is_one_part_of_a_path(name: str) -> None:
    try:
        accepted = check_name(name)
    except UsageError:
        return
    assert accepted and not set(accepted) & set('/\\<>&\0"') and not accepted.startswith(".")


def test_labels_that_are_no_labels_are_refused(root: Path) -> None:
    service = make_service(root)
    joined = service.join("Ann")
    assert joined.screen.item is not None
    for value, text in ((6, ""), (0, ""), (True, ""), (3, "x" * (MOST_TEXT + 1))):
        with pytest.raises(UsageError):
            service.rate(joined.session, joined.screen.item.token, value, text, True)
    assert read_labels(root) == {}


def test_many_annotators_at_once_lose_no_label(root: Path) -> None:
    service = make_service(root, PlanOptions(people=20, gold_share=0.0))
    names = [f"Annotator {number}" for number in range(20)]
    with ThreadPoolExecutor(20) as pool:
        screens = list(pool.map(lambda name: rate_all(service, service.join(name)), names))
    assert [screen.rated for screen in screens] == [6] * 20
    labels = read_labels(root)
    assert len(labels) == 120
    assert {annotator for _, _, annotator in labels} == set(names)


def test_a_label_survives_a_kill(root: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; sys.path.insert(0, sys.argv[2]);"
        "from annotated_experiment import make_service;"
        "service = make_service(Path(sys.argv[1])); joined = service.join('Ann');"
        "print(joined.resume_code, flush=True);"
        "service.rate(joined.session, joined.screen.item.token, 4, is_legal=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", code, root, Path(__file__).parent], capture_output=True, text=True)
    assert done.returncode == -9, done.stderr
    assert make_service(root).join("Ann", done.stdout.strip()).screen.rated == 1


def test_choosing_the_next_item() -> None:
    assert choose_next(["a", "b"], set(), [], {"a": 1}, 1, ()) == "b"
    assert choose_next(["a", "b"], {"b"}, [], {"a": 1}, 1, ()) is None
    assert choose_next(["a", "b"], {"b"}, [], {"a": 1}, 1, {"a"}) == "a"
    assert choose_next(["a", "b", "c"], set(), ["b", "a"], {}, 1, ()) == "c"
    assert choose_next(["a", "b"], set(), ["b", "a"], {}, 1, ()) == "b"


NAMES = [
    "Александра Николаевна Константинопольская",
    "欧阳修欧阳修欧阳修",
    "अनुष्का श्रीवास्तव",
    "José María",
    "محمد",
    "🙂 Ann",
    "x" * 100,
]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_works_and_goes_on_another_day(root: Path, name: str) -> None:
    service = make_service(root)
    joined = service.join(name)
    rate_all(service, joined, 3)
    assert joined.resume_code is not None
    again = make_service(root).join(name, joined.resume_code)
    assert again.screen.annotator == name and again.screen.rated > 0
    [line] = describe_progress(root / "evaluations", "first")
    assert line.startswith(f"{name}: ")
    assert {row[0] for row in read_labels(root)}, "its labels are scores"


def test_names_that_look_alike_have_files_of_their_own(root: Path) -> None:
    service = make_service(root, PlanOptions(people=2))
    for name in ("Я" * 30, "Я" * 31):
        rate_all(service, service.join(name), 3)
    assert len(list((root / "evaluations/first/annotation").glob("*.jsonl"))) == 2


def test_a_file_with_a_name_that_was_refused_later_heals(root: Path) -> None:
    """Earlier versions kept the code of a name that they could not make a file of, and never started again."""
    folder = root / "evaluations/first/annotation"
    make_service(root).join("Ann")
    codes = json.loads((folder / "resume_codes.json").read_text())
    (folder / "resume_codes.json").write_text(json.dumps({**codes, "Щ" * 20: "00" * 32, "odd": None}))
    assert make_service(root).join("Ben").screen.total > 0


def test_resume_codes_are_long_salted_and_throttled(root: Path) -> None:
    now = [0.0]
    service = make_service(root, clock=lambda: now[0])
    code = service.join("Ann").resume_code
    other = service.join("Ben").resume_code
    assert code and other and code != other and len(code.replace("-", "")) == 20
    text = (root / "evaluations/first/annotation/resume_codes.json").read_text()
    assert code not in text and text.count("$") == 2
    for _ in range(5):
        with pytest.raises(UsageError, match="not the resume code"):
            service.join("Ann", "wrong")
    with pytest.raises(UsageError, match="too many wrong codes"):
        service.join("Ann", code)
    now[0] += 301
    assert service.join("Ann", code.upper().replace("-", " ")).resume_code is None
    assert service.join("Ben", other).resume_code is None, "others do not wait"


def test_the_time_left_is_that_of_the_annotators_own_pace(root: Path) -> None:
    now = [0.0]
    service = make_service(root, clock=lambda: now[0])
    screen = service.join("Ann")
    assert screen.screen.seconds_left is None and screen.screen.item is not None
    now[0] += 30
    after = service.rate(screen.session, screen.screen.item.token, 3, is_legal=True)
    assert after.seconds_left == 30 * (after.total - after.rated)


@pytest.mark.parametrize(("share", "host"), [(True, "127.0.0.1"), (False, "0.0.0.0"), (False, "192.168.0.7")])
def test_a_page_that_is_open_to_others_needs_a_password(root: Path, share: bool, host: str) -> None:
    pytest.importorskip("gradio")
    with pytest.raises(UsageError, match="--password"):
        HumanEvaluator("first", root / "outputs", root / "evaluations").launch_interface(share=share, host=host)


def test_the_moves_are_asked_about_where_the_rules_judge_them(root: Path) -> None:
    """A maze solved through a wall: its final state is right, and its value is capped as in the rules."""
    service = make_service(root, PlanOptions(gold_share=0.0))
    joined = service.join("Ann")
    item = joined.screen.item
    assert item is not None and is_process_judged(item.question.domain)
    with pytest.raises(UsageError, match="is every move legal and shown"):
        service.rate(joined.session, item.token, 5)
    service.rate(joined.session, item.token, 5, "through a wall", is_legal=False)
    [scored] = load_scores(root / "evaluations", "first")
    score = scored.score
    assert (score.value, score.solved, score.passed, score.process) == (2, True, False, 0.0)
    assert service.go_back(joined.session).label is not None
    assert "second question" in write_rubric("maze") and "second question" not in write_rubric("sudoku")
    assert "Any connected arrangement is right" in write_rubric("rotation_puzzle")


@pytest.mark.parametrize("content", [b"{", b"[]", b"", b"\xff", b'{"Ann": 5}'])
def test_a_damaged_file_of_codes_heals(root: Path, content: bytes) -> None:
    service = make_service(root)
    rate_all(service, service.join("Ann"), 5)
    layout.annotation_codes(root / "evaluations", "first").write_bytes(content)
    joined = make_service(root).join("Ann")
    assert joined.resume_code and joined.screen.rated == 6, "the labels are there"
    assert make_service(root).join("Ann", joined.resume_code).screen.rated == 6


@pytest.mark.parametrize(
    "change",
    [{"token": []}, {"action": "erase"}, {"value": "5"}, {"value": 9}, {"seconds": float("nan")}, {"unknown": 1}],
)
def test_a_damaged_line_of_a_log_is_skipped(root: Path, change: dict[str, object]) -> None:
    service = make_service(root)
    joined = service.join("Ann")
    rate_all(service, joined, 5)
    log = layout.annotation_log(root / "evaluations", "first", "Ann")
    *lines, last = log.read_text().splitlines()
    damaged = json.dumps({**json.loads(last), **change})
    log.write_text("\n".join([*lines, last, damaged, "7", "[" * 100_000, ""]))
    screen = make_service(root).join("Ann", joined.resume_code or "").screen
    assert screen.rated == 6 and list(describe_progress(root / "evaluations", "first"))


def test_an_empty_password_is_none(root: Path) -> None:
    evaluator = HumanEvaluator("first", root / "outputs", root / "evaluations")
    with pytest.raises(UsageError, match="the password is empty"):
        evaluator.launch_interface(share=True, password="")
