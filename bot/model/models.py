"""The table of model families and prices in models.yaml: what each accepts and what it costs."""

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Annotated, Literal

import yaml
from pydantic import BeforeValidator

from bot.base import Data
from bot.ports.model import Usage

_MILLION = Decimal(1_000_000)

# A YAML float goes through its own text, so that 0.0028 means 0.0028 and not its binary neighbour.
Dollars = Annotated[Decimal, BeforeValidator(lambda v: Decimal(str(v)))]


class Rates(Data):
    """Dollars per million tokens. Where `cache_write` is None, writes count as new input."""

    input: Dollars
    cache_write: Dollars | None = None
    cache_read: Dollars
    output: Dollars

    @property
    def write(self) -> Decimal:
        return self.input if self.cache_write is None else self.cache_write


class Price(Data):
    """What a model costs, from `source` as read on `date`. Where the prompt is longer than
    `long_above` tokens, the whole call is charged at the `long` rates."""

    model: str
    aliases: tuple[str, ...] = ()
    rates: Rates
    long_above: int | None = None
    long: Rates | None = None
    date: date
    source: str
    note: str = ""

    def cost(self, usage: Usage) -> Decimal:
        """Dollars of one call: each kind of token times its rate (M, Table 9)."""
        rates = self._rates(usage.input + usage.cache_read + usage.cache_write)
        return (
            usage.input * rates.input
            + usage.cache_write * rates.write
            + usage.cache_read * rates.cache_read
            + usage.output * rates.output
        ) / _MILLION

    def worst(self, usage: Usage) -> Decimal:
        """Dollars of one call at most: each prompt token at the dearer of new input and cache
        write."""
        rates = self._rates(usage.input)
        dearest = max(rates.input, rates.write)
        return (usage.input * dearest + usage.output * rates.output) / _MILLION

    def _rates(self, prompt: int) -> Rates:
        if self.long and self.long_above is not None and prompt > self.long_above:
            return self.long
        return self.rates


class Family(Data):
    """What the models whose name matches accept in a chat completion.

    `match` are shell patterns over normalised names, `max_output` and `context_window` tokens
    (None: unknown), `max_temperature` the highest allowed.
    """

    name: str
    match: tuple[str, ...]
    temperature: bool = True
    max_temperature: float = 2.0
    json_mode: bool = False
    system_role: Literal["system", "developer"] = "system"
    reasoning_effort: tuple[str, ...] = ()
    output_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    max_output: int | None = None
    context_window: int | None = None
    source: str


class ModelTable(Data):
    """Families in order, first match wins; the last one matches everything."""

    families: tuple[Family, ...]
    prices: tuple[Price, ...]

    def family(self, model: str) -> Family:
        name = normalised(model)
        return next(f for f in self.families if any(fnmatchcase(name, p) for p in f.match))

    def price(self, model: str) -> Price | None:
        """The price of a model by name or alias, None where the table has none."""
        name = normalised(model)
        return next((p for p in self.prices if name in (p.model, *p.aliases)), None)


def normalised(model: str) -> str:
    """`Anthropic/Claude-Opus-4.8`, `claude-opus-4-8-20260601` and `claude-opus-4.8` are one.

    Takes off the provider's prefix, a date at the end and `-latest`; dots become dashes.
    """
    name = model.strip().lower().rsplit("/", 1)[-1]
    name = re.sub(r"-(latest|20\d{2}-?\d{2}-?\d{2})$", "", name)
    return name.replace(".", "-")


def mapped(model: str, names: Mapping[str, str]) -> str:
    """What the first pattern that matches a model stands for, the model itself where none does."""
    return next((name for pattern, name in names.items() if fnmatchcase(model, pattern)), model)


@cache
def shipped_models() -> ModelTable:
    """The table that comes with the program."""
    text = files("bot.model").joinpath("models.yaml").read_text(encoding="utf-8")
    return ModelTable.model_validate(yaml.safe_load(text))
