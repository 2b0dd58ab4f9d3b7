"""``HumanEvaluator``: the annotation page of an experiment."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vmevalkit.core.addresses import is_this_machine
from vmevalkit.core.errors import SetupError, UsageError
from vmevalkit.eval.annotation.gold import make_gold_items
from vmevalkit.eval.annotation.media_files import MediaFiles
from vmevalkit.eval.annotation.page import build_app, import_gradio, read_asset
from vmevalkit.eval.annotation.plan import PlanOptions, open_plan
from vmevalkit.eval.annotation.service import AnnotationService
from vmevalkit.store import layout
from vmevalkit.store.atomic import lock


class HumanEvaluator:
    """Lets people rate the videos of an experiment, from 1 to 5, in a web page on this machine."""

    def __init__(
        self,
        experiment: str,
        outputs: Path | str = layout.OUTPUTS,
        evaluations: Path | str = layout.EVALUATIONS,
        options: PlanOptions | None = None,
        disagreement: Mapping[tuple[str, str, str, int], float] | None = None,
    ) -> None:
        self.experiment, self._evaluations = experiment, Path(evaluations)
        self.plan, items = open_plan(
            experiment, Path(outputs), self._evaluations, options or PlanOptions(), disagreement
        )
        gold = make_gold_items(items, self.plan, layout.annotation_gold(self._evaluations, experiment))
        self.service = AnnotationService(experiment, self._evaluations, self.plan, items, gold)
        self.videos, self.gold = len(items), len(gold)

    def launch_interface(
        self,
        share: bool = False,
        port: int = 7860,
        *,
        password: str | None = None,
        host: str = "127.0.0.1",
        block: bool = True,
    ) -> Any:
        """Serve the page until it is interrupted. ``share`` opens a public address through Gradio's tunnel.

        With ``block=False`` the server runs in a thread; returns the app, whose ``close()`` ends it."""
        gr = import_gradio()
        if password == "":
            raise UsageError("the password is empty; choose one, or leave --password out")
        if password is None and (share or not is_this_machine(host)):
            where = "a public address" if share else f"the address {host}"
            raise UsageError(f"{where} is open to others, who could rate in any name; set a password: --password")
        server = ExitStack()
        # A second server would not see the labels of the first, and give out the same items.
        server.enter_context(lock(layout.annotation_folder(self._evaluations, self.experiment), "server"))
        folder = TemporaryDirectory(prefix="vmevalkit-annotation-")
        app = build_app(self.service, MediaFiles(Path(folder.name).resolve()))
        close = app.close

        def close_and_remove(*args: Any, **kwargs: Any) -> None:
            close(*args, **kwargs)
            folder.cleanup()
            server.close()

        app.close = close_and_remove
        app.queue(default_concurrency_limit=8)
        script = f"<script>{read_asset('page.js')}</script>"
        try:
            app.launch(
                share=share,
                server_name=host,
                server_port=port,
                auth=None
                if password is None
                else lambda _, given: secrets.compare_digest(_to_bytes(given), _to_bytes(password)),
                allowed_paths=[str(Path(folder.name).resolve())],
                head=script,
                css=read_asset("page.css"),
                theme=gr.themes.Soft(font=["system-ui", "sans-serif"], font_mono=["monospace"]),
                quiet=True,
                prevent_thread_lock=True,
                enable_monitoring=False,
                ssr_mode=False,
                footer_links=[],
                max_file_size=1,
            )
        except OSError as error:
            folder.cleanup()
            server.close()
            raise SetupError(f"cannot serve on port {port}: {error}; choose another one: --port") from error
        if block:
            try:
                app.block_thread()
            finally:
                app.close()
        return app


def _to_bytes(password: str) -> bytes:
    """Return a password as bytes. A shell may have given some that are no text."""
    return password.encode("utf-8", "surrogatepass")
