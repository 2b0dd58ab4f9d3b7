"""A chat model that reads the letter of an answer which the rules cannot read. It is off by default, and counted."""

from __future__ import annotations

from pathlib import Path

from vmevalkit.core.chat import ChatMessage, ChatModel, ChatParams, ChatRequest, TextPart
from vmevalkit.jobs.budget import Budget
from vmevalkit.jobs.chat_calls import ChatCaller
from vmevalkit.jobs.limits import CHAT_LIMITS, choose_chat_limits
from vmevalkit.models.chat import is_own_provider
from vmevalkit.vqa.task_files.mmsi import LETTERS, read_answer, strip_reasoning

PROMPT = """Below are a multiple-choice question and a response to it. Which option does the response choose?
Do not answer the question yourself. If the response chooses none, or several, write NONE.
Write the option's letter alone, or NONE.

[Question]
{question}

[Response]
{response}"""
_PARAMS = ChatParams(temperature=0.0, max_tokens=2048)


class Extractor:
    """Asks a chat model which option a response chooses. It sees no image and does not know the answer."""

    def __init__(self, model: ChatModel, answers: Path, budget: Budget, purpose: str) -> None:
        """It must be created inside a running event loop."""
        limits = choose_chat_limits(CHAT_LIMITS, is_own=is_own_provider(model.provider))
        self.caller = ChatCaller(model, answers=answers, budget=budget, purpose=purpose, limits=limits)

    async def read(self, question: str, response: str) -> str | None:
        """Return the letter; None where the response chooses none, or where the extractor cannot be asked."""
        text = PROMPT.format(question=question, response=strip_reasoning(response))
        result = await self.caller.ask(ChatRequest((ChatMessage("user", (TextPart(text),)),), _PARAMS))
        if result.answer is None or result.answer.refusal is not None:
            return None
        words = strip_reasoning(result.answer.text)
        return None if "NONE" in words else read_answer(words, LETTERS)
