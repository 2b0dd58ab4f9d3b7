"""Hooks of the documentation site: documents that are not in ``docs``, generated references, and links between them.

The documents are written for readers of the repository, so their links lead to files of the repository. Here each link
leads to the page that the file became; a link to a file that is no page, such as a module, becomes its text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[2]
OTHERS = {
    "README.md": "index.md", "CONTRIBUTING.md": "CONTRIBUTING.md", "CHANGELOG.md": "CHANGELOG.md",
    "SECURITY.md": "SECURITY.md",
}  # fmt: skip
"""Documents beside ``docs``, and their pages."""
MORE = "More"
"""Heading of documents that the navigation does not list yet."""
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]*)(#[^)\s]*)?\)")
_LIST_AFTER_SENTENCE = re.compile(r"^((?![-*|#] ?|\d+\. |\s).+)\n(?=- |\d+\. )", re.M)
_LONG_CELL = re.compile(r"<td>(?=(?:<[^/][^>]*>)*[^<]{24})")
_FENCE = re.compile(r"(^```.*?^```$)", re.M | re.S)


def find_pages() -> dict[str, str]:
    """Return the page of each document, by its path in the repository."""
    pages = dict(OTHERS)
    pages |= {str(path.relative_to(ROOT)): f"tasks/{path.name}" for path in ROOT.glob("src/vmevalkit/tasks/*/*.md")}
    for path in (ROOT / "docs").rglob("*"):
        if path.is_file():
            pages[str(path.relative_to(ROOT))] = str(path.relative_to(ROOT / "docs"))
    return pages


def on_config(config: Any) -> Any:
    """List documents under ``MORE`` that the navigation forgot: a new one must not be lost."""
    listed = set(_list_nav(config.nav))
    forgotten = sorted(path.name for path in (ROOT / "docs").glob("*.md") if path.name not in listed)
    if forgotten:
        config.nav.append({MORE: forgotten})
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the documents that are not in ``docs``, and the generated references."""
    for source, page in find_pages().items():
        if not source.startswith("docs/"):
            files.append(File.generated(config, page, content=(ROOT / source).read_text("utf-8")))
    files.append(File.generated(config, "site.css", content=Path(__file__).with_name("site.css").read_text("utf-8")))
    files.append(File.generated(config, "reference/cli.md", content=write_cli_reference()))
    files.append(File.generated(config, "reference/api.md", content=write_api_reference()))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Rewrite the links of a page."""
    pages = find_pages()
    sources = {name: source for source, name in pages.items()}
    source = sources.get(page.file.src_uri)
    if source is None:
        return markdown

    def rewrite(match: re.Match[str]) -> str:
        mark, text, target, anchor = match[1], match[2], match[3], match[4] or ""
        if not target or re.match(r"[a-z]+:", target):
            return match[0]
        path = os.path.normpath(Path(source).parent / target)
        if path not in pages:
            return text
        return f"{mark}[{text}]({os.path.relpath(pages[path], Path(page.file.src_uri).parent)}{anchor})"

    parts = _FENCE.split(markdown)
    return "".join(part if part.startswith("```") else separate_lists(_LINK.sub(rewrite, part)) for part in parts)


def on_page_content(html: str, **_: Any) -> str:
    """Mark the cells of tables that hold a sentence: on a narrow screen they keep a width that can be read."""
    return _LONG_CELL.sub('<td class="long">', html)


def separate_lists(text: str) -> str:
    """Return text with an empty line before each list that follows a sentence.

    Readers of the repository need none; here the list would become part of the sentence.
    """
    return _LIST_AFTER_SENTENCE.sub(r"\1\n\n", text)


def write_cli_reference() -> str:
    """Return a page with every command, its arguments and its options."""
    from typer.main import get_command

    from vmevalkit.cli.main import GROUPS, find_commands, make_app
    from vmevalkit.cli.main import OTHERS as UNGROUPED

    commands = get_command(make_app()).commands  # type: ignore[attr-defined]
    lines = [
        "# Commands",
        "",
        "`vmevalkit COMMAND --help` prints the same. `--version` and `--quiet` stand before the command.",
        "",
    ]
    grouped = {name for names in GROUPS.values() for name in names}
    groups = {**GROUPS, UNGROUPED: tuple(name for name in find_commands() if name not in grouped)}
    for group, names in groups.items():
        lines += [f"## {group}", ""] if names else []
        for name in names:
            command = commands[name.replace("_", "-")]
            arguments = [param for param in command.params if param.param_type_name == "argument"]
            usage = " ".join(
                ["vmevalkit", command.name, *((param.metavar or param.name.upper()) for param in arguments)]
            )
            lines += [f"### {command.name}", "", _escape(command.help or ""), "", f"`{usage} [OPTIONS]`", ""]
            lines += [*_list_params(command.params), ""]
    return "\n".join(lines)


def _list_params(params: list[Any]) -> Iterator[str]:
    yield "| option | what it does | default |"
    yield "|---|---|---|"
    for param in params:
        if getattr(param, "hidden", False) or param.name == "help":
            continue
        is_argument = param.param_type_name == "argument"
        names = param.name.upper() if is_argument else ", ".join([*param.opts, *param.secondary_opts])
        default = "required" if param.required else _escape(_describe_default(param))
        yield f"| `{names}` | {_escape(param.help or '')} | {default} |"


def _describe_default(param: Any) -> str:
    """Return the default as the help words it; a flag is off unless it is given."""
    shown = getattr(param, "show_default", None)
    if isinstance(shown, str):
        return shown
    if getattr(param, "is_flag", False):
        return "on" if param.default else ""
    return "" if shown is False or param.default in (None, (), []) else str(param.default)


def _escape(text: str) -> str:
    """Return text in which Markdown sees no table, no HTML and no emphasis."""
    return re.sub(r"([|<*_\[\]`])", r"\\\1", text)


def write_api_reference() -> str:
    """Return a page with every public name."""
    from vmevalkit import _HOMES

    lines = ["# Python API", "", "Every name can be imported from `vmevalkit`. All records are frozen dataclasses.", ""]
    for name, home in sorted(_HOMES.items(), key=lambda item: (item[0][0].isupper(), item[0])):
        lines += [f"::: {home}.{name}", "    options:", "      show_root_heading: true", "      heading_level: 2", ""]
    return "\n".join(lines)


def _list_nav(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, dict):
        for each in nav.values():
            yield from _list_nav(each)
    elif isinstance(nav, list):
        for each in nav:
            yield from _list_nav(each)
