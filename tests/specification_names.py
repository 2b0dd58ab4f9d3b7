"""Public names, records and files of the specification's five documents, as data for ``test_specification_names``.

Every row names its document: 000 mental rotation, 001 rotation puzzle, 002 MMSI-Bench, 003 object subtraction,
004 methods and experiments. A name is in one of two tables: ``NAMES`` (it exists) or ``ABSENT`` (it is left
out on purpose). Where a document gives no module, the key is our own choice.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Name:
    """One public name of a document."""

    name: str
    document: str
    """The number of the document, 000 to 004."""
    signature: str | None
    """Parameters as the document writes them, without ``self``; None where it writes none."""
    is_async: bool
    """Whether the document defines it with ``async def``."""
    methods: tuple[Name, ...]
    attributes: tuple[str, ...] = ()
    """Public attributes of an instance."""
    fields: tuple[str, ...] = ()
    """Fields of a record type, or keys of every entry of a catalog."""
    entries: tuple[str, ...] = ()
    """Keys that a catalog contains."""


@dataclass(frozen=True, slots=True)
class AbsentName:
    """One name of a document that is left out on purpose."""

    name: str
    document: str
    reason: str


@dataclass(frozen=True, slots=True)
class SpecificationFile:
    """One file that a document names."""

    path: str
    """Relative to the root of the project; of a file that is not built yet, only its name is known."""
    document: str
    contains: tuple[str, ...] = ()
    """Words that the document expects in it."""


def _row(document: str, text: str, methods: tuple[str, ...] = (), **further: tuple[str, ...]) -> Name:
    """Return the row of a name that is written ``name``, ``name(parameters)`` or ``async name(parameters)``."""
    name, parenthesis, parameters = text.removeprefix("async ").partition("(")
    signature = parenthesis + parameters or None
    rows = tuple(_row(document, method) for method in methods)
    return Name(name, document, signature, text.startswith("async "), rows, **further)


_PAIR_FIELDS = ("id", "prompt", "first_image_path", "final_image_path", "task_category", "difficulty", "created_at")
_CREATE_PUZZLES = _row("001", "create_dataset(num_samples, difficulties, seed)")
_ROTATION_INTERFACE = (
    _row("000", "create_dataset(num_samples)"),
    _row("000", "create_task_pair(task_data, task_id)"),
    _row("000", "generate_prompt(task_data)"),
    _row("000", "RotationGenerator()", ("generate_tasks(num_tasks)",)),
)

NAMES: dict[str, tuple[Name, ...]] = {
    "vmevalkit.eval": (
        _row("004", "GPT4OEvaluator", (
            "async evaluate_single_async(model_name, task_type, task_id, video_path)", "async call_gpt4o(messages)",
            "extract_final_frame(video_path)", "encode_image(image)", "create_prompt(task_type)",
        ), attributes=("client", "model", "temperature", "output_dir", "experiment_name")),
        # The document's default is share=True; the ruling is False: nothing is public by accident.
        _row("004", "HumanEvaluator", ("launch_interface(share=False, port=7860)",)),
    ),
    "vmevalkit.vqa.task_files.mmsi": (
        # The document gives no parameters; these are the ones that lmms_eval passes.
        _row("002", "msr_doc_to_text(doc, lmms_eval_specific_kwargs=None)"),
        _row("002", "msr_doc_to_text_with_gen_prompt(doc, lmms_eval_specific_kwargs=None)"),
        _row("002", "msr_doc_to_visual(doc)"),
        _row("002", "msr_process_results(doc, results)"),
        _row("002", "msr_aggregate_results(results)"),
    ),
    "vmevalkit.tasks.rotation_task": (
        *_ROTATION_INTERFACE,
        _row("000", "RotationTaskPair", fields=(*_PAIR_FIELDS, "rotation_data")),
        _row("000", "RotationDataset", fields=("name", "description", "pairs")),
        _row("000", "__all__"),  # "__init__.py: module exports and version"
        _row("000", "__version__"),
    ),
    # "rotation_reasoning.py: main generation logic". The same section lists the class and the functions.
    "vmevalkit.tasks.rotation_task.rotation_reasoning": (
        *_ROTATION_INTERFACE,
        _row("000", "generate_horizontal_rotation()"),
        _row("000", "Voxel"),
        _row("004", "DIRS"),
    ),
    "vmevalkit.tasks.rotation_task.PROMPTS": (),  # the document gives the module and no name in it
    "vmevalkit.tasks.rotation_puzzle_task": (_CREATE_PUZZLES,),
    "vmevalkit.tasks.rotation_puzzle_task.rotation_puzzle_reasoning": (
        _row("001", "RotationPuzzleRenderer"),
        _row("001", "RotationPuzzleGenerator"),
        _CREATE_PUZZLES,
    ),
    "vmevalkit.tasks.object_subtraction_task": (
        _row("003", "create_dataset(num_samples, levels, random_seed)"),
        _row("003", "ObjectSubtractionTaskPair", fields=(*_PAIR_FIELDS, "level", "object_subtraction_data")),
    ),
    # The document gives the methods of the next four generators, and not the names of their classes.
    "vmevalkit.tasks.chess_task": (
        _row("004", "ChessGenerator",
            ("generate_mate_positions(num_positions=150)",),
            attributes=("generated_positions", "position_hashes")),
        _row("004", "generate_chess_board_png(fen, output_path, board_size=400)"),
    ),
    "vmevalkit.tasks.maze_task": (
        _row("004", "MazeGenerator", (
            "generate_solved_maze(grid_n=3)", "render_maze(solved_maze, save_path, show_solution=False)",
        )),
    ),
    "vmevalkit.tasks.raven_task": (
        _row("004", "RavenGenerator", ("generate_pattern_matrix()", "render_matrix(matrix, hide_last=False)")),
    ),
    "vmevalkit.tasks.sudoku_task": (
        _row("004", "SudokuGenerator", (
            "generate_solved_sudoku()", "create_puzzle(solution, difficulty_level=1)",
            "create_board_image(sudoku_array, filepath)",
        )),
    ),
    "vmevalkit.runner.TASK_CATALOG": (
        _row("001", "TASK_CATALOG",
            fields=("name", "description", "module", "create_function", "process_dataset"),
            entries=("chess", "maze", "raven", "rotation", "sudoku", "rotation_puzzle", "object_subtraction")),
    ),
    "vmevalkit.runner.MODEL_CATALOG": (
        _row("004", "AVAILABLE_MODELS",
            fields=("wrapper_module", "wrapper_class", "service_class", "model", "description", "family"),
            entries=("openai-sora-2", "veo-3.0-generate", "luma-ray-2")),
    ),
    "vmevalkit.runner.inference": (
        _row("004", "InferenceRunner", (
            "run(model_name, image_path, text_prompt, run_id=None, question_data=None)",
        )),
        _row("004", "run_inference(model_name, image_path, text_prompt, output_dir, question_data, inference_id)"),
    ),
    "vmevalkit.models.openai_inference": (_row("004", "OpenAIWrapper"), _row("004", "SoraService")),
    "vmevalkit.stats.effect": (_row("004", "cohens_d(group1, group2)"),),
    # The document gives the two tables as dicts; the record types that hold their rows are ours.
    "vmevalkit.stats.consistency": (
        _row("004", "model_consistency"),
        _row("004", "Consistency", fields=("mean_success", "std_success", "cv", "domain_range", "consistency_rank")),
    ),
    "vmevalkit.stats.complexity": (
        _row("004", "DomainComplexity", fields=(
            "state_space", "constraint_types", "solution_uniqueness", "visual_complexity",
        )),
    ),
    "vmevalkit.stats.bootstrap": (_row("004", "bootstrap_ci(data, n_bootstrap=10000, ci=0.95)"),),
}  # fmt: skip
"""By module: the names that import from it."""

QUESTION_FIELDS: dict[str, dict[str, tuple[str, ...]]] = {
    "rotation": {
        "": (*_PAIR_FIELDS, "domain", "spec_difficulty"),
        "rotation_data": (
            "generation_method", "num_voxels", "first_view_elev", "first_view_azim", "final_view_elev",
            "final_view_azim", "angle_difference", "structural_complexity",
        ),
    },
    "rotation_puzzle": {"": (*_PAIR_FIELDS, "task_id", "domain", "num_squares", "canvas_size", "camera"),
        "squares.0": ("position", "initial_angle", "target_angle", "pipe_pattern")},
    "object_subtraction": {
        "": (*_PAIR_FIELDS, "level", "domain"),
        "object_subtraction_data": (
            "objects", "rule", "remove_object_ids", "keep_object_ids", "num_objects", "num_removed", "num_kept",
        ),
        "object_subtraction_data.objects.0": ("id", "color", "shape", "x", "y", "size", "area"),
        "object_subtraction_data.rule": ("level", "rule_type", "target_object_ids"),
    },
    "chess": {"": (*_PAIR_FIELDS, "domain", "side_to_move", "mate_moves", "pattern_description"),
        "chess_data": ("generation_method", "initial_fen", "mate_moves", "pattern_tags")},
    "maze": {"": (*_PAIR_FIELDS, "domain", "maze_size", "start_pos", "end_pos", "solution_length"),
        "maze_data": ("generation_method", "solution_length")},
    "raven": {"": (*_PAIR_FIELDS, "domain"), "raven_data": ("rule", "rule_type", "matrix_size", "seed")},
    "sudoku": {"": (*_PAIR_FIELDS, "domain", "puzzle_array", "solution_array", "num_given"),
        "sudoku_data": ("puzzle", "solution", "difficulty_level", "num_given")},
}  # fmt: skip
"""By task, the fields of question_metadata.json at each place in it: 000, 001, 003 and the rulings on them."""

RETURNED_FIELDS: dict[tuple[str, str, str], tuple[str, ...]] = {
    ("vmevalkit.tasks.rotation_task", "RotationGenerator", "generate_tasks"): (
        "voxels", "first_view", "final_view", "angle_difference", "difficulty", "num_voxels",
    ),
    ("vmevalkit.tasks.chess_task", "ChessGenerator", "generate_mate_positions"): (
        "puzzle_id", "fen", "mate_moves", "difficulty", "tags",
    ),
}  # fmt: skip
"""By module, class and method that returns a list of dicts: the keys of each dict (000, 004)."""

OBJECT_SUBTRACTION_METRICS = (
    "final_object_match", "removed_object_count", "kept_object_stability", "motion_continuity", "rule_accuracy",
)  # fmt: skip
"""Metrics of 003."""

OPTIONS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("examples/create_questions.py",): ("--task", "--pairs-per-domain"),
    ("-m", "vmevalkit", "run"): ("--temperature", "--seed", "--enhance-prompt", "--auto-pad"),
}
"""By command of the Python interpreter: options of 001 and 003, and the inference parameters of 004."""

_ROTATION_FILES = ("__init__.py", "rotation_reasoning.py", "PROMPTS.py", "ROTATION.md")
_MMSI = "src/vmevalkit/vqa/task_files/mmsi"
_GENERATION_PROMPT = ("lmms_eval_specific_kwargs:", "generation_prompt:")
_CATEGORIES = ("attribute_appr", "attribute_meas", "motion_obj", "motion_cam", "msr")
FILES = (
    *(SpecificationFile(f"src/vmevalkit/tasks/rotation_task/{name}", "000") for name in _ROTATION_FILES),
    SpecificationFile("src/vmevalkit/runner/TASK_CATALOG.py", "001"),
    SpecificationFile("src/vmevalkit/runner/MODEL_CATALOG.py", "004"),
    SpecificationFile("examples/create_questions.py", "001"),
    *(SpecificationFile(f"{_MMSI}_{name}.yaml", "002") for name in _CATEGORIES),
    *(SpecificationFile(f"{_MMSI}_{name}_visual_cot.yaml", "002", _GENERATION_PROMPT) for name in _CATEGORIES),
)

WORDS = {
    "002": ("azure_trapi_visual_cot", "bagel_visual_cot", "nano_banana_visual_cot"),
    "004": (
        "consistency", "demonstration_clarity", "final_accuracy", "resolution_stability", "temporal_smoothness",
        "object_persistence",
    ),
}  # fmt: skip
"""By document: models that draw a visualization first, and the temporal metrics. They are strings of the code."""

_PRIVATE = "a private function: the leading underscore promises nothing"
_LIBRARY = "a name of another library"
_EXAMPLE = "a name in the user's own code of an example"
_RESULT = "a table of published results, not an interface"


def _absent(document: str, reason: str, names: str) -> tuple[AbsentName, ...]:
    return tuple(AbsentName(name, document, reason) for name in names.split())


ABSENT: dict[str, tuple[AbsentName, ...]] = {
    "vmevalkit.tasks.rotation_task": (
        *_absent("000", "kept as spec_difficulty: the document's formula never exceeds easy", "_assess_difficulty"),
        *_absent("000", _PRIVATE, "_generate_snake _are_rotationally_equivalent _render_voxel_image _set_axes_equal"),
        *_absent("000", _PRIVATE, "_plot_cubes _process_and_save_image _shift_to_origin"),
        *_absent("004", _PRIVATE, "_axis_of _neighbour_count _get_neighbors _add_branch _choose_new_direction"),
        *_absent("004", _PRIVATE, "_spans_all_axes _cube_vertices _cube_faces"),
        *_absent("000", _EXAMPLE, "process_single_task process_func"),
        *_absent("004", _LIBRARY, "Poly3DCollection"),
    ),
    "vmevalkit.tasks.chess_task": (
        *_absent("004", _PRIVATE, "_validate_mate_position _add_position_if_valid"),
        *_absent("004", "boards have one renderer and no fallback", "_render_board_png_with_pil"),
    ),
    "vmevalkit.tasks.maze_task": (
        *_absent("004", _PRIVATE, "_create_red_flag_marker _create_green_circle_marker _rowcol_to_coord"),
        *_absent("004", _LIBRARY, "LatticeMazeGenerators TargetedLatticeMaze SolvedMaze MazePlot"),
    ),
    "vmevalkit.tasks.raven_task": (
        *_absent("004", _PRIVATE, "_generate_shape_sequence _generate_number_sequence _generate_rotation_sequence"),
        *_absent("004", _PRIVATE, "_generate_color_sequence _create_question_tile _render_pattern_tile"),
        *_absent("004", "every matrix has a random generator of its own", "rng"),
    ),
    "vmevalkit.models": (
        *_absent("004", _PRIVATE, "_prepare_image_for_upload _pad_image_to_aspect_ratio _resize_and_pad_image"),
        *_absent("004", _PRIVATE, "_encode_image _is_veo_model _pad_image_for_veo"),
        *_absent("002", _LIBRARY, "generate_text_and_image"),
    ),
    "vmevalkit.runs": _absent("004", _PRIVATE, "_save_metadata"),
    "vmevalkit.eval": (
        *_absent("004", _PRIVATE, "_has_evaluation _save_single_result"),
        *_absent("004", "a place in the judge's prompt; JUDGE_HINT of the task fills it", "TASK_SPECIFIC_GUIDANCE"),
        *_absent("004", _RESULT, "temporal_metrics"),
    ),
    "vmevalkit.stats": (
        *_absent("004", _LIBRARY, "f_oneway mixedlm RandomForestClassifier"),
        *_absent("004", _EXAMPLE, "success_predictor model_scores domain_scores"),
        *_absent("004", _RESULT, "domain_complexity"),
    ),
}
"""By package: names that no module of it defines."""

ABSENT_MODULES = (
    AbsentName("vmemalkit", "000", "a misspelling of vmevalkit"),
    AbsentName("vmevalkit.utils.constant", "003", "tasks are registered in vmevalkit.runner.TASK_CATALOG alone"),
)
