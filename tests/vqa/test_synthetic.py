"""The synthetic set: certified, balanced, reproducible; and certificates that fail where they must."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vmevalkit.core.errors import StoreError, Uncertified, UnknownName, UsageError
from vmevalkit.media.image import encode_png
from vmevalkit.vqa.dataset import find_question_type, load_questions
from vmevalkit.vqa.synthetic.dataset import _MAKERS, certify_question, make_questions, make_rows, write_dataset
from vmevalkit.vqa.synthetic.question import SyntheticQuestion
from vmevalkit.vqa.synthetic.ray_casting import cast_silhouette, measure_overlap, read_silhouette
from vmevalkit.vqa.task_files.mmsi import CATEGORIES, LETTERS, decode_image

N = 8


@pytest.fixture(scope="module")
def questions() -> dict[str, list[SyntheticQuestion]]:
    return {category: list(make_questions(category, N, 5)) for category in _MAKERS}


def test_all_five_categories_are_certified_and_their_letters_balanced(
    questions: dict[str, list[SyntheticQuestion]],
) -> None:
    assert set(questions) == {"attribute_appr", "attribute_meas", "motion_obj", "motion_cam", "msr"}
    for made in questions.values():
        assert Counter(question.answer for question in made) == dict.fromkeys(LETTERS, N // 4)
        for question in made:
            certify_question(question)
            assert len(set(question.options)) == 4 and len(question.images) >= 2


def test_a_wrong_letter_is_not_certified(questions: dict[str, list[SyntheticQuestion]]) -> None:
    for made in questions.values():
        for question in made:
            other = LETTERS[(LETTERS.index(question.answer) + 1) % 4]
            with pytest.raises(Uncertified):
                certify_question(replace(question, answer=other))


def test_swapped_images_are_not_certified(questions: dict[str, list[SyntheticQuestion]]) -> None:
    for category in ("motion_cam", "msr"):
        question = questions[category][0]
        first, *rest = question.images
        with pytest.raises(Uncertified):
            certify_question(replace(question, images=(*rest, first)))
    moved = next(question for question in questions["motion_obj"] if question.kind == "direction")
    with pytest.raises(Uncertified):
        certify_question(replace(moved, images=moved.images[::-1]))


def test_an_object_that_is_painted_over_is_noticed(questions: dict[str, list[SyntheticQuestion]]) -> None:
    question = next(q for q in questions["motion_obj"] if q.kind == "which_moved")
    images = [image.copy() for image in question.images]
    ys, xs = np.nonzero((images[1] < 200).any(axis=2))
    images[1][ys.min() : ys.min() + 12, :] = 255
    with pytest.raises(Uncertified):
        certify_question(replace(question, images=tuple(images)))
    assert len(xs)


def test_rays_see_the_drawn_silhouette_and_no_other(questions: dict[str, list[SyntheticQuestion]]) -> None:
    scene, image = questions["motion_cam"][0].scene, questions["motion_cam"][0].images[0]
    cast = cast_silhouette(scene, scene["azim_deg"], scene["elev_deg"], 1.0)
    assert measure_overlap(cast, read_silhouette(image)) > 0.96
    turned = cast_silhouette(scene, scene["azim_deg"] + 90, scene["elev_deg"], 1.0)
    assert measure_overlap(turned, read_silhouette(image)) < 0.9


def test_the_same_seed_gives_the_same_rows() -> None:
    assert list(make_rows(1, 3)) == list(make_rows(1, 3))
    assert list(make_rows(1, 3)) != list(make_rows(1, 4))
    with pytest.raises(UsageError, match="at least 1"):
        next(make_rows(0))


def test_the_dataset_is_loaded_again(tmp_path: Path) -> None:
    path = write_dataset(tmp_path / "set", 4, 1)
    rows = list(make_rows(4, 1))
    for kind in list(CATEGORIES)[:5]:
        wanted = [row for row in rows if row["question_type"] == kind]
        for source in (tmp_path / "set", path):
            loaded = list(load_questions(str(source), kind))
            assert [(q.id, q.question, q.answer) for q in loaded] == [
                (row["id"], row["question"], row["answer"]) for row in wanted
            ]
            assert [part.data for part in loaded[0].images] == wanted[0]["images"]
    assert len(list(load_questions(str(path), "MSR", limit=2))) == 2
    with pytest.raises(StoreError, match="no question of the type"):
        list(load_questions(str(path), "Positional Relationship (Cam.–Cam.)"))
    with pytest.raises(UsageError, match="--limit 0"):
        list(load_questions(str(path), "MSR", limit=0))


def test_all_eleven_types_have_names() -> None:
    assert len(CATEGORIES) == 11
    assert find_question_type("motion_cam") == "Motion (Cam.)"
    assert find_question_type("Positional Relationship (Obj.-Reg.)") == "Positional Relationship (Obj.–Reg.)"
    with pytest.raises(UnknownName, match="motion_cam"):
        find_question_type("motion_camera")


def test_images_of_all_three_forms_are_read() -> None:
    from PIL import Image

    frame = np.zeros((4, 6, 3), np.uint8)
    frame[1] = (10, 200, 30)
    data = encode_png(frame)
    for item in (data, {"bytes": data, "path": None}, Image.fromarray(frame).convert("RGBA")):
        image = decode_image(item)
        assert image.mode == "RGB" and np.array_equal(np.asarray(image), frame)
    with pytest.raises(TypeError, match="float"):
        decode_image(1.0)


def test_parquet_with_struct_images_and_files_that_are_not_the_dataset(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [{**row, "images": [{"bytes": data, "path": "x.png"} for data in row["images"]]} for row in make_rows(1, 1)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet", row_group_size=2)
    assert len(next(load_questions(str(tmp_path), "MSR")).images) == 3
    pq.write_table(pa.Table.from_pylist([{"id": 1}]), tmp_path / "b.parquet")
    with pytest.raises(StoreError, match="no column"):
        list(load_questions(str(tmp_path / "b.parquet"), "MSR"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(StoreError, match="no parquet file"):
        list(load_questions(str(tmp_path / "empty"), "MSR"))


def test_a_row_cannot_name_a_file_of_this_machine(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    row = next(row for row in make_rows(1, 1) if row["question_type"] == "MSR")
    image = row["images"][0]
    (tmp_path / "private.png").write_bytes(image)
    (tmp_path / "set/images").mkdir(parents=True)
    (tmp_path / "set/images/own.png").write_bytes(image)
    (tmp_path / "set/link.png").symlink_to(tmp_path / "private.png")
    names = [str(tmp_path / "private.png"), "../private.png", "link.png", "images/own.png"]
    rows = [{**row, "id": name, "images": [{"bytes": None, "path": name}]} for name in names]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "set/test.parquet")
    *bad, own = load_questions(str(tmp_path / "set"), "MSR")
    assert [question.images for question in bad] == [()] * 3
    assert all("leads outside" in str(question.problem) for question in bad)
    assert own.problem is None and own.images[0].data == image


def test_an_image_that_claims_too_many_pixels_is_not_decoded(tmp_path: Path) -> None:
    import zlib

    import pyarrow as pa
    import pyarrow.parquet as pq

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    header = (9_000).to_bytes(4, "big") * 2 + b"\x08\x00\x00\x00\x00"
    bomb = (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")
    )
    row = next(row for row in make_rows(1, 1) if row["question_type"] == "MSR")
    pq.write_table(pa.Table.from_pylist([{**row, "images": [bomb]}]), tmp_path / "test.parquet")
    [question] = load_questions(str(tmp_path), "MSR")
    assert question.images == () and "9000x9000" in str(question.problem)
