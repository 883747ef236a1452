"""Prices: the paper's worked figure, the six models of mechanism 72, the user's own word."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.model.models import normalised, shipped_models
from bot.model.prices import Prices
from bot.ports.model import ModelError, Usage


def test_the_worked_figure() -> None:
    """Feature squad, Opus 4.8, instant messaging (M, Table 9)."""
    rounds = [
        Usage(input=14_500, cache_write=65_090_000, cache_read=7_180_000, output=299_500),
        Usage(input=400, cache_write=18_610_000, cache_read=650_000, output=65_800),
        Usage(input=400, cache_write=18_280_000, cache_read=2_880_000, output=64_500),
    ]
    price = Prices().of("Claude-Opus-4.8")
    assert price is not None
    costs = [price.cost(usage) for usage in rounds]
    assert [f"{cost:.2f}" for cost in costs] == ["417.96", "118.28", "117.30"]
    assert f"{sum(costs):.2f}" == "653.55"


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("claude-opus-4.8", ("5", "6.25", "0.50", "25")),
        ("gpt-5.5", ("5", "5", "0.50", "30")),
        ("deepseek-v4-pro", ("0.45", "0.45", "0.0038", "0.91")),
        ("deepseek-v4-flash", ("0.15", "0.15", "0.003", "0.30")),
        ("glm-5.2", ("1.21", "1.21", "0.30", "4.24")),
        ("qwen3.6-flash", ("0.18", "0.23", "0.018", "1.09")),
    ],
)
def test_the_six_models_of_the_paper(model: str, expected: tuple[str, ...]) -> None:
    price = Prices().of(model)
    assert price is not None
    kinds = ("input", "cache_write", "cache_read", "output")
    per_thousand = [price.cost(Usage.model_validate({kind: 1000})) * 1000 for kind in kinds]
    assert per_thousand == [Decimal(text) for text in expected]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("anthropic/claude-opus-4.8", "claude-opus-4-8"),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("openai/gpt-5-2025-08-07", "gpt-5"),
        ("gpt-5-chat-latest", "gpt-5-chat"),
        ("accounts/x/models/GLM-5.2", "glm-5-2"),
    ],
)
def test_a_model_has_many_names(name: str, expected: str) -> None:
    assert normalised(name) == expected
    assert Prices().of(name) is not None


def test_the_worst_case_takes_the_dearer_of_input_and_cache_write() -> None:
    opus, gpt = Prices().of("claude-opus-4.8"), Prices().of("gpt-5")
    assert opus is not None and gpt is not None
    usage = Usage(input=1_000_000, output=1_000_000)
    assert opus.worst(usage) == Decimal("31.25")
    assert gpt.worst(usage) == Decimal("11.25")


@settings(database=None)
@given(
    name=st.sampled_from([price.model for price in shipped_models().prices]),
    counts=st.tuples(*[st.integers(0, 1_000_000)] * 4),
    more=st.tuples(*[st.integers(0, 300_000)] * 2),
)
def test_no_call_within_its_bounds_costs_more_than_its_worst_case(
    name: str, counts: tuple[int, ...], more: tuple[int, ...]
) -> None:
    price = shipped_models().price(name)
    assert price is not None
    new, read, written, output = counts
    usage = Usage(input=new, cache_read=read, cache_write=written, output=output)
    bound = Usage(input=new + read + written + more[0], output=output + more[1])
    assert price.cost(usage) <= price.worst(bound)


def test_long_prompts_cost_more_where_the_vendor_says_so() -> None:
    price = Prices().of("gpt-5.5")
    assert price is not None
    assert price.cost(Usage(input=272_000)) == Decimal("1.36")
    assert price.cost(Usage(input=272_001)) == Decimal("2.72001")
    assert price.cost(Usage(cache_read=272_000, input=1000)) == Decimal("0.282")


def test_what_nobody_knows_has_no_price_unless_the_user_says_so() -> None:
    assert Prices().of("my-deployment") is None
    priced = Prices({"my-*": "gpt-5", "local": "free"})
    assert priced.of("my-deployment") == Prices().of("gpt-5")
    local = priced.of("local")
    assert local is not None
    assert local.cost(Usage(input=10**9, output=10**9)) == 0
    assert Prices.free().of("gpt-5") == local


def test_price_as_must_name_a_priced_model() -> None:
    with pytest.raises(ModelError) as caught:
        Prices({"mine": "gpt-99"})
    assert caught.value.sentence == (
        "price_as names the model gpt-99, which has no price "
        "(name one that stands in bot/model/models.yaml, or free)"
    )


def test_the_table_says_where_every_number_comes_from() -> None:
    table = shipped_models()
    names = [name for price in table.prices for name in (price.model, *price.aliases)]
    assert len(names) == len(set(names)) >= 30
    for name in names:
        assert normalised(name) == name
    sources = [price.source for price in table.prices] + [f.source for f in table.families]
    assert all(source.startswith("https://") for source in sources)
    for price in table.prices:
        assert price.rates.cache_read < price.rates.input <= price.rates.write < price.rates.output


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-5", "OpenAI GPT-5"),
        ("gpt-5.5-2026-04-23", "OpenAI GPT-5.4 and later"),
        ("gpt-5-chat-latest", "OpenAI chat models with the GPT-5 name"),
        ("o4-mini", "OpenAI o series"),
        ("claude-opus-4-8", "Claude without sampling parameters"),
        ("claude-sonnet-5", "Claude without sampling parameters"),
        ("claude-sonnet-4-5-20250929", "Claude"),
        ("deepseek/deepseek-v4-flash", "DeepSeek V4"),
        ("qwen2.5-coder:7b", "Qwen"),
        ("kimi-k3", "Kimi with a fixed temperature"),
        ("mixtral-of-somebody", "any other"),
    ],
)
def test_every_model_finds_its_family(model: str, family: str) -> None:
    assert shipped_models().family(model).name == family
