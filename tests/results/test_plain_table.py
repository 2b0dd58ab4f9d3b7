"""Tables of scores made elsewhere: what is read, what is assumed, and what is refused with its line."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from made_frames import make_rows, make_scores

from vmevalkit.core.errors import StoreError, UsageError
from vmevalkit.results.analysis import analyze
from vmevalkit.results.analysis_text import analysis_record
from vmevalkit.results.columns import make_frame
from vmevalkit.results.comparison import compare_models
from vmevalkit.results.formats import encode_rows
from vmevalkit.results.plain_table import SCORER, read_plain_table
from vmevalkit.results.rate_table import make_rate_table

VALUES = {"a": {"maze": [5, 4, 1, 2], "own": [5, 5, 5, 1]}, "b": {"maze": [1, 4, 1, 2], "own": [3, 1, 5, 1]}}


def write(tmp_path: Path, text: str, name: str = "table.csv") -> Path:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


def write_values(tmp_path: Path, column: str) -> Path:
    lines = [f"model,domain,question,{column}"]
    for row in make_rows(VALUES):
        score = row["value"] if column == "score" else str(row["success"]).upper()
        lines.append(f"{row['model']},{row['domain']},{row['question']},{score}")
    return write(tmp_path, "\n".join(lines) + "\n")


def test_a_table_of_scores_gives_the_numbers_of_the_same_scores(tmp_path: Path) -> None:
    own, found = make_scores(VALUES, scorer=SCORER), read_plain_table(write_values(tmp_path, "score"))
    assert found.notes == ()
    assert make_rate_table(found.frame).texts == make_rate_table(own).texts
    [theirs], [ours] = (compare_models(frame, "a", "b") for frame in (found.frame, own))
    assert (theirs.overall, theirs.domains) == (ours.overall, ours.domains)
    theirs_all, ours_all = (analysis_record(analyze(frame, SCORER, trees=10)) for frame in (found.frame, own))
    # Without a failure mode of each video there are no failure classes; everything else is equal.
    assert theirs_all | {"failures": 0} == ours_all | {"failures": 0}


def test_a_table_of_verdicts_has_the_same_rates_and_says_what_stands_for_them(tmp_path: Path) -> None:
    found = read_plain_table(write_values(tmp_path, "passed"))
    assert found.notes == ("table.csv says passed or not: where values are compared, a pass counts as 5, a fail as 1",)
    rates = [(row["model"], row["rate"]) for row in make_rate_table(found.frame).texts]
    assert rates == [(row["model"], row["rate"]) for row in make_rate_table(make_scores(VALUES)).texts]


def test_what_results_wrote_is_read_back_whole(tmp_path: Path) -> None:
    rows = make_rows({"a": {"maze": [5, None, 1]}, "b": {"maze": [4, 1, None]}})
    for index, row in enumerate(rows):
        row |= {"params": {"n": 3 + index % 2}, "tags": ["odd"], "metrics": {"m": 0.5}, "sample": index % 2}
    own = make_frame(rows)
    for name in ("rows.csv", "rows.parquet"):
        path = tmp_path / name
        path.write_bytes(encode_rows(own, name.rpartition(".")[2]))
        found = read_plain_table(path).frame
        pd.testing.assert_frame_equal(found, own)


def test_samples_are_numbered_where_the_table_does_not(tmp_path: Path) -> None:
    path = write(tmp_path, "Model\tdomain\tquestion\tpassed\nVeo\tmaze\t1\tyes\nVeo\tmaze\t1\t0\n", "t.tsv")
    frame = read_plain_table(path).frame
    assert frame["sample"].tolist() == [0, 1] and frame["success"].tolist() == [True, False]
    assert frame["experiment"].tolist() == ["t", "t"]


def test_empty_scores_are_left_out_and_named(tmp_path: Path) -> None:
    found = read_plain_table(write(tmp_path, "model,domain,question,score,judge\na,m,1,5,x\na,m,2,,x\n"))
    assert found.notes == ("columns of table.csv that are not used: judge", "1 row of table.csv has no score")
    [line] = make_rate_table(found.frame, with_commands=False).texts
    assert (line["videos"], line["left out"]) == ("1", "1 unscored")


def test_notes_below_a_table_recommend_no_command_for_scores_made_elsewhere(tmp_path: Path) -> None:
    frame = read_plain_table(write_values(tmp_path, "score")).frame
    assert any("vmevalkit" in note for note in make_rate_table(frame).notes)
    assert not any("vmevalkit" in note for note in make_rate_table(frame, with_commands=False).notes)


HEAD = "model,domain,question,"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{HEAD}score\na,m,1,5\na,m,2,0.85\n", r"line 3: score is '0.85'; .* give a column passed instead"),
        (f"{HEAD}score\na,m,1,9\n", r"line 2: score is 9; it is a whole number from 1 to 5\. For scores on another"),
        (f"{HEAD}passed\na,m,1,perhaps\n", "line 2: passed is 'perhaps'; it is true or false"),
        (f"{HEAD}score,passed\na,m,1,5,no\n", "score is 5 and passed is false; .* Leave one"),
        (f"{HEAD}score,sample\na,m,1,5,0\na,m,1,4,0\n", "lines 2 and 3: a, m, 1 has sample 0 twice"),
        (f"{HEAD}score\na,m,,5\n", "line 2: no question; every row needs model, domain and question"),
        ("model,domain,score\na,m,5\n", "no column question; it has model, domain and score"),
        ("model,domain,question\na,m,1\n", "neither a column score"),
        (f"{HEAD}score\n", "has no rows"),
        ("", "cannot be read as csv"),
    ],
)
def test_a_cell_that_is_not_valid_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_plain_table(write(tmp_path, text))


def test_only_tables_are_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.csv, \.tsv, \.parquet"):
        read_plain_table(write(tmp_path, "{}", "table.json"))
    with pytest.raises(StoreError, match="there is no file"):
        read_plain_table(tmp_path / "none.csv")
    with pytest.raises(UsageError, match="cannot be read as parquet"):
        read_plain_table(write(tmp_path, "text", "table.parquet"))
