"""Every format of the rates and of the tidy table."""

from __future__ import annotations

import csv
import json
from io import BytesIO, StringIO
from pathlib import Path

import pandas as pd
import pytest
from made_frames import make_scores

from vmevalkit.core.errors import UnknownName, UsageError
from vmevalkit.results.formats import FORMATS, choose_format, encode_rates, encode_rows
from vmevalkit.results.rate_table import make_rate_table
from vmevalkit.results.table import load_results

TABLE = make_rate_table(make_scores({"my_model": {"maze": [5, 1, None], "a|b": [5]}}))


def test_the_table_is_aligned_and_says_what_is_left_out() -> None:
    lines = encode_rates(TABLE, "table").decode().splitlines()
    assert lines[0].split()[:5] == ["model", "domain", "rate", "95%", "interval"]
    assert lines[0].endswith("questions  videos  mean value  left out")
    assert lines[2] == "my_model  maze     50%     9% to 91%          2       2        3.00  1 unscored"
    complete = make_rate_table(make_scores({"m": {"maze": [5]}}))
    assert "left out" not in encode_rates(complete, "table").decode()


def test_numbers_survive_csv_json_and_parquet() -> None:
    from_csv = list(csv.DictReader(StringIO(encode_rates(TABLE, "csv").decode())))
    from_json = json.loads(encode_rates(TABLE, "json"))
    from_parquet = pd.read_parquet(BytesIO(encode_rates(TABLE, "parquet")))
    assert [row["domain"] for row in from_json] == ["a|b", "maze", "all"]
    for number, rate in enumerate(TABLE.rates):
        assert float(from_csv[number]["rate"]) == from_json[number]["rate"] == rate.rate.value
        assert from_parquet["low"][number] == rate.rate.low
        assert int(from_csv[number]["unscored"]) == rate.left_out.unscored


def test_markdown_and_latex_escape_names() -> None:
    lines = encode_rates(TABLE, "markdown").decode().splitlines()
    assert lines[1] == "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |"
    assert lines[2].startswith("| my_model | a\\|b | 100% |")
    latex = encode_rates(TABLE, "latex").decode()
    assert latex.startswith("\\begin{tabular}{llrrrrrl}\n")
    assert "my\\_model & maze & 50\\% & 9\\% to 91\\% &" in latex


@pytest.mark.parametrize("name", FORMATS)
def test_an_empty_table_has_every_format(name: str) -> None:
    nothing = make_rate_table(make_scores({}))
    assert isinstance(encode_rates(nothing, name), bytes)
    assert isinstance(encode_rows(make_scores({}), name), bytes)


def test_the_rows_of_a_real_experiment_in_every_format(data: Path) -> None:
    frame = load_results("first", outputs=data / "outputs", evaluations=data / "evaluations")
    parquet = pd.read_parquet(BytesIO(encode_rows(frame, "parquet")))
    assert parquet["value"].tolist() == frame["value"].tolist()
    assert [json.loads(cell) for cell in parquet["metrics"]] == frame["metrics"].tolist()
    records = json.loads(encode_rows(frame, "json"))
    assert [record["metrics"] for record in records] == frame["metrics"].tolist()
    assert records[0]["annotator"] is None
    from_csv = pd.read_csv(BytesIO(encode_rows(frame, "csv")))
    assert from_csv["outcome"].tolist() == frame["outcome"].tolist()
    for name in ("table", "markdown", "latex"):
        assert len(encode_rows(frame, name).splitlines()) >= 13


def test_the_format_follows_the_suffix_unless_it_is_named() -> None:
    assert choose_format(None, None) == "table"
    assert choose_format(None, Path("a.TEX")) == "latex"
    assert choose_format(None, Path("a.txt")) == "table"
    assert choose_format("csv", Path("a.json")) == "csv"
    with pytest.raises(UnknownName, match="did you mean 'latex'"):
        choose_format("latx", None)
    with pytest.raises(UsageError, match="name a file: --format parquet --out"):
        choose_format("parquet", None)
