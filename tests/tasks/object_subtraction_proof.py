"""Independent proof of an object subtraction: its prompt is applied to its record, without the code of the task."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import combinations
from math import hypot, pi, sqrt
from typing import Any

import pytest

from vmevalkit.tasks.object_subtraction_task import TASK, ObjectSubtraction

REST = " Do not do anything to other objects."


def measure_height(thing: dict[str, Any]) -> float:
    return thing["size"] * (sqrt(3) / 2 if thing["shape"] == "pyramid" else 1.0)


def measure_spans(thing: dict[str, Any]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return left and right, and top and bottom."""
    half, high = thing["size"] / 2, measure_height(thing) / 2
    return (thing["x"] - half, thing["x"] + half), (thing["y"] - high, thing["y"] + high)


def measure_distances(thing: dict[str, Any], x: float, y: float) -> tuple[float, float]:
    """Return the distances from a point to the middle, and to the nearest point of the box."""
    (left, right), (top, bottom) = measure_spans(thing)
    near = (max(left - x, 0, x - right), max(top - y, 0, y - bottom))
    return hypot(thing["x"] - x, thing["y"] - y), hypot(*near)


def select_first(things: list[dict[str, Any]], count: int, measure: Any, clear: float) -> set[int]:
    """Return the first objects by two measures that agree, clearly ahead of the next one."""
    chosen = []
    for which in (0, 1):
        ranked = sorted(things, key=lambda thing: measure(thing)[which])
        assert measure(ranked[count])[which] - measure(ranked[count - 1])[which] >= clear
        chosen.append({thing["id"] for thing in ranked[:count]})
    assert chosen[0] == chosen[1]
    return chosen[0]


def select_objects(prompt: str, things: list[dict[str, Any]], side: int) -> set[int]:
    """Return the objects that a prompt selects; fail where the selection is not clear."""
    unit = side / 256
    assert prompt.endswith(REST)
    text = prompt.removesuffix(REST)
    if text == "Remove the object that looks different from the others.":
        looks = Counter((t["color"], t["shape"]) for t in things)
        assert sorted(looks.values())[:2] > [1, 1]
        assert len({t["size"] for t in things}) == 1
        (odd,) = (t for t in things if looks[t["color"], t["shape"]] == 1)
        assert any([t[key] for t in things].count(odd[key]) == 1 for key in ("color", "shape"))
        return {odd["id"]}
    if found := re.fullmatch(r"Remove (the (\w+) object|all (\w+) objects) from the scene\.", text):
        word = found[2] or found[3]
        ids = {t["id"] for t in things if word in (t["color"], t["shape"])}
        assert (len(ids) == 1) == bool(found[2])
        return ids
    if found := re.fullmatch(r"Remove (the|all) (largest|smallest) objects?\.", text):
        sign = 1 if found[2] == "largest" else -1
        extreme = max(sign * t["size"] for t in things) * sign
        ids = {t["id"] for t in things if t["size"] == extreme}
        others = [t for t in things if t["id"] not in ids]
        assert min(sign * (extreme - t["size"]) for t in others) >= 12 * unit
        assert min(sign * t["area"] for t in things if t["id"] in ids) > max(sign * t["area"] for t in others)
        assert max(t["size"] for t in things) - min(t["size"] for t in things) >= 15 * unit
        assert (len(ids) == 1) == (found[1] == "the")
        return ids
    if found := re.fullmatch(r"Remove the (\d )?(left|right|top|bottom)mosts? objects?\.", text):
        axis, sign = {"left": (0, 1), "right": (0, -1), "top": (1, 1), "bottom": (1, -1)}[found[2]]
        count = int(found[1] or 1)

        def outward(thing: dict[str, Any]) -> tuple[float, float]:
            near, far = measure_spans(thing)[axis]
            return sign * (near + far) / 2, near if sign == 1 else -far

        return select_first(things, count, outward, 8 * unit)
    if found := re.fullmatch(
        r"Remove (?:the object|all objects) in the ([a-z ]+) (half|quadrant) of the image\.", text
    ):
        ids = set()
        for thing in things:
            across, down = measure_spans(thing)
            inside, beyond = [], []
            for word in found[1].split():
                near, far = across if word in ("left", "right") else down
                if word in ("right", "lower"):
                    near, far = side - far, side - near
                inside.append(far <= side / 2 - 8 * unit)
                beyond.append(near >= side / 2 + 8 * unit)
            assert all(inside) or any(beyond)
            ids |= {thing["id"]} if all(inside) else set()
        assert (len(ids) == 1) == ("the object" in text)
        return ids
    if found := re.fullmatch(r"Remove the (\d )?objects? closest to (a|the [a-z]+ [a-z]+) corner\.", text):
        corners = {"upper left": (0, 0), "upper right": (side, 0), "lower left": (0, side), "lower right": (side, side)}
        points = list(corners.values()) if found[2] == "a" else [corners[found[2].removeprefix("the ")]]

        def to_corner(thing: dict[str, Any]) -> tuple[float, float]:
            both = [measure_distances(thing, *point) for point in points]
            return min(middle for middle, _ in both), min(edge for _, edge in both)

        return select_first(things, int(found[1] or 1), to_corner, 8 * unit)
    if found := re.fullmatch(r"Remove the (\d )?objects? (closest to|farthest from) the center of the image\.", text):
        sign = 1 if found[2] == "closest to" else -1

        def to_center(thing: dict[str, Any]) -> tuple[float, float]:
            middle, edge = measure_distances(thing, side / 2, side / 2)
            return sign * middle, sign * edge

        return select_first(things, int(found[1] or 1), to_center, 8 * unit)
    listed = re.findall(r"the (\w+) (\w+)", text.removesuffix(" from the scene."))
    assert 2 <= len(listed) <= 3
    names = [f"the {colour} {shape}" for colour, shape in listed]
    listing = " and ".join(names) if len(names) == 2 else f"{names[0]}, {names[1]}, and {names[2]}"
    assert text == f"Remove {listing} from the scene."
    ids = set()
    for pair in listed:
        (one,) = [t["id"] for t in things if (t["color"], t["shape"]) == pair]
        ids.add(one)
    return ids


def prove(puzzle: ObjectSubtraction) -> str:
    """Check a scene from its record; return its prompt."""
    record = json.loads(json.dumps(TASK.metadata(puzzle)))["object_subtraction_data"]
    things, side = record["objects"], puzzle.canvas
    unit = side / 256
    areas = {"cube": 1, "sphere": pi / 4, "pyramid": sqrt(3) / 4, "cone": 0.68}
    for thing in things:
        assert thing["area"] == pytest.approx(areas[thing["shape"]] * thing["size"] ** 2, abs=0.01)
        for low, high in measure_spans(thing):
            assert low >= 16 * unit - 1e-9 and high <= side - 16 * unit + 1e-9
    for one, other in combinations(things, 2):
        (left, right), (top, bottom) = measure_spans(one)
        (left2, right2), (top2, bottom2) = measure_spans(other)
        assert max(left2 - right, left - right2, top2 - bottom, top - bottom2) >= 10 * unit - 1e-9
    prompt = TASK.prompt(puzzle)
    ids = select_objects(prompt, things, side)
    assert sorted(ids) == record["remove_object_ids"] == record["rule"]["target_object_ids"]
    assert sorted({*record["remove_object_ids"], *record["keep_object_ids"]}) == [t["id"] for t in things]
    assert (record["num_objects"], record["num_removed"]) == (len(things), len(ids))
    assert record["num_kept"] == len(record["keep_object_ids"]) >= min(3, len(things) - 2)
    return prompt
