"""Ray: the same files as with processes of this machine, also when a node is killed in the middle."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from emulators.plain import ROW
from runs.plain_runs import serve
from scale import cluster_jobs
from scale.conftest import TwoNodes
from vmevalkit.audit.audit import Trial, plan_trials, run_trials
from vmevalkit.core.errors import SetupError
from vmevalkit.datasets.generate import generate
from vmevalkit.eval.experiment import score_experiment
from vmevalkit.eval.scorers import SCORERS
from vmevalkit.jobs.executor import Executor, LocalExecutor, open_executor
from vmevalkit.jobs.result import JobResult
from vmevalkit.runs.plan import RateLimits
from vmevalkit.runs.run import run
from vmevalkit.store import layout
from vmevalkit.tasks import TASKS

pytestmark = pytest.mark.scale

TIMES = {"created_at", "timestamp", "seconds", "run_id"}
CLOCK = re.compile(r"_\d{8}_\d{6}(-\d+)?(?=$|[/_.])")


@pytest.fixture(params=["sent", "shared"])
def executor(request: pytest.FixtureRequest, cluster: TwoNodes) -> Iterator[Executor]:
    with open_executor("ray", address=cluster.address, shared=request.param == "shared") as executor:
        yield executor


@pytest.fixture
def sender(cluster: TwoNodes) -> Iterator[Executor]:
    """The executor of a cluster that does not share the data folder."""
    with open_executor("ray", address=cluster.address) as executor:
        yield executor


def map_all(executor: Executor, function: Callable[[Any], Any], items: Any, **options: Any) -> dict[int, JobResult]:
    """Run jobs and return their results by number; a number that comes twice is an error."""
    results: dict[int, JobResult] = {}

    def keep(number: int, result: JobResult) -> None:
        assert number not in results
        results[number] = result

    executor.map(function, items, keep, **options)
    return results


def read_tree(folder: Path) -> dict[str, Any]:
    """Return all files below a folder, hidden ones too, apart from locks; without times in names and records."""
    tree: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_dir() or path.name.startswith(".lock"):
            continue
        content: Any = path.read_bytes()
        if path.suffix == ".json":
            content = without_times(json.loads(content))
        name = CLOCK.sub("_TIME", path.relative_to(folder).as_posix())
        assert name not in tree, f"{name} exists twice"
        tree[name] = content
    return tree


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_times(each) for key, each in value.items() if key not in TIMES}
    return [without_times(each) for each in value] if isinstance(value, list) else value


def killer(cluster: TwoNodes, after: int) -> Callable[[int, int], None]:
    """Return a progress callback that kills the second node once so many jobs are finished."""

    def on_done(finished: int, total: int) -> None:
        if finished == after and cluster.second is not None:
            cluster.kill_second()

    return on_done


OnDone = Callable[[int, int], None]


def run_commands(root: Path, executor: Executor, kill: Callable[[int], OnDone | None] = lambda _: None) -> None:
    """Generate questions, run two baselines and score their videos below a folder."""
    questions, outputs = root / "questions", root / "outputs"
    made = generate(["maze", "chess"], 20, out=questions, executor=executor, on_done=kill(8))
    assert not made.failures
    ran = run(["oracle", "static"], questions, "e", outputs, domains=["chess"], executor=executor, on_done=kill(6))
    assert not ran.failed
    scored = score_experiment("e", outputs, root / "evaluations", executor=executor, on_done=kill(6))
    assert len(scored.results) == 40 and not scored.failed


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The files that processes of this machine write."""
    root = tmp_path_factory.mktemp("local")
    run_commands(root, LocalExecutor(2))
    return read_tree(root)


def test_all_commands_write_the_same_files_as_local_processes(
    executor: Executor, expected: dict[str, Any], tmp_path: Path
) -> None:
    run_commands(tmp_path, executor)
    assert read_tree(tmp_path) == expected
    again = score_experiment("e", tmp_path / "outputs", tmp_path / "evaluations", executor=executor)
    assert all(result.kept for result in again.results)
    assert read_tree(tmp_path) == expected


def test_a_node_killed_in_the_middle_of_each_command_costs_nothing(
    executor: Executor, cluster: TwoNodes, expected: dict[str, Any], tmp_path: Path
) -> None:
    killed = 0

    def kill(after: int) -> Callable[[int, int], None]:
        nonlocal killed
        cluster.add_second()
        killed += 1
        return killer(cluster, after)

    run_commands(tmp_path, executor, kill)
    assert cluster.second is None and killed == 3
    assert read_tree(tmp_path) == expected


def test_an_audit_gives_the_same_trials_also_when_a_node_is_killed(sender: Executor, cluster: TwoNodes) -> None:
    specs = plan_trials(TASKS["maze"], 4, 3, ["static", "oracle"])
    finished = 0

    def kill(_: Trial) -> None:
        nonlocal finished
        finished += 1
        if finished == 2:
            cluster.kill_second()

    trials = run_trials(specs, SCORERS["rules"], on_trial=kill, executor=sender)
    assert cluster.second is None
    assert trials == run_trials(specs, SCORERS["rules"], workers=2)


def test_results_of_any_kind(sender: Executor, tmp_path: Path) -> None:
    squares = map_all(sender, cluster_jobs.square, range(3000))
    assert [squares[number].value for number in range(3000)] == [number * number for number in range(3000)]
    assert map_all(sender, cluster_jobs.square, []) == {}
    some = map_all(sender, cluster_jobs.fail_for_some, range(30))
    assert [number for number, result in some.items() if not result.ok] == [7, 17, 27]
    assert str(some[17].error) == "ValueError: no 17"
    mixed = map_all(sender, cluster_jobs.return_unpicklable, range(3))
    assert mixed[0].value == 0 and mixed[2].value == 2 and "lambda" in str(mixed[1].error)


@pytest.mark.parametrize("loads_model", [False, True])
def test_a_worker_that_runs_out_of_memory_is_tried_again_and_then_recorded_as_failed(
    sender: Executor, tmp_path: Path, loads_model: bool
) -> None:
    deaths = {3: 1, 5: 99}
    jobs = [(tmp_path, number, deaths.get(number, 0)) for number in range(8)]
    results = map_all(sender, cluster_jobs.die_like_out_of_memory, jobs, loads_model=loads_model)
    assert sorted(results) == list(range(8))
    assert [number for number, result in results.items() if not result.ok] == [5]
    failure = str(results[5].error)
    assert failure.startswith("Killed: the worker process died 3 times") and "out of memory" in failure
    assert len((tmp_path / "attempts_5").read_text()) <= 4


def test_an_exception_of_the_caller_ends_the_batch(sender: Executor) -> None:
    def stop(number: int, _: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sender.map(cluster_jobs.square, iter(range(10**9)), stop)
    assert len(map_all(sender, cluster_jobs.square, range(10))) == 10


def test_items_are_drawn_only_as_they_are_needed(sender: Executor) -> None:
    drawn, finished, most_ahead = 0, 0, 0

    def items() -> Iterator[int]:
        nonlocal drawn, most_ahead
        for number in range(20_000):
            drawn += 1
            most_ahead = max(most_ahead, drawn - finished)
            yield number

    def count(*_: object) -> None:
        nonlocal finished
        finished += 1

    sender.map(cluster_jobs.square, items(), count)
    assert finished == 20_000
    assert most_ahead <= 2 * 3 * 256  # two batches for each of three processors


def test_processes_that_load_a_model_stay_and_have_a_gpu_each(sender: Executor, tmp_path: Path) -> None:
    results = map_all(sender, cluster_jobs.describe_process, [tmp_path] * 24, loads_model=True)
    processes = {result.value for result in results.values() if result.value}
    assert len(processes) == 2
    assert {gpu for _, gpu in processes} == {"0", "1"}


def test_settings_of_local_models_are_sent_along(sender: Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VMEVALKIT_STEPS", "7")
    results = map_all(sender, cluster_jobs.read_setting, ["VMEVALKIT_STEPS"] * 4, loads_model=True)
    assert {result.value for result in results.values()} == {"7"}


def test_a_local_model_is_loaded_once_in_each_process_and_leaves_the_same_runs(
    sender: Executor, tmp_path: Path
) -> None:
    questions = tmp_path / "questions"
    generate(["maze"], 6, out=questions)
    for place, executor in (("ray", sender), ("local", LocalExecutor())):
        loads = tmp_path / f"loads_{place}"
        loads.mkdir()
        catalogue = {"grey": replace(cluster_jobs.SPEC, options={"loads": str(loads)})}
        done = run(["grey"], questions, "e", tmp_path / place, catalogue=catalogue, executor=executor)
        assert len(done.runs) == 6 and not done.failed
        assert all(each.folder.is_relative_to(tmp_path / place) and each.video for each in done.runs)
        # One more for this process, which loads every model before it starts, to find missing setup.
        assert len({path.name.partition("-")[0] for path in loads.iterdir()}) <= 3
        assert len(list(loads.iterdir())) <= 3
    assert read_tree(tmp_path / "ray") == read_tree(tmp_path / "local")
    assert not list(tmp_path.rglob(".new-*"))
    assert layout.experiment_folder(tmp_path / "ray", "e").is_dir()


def test_remote_models_stay_in_this_process_under_one_rate_limit(
    sender: Executor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = tmp_path / "questions"
    generate(["maze"], 6, out=questions)
    under_way = [0]
    # Key and address are set after the cluster was started: a process of the cluster would not know them.
    with serve(tmp_path, monkeypatch) as server:
        server.on_request = lambda kind: under_way.append(under_way[-1] + {"order": 1, "video": -1}.get(kind, 0))
        done = run(
            ["plain-1", "static"], questions, "e", tmp_path / "outputs", catalogue={"plain-1": ROW}, executor=sender,
            rate_limits=RateLimits(in_flight=2),
        )  # fmt: skip
    assert {(each.model, each.status) for each in done.runs} == {("plain-1", "success"), ("static", "success")}
    assert len(done.runs) == 12 and len(server.orders) == 6
    assert max(under_way) == 2


def test_another_version_on_the_cluster_is_refused(sender: Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vmevalkit.jobs.ray_executor.__version__", "0.0.1")
    with pytest.raises(SetupError, match=r"has vmevalkit \S+, this one has 0.0.1; install the same version"):
        map_all(sender, cluster_jobs.square, range(3))
