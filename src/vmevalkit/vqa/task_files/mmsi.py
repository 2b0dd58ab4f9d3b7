"""The functions that the task files name: prompts, images, the answer of a response, scores.

This file needs only the standard library and Pillow: the folder runs as it is under ``lmms_eval --include_path``, and
VMEvalKit's own runner calls the same functions. A prompt is changed in a task file, not here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

from PIL import Image, ImageOps

CATEGORIES = {
    "Attribute (Appr.)": "attribute_appr",
    "Attribute (Meas.)": "attribute_meas",
    "Motion (Obj.)": "motion_obj",
    "Motion (Cam.)": "motion_cam",
    "MSR": "msr",
    "Positional Relationship (Cam.–Cam.)": "positional_cam_cam",
    "Positional Relationship (Cam.–Obj.)": "positional_cam_obj",
    "Positional Relationship (Cam.–Reg.)": "positional_cam_reg",
    "Positional Relationship (Obj.–Obj.)": "positional_obj_obj",
    "Positional Relationship (Obj.–Reg.)": "positional_obj_reg",
    "Positional Relationship (Reg.–Reg.)": "positional_reg_reg",
}
"""The name of each question type of the dataset in results; the specification's are the first five."""
LETTERS = "ABCD"
WORDING = "MMSI_WORDING"
"""The environment variable that selects another wording of the task files under lmms_eval, such as ``aligned``."""
PROMPT_PARTS = ("pre_prompt", "post_prompt", "generation_prompt")


# ----------------------------------------------------------------------------------------------------------- prompts


def msr_doc_to_text(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, Any] | None = None) -> str:
    """Return the prompt of a direct question: pre_prompt, question, post_prompt."""
    parts = choose_wording(lmms_eval_specific_kwargs)
    return f"{parts['pre_prompt']}{doc['question'].strip()}{parts['post_prompt']}"


def msr_doc_to_text_with_gen_prompt(
    doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, Any] | None = None
) -> str:
    """Return the prompt of both stages: ``[GEN_PROMPT]...[/GEN_PROMPT][QUESTION]...[/QUESTION]``.

    Stage 1 gets nothing of the question, because the question contains the candidates.
    """
    generation_prompt = choose_wording(lmms_eval_specific_kwargs).get("generation_prompt", "").strip()
    if not generation_prompt:
        raise ValueError("the task file has no generation_prompt under lmms_eval_specific_kwargs; stage 1 needs one")
    if "[/GEN_PROMPT]" in generation_prompt:
        raise ValueError("the generation_prompt contains [/GEN_PROMPT]; remove the marker from the task file")
    question = msr_doc_to_text(doc, lmms_eval_specific_kwargs)
    return f"[GEN_PROMPT]{generation_prompt}[/GEN_PROMPT][QUESTION]{question}[/QUESTION]"


_STAGES = re.compile(r"\[GEN_PROMPT\](.*?)\[/GEN_PROMPT\]\[QUESTION\](.*)\[/QUESTION\]", re.DOTALL)


def split_stages(text: str) -> tuple[str, str] | None:
    """Return the prompts of stage 1 and stage 2; None for a direct prompt.

    The generation prompt ends at the first marker and the question at the last one: a question may contain markers.
    """
    match = _STAGES.fullmatch(text.strip())
    return None if match is None else (match[1].strip(), match[2].strip())


def choose_wording(kwargs: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the prompt parts of the wording that MMSI_WORDING names, or of the default one."""
    kwargs = kwargs or {}
    wording = os.environ.get(WORDING, "")
    if wording and any(isinstance(value, Mapping) for value in kwargs.values()):
        if not isinstance(kwargs.get(wording), Mapping):
            known = ", ".join(sorted(name for name, value in kwargs.items() if isinstance(value, Mapping)))
            raise ValueError(f"{WORDING} is {wording!r}, which the task file does not have; it has {known}")
        kwargs = kwargs[wording]
    elif "pre_prompt" not in kwargs and isinstance(kwargs.get("default"), Mapping):
        kwargs = kwargs["default"]
    parts = {name: kwargs[name] for name in PROMPT_PARTS if name in kwargs}
    for name in ("pre_prompt", "post_prompt"):
        if name not in parts:
            raise ValueError(f"the task file has no {name} under lmms_eval_specific_kwargs; add it")
    return parts


# ------------------------------------------------------------------------------------------------------------ images


def msr_doc_to_visual(doc: Mapping[str, Any]) -> list[Image.Image]:
    """Return all images of a question, in order, as RGB."""
    return [decode_image(item) for item in doc["images"]]


def decode_image(item: Any) -> Image.Image:
    """Return an image as RGB, upright by its EXIF data.

    Loaders pass raw bytes, a mapping with ``bytes`` or ``path``, or a Pillow image."""
    if isinstance(item, Mapping):
        item = item.get("bytes") or item.get("path")
    if isinstance(item, Image.Image):
        return ImageOps.exif_transpose(item).convert("RGB")
    if isinstance(item, bytes | bytearray | memoryview):
        return ImageOps.exif_transpose(Image.open(BytesIO(bytes(item)))).convert("RGB")
    if isinstance(item, str | os.PathLike):
        return ImageOps.exif_transpose(Image.open(item)).convert("RGB")
    raise TypeError(f"an image of the dataset is {type(item).__name__}; expected bytes, a mapping or a Pillow image")


# ----------------------------------------------------------------------------------------------------------- answers

_TAGS = "think|thinking|thought|thoughts|reasoning|reason|analysis|scratchpad|seed:think"
_OPEN, _CLOSE = (
    rf"(?:<(?:{_TAGS})>|\[THINK\]|◁think▷|<\|begin_of_thought\|>)",
    rf"(?:</(?:{_TAGS})>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>)",
)
_CLOSED_REASONING = re.compile(rf"{_OPEN}.*?{_CLOSE}", re.DOTALL | re.IGNORECASE)
_OPEN_REASONING = re.compile(rf"{_OPEN}.*", re.DOTALL | re.IGNORECASE)
_LONE_END = re.compile(rf".*{_CLOSE}", re.DOTALL | re.IGNORECASE)
_CHANNEL = re.compile(  # the harmony format, with its marks or, where a server strips them, with the words alone
    r"(?:<\|start\|>\s*assistant\s*)?<\|channel\|>\s*(\w+)[^<]*<\|message\|>(.*?)(?=<\|(?:end|return|call|start)\|>|\Z)",
    re.DOTALL,
)
_BARE_CHANNELS = re.compile(r"\Aanalysis\s?(?=\S).*?assistantfinal", re.DOTALL)
_ANSWER_TAG = re.compile(r"<answer>(.*?)(?:</answer>|\Z)", re.DOTALL | re.IGNORECASE)

_MENTION = re.compile(r"(?<![A-Za-z0-9'’\-])(?<![Nn]/)[A-Za-z](?![A-Za-z0-9]|['’][a-z]|-\w)")
_OPENING = re.compile(r"(?:[\s*_\"'“‘`({\[<$:=,–—-]|\\(?:boxed|text|textbf|mathrm|mathbf)\b)*$")
_CLOSING = re.compile(r"^[\s*_\"'”’`)}\]>$]*")
_MARKED = re.compile(r"(?:`|\\boxed\s*\{|\\boxed\s*\{\s*\\text\s*\{)[\s*_(\[]*$")
_NOUN = re.compile(r"\b(?:options?|choices?|letters?|answers?)$", re.IGNORECASE)
_CUE = re.compile(
    r"(?:\banswers?(?:\s+\w+){0,3}?\s+(?:is|be|are)|\banswers?(?:\s+(?:choice|option|letter))?"
    r"|\b(?:choose|chose|select|selected|pick|picked|conclude|go\s+with|going\s+with|goes\s+to)"
    r"|\b(?:must|should|would|can\s+only|has\s+to|have\s+to)\s+be|\b(?:it|that|this)(?:['’]s|\s+is)"
    r"|\b(?:correct|right|best)\s+(?:one|option|choice|letter)(?:\s+is)?|\b(?:option|choice|letter)\s+is"
    r"|\b(?:therefore|hence|thus|so|but|final|conclusion))$",
    re.IGNORECASE,
)
_CONFIRMED = re.compile(
    r"^(?:is|must\s+be|seems|appears)\s+(?:\w+ly\s+|thus\s+|therefore\s+)?(?:to\s+be\s+)?(?:the\s+)?(?:only\s+)?"
    r"(?:correct|right|best|true|answer|my\s+answer)\b",
    re.IGNORECASE,
)
_DENIED_BEFORE = re.compile(
    r"(?:\b(?:not|never|neither|nor|cannot|without|except|rather\s+than|instead\s+of|rules?\s+out|ruled\s+out"
    r"|exclude[sd]?|eliminate[sd]?|reject(?:s|ed)?)|n['’]t)(?:\s+(?!but\b)\w+){0,2}\s*$",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(
    r"^(?:(?:is|was|are|would\s+be|can\s+be|seems|looks)\s+)?(?:\w+ly\s+|also\s+)?"
    r"(?:wrong|incorrect|false|not|impossible|ruled\s+out|eliminated|excluded|cannot|can['’]t|isn['’]t|wasn['’]t"
    r"|does\s+not|doesn['’]t)(?!\w)",
    re.IGNORECASE,
)
_ALTERNATIVE = re.compile(
    r"^,?\s*(?:or|and|/|&|\||,|vs\.?)\s*(?:maybe\s+|perhaps\s+|possibly\s+|even\s+)?(?:options?\s*|choices?\s*)?"
    r"[\s*_\"'“‘`({\[<$]*",
    re.IGNORECASE,
)
_JOINED_BEFORE = re.compile(
    r"(?<![A-Za-z0-9'’\-])([A-Za-z])[\s*_\"'”’`)}\]>$]*,?\s*(?:\b(?:or|and)\b|/|&|\|)\s*"
    r"(?:maybe\s+|perhaps\s+|possibly\s+|even\s+)?(?:options?\s*|choices?\s*)?[\s*_\"'“‘`({\[<$]*$",
    re.IGNORECASE,
)
_SPEAKS_OF_IT = re.compile(r"^\s*(?:because|since|as|is|was|must|given|which|based|from|for|and|or|seems|can|cannot)\b")
_ARTICLE_OF = re.compile(r"^\s+[a-z0-9]")


def read_answer(response: str, letters: str = LETTERS) -> str | None:
    """Return the letter that a response commits to last; None where it commits to none, or to several at once.

    Reasoning in tags does not count, and a letter that the response denies ("A is wrong") is not a commitment. Without
    any commitment, the only letter that the response mentions is its answer.
    """
    text = strip_reasoning(response)
    if tagged := _ANSWER_TAG.findall(text):
        text = tagged[-1]
    mentions = [m for m in (_Mention(text, found) for found in _MENTION.finditer(text)) if m.letter in letters]
    if len(mentions) == 1 and mentions[0].is_whole_text:
        return mentions[0].letter
    mentions = [m for m in mentions if not m.is_word and not m.is_denied]
    committed = [m for m in mentions if m.is_commitment] or [m for m in mentions if m.starts_line]
    if committed and not committed[0].is_commitment and len({m.letter for m in committed}) > 1:
        return None  # the options, listed again
    candidates = committed or [m for m in mentions if not m.is_lower]
    if not candidates or (not committed and len({m.letter for m in candidates}) > 1):
        return None
    last = candidates[-1]
    return None if last.has_alternative(letters) else last.letter


def strip_reasoning(response: str) -> str:
    """Return a response without reasoning in tags: closed, not closed, or with its first tag left to the template.

    Of a response in channels (harmony) only the final one counts."""
    if channels := _CHANNEL.findall(response):
        response = "\n".join(text for name, text in channels if name == "final")
    response = _BARE_CHANNELS.sub("", response)
    text = _CLOSED_REASONING.sub(" ", response)
    text = _LONE_END.sub(" ", text)
    return _OPEN_REASONING.sub(" ", text).strip()


class _Mention:
    """A letter that stands alone in a response, and what is around it."""

    def __init__(self, text: str, found: re.Match[str]) -> None:
        self._text, self._start, self._end = text, found.start(), found.end()
        self.letter, self.is_lower = found[0].upper(), found[0].islower()
        self._raw_before, self._raw_after = text[: found.start()], text[found.end() :]
        self._is_marked = bool(_MARKED.search(self._raw_before))
        before = _OPENING.sub("", self._raw_before)
        if noun := _NOUN.search(before):  # "option C" is C, whatever comes before the noun
            before = before[: noun.start()].rstrip() if not _CUE.search(before) else before
        self._before = re.split(r"[.;!?\n]", before)[-1]
        self._after = _CLOSING.sub("", self._raw_after)

    @property
    def is_whole_text(self) -> bool:
        rest = f"{self._raw_before} {self._raw_after}"
        return not re.search(r"\w", re.sub(r"(?i)\b(?:the|final|answer|option|choice|is)\b|\\\w+|_", " ", rest))

    @property
    def is_word(self) -> bool:
        """Whether it is the article, or a letter of another kind, as in "a turn" and "b axis"."""
        if self._is_marked or self._raw_before.endswith(("(", "[", "{", "*", '"', "“", "$")):
            return False
        if not _ARTICLE_OF.match(self._raw_after):
            return False
        if self.letter == "A":
            return self.is_lower or not _SPEAKS_OF_IT.match(self._raw_after)
        return self.is_lower and not _SPEAKS_OF_IT.match(self._raw_after)

    @property
    def is_denied(self) -> bool:
        return bool(_DENIED_BEFORE.search(self._before) or _DENIED_AFTER.match(self._after))

    @property
    def is_commitment(self) -> bool:
        return self._is_marked or bool(_CUE.search(self._before) or _CONFIRMED.match(self._after))

    @property
    def starts_line(self) -> bool:
        """Whether it is the start of a line such as ``B. to the left`` or ``(B)``."""
        line = self._raw_before.rpartition("\n")[2]
        return not re.search(r"\w", line) and bool(re.match(r"[)}\]\"'`*_]*\s*(?:[.:)\-–—,\n]|$)", self._raw_after))

    def has_alternative(self, letters: str) -> bool:
        """Whether another letter is joined to it, as in "B or C"."""
        earlier = _JOINED_BEFORE.search(self._raw_before)
        if earlier is not None and earlier[1].upper() in letters and earlier[1].upper() != self.letter:
            found = _MENTION.match(self._text, earlier.start(1))
            mention = None if found is None else _Mention(self._text, found)
            if mention is not None and not (mention.is_word or mention.is_denied):
                return True
        joined = _ALTERNATIVE.match(self._after)
        if joined is None:
            return False
        other = _MENTION.match(self._after, joined.end())
        if other is None or other[0].upper() not in letters or other[0].upper() == self.letter:
            return False
        mention = _Mention(self._after, other)
        return not (mention.is_word or mention.is_denied)


# ------------------------------------------------------------------------------------------------------------ scores


def msr_process_results(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, Any]:
    """Return the score of a response under the metrics of the task files.

    ``accuracy`` counts an unparsed response as not correct; ``unparsed`` says how many those are.
    """
    response = results[0] if results else ""
    predicted = read_answer(response or "")
    expected = str(doc["answer"]).strip().upper()
    category = CATEGORIES.get(str(doc["question_type"]), str(doc["question_type"]))
    score = 1.0 if predicted == expected else 0.0
    status = "unparsed" if predicted is None else "correct" if score else "wrong"
    row = {
        "question_id": str(doc["id"]),
        "category": category,
        "response": response,
        "predicted": predicted,
        "expected": expected,
        "status": status,
        "score": score,
    }
    return {category: row, "accuracy": row, "score": score, "unparsed": float(predicted is None)}


def msr_aggregate_results(results: Sequence[Mapping[str, Any]]) -> float:
    """Return the accuracy of the rows that ``msr_process_results`` made, from 0 to 1; 0 without rows."""
    return sum(row["score"] for row in results) / len(results) if results else 0.0


def msr_aggregate_rate(results: Sequence[float]) -> float:
    """Return the mean of numbers; 0 without any."""
    return sum(results) / len(results) if results else 0.0


# ----------------------------------------------------------------------------------------------------------- filters


def _filter_type(dataset: Any, category: str) -> Any:
    """Return the rows of one category. Only the column of types is read: images are not decoded."""
    return dataset.filter(lambda kind: CATEGORIES.get(kind) == category, input_columns=["question_type"])


def filter_attribute_appr(dataset: Any) -> Any:
    """Keep Attribute (Appr.)."""
    return _filter_type(dataset, "attribute_appr")


def filter_attribute_meas(dataset: Any) -> Any:
    """Keep Attribute (Meas.)."""
    return _filter_type(dataset, "attribute_meas")


def filter_motion_obj(dataset: Any) -> Any:
    """Keep Motion (Obj.)."""
    return _filter_type(dataset, "motion_obj")


def filter_motion_cam(dataset: Any) -> Any:
    """Keep Motion (Cam.)."""
    return _filter_type(dataset, "motion_cam")


def filter_msr(dataset: Any) -> Any:
    """Keep MSR."""
    return _filter_type(dataset, "msr")


def filter_positional_cam_cam(dataset: Any) -> Any:
    """Keep Positional Relationship (Cam.–Cam.)."""
    return _filter_type(dataset, "positional_cam_cam")


def filter_positional_cam_obj(dataset: Any) -> Any:
    """Keep Positional Relationship (Cam.–Obj.)."""
    return _filter_type(dataset, "positional_cam_obj")


def filter_positional_cam_reg(dataset: Any) -> Any:
    """Keep Positional Relationship (Cam.–Reg.)."""
    return _filter_type(dataset, "positional_cam_reg")


def filter_positional_obj_obj(dataset: Any) -> Any:
    """Keep Positional Relationship (Obj.–Obj.)."""
    return _filter_type(dataset, "positional_obj_obj")


def filter_positional_obj_reg(dataset: Any) -> Any:
    """Keep Positional Relationship (Obj.–Reg.)."""
    return _filter_type(dataset, "positional_obj_reg")


def filter_positional_reg_reg(dataset: Any) -> Any:
    """Keep Positional Relationship (Reg.–Reg.)."""
    return _filter_type(dataset, "positional_reg_reg")
