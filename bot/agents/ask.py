"""One question to the model: ask, read strictly, and ask again with the fault named."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from bot.agents.prompts import retry_prompt, system_prompt
from bot.agents.replies import ReplyRejected
from bot.config import RoleSettings, Settings
from bot.ports.model import ChatMessage, Model, ModelReply, ModelRequest

T = TypeVar("T")

_LONGEST_ECHO = 24_000


@dataclass(frozen=True)
class Desk:
    """What an agent works with: the model and the run's settings."""

    model: Model
    settings: Settings

    def role(self, name: str) -> RoleSettings:
        settings: RoleSettings = getattr(self.settings.roles, name)
        return settings


def ask(
    desk: Desk, role: str, step: str, question: str, read: Callable[[str], T], prompt: str = ""
) -> T:
    """Return what `read` makes of the reply.

    `read` raises ReplyRejected for what it cannot use; the model is told so and asked again, at
    most `caps.reply_retries` times; then the last ReplyRejected is raised. `prompt` names the
    system prompt where it is not the role's own.
    """
    settings = desk.role(role)
    messages = [
        ChatMessage(role="system", content=system_prompt(prompt or role)),
        ChatMessage(role="user", content=question),
    ]
    for attempt in range(1, desk.settings.caps.reply_retries + 2):
        reply = desk.model.complete(
            ModelRequest(
                role=role,
                step=f"{step}#{attempt}",
                model=settings.model or desk.settings.model,
                messages=tuple(messages),
                temperature=settings.temperature,
                max_output=settings.max_output,
            )
        )
        try:
            return read(_usable(reply))
        except ReplyRejected as error:
            rejected = error
        messages = [
            *messages[:2],
            ChatMessage(role="assistant", content=reply.text[:_LONGEST_ECHO] or "(empty)"),
            ChatMessage(role="user", content=retry_prompt(rejected.what)),
        ]
    raise ReplyRejected(rejected.what, where=step, hint="the reply is in the run's record of calls")


def _usable(reply: ModelReply) -> str:
    if reply.finish_reason == "length":
        raise ReplyRejected("it was cut off at the limit of output tokens; write less")
    if reply.finish_reason in ("refusal", "content_filter"):
        raise ReplyRejected("the model declined to answer")
    if not reply.text.strip():
        raise ReplyRejected("it is empty")
    return reply.text
