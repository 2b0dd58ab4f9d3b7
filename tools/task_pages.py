"""Write docs/TASKS.md and a page for each puzzle file into docs/puzzles, from the tasks and from docs/tasks.json.

``python tools/task_pages.py`` writes the pages; a test fails while they differ from the files.
``python tools/task_pages.py --measure`` first measures the tasks that docs/tasks.json does not have; with names, those;
with ``all``, all.
``python tools/task_pages.py --certificate FILE ...`` takes the rates of ``vmevalkit audit --kinds all --json FILE``.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import tempfile
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import orjson

from vmevalkit.eval.pipeline import score_timed_frames, working_size
from vmevalkit.media.video import read_frames, write_video
from vmevalkit.stats.rates import success_rate
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.dataset import write_question
from vmevalkit.tasks.kit.scene_task import SceneTask
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.task import GROUPS, AnyTask

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
MEASURES = DOCS / "tasks.json"
QUESTIONS, ROUNDS, FPS = 40, 3, 12
WHAT_GROUPS_ASK = {
    "planning": "to plan a way: moves one after another, until the goal is reached",
    "deduction": "to deduce an answer from what is given and from rules",
    "perception": "to see what is where, how much there is of it and how it turns",
}
WHAT_IS_JUDGED = {
    "process": "Judged by its process: every move must be legal and visible.",
    "outcome": "Judged by its outcome: only the final state matters.",
}
COLUMNS = (
    "task", "what the video must show", "judged", "lines", "questions/s", "ms a frame", "cheats passed",
    "honest failed",
)  # fmt: skip

COUNTS = ("cheats", "wrong_passes", "honest", "wrong_fails")
Measures = dict[str, dict[str, Any]]


# -- measuring ---------------------------------------------------------------------------------------------------


def measure(task: AnyTask) -> dict[str, Any]:
    """Return what is measured of a task: CPU time on one core, of the best of some rounds."""
    found: dict[str, Any] = {"lines": count_lines(task)}
    with tempfile.TemporaryDirectory() as folder:
        rates = [_measure_generation(task, Path(folder) / name, name) for name in task.difficulties]
        found["questions_per_second"] = round(median(rates))
        found["ms_per_frame"] = round(_measure_scoring(task, Path(folder) / "solution.mp4"), 1)
    if isinstance(task, SceneTask):
        found["difficulty"] = {name: _average_difficulty(task, name) for name in task.difficulties}
    return found


def count_lines(task: AnyTask) -> int:
    """Return the lines of a puzzle's file, or of all files of a task's folder."""
    file = Path(inspect.getfile(type(task)))
    files = [file] if isinstance(task, SceneTask) else sorted(file.parent.glob("*.py"))
    return sum(len(each.read_text("utf-8").splitlines()) for each in files)


def _measure_generation(task: AnyTask, root: Path, difficulty: str) -> float:
    """Return questions per second: planned, certified, drawn, compressed and written."""
    params, times = task.preset(difficulty), []
    number = min(QUESTIONS, task.capacity(params) or QUESTIONS)
    for turn in range(ROUNDS):
        begin = process_time()
        for index, puzzle in enumerate(plan(task, number, turn, params)):
            write_question(task, puzzle, f"{task.name}_{index:04d}", root / str(turn), difficulty=difficulty, seed=turn)
        times.append(process_time() - begin)
    return number / min(times)


def _measure_scoring(task: AnyTask, path: Path) -> float:
    """Return the milliseconds in which a frame of the reference solution is decoded, read and judged."""
    puzzle = plan(task, 1, 3, task.preset())[0]
    count = round(task.video_seconds * FPS)
    write_video(path, (task.draw(puzzle, task.solution(puzzle, i / (count - 1))) for i in range(count)), FPS)
    size, times = working_size(task, puzzle, task.size(puzzle)), []
    for _ in range(ROUNDS):
        begin = process_time()
        verdict = score_timed_frames(task, puzzle, read_frames(path, within=size))
        times.append(process_time() - begin)
        assert verdict.passed, f"{task.name}: the reference solution failed: {verdict.explanation}"
    return min(times) / count * 1000


def _average_difficulty(task: SceneTask[Any, Any], difficulty: str) -> dict[str, float]:
    params = task.preset(difficulty)
    puzzles = plan(task, min(QUESTIONS, task.capacity(params) or QUESTIONS), 1, params)
    found = [task.measure_difficulty(puzzle) for puzzle in puzzles]
    return {name: round(sum(each[name] for each in found) / len(found), 1) for name in found[0]}


def write_measures(measures: Measures) -> None:
    """Keep what was measured so far: measuring many tasks takes minutes."""
    MEASURES.write_bytes(orjson.dumps(measures, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n")


def read_certificates(paths: list[Path], measures: Measures) -> None:
    """Take the rates of audits by kinds of videos. Several files of a task are counted together."""
    found: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = {}
    for path in paths:
        audit = orjson.loads(path.read_bytes())
        for rates in audit["rates"]:
            if rates["task"] in measures:
                found.setdefault(rates["task"], []).append((audit, rates))
    for task, several in found.items():
        counts = {name: sum(rates[name] for _, rates in several) for name in COUNTS}
        measures[task]["certificate"] = {
            "kinds": several[0][0]["kinds"],
            "seeds": sorted({audit["seed"] for audit, _ in several}),
            "sample": several[0][0].get("sample"),
            **counts,
            "wrong_passes_at_most": _find_most(counts["wrong_passes"], counts["cheats"]),
            "wrong_fails_at_most": _find_most(counts["wrong_fails"], counts["honest"]),
        }


def _find_most(wrong: int, videos: int) -> float:
    """Return the upper end of the interval of a rate."""
    high = success_rate([place < wrong for place in range(videos)]).high
    assert high is not None
    return round(high, 4)


# -- pages -------------------------------------------------------------------------------------------------------


def make_pages() -> dict[Path, str]:
    """Return the text of each page by its path."""
    measures: Measures = orjson.loads(MEASURES.read_bytes())
    tasks = [TASKS[name] for name in TASKS.list_own()]
    pages = {DOCS / "TASKS.md": "\n".join(_make_table(tasks, measures))}
    for task in tasks:
        if isinstance(task, SceneTask):
            pages[DOCS / "puzzles" / f"{task.name}.md"] = "\n".join(_make_page(task, measures.get(task.name, {})))
    return pages


def _make_table(tasks: list[AnyTask], measures: Measures) -> Iterator[str]:
    yield "# Tasks\n"
    yield (
        f"The {len(tasks)} tasks of this package, by the ability that they ask for. `python tools/task_pages.py` "
        "writes this page and the pages of the puzzles from the code and from docs/tasks.json. The pictures are in the "
        "[gallery](GALLERY.md). Process: every move must be legal and visible. Outcome: only the final state matters.\n"
    )
    known = [measures[task.name] for task in tasks if task.name in measures]
    if known:
        yield (
            "Questions per second are planned, proved, drawn, compressed and written on one core (median of the "
            "difficulties; over all tasks "
            f"{median(each['questions_per_second'] for each in known):.0f}). Milliseconds a frame are those in which "
            "the solution is decoded, read and judged. The last two columns count the videos of all kinds of "
            "[audits](certificates/README.md#certificates-of-the-puzzles) "
            "that got a wrong verdict, with the upper end of the 95% interval. A "
            "dash: not measured. Times are CPU times on a virtual machine with two cores, one of them idle; "
            "`python tools/task_pages.py --measure NAME` takes them on yours.\n"
        )
    for group in GROUPS:
        yield f"## {group.capitalize()}\n\nThese tasks ask {WHAT_GROUPS_ASK[group]}.\n"
        yield f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}"
        for task in tasks:
            if task.group == group:
                yield _make_row(task, measures.get(task.name, {}))
        yield ""


def _make_row(task: AnyTask, found: dict[str, Any]) -> str:
    certificate = found.get("certificate")
    cells = [
        f"[{task.title}]({_find_page(task)})",
        task.description,
        _find_what_is_judged(task),
        *(str(found.get(name, "–")) for name in ("lines", "questions_per_second", "ms_per_frame")),
        *(_format_errors(certificate, *names) for names in (("cheats", "wrong_passes"), ("honest", "wrong_fails"))),
    ]
    return f"| {' | '.join(cells)} |"


def _format_errors(certificate: dict[str, Any] | None, all_of: str, wrong: str) -> str:
    if certificate is None:
        return "–"
    most = certificate[f"{wrong}_at_most"]
    return f"{certificate[wrong]} of {certificate[all_of]} (at most {100 * most:.1f}%)"


def _find_page(task: AnyTask) -> str:
    if isinstance(task, SceneTask):
        return f"puzzles/{task.name}.md"
    return f"../src/vmevalkit/tasks/{task.name}_task/{task.name.upper()}.md"


def _find_what_is_judged(task: AnyTask) -> str:
    return "outcome" if task.tricks["cut_to_final"] == "pass" else "process"


def _make_page(task: SceneTask[Any, Any], found: dict[str, Any]) -> Iterator[str]:
    module = inspect.getfile(type(task))
    yield f"# {task.title}\n"
    yield f"{task.description}. {(type(task).__doc__ or '').strip().splitlines()[0]}\n"
    yield (
        f"Group: {task.group}. {WHAT_IS_JUDGED[_find_what_is_judged(task)]} File: "
        f"[{Path(module).name}](../../src/vmevalkit/tasks/puzzles/{Path(module).name}), "
        f"`vmevalkit generate --task {task.name} --n 3`.\n"
    )
    for difficulty in task.difficulties:
        puzzle = plan(task, 1, 1, task.preset(difficulty))[0]
        yield f"## {difficulty.capitalize()}\n"
        yield "> " + task.prompt(puzzle).replace("\n", "\n> ") + "\n"
        yield f"![The solution in five frames](../gallery/{task.name}_{difficulty}.png)\n"
        measured = found.get("difficulty", {}).get(difficulty, {})
        if measured:
            words = ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in measured.items())
            yield f"Means of {QUESTIONS} questions: {words}.\n"
    yield "## Params\n"
    yield f"| param | {' | '.join(task.difficulties)} | what it is |"
    yield "|---|" + "---|" * (len(task.difficulties) + 1)
    meanings = read_field_docs(task.params_type)
    for each in fields(task.params_type):
        values = (f"{getattr(params, each.name)}" for params in task.difficulties.values())
        yield f"| `{each.name}` | {' | '.join(values)} | {meanings.get(each.name, '')} |"
    yield "\n## Certificate\n"
    yield _describe_certificate(task.name, found.get("certificate"))
    yield ""


def _describe_certificate(name: str, certificate: dict[str, Any] | None) -> str:
    command = f"vmevalkit audit --kinds all --task {name}"
    if certificate is None:
        return f"Not measured yet; `{command} --videos 5` does."
    sample = certificate["sample"]
    command += f" --videos 1{'' if sample is None else f' --sample {sample}'}"
    calls = " and ".join(f"`{command} --seed {seed}`" for seed in certificate["seeds"])
    return (
        f"Of {certificate['cheats']} cheats of all kinds {certificate['wrong_passes']} passed (at most "
        f"{100 * certificate['wrong_passes_at_most']:.1f}%), of {certificate['honest']} honest videos "
        f"{certificate['wrong_fails']} failed (at most {100 * certificate['wrong_fails_at_most']:.1f}%): {calls}. Few "
        "videos give wide bounds; those of "
        "[all puzzles together](../certificates/README.md#certificates-of-the-puzzles) are narrower."
    )


def read_field_docs(record: type) -> dict[str, str]:
    """Return what a dataclass says of its fields: the text below a field, or the comment behind it."""
    source = inspect.getsource(record)
    [parsed] = ast.parse(source).body
    assert isinstance(parsed, ast.ClassDef)
    lines, meanings, last = source.splitlines(), {}, ""
    for node in parsed.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            last = node.target.id
            comment = lines[node.lineno - 1].partition("  # ")[2]
            meanings[last] = comment[:1].upper() + comment[1:]
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and last:
            meanings[last] = " ".join(str(node.value.value).split()).replace("``", "`").replace("|", "or")
            last = ""
        else:
            last = ""
    return meanings


def main() -> None:
    """Measure what is asked for, and write the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", nargs="*", metavar="TASK")
    parser.add_argument("--certificate", nargs="*", type=Path, default=[], metavar="FILE")
    chosen = parser.parse_args()
    measures: Measures = orjson.loads(MEASURES.read_bytes()) if MEASURES.exists() else {}
    if chosen.measure is not None:
        own = TASKS.list_own()
        names = own if chosen.measure == ["all"] else chosen.measure or [name for name in own if name not in measures]
        for name in names:
            kept = {"certificate": measures[name]["certificate"]} if "certificate" in measures.get(name, {}) else {}
            measures[name] = measure(TASKS[name]) | kept
            write_measures(measures)
    read_certificates(chosen.certificate, measures)
    write_measures(measures)
    for path, text in make_pages().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
