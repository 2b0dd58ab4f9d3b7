"""The models of ``vmevalkit vqa --model NAME --model_args key=value,...``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from vmevalkit.core.chat import ChatModel
from vmevalkit.core.errors import SetupError, UnknownName, UsageError
from vmevalkit.core.image_edit import ImageEditor

VISUALIZATION_SIZE = "1024x1024"
ANSWER_TIMEOUT_S = 300.0
"""How long to wait for an answer: models that reason take minutes."""


@dataclass(frozen=True, slots=True)
class VqaModel:
    """A model that answers, and for two stages one that draws."""

    label: str
    """How results name it; unique for the model and the arguments that matter."""
    answerer: ChatModel
    editor: ImageEditor | None = None
    """Draws the visualization of stage 1; None where the model answers only directly."""
    size: str | None = None
    """Size of the visualization."""
    save_intermediate: bool = False
    """Whether prompts, visualization and answer of each question are also written as files of their own."""
    image_usd: float | None = None
    """The assumed price of a visualization."""
    answer_usd: float | None = None
    """The assumed price of an answer whose price is unknown."""

    @property
    def is_free(self) -> bool:
        """Whether both stages run on this machine."""
        return self.answerer.provider == "local" and (self.editor is None or self.editor.provider == "local")

    @property
    def drawer_identity(self) -> str:
        """Identity of the model of stage 1, with the size of its images; empty without one."""
        return "" if self.editor is None else f"{self.editor.identity} {self.size or ''}".strip()


class ModelArgs:
    """The arguments of a model. Every one must be read: an unknown one is an error, with the nearest known name."""

    def __init__(self, values: Mapping[str, str], model: str) -> None:
        self._values, self._model, self._known = dict(values), model, ["save_intermediate"]

    @classmethod
    def parse(cls, text: str, model: str) -> ModelArgs:
        """Parse ``key=value,key=value``. A value may contain ``=``."""
        values: dict[str, str] = {}
        for part in filter(None, (part.strip() for part in text.split(","))):
            key, equals, value = part.partition("=")
            if not equals or not key.strip():
                raise UsageError(f"--model_args has {part!r}; write key=value, several separated by commas")
            values[key.strip()] = value.strip()
        return cls(values, model)

    def text(self, name: str, default: str | None = None) -> str | None:
        self._known.append(name)
        return self._values.get(name) or default

    def require(self, name: str, example: str) -> str:
        value = self.text(name)
        if not value:
            raise UsageError(f"{self._model} needs --model_args {name}=..., such as {name}={example}")
        return value

    def number(self, name: str, default: float | None = None) -> float | None:
        value = self.text(name)
        try:
            return default if value is None else float(value)
        except ValueError:
            raise UsageError(f"--model_args {name}={value!r} is not a number") from None

    def whole_number(self, name: str) -> int | None:
        value = self.number(name)
        return None if value is None else int(value)

    def flag(self, name: str) -> bool:
        value = (self.text(name) or "false").lower()
        if value not in ("true", "false", "1", "0", "yes", "no"):
            raise UsageError(f"--model_args {name}={value!r} is neither true nor false")
        return value in ("true", "1", "yes")

    def refuse_unknown(self) -> None:
        for name in self._values:
            if name not in self._known:
                raise UnknownName("argument", name, set(self._known), f"of {self._model}")


def _load_chat(args: ModelArgs, _batch_size: int) -> VqaModel:
    from vmevalkit.models.chat import load_chat_model

    name = args.require("model", "gpt-4o")
    return VqaModel(
        name, load_chat_model(name, args.text("base_url"), timeout_s=args.number("timeout_s", 300.0) or 300.0)
    )


def _load_qwen(args: ModelArgs, batch_size: int) -> VqaModel:
    from vmevalkit.models.batched_chat import BatchedChat
    from vmevalkit.models.qwen_vl import QwenVL

    pretrained = args.require("pretrained", "/path/to/Qwen2.5-VL-7B-Instruct")
    options = {
        "device": args.text("device"), "dtype": args.text("dtype", "auto"),
        "min_pixels": args.whole_number("min_pixels"), "max_pixels": args.whole_number("max_pixels"),
        "device_map": args.text("device_map"), "attn_implementation": args.text("attn_implementation"),
    }  # fmt: skip
    args.refuse_unknown()  # before the weights are loaded
    model = QwenVL(pretrained, **options)  # type: ignore[arg-type]
    return VqaModel(f"qwen2_5_vl-{Path(pretrained).name}", BatchedChat(model, batch_size))


def _load_azure(args: ModelArgs, _batch_size: int) -> VqaModel:
    from vmevalkit.models.chat import load_chat_model
    from vmevalkit.models.openai_images import OpenAIImages

    _require_openai("azure_trapi_visual_cot")
    drawer, answerer = args.text("image_model", "gpt-image-1"), args.text("model", "gpt-4o")
    endpoint, version = args.text("azure_endpoint"), args.text("api_version")
    image_deployment, chat_deployment = args.text("image_deployment", drawer), args.text("chat_deployment", answerer)
    editor = OpenAIImages(f"azure/{drawer}", endpoint, deployment=image_deployment, api_version=version)
    chat = load_chat_model(
        f"azure/{answerer}", endpoint, deployment=chat_deployment, api_version=version, timeout_s=ANSWER_TIMEOUT_S
    )
    size = args.text("size", VISUALIZATION_SIZE)
    return VqaModel(_label("azure_trapi_visual_cot", (drawer, "gpt-image-1"), (answerer, "gpt-4o")), chat, editor, size)


def _load_nano_banana(args: ModelArgs, _batch_size: int) -> VqaModel:
    form = args.text("form", "google")
    if form == "google":
        from vmevalkit.models.gemini_content import IMAGE_MODEL, TEXT_MODEL, GeminiChat, GeminiImages

        _require_google("nano_banana_visual_cot")
        drawer, answerer = args.text("image_model", IMAGE_MODEL), args.text("model", TEXT_MODEL)
        assert drawer and answerer
        label = _label("nano_banana_visual_cot", (drawer, IMAGE_MODEL), (answerer, TEXT_MODEL))
        return VqaModel(label, GeminiChat(answerer), GeminiImages(drawer))
    if form != "openai":
        raise UsageError(f"nano_banana_visual_cot has no form {form!r}; use form=google or form=openai")
    from vmevalkit.models.chat import load_chat_model
    from vmevalkit.models.openai_images import OpenAIImages

    _require_openai("nano_banana_visual_cot")
    drawer, answerer = args.text("image_model", "nano-banana"), args.text("model", "gpt-4o")
    assert drawer and answerer
    base_url = args.text("base_url")
    label = _label("nano_banana_visual_cot-openai", (drawer, "nano-banana"), (answerer, "gpt-4o"))
    chat = load_chat_model(answerer, args.text("chat_base_url", base_url), timeout_s=ANSWER_TIMEOUT_S)
    return VqaModel(label, chat, OpenAIImages(drawer, base_url), args.text("size", VISUALIZATION_SIZE))


def _load_bagel(args: ModelArgs, _batch_size: int) -> VqaModel:
    from vmevalkit.models.bagel import BagelChat, BagelImages, BagelPlace, BagelProcess

    place = BagelPlace.find(args.text("checkout"), args.text("python"), args.text("pretrained"))
    process = BagelProcess(place)
    return VqaModel("bagel_visual_cot", BagelChat(process), BagelImages(process))


def _load_random(args: ModelArgs, _batch_size: int) -> VqaModel:
    from vmevalkit.vqa.baselines import ContactSheet, RandomChoice

    seed = args.whole_number("seed") or 0
    return VqaModel("random" if seed == 0 else f"random-{seed}", RandomChoice(seed), ContactSheet())


def _load_blind(args: ModelArgs, batch_size: int) -> VqaModel:
    from vmevalkit.vqa.baselines import Blind

    name = args.text("of", "openai_chat") or "openai_chat"
    if name == "blind" or name not in MODELS:
        raise UnknownName("model", name, set(MODELS) - {"blind"}, "for of= of blind")
    model = MODELS[name](args, batch_size)
    return VqaModel(f"blind-{model.label}", Blind(model.answerer))


MODELS: Mapping[str, Callable[[ModelArgs, int], VqaModel]] = {
    "openai_chat": _load_chat,
    "qwen2_5_vl": _load_qwen,
    "azure_trapi_visual_cot": _load_azure,
    "nano_banana_visual_cot": _load_nano_banana,
    "bagel_visual_cot": _load_bagel,
    "random": _load_random,
    "blind": _load_blind,
}
"""Loads each model from its arguments and the batch size."""


def load_model(name: str, model_args: str = "", batch_size: int = 1, label: str | None = None) -> VqaModel:
    """Return a model. Raises UnknownName, UsageError or SetupError before anything is asked."""
    from dataclasses import replace

    if name not in MODELS:
        raise UnknownName("model", name, MODELS)
    args = ModelArgs.parse(model_args, name)
    image_usd, answer_usd = args.number("image_usd"), args.number("answer_usd")
    model = MODELS[name](args, batch_size)
    save = args.flag("save_intermediate")
    args.refuse_unknown()
    return replace(
        model, label=label or model.label, save_intermediate=save, image_usd=image_usd, answer_usd=answer_usd
    )


ADDRESSES = ("base_url", "chat_base_url", "azure_endpoint")
"""Arguments that are addresses of servers: records have digests of them only."""


def hide_addresses(model_args: str) -> str:
    """Return the arguments with digests in place of addresses, as records keep them."""
    from vmevalkit.core.endpoint import digest_endpoint

    parts = [part.partition("=") for part in model_args.split(",")]
    return ",".join(
        f"{name}={digest_endpoint(value)}" if name.strip() in ADDRESSES and value else f"{name}{equals}{value}"
        for name, equals, value in parts
    )


def _label(name: str, *parts: tuple[str | None, str]) -> str:
    """Return the name, with every part that is not the default."""
    return "-".join([name, *(str(value) for value, default in parts if value != default)])


def _require_openai(name: str) -> None:
    _require("openai", "openai", name)


def _require_google(name: str) -> None:
    _require("google.genai", "google", name)


def _require(package: str, extra: str, name: str) -> None:
    from importlib.util import find_spec

    from vmevalkit.core.extras import make_install_command

    try:
        is_there = find_spec(package) is not None
    except ModuleNotFoundError:
        is_there = False
    if not is_there:
        raise SetupError(f"{name} needs the package {package}: {make_install_command(extra)}")
