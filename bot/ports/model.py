"""The model port: one request, one reply, with what it cost in tokens."""

from typing import Literal, Protocol

from bot.base import Data, Outcome, RepowrightError


class ChatMessage(Data):
    role: Literal["system", "user", "assistant"]
    content: str


class ModelRequest(Data):
    """One chat completion. `step` names the place in the run that asks, such as
    `code.2/fix/pkg/a.py#1`; it is unique within a run and the same when the run is repeated.
    `max_output` is in tokens. `json_object` asks for a JSON reply where the model can."""

    role: str
    step: str
    model: str
    messages: tuple[ChatMessage, ...]
    temperature: float = 0.0
    max_output: int = 8192
    json_object: bool = False


class Usage(Data):
    """Tokens of one call. `input` counts new input only: what the provider read from or wrote to
    its cache stands in `cache_read` and `cache_write`. `estimated` says that no provider
    counted."""

    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    estimated: bool = False

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input=self.input + other.input,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
            output=self.output + other.output,
            estimated=self.estimated or other.estimated,
        )


FinishReason = Literal["stop", "length", "refusal", "content_filter"]


class ModelReply(Data):
    text: str
    finish_reason: FinishReason = "stop"
    usage: Usage
    model: str
    seconds: float


class ModelError(RepowrightError):
    """The model could not be reached or would not answer after everything that may be retried."""

    outcome = Outcome.MODEL_FAILED


class BudgetExhausted(RepowrightError):
    """The next call's worst case does not fit into what is left of the budget."""

    outcome = Outcome.BUDGET_EXHAUSTED


class Model(Protocol):
    """Anything that completes chats; safe to call from several threads at once."""

    def complete(self, request: ModelRequest) -> ModelReply:
        """Return the reply; raise ModelError or BudgetExhausted."""
        ...
