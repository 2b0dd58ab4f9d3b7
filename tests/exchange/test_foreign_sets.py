"""Sets made by others: nothing of this machine gets in, and a bad row does not stop the others."""

from __future__ import annotations

import io
import json
import resource
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from vmevalkit.cli.main import make_app
from vmevalkit.core.errors import StoreError, UsageError
from vmevalkit.exchange.importing import import_rows, import_videos
from vmevalkit.exchange.read import BadRow, read_rows
from vmevalkit.exchange.row import Row, iterate_run_rows
from vmevalkit.media.image import encode_png
from vmevalkit.media.video import write_video
from vmevalkit.store.questions import load_questions

PICTURE = encode_png(np.full((32, 48, 3), 200, np.uint8))
SECRET = encode_png(np.full((32, 48, 3), 7, np.uint8))
"""An image too: what is not one is refused anyway."""


def write_parquet(folder: Path, cells: list[dict[str, Any]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    image = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    schema = pa.schema([("id", pa.string()), ("prompt", pa.string()), ("first_frame", image)])
    pq.write_table(pa.Table.from_pylist(cells, schema=schema), folder / "a.parquet")


def write_shard(folder: Path, cells: list[dict[str, Any]]) -> None:
    with tarfile.open(folder / "a.tar", "w") as tar:
        for cell in cells:
            frame = cell.pop("first_frame")
            cell |= {"first_frame": {"path": frame["path"]}} if frame["bytes"] is None else {}
            add_member(tar, f"{cell['id']}.json", json.dumps(cell).encode())
            if frame["bytes"] is not None:
                add_member(tar, f"{cell['id']}.first_frame.png", frame["bytes"])


def write_videofolder(folder: Path, cells: list[dict[str, Any]]) -> None:
    lines = []
    for cell in cells:
        frame = cell.pop("first_frame")
        path = frame["path"]
        if frame["bytes"] is not None:
            path = f"{cell['id']}.png"
            (folder / path).write_bytes(frame["bytes"])
        lines.append({**cell, "first_frame": path, "file_name": path, "model": "m"})
    (folder / "metadata.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def add_member(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    tar.addfile(member, io.BytesIO(content))


@pytest.mark.parametrize("write", [write_parquet, write_shard, write_videofolder])
@pytest.mark.parametrize("kind", ["absolute", "relative", "link"])
def test_a_cell_cannot_name_a_file_of_this_machine(write: Callable[..., None], kind: str, tmp_path: Path) -> None:
    secret = tmp_path / "private.png"
    secret.write_bytes(SECRET)
    (tmp_path / "set").mkdir()
    (tmp_path / "set/link.png").symlink_to(secret)
    name = {"absolute": str(secret), "relative": "../private.png", "link": "link.png"}[kind]
    good = {"id": "good", "prompt": "Go.", "first_frame": {"bytes": PICTURE, "path": None}}
    bad = {"id": "bad", "prompt": "Go.", "first_frame": {"bytes": None, "path": name}}
    write(tmp_path / "set", [bad, good])
    done = import_rows(read_rows(tmp_path / "set"), tmp_path / "questions")
    assert [question.id for question in load_questions(tmp_path / "questions")] == ["good"]
    assert len(done.bad) == 1 and "leads outside" in done.bad[0].reason and "row 0" in done.bad[0].place
    for path in (tmp_path / "questions").rglob("*"):
        assert not path.is_file() or path.read_bytes() != SECRET


def test_a_shard_or_a_question_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    write_parquet(tmp_path / "elsewhere", [{"id": "a", "prompt": "Go.", "first_frame": {"bytes": PICTURE}}])
    (tmp_path / "set").mkdir()
    (tmp_path / "set/a.parquet").symlink_to(tmp_path / "elsewhere/a.parquet")
    [row] = read_rows(tmp_path / "set")
    assert isinstance(row, BadRow) and "leads outside" in row.reason
    folder = tmp_path / "theirs/maze_task/maze_0000"
    folder.mkdir(parents=True)
    (folder / "prompt.txt").write_text("Go.")
    (tmp_path / "private.png").write_bytes(SECRET)
    (folder / "first_frame.png").symlink_to(tmp_path / "private.png")
    [row] = read_rows(tmp_path / "theirs")
    assert isinstance(row, BadRow) and "leads outside" in row.reason


def make_run(outputs: Path, video: str) -> Path:
    folder = outputs / "e/m/maze_task/maze_0000/run"
    (folder / "question").mkdir(parents=True)
    (folder / "video").mkdir()
    (folder / "question/prompt.txt").write_text("Go.")
    (folder / "question/first_frame.png").write_bytes(PICTURE)
    about = {"sample": 0, "run_id": "run", "status": "success", "video": video, "created_at": "2026"}
    (folder / "metadata.json").write_text(json.dumps(about))
    return folder


def test_export_publishes_no_file_that_a_record_or_a_link_leads_to(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "private.mp4").write_bytes(b"secret")
    make_run(tmp_path / "outputs", "../../../../../../private.mp4")
    with pytest.raises(StoreError, match="has no videos"):
        list(iterate_run_rows("e", tmp_path / "outputs", tmp_path / "evaluations"))
    assert "is not the name of a file inside its folder" in caplog.text
    folder = make_run(tmp_path / "more", "video/a.mp4")
    (folder / "video/a.mp4").symlink_to(tmp_path / "private.mp4")
    with pytest.raises(StoreError, match="leads outside"):
        list(iterate_run_rows("e", tmp_path / "more", tmp_path / "evaluations"))


def test_a_list_of_videos_takes_videos_only(tmp_path: Path) -> None:
    write_parquet(tmp_path, [{"id": "maze_0000", "prompt": "Go.", "first_frame": {"bytes": PICTURE}}])
    import_rows(read_rows(tmp_path / "a.parquet", domain="maze"), tmp_path / "questions")
    (tmp_path / "private.txt").write_text("secret")
    (tmp_path / "map.csv").write_text(f"path,question\n{tmp_path / 'private.txt'},maze_0000\n")
    done = import_videos(tmp_path / "map.csv", tmp_path / "questions", "e", "m", tmp_path / "outputs")
    assert done.videos == 0 and "not a video" in done.bad[0].reason
    (tmp_path / "videos").mkdir()
    (tmp_path / "videos/maze_0000.mp4").symlink_to(tmp_path / "private.txt")
    done = import_videos(tmp_path / "videos", tmp_path / "questions", "e", "m", tmp_path / "outputs")
    assert done.videos == 0 and "leads outside" in done.bad[0].reason


def make_sparse_tar(path: Path, claimed: int) -> None:
    """Write a GNU sparse member with one block of data and a hole."""
    header = bytearray(tarfile.TarInfo("a.first_frame.png").tobuf(tarfile.GNU_FORMAT))
    header[124:136] = b"%011o\0" % 512  # bytes in the archive
    header[156:157] = tarfile.GNUTYPE_SPARSE
    header[386:398], header[398:410] = b"%011o\0" % 0, b"%011o\0" % 512  # the only block of data
    header[483:495] = claimed.to_bytes(12, "big") if claimed >= 8**11 else b"%011o\0" % claimed
    header[483] |= 0x80 if claimed >= 8**11 else 0
    header[148:156] = b"        "
    header[148:156] = b"%06o\0 " % sum(header)
    path.write_bytes(bytes(header) + b"x" * 512 + b"\0" * 1024)


def test_an_archive_that_claims_much_is_not_read_whole(tmp_path: Path) -> None:
    make_sparse_tar(tmp_path / "bomb.tar", 12 << 30)
    with tarfile.open(tmp_path / "bomb.tar") as tar:
        assert tar.getmembers()[0].size == 12 << 30, "the file is what it should be"
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from vmevalkit.exchange.read import read_rows\n"
        "for row in read_rows(sys.argv[1]): print(row.reason)\n"
        # Of this process alone: ru_maxrss begins with what the parent had.
        "peak = Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0]\n"
        "print(int(peak) // 1024)\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "bomb.tar")], capture_output=True, text=True, check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)),
    ).stdout.splitlines()  # fmt: skip
    assert "has holes and claims 12,884,901,888 bytes" in out[0] and int(out[-1]) < 700


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_header_that_claims_much_is_not_read_whole(tmp_path: Path, kind: bytes) -> None:
    header = tarfile.TarInfo("x")
    header.type, header.size = kind, 1 << 32
    with (tmp_path / "a.tar").open("wb") as file:
        file.write(header.tobuf(tarfile.GNU_FORMAT))
        file.truncate(header.size + 4096)  # holes: it takes no place on the disk
    [row] = read_rows(tmp_path / "a.tar")
    assert isinstance(row, BadRow) and "a header claims 4,294,967,296 bytes" in row.reason


def test_a_damaged_folder_of_save_to_disk_is_a_message(tmp_path: Path) -> None:
    (tmp_path / "dataset_info.json").write_text("{}")
    for state in (
        '{"_data_files": 5}',
        '{"_data_files": [1]}',
        "[]",
        '{"_data_files": [{"filename": "/etc/hostname"}]}',
    ):
        (tmp_path / "state.json").write_text(state)
        [row] = read_rows(tmp_path)
        assert isinstance(row, BadRow)


def test_archives_have_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        for number in range(100):
            add_member(tar, f"a.{number}", b"x")
        add_member(tar, "b.first_frame.png", PICTURE)
        add_member(tar, "b.prompt.txt", b"Go.")
        add_member(tar, "c.first_frame.png", b"x" * 5000)
    monkeypatch.setattr("vmevalkit.exchange.sources.MOST_BYTES", 4000)
    many, good, large = read_rows(tmp_path / "a.tar")
    assert isinstance(many, BadRow) and "more than 64 files" in many.reason
    assert isinstance(good, Row) and good.id == "b"
    assert isinstance(large, BadRow) and "has 5,000 bytes" in large.reason
    with tarfile.open(tmp_path / "b.tar", "w:gz") as tar:
        add_member(tar, "b.first_frame.png", PICTURE)
    [packed] = read_rows(tmp_path / "b.tar")
    assert isinstance(packed, BadRow) and "without compression" in packed.reason


def test_a_column_that_grows_beyond_reason_is_refused(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    zeros = pa.array([bytes(1 << 26)] * 2, pa.binary())
    table = pa.table({"prompt": ["Go."] * 2, "first_frame": zeros})
    pq.write_table(table, tmp_path / "a.parquet", compression="zstd", use_dictionary=False)
    [row] = read_rows(tmp_path / "a.parquet")
    assert isinstance(row, BadRow) and "claims" in row.reason


def test_each_bad_row_is_a_message_and_the_rest_is_imported(tmp_path: Path) -> None:
    rows: list[Any] = [
        {"id": "good", "prompt": "Go.", "first_frame": "a.png"},
        {"id": "no image", "prompt": "Go.", "first_frame": "text.png"},
        {"id": "tiny", "prompt": "Go.", "first_frame": "tiny.png"},
        {"id": "no object", "prompt": "Go.", "first_frame": "a.png", "metadata": "[1]"},
        {"id": "x" * 300, "prompt": "Go.", "first_frame": "a.png"},
        {"id": "no text", "prompt": ["Go."], "first_frame": "a.png"},
        {"id": "number", "prompt": "Go.", "first_frame": 10**12},
        {"id": "many", "prompt": "Go.", "first_frame": "a.png", "sample": 10**30},
        ["a list"],
        {"id": "contradiction", "prompt": "Go.", "first_frame": "a.png", "metadata": '{"id": "../../x", "k": 1}'},
    ]
    (tmp_path / "a.png").write_bytes(PICTURE)
    (tmp_path / "tiny.png").write_bytes(encode_png(np.zeros((1, 1, 3), np.uint8)))
    (tmp_path / "text.png").write_bytes(b"text")
    lines = [json.dumps({**row, "file_name": "no.mp4"} if isinstance(row, dict) else row) for row in rows]
    with tarfile.open(tmp_path / "set.tar", "w") as tar:
        for number, row in enumerate(rows):
            cells = {**row, "first_frame": {"path": row["first_frame"]}} if isinstance(row, dict) else row
            add_member(tar, f"r{number}.json", json.dumps(cells).encode())
        add_member(tar, "half.json", lines[0][:20].encode())
    line = ["import", str(tmp_path / "set.tar"), "--questions", str(tmp_path / "questions"), "--domain", "d"]
    result = CliRunner().invoke(make_app(), line)
    assert result.exit_code == 1 and "2 questions" in result.stdout
    errors = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 10 and errors[-1] == "error: 9 rows were left out; the others are imported"
    assert "row 1: first_frame is not a decodable image" in errors[0]
    good = load_questions(tmp_path / "questions")
    assert [question.id for question in good] == ["contradiction", "good"]
    assert good[0].metadata == {"id": "contradiction", "k": 1, "domain": "d", "prompt": "Go."}


def write_question_folder(folder: Path, record: dict[str, Any]) -> None:
    folder.mkdir(parents=True)
    (folder / "first_frame.png").write_bytes(PICTURE)
    (folder / "final_frame.png").write_bytes(SECRET)
    (folder / "prompt.txt").write_text("Solve it.")
    (folder / "question_metadata.json").write_text(json.dumps(record))


def test_the_domain_that_is_asked_for_is_the_domain(tmp_path: Path) -> None:
    write_question_folder(tmp_path / "set/doors_task/door_1", {"id": "door_1", "domain": "doors"})
    write_video(tmp_path / "set/doors_task/door_1/ground_truth.mp4", [np.full((32, 48, 3), 9, np.uint8)] * 4, 8.0)
    import_rows(read_rows(tmp_path / "set", domain="gates"), tmp_path / "questions")
    [question] = load_questions(tmp_path / "questions")
    assert (question.domain, question.id) == ("gates", "door_1")
    assert (question.folder / "solution.mp4").is_file(), "what others call ground truth"


def test_without_redrawing_a_puzzle_in_another_form_cannot_be_scored(tmp_path: Path) -> None:
    data = {"puzzle": [1, 0, 0, 4] * 4, "solution": [1, 2, 3, 4] * 4}
    write_question_folder(tmp_path / "set/sudoku_task/sudoku_1", {"id": "sudoku_1", "sudoku_data": data})
    done = import_rows(read_rows(tmp_path / "set"), tmp_path / "questions", redraw=False)
    assert (done.questions, done.scorable) == (1, 0)


def test_videos_of_no_question_are_an_error(tmp_path: Path) -> None:
    write_question_folder(tmp_path / "questions/doors_task/door_1", {"id": "door_1", "domain": "doors"})
    write_video(tmp_path / "videos/other.mp4", [np.full((32, 48, 3), 9, np.uint8)] * 4, 8.0)
    with pytest.raises(UsageError, match="belongs to a question"):
        import_videos(tmp_path / "videos", tmp_path / "questions", "theirs", "m", tmp_path / "outputs")
