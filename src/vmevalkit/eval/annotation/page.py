"""The web page on which people rate videos. It is a Gradio app over an AnnotationService."""

from __future__ import annotations

import os
from html import escape
from importlib.resources import files as package_files
from typing import Any

from vmevalkit.core.errors import SetupError, UsageError, VMEvalKitError
from vmevalkit.core.extras import make_install_command
from vmevalkit.eval.annotation import page_text
from vmevalkit.eval.annotation.media_files import MediaFiles
from vmevalkit.eval.annotation.service import AnnotationService, Joined, Screen, SessionError
from vmevalkit.eval.criteria import is_process_judged

CANNOT_TELL = "Cannot tell"
LEGAL = ["Yes", "No"]
CHOICES = ["1", "2", "3", "4", "5", CANNOT_TELL]

_STORED = """() => [localStorage.getItem("vmevalkit-name") || "", localStorage.getItem("vmevalkit-code") || ""]"""
_STORE = """(name, code) => {
  if (code) { localStorage.setItem("vmevalkit-name", name); localStorage.setItem("vmevalkit-code", code); }
}"""


def import_gradio() -> Any:
    """Return the module gradio. Raises SetupError where it is not installed."""
    os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")  # nothing is sent anywhere
    try:
        import gradio
    except ImportError as error:
        raise SetupError(f"the annotation page needs Gradio: {make_install_command('annotate')}") from error
    return gradio


def read_asset(name: str) -> str:
    return package_files(__package__).joinpath(name).read_text("utf-8")


class Page:
    """Turns the service's screens into values of the page's components."""

    def __init__(self, service: AnnotationService, media: MediaFiles) -> None:
        self._service, self._media = service, media

    def join(self, name: str, code: str) -> tuple[Any, ...]:
        """Return session and token, the name and code to keep in the browser, and the screen."""
        gr = import_gradio()
        try:
            joined = self._service.join(name or "", code or "")
        except VMEvalKitError as error:
            return ("", "", gr.skip(), "", *self._stay(gr, error))
        screen = joined.screen
        token = screen.item.token if screen.item else ""
        return (joined.session, token, screen.annotator, joined.resume_code or code or "", *self._show(screen, joined))

    def rate(
        self, session: str, token: str, choice: str | None, legal: str | None, explanation: str
    ) -> tuple[Any, ...]:
        gr = import_gradio()
        try:
            if choice not in CHOICES:
                raise UsageError("choose a value from 1 to 5 first, or Cannot tell")
            value = None if choice == CANNOT_TELL else int(choice)
            is_legal = None if legal is None else legal == LEGAL[0]
            return self._move(self._service.rate(session, token, value, explanation or "", is_legal))
        except VMEvalKitError as error:
            return (gr.skip(), *self._stay(gr, error))

    def skip(self, session: str, token: str) -> tuple[Any, ...]:
        return self._call(lambda: self._service.skip(session, token))

    def go_back(self, session: str) -> tuple[Any, ...]:
        return self._call(lambda: self._service.go_back(session))

    def undo(self, session: str) -> tuple[Any, ...]:
        return self._call(lambda: self._service.undo(session))

    def _call(self, act: Any) -> tuple[Any, ...]:
        try:
            return self._move(act())
        except VMEvalKitError as error:
            gr = import_gradio()
            return (gr.skip(), *self._stay(gr, error))

    def _move(self, screen: Screen) -> tuple[Any, ...]:
        return (screen.item.token if screen.item else "", *self._show(screen))

    def _show(self, screen: Screen, joined: Joined | None = None) -> tuple[Any, ...]:
        """Return the values of the components of ``build_app``, from the welcome to the message."""
        gr = import_gradio()
        progress = page_text.write_progress(screen.rated, screen.total, screen.seconds_left)
        code = page_text.write_code(joined.resume_code if joined else None)
        head = (gr.update(visible=False), gr.update(value=code, visible=bool(code)), progress)
        if screen.item is None:
            finished = page_text.write_finished(screen.annotator, screen.rated)
            return (
                *head, gr.update(visible=False), gr.update(value=finished, visible=True), "", "", "", "", "",
                gr.update(value=None), gr.update(value=None), "", gr.update(value="", visible=False),
            )  # fmt: skip
        item, files = screen.item, self._media.prepare(screen.item)
        label = screen.label
        chosen = None if label is None else CANNOT_TELL if label.value is None else str(label.value)
        is_legal = label.is_legal if label else None
        chosen_legal = None if is_legal is None else LEGAL[0] if is_legal else LEGAL[1]
        return (
            *head,
            gr.update(visible=True),
            gr.update(visible=False),
            page_text.write_task(item),
            page_text.write_first_frame(files),
            page_text.write_viewer(item, files),
            page_text.write_expected(item, files),
            page_text.write_rubric(item.question.domain),
            gr.update(value=chosen),
            gr.update(value=chosen_legal, visible=is_process_judged(item.question.domain)),
            label.explanation if label else "",
            gr.update(value="", visible=False),
        )

    def _stay(self, gr: Any, error: VMEvalKitError) -> tuple[Any, ...]:
        """Return the screen as it is, with a message. After a lost session the annotator enters the name again."""
        welcome = gr.update(visible=True) if isinstance(error, SessionError) else gr.skip()
        text = f"<p class='message' role='alert'>{escape(str(error))}</p>"
        return (welcome, *[gr.skip()] * 12, gr.update(value=text, visible=True))


def build_app(service: AnnotationService, media: MediaFiles) -> Any:
    """Return the Gradio app."""
    gr = import_gradio()
    page = Page(service, media)
    with gr.Blocks(title="VMEvalKit Human Evaluation", analytics_enabled=False) as app:
        session, token = gr.State(""), gr.State("")
        with gr.Row(elem_id="top"):
            gr.Markdown("# VMEvalKit Human Evaluation Interface")
            resume_code = gr.HTML(visible=False)
            progress = gr.Textbox(label="Progress", interactive=False, elem_id="progress", container=False)
        message = gr.HTML(visible=False)
        with gr.Group(visible=True, elem_id="welcome") as welcome:
            name = gr.Textbox(label="Annotator Name", placeholder="Enter your name", elem_id="name", max_length=100)
            code = gr.Textbox(
                label="Resume code", placeholder="Only to go on with a name in another browser", elem_id="code"
            )
            begin = gr.Button("Begin", variant="primary", elem_id="begin")
        finished = gr.HTML(visible=False, elem_id="finished")
        with gr.Column(visible=False, elem_id="work") as work:
            task = gr.HTML(label="Current Task")
            with gr.Row(elem_id="media"):
                with gr.Column(min_width=240):
                    gr.Markdown("### Input (First Frame)")
                    first_frame = gr.HTML()
                with gr.Column(min_width=320, scale=2):
                    gr.Markdown("### Generated Video")
                    viewer = gr.HTML()
                with gr.Column(min_width=240):
                    gr.Markdown("### Expected (Final Frame)")
                    expected = gr.HTML()
            with gr.Row():
                with gr.Column(min_width=300):
                    score = gr.Radio(CHOICES, label="Solution Correctness (1=Wrong, 5=Perfect)", elem_id="score")
                    legal = gr.Radio(LEGAL, label="Is every move legal and shown?", elem_id="legal", visible=False)
                    explanation = gr.Textbox(label="Explanation", lines=2, elem_id="explanation", max_length=2000)
                with gr.Column(min_width=300):
                    rubric = gr.HTML()
            with gr.Row(elem_id="navigation"):
                back = gr.Button("Previous Task", elem_id="back")
                skip = gr.Button("Skip Task", elem_id="skip")
                undo = gr.Button("Undo Last Label", elem_id="undo")
                submit = gr.Button("Submit & Next", variant="primary", elem_id="submit")
        shown = [
            welcome, resume_code, progress, work, finished, task, first_frame, viewer, expected, rubric, score,
            legal, explanation, message,
        ]  # fmt: skip
        kept_name, kept_code = gr.Textbox(visible=False), gr.Textbox(visible=False)
        joined = begin.click(page.join, [name, code], [session, token, kept_name, kept_code, *shown], api_name="join")
        joined.then(None, [kept_name, kept_code], None, js=_STORE)
        name.submit(
            page.join, [name, code], [session, token, kept_name, kept_code, *shown], api_visibility="private"
        ).then(None, [kept_name, kept_code], None, js=_STORE)
        submit.click(page.rate, [session, token, score, legal, explanation], [token, *shown], api_name="rate")
        skip.click(page.skip, [session, token], [token, *shown], api_name="skip")
        back.click(page.go_back, [session], [token, *shown], api_name="back")
        undo.click(page.undo, [session], [token, *shown], api_name="undo")
        app.load(None, None, [name, code], js=_STORED)
    return app
