"""The prompts as files; an undefined name in one is an error."""

import re
from functools import cache
from importlib import resources

from jinja2 import Environment, FunctionLoader, StrictUndefined

_TAG = re.compile(r"<(/?)(?=\s*document)", re.IGNORECASE)


def _source(name: str) -> str:
    return resources.files("bot.agents.prompts").joinpath(name).read_text("utf-8")


@cache
def _environment() -> Environment:
    # Prompts are plain text, not HTML: nothing is escaped, and material is fenced by tags.
    environment = Environment(  # noqa: S701
        loader=FunctionLoader(_source),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=False,
    )
    environment.filters["material"] = _closed
    environment.filters["fenced"] = _fenced
    return environment


def _closed(text: str) -> str:
    """Material that cannot close the tag it stands in, in whatever case it spells it."""
    return _TAG.sub(r"<\1 ", text)


def _fenced(text: str) -> str:
    """Material that cannot close the fence it stands in: each run of marks is broken."""
    return text.replace("```", "`\u200b``")


def system_prompt(role: str) -> str:
    """The fixed prompt of a role."""
    return _source(f"{role}.system.md").strip()


def user_prompt(role: str, **values: object) -> str:
    """The prompt of one question; raise jinja2.UndefinedError where a name is missing."""
    return _environment().get_template(f"{role}.user.md.j2").render(**values).strip()


def retry_prompt(problem: str) -> str:
    return _environment().get_template("retry.md.j2").render(problem=problem).strip()
