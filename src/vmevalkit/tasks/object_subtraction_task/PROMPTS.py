"""Prompts of the object subtraction task."""

from __future__ import annotations

from collections.abc import Mapping

REST = "Do not do anything to other objects."
"""The second sentence of every prompt."""

REMOVE: Mapping[str, tuple[str, str]] = {
    "color": ("Remove the {value} object from the scene.", "Remove all {value} objects from the scene."),
    "shape": ("Remove the {value} object from the scene.", "Remove all {value} objects from the scene."),
    "size": ("Remove the {value} object.", "Remove all {value} objects."),
    "enumerated": ("Remove {listed} from the scene.", "Remove {listed} from the scene."),
    "side": ("Remove the {value} object.", "Remove the {count} {value} objects."),
    "half": (
        "Remove the object in the {value} half of the image.",
        "Remove all objects in the {value} half of the image.",
    ),
    "quadrant": (
        "Remove the object in the {value} quadrant of the image.",
        "Remove all objects in the {value} quadrant of the image.",
    ),
    "corner": ("Remove the object closest to {value} corner.", "Remove the {count} objects closest to {value} corner."),
    "center": (
        "Remove the object {value} the center of the image.",
        "Remove the {count} objects {value} the center of the image.",
    ),
    "outlier": ("Remove the object that looks different from the others.", ""),
}
"""The first sentence for each kind of rule: for one object, and for several."""

JUDGE_HINT = (
    "Verify that exactly the objects that the prompt names are gone in the final frame, and that all other objects "
    "are unchanged in position, size, color and shape."
)
"""Task-specific part of the prompt for a judge of the final frame."""


def list_objects(pairs: tuple[tuple[str, str], ...]) -> str:
    """Return an English list of objects by colour and shape."""
    names = [f"the {colour} {shape}" for colour, shape in pairs]
    if len(names) < 3:
        return " and ".join(names)
    return ", ".join(names[:-1]) + f", and {names[-1]}"


def write_prompt(kind: str, value: str, count: int, pairs: tuple[tuple[str, str], ...] = ()) -> str:
    """Return the prompt for a video model."""
    one, several = REMOVE[kind]
    sentence = one if count == 1 else several
    return f"{sentence.format(value=value, count=count, listed=list_objects(pairs))} {REST}"
