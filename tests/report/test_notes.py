"""What a report says it leaves out."""

from __future__ import annotations

from pathlib import Path

from vmevalkit.report.notes import list_notes
from vmevalkit.results.columns import make_frame
from vmevalkit.results.table import NOT_SCORED, REASONS
from vmevalkit.store import layout


def row(model: str, sample: int = 0, **given: object) -> dict[str, object]:
    return {
        "experiment": "first", "model": model, "domain": "maze", "question": "maze_0000", "sample": sample,
        "status": "success", "video": "a.mp4", **given,
    }  # fmt: skip


NO_VIDEO = {"status": "failed", "video": None, "reason": "no video, failed: no luck"}


def test_notes_say_what_the_rates_leave_out_and_the_remedy() -> None:
    frame = make_frame(
        [
            row("m", reason=NOT_SCORED),
            row("n", **NO_VIDEO),
            row("n", 1, **NO_VIDEO),
            row("o", scorer="RuleEvaluator", is_current=False, reason=REASONS["without_run"], status=None),
            row("p", scorer="RuleEvaluator", is_current=True, value=5),
        ]
    )
    assert list_notes(frame, "first", layout.OUTPUTS, layout.EVALUATIONS) == [
        "1 video has no current verdict: m 1; run: vmevalkit score --experiment first",
        "2 runs have no video: n 2; the rates leave them out",
        "1 verdict is on a video no longer in data/outputs/first, and not counted",
    ]
    elsewhere = list_notes(frame, "first", Path("my videos"), Path("verdicts"))
    assert elsewhere[0].endswith("--experiment first --outputs 'my videos' --evaluations verdicts")


def test_an_outdated_score_does_not_count_and_a_current_one_does() -> None:
    outdated = row("m", scorer="RuleEvaluator", is_current=False, reason=REASONS["outdated"])
    current = row("m", scorer="Judge", is_current=True, value=3)
    assert len(list_notes(make_frame([outdated]), "first", Path("a"), Path("b"))) == 1
    assert list_notes(make_frame([outdated, current]), "first", Path("a"), Path("b")) == []


def test_a_label_of_a_person_is_not_a_verdict() -> None:
    label = row("m", scorer="HumanEvaluator", annotator="Ann", is_current=True, value=3)
    [line] = list_notes(make_frame([label]), "first", Path("a"), Path("b"))
    assert line.startswith("1 video has no current verdict: m 1")


def test_a_video_made_elsewhere_needs_no_run() -> None:
    made = row("mine", scorer="RuleEvaluator", is_current=True, value=5, status=None, video=None)
    assert list_notes(make_frame([made]), "first", Path("a"), Path("b")) == []
