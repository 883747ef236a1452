"""The budget: nothing is ever exceeded, and what is missing is said exactly."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

import pytest

from bot.base import Outcome
from bot.config import BudgetSettings
from bot.model.attempt import AttemptFailed, Meter, unmetered
from bot.model.budget import Budget, Cost, TopUp, parse_top_up
from bot.model.prices import Prices, UnpricedModel
from bot.model.recorded import RecordedModel
from bot.model.scripted import ScriptedModel
from bot.ports.model import BudgetExhausted, ModelError, ModelReply, ModelRequest, Usage

from .kit import Clock, ask, recorded


def limits(**given: float) -> BudgetSettings:
    nothing = {"usd": None, "tokens": None, "calls": None, "minutes": None}
    return BudgetSettings.model_validate({**nothing, **given})


def dollars(amount: str) -> Cost:
    return Cost(usd=Decimal(amount), tokens=1000, calls=1)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            limits(usd=0.01),
            "the call for code.1/write/pkg/a.py needs up to $0.0102, and $0.01 of the budget of "
            "$0.01 is left (`/repowright budget +2usd` goes on)",
        ),
        (
            limits(tokens=1000),
            "the call for code.1/write/pkg/a.py needs up to 1,116 tokens, and 1,000 of the budget "
            "of 1,000 tokens are left (`/repowright budget +100000tokens` goes on)",
        ),
        (
            limits(calls=0),
            "all 0 calls of the budget are used (`/repowright budget +50calls` goes on)",
        ),
        (
            limits(minutes=0),
            "the 0 minutes of the budget are over (`/repowright budget +60minutes` goes on)",
        ),
    ],
)
def test_a_budget_too_small_for_one_call(
    settings: BudgetSettings, sentence: str, tmp_path: Path
) -> None:
    script = ScriptedModel({"*": "never given"})
    model = recorded(script, tmp_path, settings)
    with pytest.raises(BudgetExhausted) as caught:
        model.complete(ask(text="Go."))
    assert caught.value.sentence == sentence
    assert caught.value.outcome is Outcome.BUDGET_EXHAUSTED
    assert model.ledger.entries == ()
    assert model.journal.records == ()


def test_a_top_up_lets_the_call_through(tmp_path: Path) -> None:
    model = recorded(ScriptedModel({"*": "done"}), tmp_path, limits(usd=0.001))
    with pytest.raises(BudgetExhausted):
        model.complete(ask())
    model.budget.top_up(TopUp(usd=Decimal(2)))
    assert model.complete(ask()).text == "done"


def test_a_limit_that_is_not_set_does_not_limit() -> None:
    budget = Budget(limits(), clock=Clock())
    budget.top_up(TopUp(usd=Decimal(1), tokens=1, calls=1, minutes=1))
    reservation = budget.reserve(Cost(usd=Decimal(10**9), tokens=10**12, calls=10**6))
    budget.settle(reservation, Cost(usd=Decimal(10**9)))
    assert budget.usd_limit is None
    assert budget.seconds_left == float("inf")


def test_what_a_call_did_not_use_is_free_again() -> None:
    budget = Budget(limits(usd=1), clock=Clock())
    first = budget.reserve(dollars("0.90"))
    budget.settle(first, dollars("0.10"))
    second = budget.reserve(dollars("0.90"))
    budget.release(second)
    assert budget.spent.usd == Decimal("0.10")
    assert budget.reserved.usd == 0


def test_a_call_waits_for_those_in_flight_rather_than_giving_up() -> None:
    budget = Budget(limits(usd=1), clock=Clock())
    first = budget.reserve(dollars("0.90"))
    with ThreadPoolExecutor(1) as pool:
        second = pool.submit(budget.reserve, dollars("0.80"))
        assert not second.done()
        budget.settle(first, dollars("0.15"))
        budget.settle(second.result(timeout=10), dollars("0.80"))
    assert budget.spent.usd == Decimal("0.95")


def test_a_waiting_call_gives_up_once_it_can_never_fit() -> None:
    budget = Budget(limits(usd=1), clock=Clock())
    first = budget.reserve(dollars("0.90"))
    with ThreadPoolExecutor(1) as pool:
        second = pool.submit(budget.reserve, dollars("0.80"))
        budget.settle(first, dollars("0.50"))
        with pytest.raises(BudgetExhausted, match=r"up to \$0\.80, and \$0\.50 of"):
            second.result(timeout=10)


def test_the_minutes_run_by_the_clock_and_earlier_legs_count() -> None:
    clock = Clock()
    budget = Budget(limits(minutes=10), clock=clock, used_seconds=60)
    assert budget.seconds_left == 540
    clock.seconds += 539
    budget.release(budget.reserve(dollars("1")))
    clock.seconds += 1
    with pytest.raises(BudgetExhausted, match="the 10 minutes of the budget are over"):
        budget.reserve(dollars("1"))


def test_a_call_that_the_minutes_cut_off_ends_the_budget_not_the_model(tmp_path: Path) -> None:
    clock = Clock()

    class Slow:
        def complete(self, request: ModelRequest, meter: Meter = unmetered) -> ModelReply:
            return meter(request, self._ask)

        def _ask(self, seconds: float) -> ModelReply:
            clock.seconds += seconds
            raise AttemptFailed("cut off", billed=True)

    model = recorded(Slow(), tmp_path, limits(minutes=5), clock=clock)
    with pytest.raises(BudgetExhausted, match="the 5 minutes"):
        model.complete(ask())
    (entry,) = model.ledger.calls
    assert (entry.outcome, entry.seconds) == ("failed", 300.0)


@pytest.mark.parametrize(
    "settings",
    [limits(usd=0.5), limits(tokens=60_000), limits(calls=37), limits(usd=0.5, tokens=60_000)],
)
def test_sixteen_threads_never_exceed_a_limit(settings: BudgetSettings, tmp_path: Path) -> None:
    dice = random.Random(7)
    worst_seen: list[Cost] = []
    watch = threading.Lock()
    holder: list[RecordedModel] = []

    def answer(request: ModelRequest) -> str:
        budget = holder[0].budget
        with watch:
            worst_seen.append(budget.spent + budget.reserved)
            return "x" * dice.randrange(3000)

    model = recorded(ScriptedModel({"*": answer}), tmp_path, settings)
    holder.append(model)

    def call(number: int) -> bool:
        try:
            model.complete(ask(f"code.1/write/f{number}.py"))
        except BudgetExhausted:
            return False
        return True

    with ThreadPoolExecutor(16) as pool:
        done = list(pool.map(call, range(200)))
    total = model.budget.spent
    assert 0 < sum(done) < 200
    assert len(worst_seen) == sum(done) == total.calls
    assert model.budget.reserved == Cost()
    for seen in (*worst_seen, total):
        assert settings.usd is None or seen.usd <= Decimal(str(settings.usd))
        assert settings.tokens is None or seen.tokens <= settings.tokens
        assert settings.calls is None or seen.calls <= settings.calls
    assert model.ledger.total.usd == total.usd


def test_a_provider_that_takes_more_than_allowed_is_counted_as_it_is(tmp_path: Path) -> None:
    greedy = ModelReply(text="", usage=Usage(output=100_000), model="gpt-5", seconds=1)
    model = recorded(ScriptedModel({"*": greedy}), tmp_path, limits(usd=0.5))
    model.complete(ask("a"))
    assert model.budget.spent.usd == 1
    with pytest.raises(BudgetExhausted, match=r"\$0\.00 of the budget of \$0\.50 is left"):
        model.complete(ask("b"))


def test_a_dollar_limit_needs_a_price(tmp_path: Path) -> None:
    script = ScriptedModel({"*": "ok"})
    with pytest.raises(UnpricedModel) as caught:
        recorded(script, tmp_path / "a", limits(usd=5)).complete(ask(model="my-own:7b"))
    assert caught.value.sentence == (
        "the price of model my-own:7b is not known, so the limit of $5.00 cannot hold "
        "(set price_as for my-own:7b to a model of the same price or to free, or take the dollar "
        "limit away)"
    )
    assert script.unused == {}
    free = recorded(script, tmp_path / "b", limits(usd=5), prices=Prices({"my-own*": "free"}))
    free.complete(ask(model="my-own:7b"))
    unlimited = recorded(script, tmp_path / "c", limits())
    unlimited.complete(ask(model="my-own:7b"))
    assert [e.priced for e in (*free.ledger.calls, *unlimited.ledger.calls)] == [True, False]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("+2usd", TopUp(usd=Decimal(2))),
        ("+$2.50", TopUp(usd=Decimal("2.50"))),
        (" + 0.5 USD ", TopUp(usd=Decimal("0.5"))),
        ("+100,000tokens", TopUp(tokens=100_000)),
        ("20 calls", TopUp(calls=20)),
        ("+30minutes", TopUp(minutes=30)),
        ("", None),
        ("+2", None),
        ("-2usd", None),
        ("+2eur", None),
        ("+1.5calls", None),
        ("+$3 calls", None),
        ("+99999999999usd", None),
        ("+2usd; rm -rf /", None),
    ],
)
def test_what_a_person_may_add(text: str, expected: TopUp | None) -> None:
    assert parse_top_up(text) == expected


def test_a_failure_that_nobody_bills_costs_a_call_only(tmp_path: Path) -> None:
    script = ScriptedModel({"*": [AttemptFailed("no"), AttemptFailed("cut", billed=True)]})
    model = recorded(script, tmp_path, limits(usd=1))
    with pytest.raises(ModelError):
        model.complete(ask())
    assert model.budget.spent == Cost(calls=1)
    with pytest.raises(ModelError):
        model.complete(ask())
    assert model.budget.spent.calls == 2
    assert model.budget.spent.usd == model.ledger.total.usd > 0
