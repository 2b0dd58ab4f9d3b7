"""The texts of the annotation page. Everything that comes from data is escaped."""

from __future__ import annotations

import json
from html import escape

from vmevalkit.eval.annotation.items import AnnotationItem
from vmevalkit.eval.annotation.media_files import ItemFiles
from vmevalkit.eval.criteria import find_hint, is_process_judged
from vmevalkit.store import layout
from vmevalkit.store.foreign_file import read_foreign_file

_MOST_GOAL_BYTES = 1 << 16

SCALE = (
    (1, "Completely wrong: no understanding of the task"),
    (2, "Mostly incorrect: minimal progress toward the solution"),
    (3, "Partially correct: about half the expected solution"),
    (4, "Mostly correct: close to the expected result with minor errors"),
    (5, "Perfect: matches the expected result"),
)
PROCESS = (
    "Then answer the second question. A jump to the answer and a step against the rules, such as a line through a "
    "wall, are not legal. They do not lower the value of the final state."
)
KEYS = (
    "<b>1</b>–<b>5</b> rate · <b>Y</b> <b>X</b> moves legal or not · <b>0</b> cannot tell · "
    "<b>Enter</b> submit · <b>Space</b> play or pause · <b>←</b> <b>→</b> step through frames · <b>L</b> loop · "
    "<b>S</b> speed · <b>U</b> undo the last label · <b>N</b> skip"
)


def write_rubric(domain: str) -> str:
    """Return the five lines of the scale and the guidance of a task, as the judge gets them."""
    rows = "".join(f"<li value={value}>{escape(text)}</li>" for value, text in SCALE)
    guidance = f"Rate the final state. {find_hint(domain)}"
    legal = f"<p class='guidance'>{escape(PROCESS)}</p>" if is_process_judged(domain) else ""
    return f"<ol class='rubric'>{rows}</ol><p class='guidance'>{escape(guidance)}</p>{legal}<p class='keys'>{KEYS}</p>"


def write_first_frame(files: ItemFiles) -> str:
    return _image(files, "first_frame.png", "First frame that the model got")


def write_expected(item: AnnotationItem, files: ItemFiles) -> str:
    """Return the expected final frame, or the expected result in words."""
    if files.has_final_frame:
        first = _image(files, "final_frame.png", "Expected final frame")
        if not files.answers:
            return first
        others = "".join(_image(files, name, "Another accepted final frame") for name in files.answers)
        return f"{first}<p class='goal'>Each of these is right too:</p>{others}"
    text = "This question has no expected frame: judge by the prompt."
    if (item.question.folder / layout.GOAL).is_file():
        text = read_foreign_file(item.question.folder, layout.GOAL, _MOST_GOAL_BYTES).decode("utf-8", "replace")
    return f"<p class='goal'>{escape(text)}</p>"


def write_viewer(item: AnnotationItem, files: ItemFiles) -> str:
    """Return the video with its frames to step through. The page's script reads the data attributes."""
    frames = json.dumps([[_url(files, f"{number:03d}.jpg"), at] for number, at in enumerate(files.seconds)])
    return (
        f"<div id='viewer' data-token='{escape(item.token)}' data-frames='{escape(frames, quote=True)}'>"
        f"<video src='{_url(files, files.video)}' muted loop autoplay playsinline preload='auto' "
        "aria-label='Generated video'></video><img class='still' alt='Frame of the video' hidden>"
        "<div class='bar'><button type='button' class='play' aria-label='Play or pause'>Pause</button>"
        "<button type='button' class='back' aria-label='Previous frame'>‹</button>"
        "<button type='button' class='forth' aria-label='Next frame'>›</button>"
        "<span class='time' aria-live='off'></span>"
        "<button type='button' class='loop' aria-pressed='true'>Loop on</button>"
        "<button type='button' class='speed'>1×</button></div></div>"
    )


def write_task(item: AnnotationItem) -> str:
    """Return the task and the prompt of an item. The model is not named."""
    domain = escape(item.question.domain.replace("_", " "))
    return f"<p class='prompt'><b>{domain}</b> {escape(item.question.prompt)}</p>"


def write_progress(rated: int, total: int, seconds_left: float | None) -> str:
    """Return how much is done, and how long the rest takes at this pace."""
    done = f"{rated} of {total} rated"
    if seconds_left is None or rated == total:
        return done
    return f"{done}, about {max(1, round(seconds_left / 60))} min left"


def write_finished(annotator: str, rated: int) -> str:
    return (
        f"<div class='finished'><h2>Finished, thank you</h2><p>{escape(annotator)}, you rated {rated} items and all of "
        "them are kept. You can close this page.</p></div>"
    )


def write_code(code: str | None) -> str:
    """Return the resume code of a new annotator."""
    if code is None:
        return ""
    return (
        f"<p class='code'>Your resume code is <b>{escape(code)}</b>. This browser keeps it; note it down to go on "
        "in another one.</p>"
    )


def _image(files: ItemFiles, name: str, alt: str) -> str:
    return f"<img class='frame' src='{_url(files, name)}' alt='{escape(alt)}'>"


def _url(files: ItemFiles, name: str) -> str:
    return escape(f"/gradio_api/file={(files.folder / name).as_posix()}", quote=True)
