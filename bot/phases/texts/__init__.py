"""Every text that a person reads, as data: sentences in one YAML file, pages as templates."""

from collections.abc import Mapping
from functools import cache
from importlib import resources
from string import Formatter
from typing import Any

import yaml
from jinja2 import Environment, FunctionLoader, StrictUndefined

from bot.markdown import code, defuse, line


def _source(name: str) -> str:
    return resources.files("bot.phases.texts").joinpath(name).read_text("utf-8")


@cache
def _sentences() -> Mapping[str, str]:
    table: dict[str, str] = yaml.safe_load(_source("sentences.yaml"))
    return table


@cache
def _pages() -> Environment:
    # The pages are Markdown: others' text is made safe by the filter `defuse`, not by escapes.
    environment = Environment(  # noqa: S701
        loader=FunctionLoader(_source), undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters["code"] = code
    environment.filters["defuse"] = defuse
    environment.filters["one_line"] = line
    environment.filters["counted"] = count
    return environment


class _Counting(Formatter):
    """`{n:file}` is "1 file" or "3 files"."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, int) and format_spec.replace(" ", "").isalpha():
            return count(value, format_spec)
        return str(super().format_field(value, format_spec))


def count(number: int, noun: str) -> str:
    """A number with its noun: "1 file", "3 files"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def say(key: str, **values: object) -> str:
    """One sentence; raise KeyError where it or one of its names is missing."""
    return _Counting().vformat(_sentences()[key], (), values)


def page(name: str, **values: object) -> str:
    """One page of Markdown; raise jinja2.UndefinedError where a name is missing."""
    return _pages().get_template(f"{name}.md.j2").render(**values).strip() + "\n"
