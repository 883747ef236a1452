"""Problems of a spec, made from the texts of problems.yaml."""

from functools import lru_cache
from importlib.resources import files
from string import Formatter

import yaml

from bot.base import Data
from bot.spec.model import Location, Problem, Severity
from bot.spec.texts import one_line

_LONGEST = 120


class Text(Data):
    severity: Severity
    message: str
    hint: str = ""


def problem(code: str, location: Location, **values: object) -> Problem:
    """The problem of this code at this place; values are cut to 120 characters each."""
    text = _texts()[code]
    short = {name: _short(str(value)) for name, value in values.items()}
    return Problem(
        severity=text.severity,
        code=code,
        location=location,
        message=Formatter().vformat(text.message, (), short),
        hint=Formatter().vformat(text.hint, (), short),
    )


@lru_cache(maxsize=1)
def _texts() -> dict[str, Text]:
    source = files("bot.spec").joinpath("problems.yaml").read_text(encoding="utf-8")
    return {code: Text.model_validate(entry) for code, entry in yaml.safe_load(source).items()}


def _short(text: str) -> str:
    text = one_line(text)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
