"""``vmevalkit vqa``: ask a vision-language model the questions of MMSI-Bench, directly or in two stages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vmevalkit.cli.command import FAILED, inform, print_capped, split_names
from vmevalkit.cli.progress import progress

if TYPE_CHECKING:
    from vmevalkit.vqa.models import VqaModel
    from vmevalkit.vqa.run import RunSummary, VqaOptions
    from vmevalkit.vqa.task_file import VqaTask

LIMITS = "Limits"


def vqa(
    model: Annotated[str, typer.Option(help="openai_chat, qwen2_5_vl, a two-stage model, random or blind.")],
    tasks: Annotated[
        list[str] | None,
        typer.Option(help="Tasks or groups, separated by commas: mmsi, mmsi_visual_cot, mmsi_msr, ..."),
    ] = None,
    model_args: Annotated[str, typer.Option("--model_args", help="Arguments of the model: key=value,key=value.")] = "",
    batch_size: Annotated[int, typer.Option("--batch_size", help="Questions at once, for a local model.")] = 1,
    output_path: Annotated[Path, typer.Option("--output_path", help="Folder of the results.")] = Path("logs"),
    dataset: Annotated[
        str | None,
        typer.Option(help="A parquet file, a folder with one, or a name at Hugging Face.", show_default="MMSI-Bench"),
    ] = None,
    question_type: Annotated[
        str | None,
        typer.Option("--question_type", help="Ask questions of this type instead of the task's, in the task's words."),
    ] = None,
    wording: Annotated[
        str,
        typer.Option(
            "--wording", "--prompt", help="Wording of the prompts: default, aligned, or official (the benchmark's own)."
        ),
    ] = "default",
    gen_kwargs: Annotated[
        str,
        typer.Option(
            "--gen-kwargs",
            "--gen_kwargs",
            help="Parameters of the answers: max_new_tokens, temperature, top_p, seed, reasoning_effort.",
            show_default="those of the task files",
        ),
    ] = "",
    options_order: Annotated[
        str, typer.Option("--options", help="Order of the options: original, shuffled or circular.")
    ] = "original",
    extractor: Annotated[
        str | None,
        typer.Option(help="Chat model that reads answers which the rules cannot read.", show_default="none"),
    ] = None,
    include_path: Annotated[
        Path | None,
        typer.Option("--include_path", help="Folder of task files of your own."),
    ] = None,
    limit: Annotated[int | None, typer.Option(help="Most questions of each task.")] = None,
    label: Annotated[str | None, typer.Option(help="Name of the run in results.", show_default="the model")] = None,
    log_samples: Annotated[
        bool, typer.Option("--log_samples", help="Write prompts and answers of each sample in full.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be asked, and its cost.")] = False,
    max_usd: Annotated[
        float | None, typer.Option("--max-usd", help="Most to spend on this run.", rich_help_panel=LIMITS)
    ] = None,
    in_flight: Annotated[
        int | None, typer.Option("--in-flight", min=1, help="Calls at the same time.", rich_help_panel=LIMITS)
    ] = None,
    per_minute: Annotated[
        float | None,
        typer.Option(
            "--per-minute",
            min=0.1,
            help="Most calls per minute.",
            show_default="60 for a service, no limit for a server of one's own",
            rich_help_panel=LIMITS,
        ),
    ] = None,
) -> None:
    """Ask a vision-language model the questions of MMSI-Bench. The same command resumes."""
    from vmevalkit.core.errors import UnknownName, UsageError
    from vmevalkit.models.chat import load_chat_model
    from vmevalkit.vqa.dataset import find_question_type
    from vmevalkit.vqa.generation import parse_gen_kwargs
    from vmevalkit.vqa.models import ANSWER_TIMEOUT_S, load_model
    from vmevalkit.vqa.options import ARRANGEMENTS
    from vmevalkit.vqa.run import VqaOptions, run_tasks
    from vmevalkit.vqa.staged_caller import CallOptions
    from vmevalkit.vqa.task_file import DEFAULT_WORDING, expand_tasks, load_task

    names = split_names(tasks)
    if not names:
        raise UsageError("no task is named; use --tasks mmsi, --tasks mmsi_visual_cot or a task such as mmsi_msr")
    if batch_size < 1:
        raise UsageError(f"--batch_size {batch_size} is not valid; use 1 or more")
    if options_order not in ARRANGEMENTS:
        raise UnknownName("order of the options", options_order, ARRANGEMENTS)
    chosen = [load_task(name, include_path) for name in expand_tasks(names, include_path)]
    generation = parse_gen_kwargs(gen_kwargs)
    loaded = load_model(model, model_args, batch_size, label)
    if label is None:
        from dataclasses import replace

        parts = [wording if wording != DEFAULT_WORDING else "", options_order if options_order != "original" else ""]
        parts += [generation.text, f"extractor={extractor}" if extractor else ""]
        loaded = replace(loaded, label="+".join(filter(None, [loaded.label, *parts])))
    options = VqaOptions(
        generation=generation, arrangement=options_order,
        extractor=None if extractor is None else load_chat_model(extractor, timeout_s=ANSWER_TIMEOUT_S),
        output=output_path, dataset=dataset, limit=limit, wording=wording, model_name=model, model_args=model_args,
        question_type=None if question_type is None else find_question_type(question_type),
        calls=CallOptions(batch_size, in_flight, per_minute, max_usd),
    )  # fmt: skip
    if dry_run:
        _print_plan(loaded, chosen, options)
        return
    with progress("questions") as update:
        summary = run_tasks(loaded, chosen, options, update)
    from vmevalkit.vqa.page import write_report  # only now: figures and statistics take half a second to load
    from vmevalkit.vqa.sample_export import export_samples

    if log_samples:
        for path in export_samples(loaded, chosen, options):
            inform(f"samples: {path}")
    page = write_report(output_path)
    _print_results(output_path, loaded.label, generation.max_new_tokens or max(task.max_tokens for task in chosen))
    inform(f"page: {page}")
    _report_problems(summary, options)


def _print_plan(model: VqaModel, tasks: list[VqaTask], options: VqaOptions) -> None:
    from vmevalkit.vqa.estimate import estimate_tasks

    for line in estimate_tasks(model, tasks, options):
        typer.echo(line)


def _print_results(output: Path, label: str, limit_tokens: int) -> None:
    from vmevalkit.vqa.results import OVERALL, load_results
    from vmevalkit.vqa.tables import format_estimate

    cut_off = 0
    for task in load_results(output).tasks:
        if task.label == label:
            counts = ", ".join(f"{count} {status}" for status, count in task.counts.items() if count)
            typer.echo(
                f"{task.task} ({task.mode}): accuracy {format_estimate(task.accuracy)}, "
                f"chance {100 * task.chance:.1f}; {counts}"
            )
            cut_off += task.cut_off if task.task != OVERALL else 0
    if cut_off:
        typer.echo(
            f"warning: {cut_off} answers were cut off at the token limit of {limit_tokens}; those without a letter "
            f"count as not correct. Allow more: --gen-kwargs max_new_tokens={4 * limit_tokens}",
            err=True,
        )


def _report_problems(summary: RunSummary, options: VqaOptions) -> None:
    if summary.unaffordable:
        typer.echo(
            f"the budget is reached: ${summary.spent_usd:.2f} of ${options.calls.max_usd:.2f} are spent, and "
            f"{summary.unaffordable} questions were not asked; raise --max-usd and run the command again",
            err=True,
        )
    print_capped([f"failed: {line}" for line in summary.failed], "failed: {} more; the same command asks them again")
    if summary.failed or summary.unaffordable:
        raise typer.Exit(FAILED)
