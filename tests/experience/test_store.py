"""What the store keeps, shows to whom, and retires; on SQLite and on Postgres."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import create_engine

from bot.base import RepowrightError
from bot.experience.store import SqlExperiences
from bot.experience.tables import METADATA
from bot.ports.experience import Effect, Kept, Scope, StoreUnavailable, Tally

from .lessons import lesson

ANN = Scope(installation=1, repository="ann/jars")
BOB = Scope(installation=1, repository="bob/pans")
FAR = Scope(installation=2, repository="eve/cups")
KEY = lesson("missing_key")


def _seen(store: SqlExperiences, scope: Scope) -> list[Kept]:
    return [kept for kept in store.changes(scope, 0)[1] if not kept.gone and not kept.retired]


def _tally(store: SqlExperiences) -> Tally:
    return next(kept.tally for _, kept in store.all())


def test_repositories_of_one_installation_share(store: SqlExperiences) -> None:
    store.add(ANN, KEY, mark="run-1/code.1")
    assert [kept.experience for kept in _seen(store, BOB)] == [KEY]
    assert _seen(store, FAR) == []


def test_sharing_can_be_switched_off_on_either_side(store: SqlExperiences) -> None:
    store.add(ANN, KEY, mark="m")
    alone = BOB.model_copy(update={"shared": False})
    assert _seen(store, alone) == []
    hidden = ANN.model_copy(update={"shared": False})
    assert store.share(hidden) == 1
    assert _seen(store, BOB) == []
    assert len(_seen(store, hidden)) == 1
    assert store.share(ANN) == 1
    assert len(_seen(store, BOB)) == 1


def test_what_is_hidden_leaves_a_reader_that_had_it(store: SqlExperiences) -> None:
    store.add(ANN, KEY, mark="m")
    tick, _ = store.changes(BOB, 0)
    store.share(ANN.model_copy(update={"shared": False}))
    _, changed = store.changes(BOB, tick)
    assert [kept.gone for kept in changed] == [True]


def test_the_same_lesson_again_is_counted_once_a_step(store: SqlExperiences) -> None:
    for mark in ("run-1/code.1", "run-1/code.1", "run-2/code.4"):
        store.add(ANN, KEY, mark=mark)
    assert _tally(store).learned == 2


def test_a_retrieval_is_settled_once(store: SqlExperiences) -> None:
    store.add(ANN, KEY, mark="m")
    number = _seen(store, ANN)[0].number
    store.given("run-1/code.2", [number])
    store.given("run-1/code.2", [number])
    store.settle("run-1/code.2", Effect.IMPROVED)
    store.settle("run-1/code.2", Effect.REGRESSED)
    store.settle("run-1/never", Effect.REGRESSED)
    assert _tally(store) == Tally(learned=1, improved=1)


def test_what_is_given_again_takes_the_place_of_what_was_given_before(
    store: SqlExperiences,
) -> None:
    other = lesson("undefined_name")
    store.add(ANN, KEY, mark="m")
    store.add(ANN, other, mark="m")
    first, second = (kept.number for kept in _seen(store, ANN))
    store.given("run-1:code.2", [first])
    store.given("run-1:code.2", [second])
    assert store.settle("run-1:code.2", Effect.IMPROVED) == (other.id,)
    store.given("run-1:code.2", [first])
    assert store.settle("run-1:code.2", Effect.IMPROVED) == (other.id,)
    assert [kept.tally.improved for kept in _seen(store, ANN)] == [0, 1]


def test_a_store_that_breaks_while_it_is_used_says_so_in_one_sentence(
    store: SqlExperiences, address: str
) -> None:
    store.open()
    engine = create_engine(address)
    METADATA.drop_all(engine)
    engine.dispose()
    with pytest.raises(StoreUnavailable) as caught:
        store.add(ANN, KEY, mark="m")
    assert caught.value.what.startswith("the experience store cannot be used: ")


def test_only_what_changed_is_read_again(store: SqlExperiences) -> None:
    store.add(ANN, KEY, mark="m")
    store.add(ANN, lesson("undefined_name"), mark="m")
    tick, all_ = store.changes(ANN, 0)
    assert store.changes(ANN, tick) == (tick, [])
    store.given("g", [all_[1].number])
    store.settle("g", Effect.NO_EFFECT)
    _, changed = store.changes(ANN, tick)
    assert [kept.number for kept in changed] == [all_[1].number]


def _harm(store: SqlExperiences, times: int, effect: Effect = Effect.REGRESSED) -> None:
    for time in range(times):
        mark = f"{effect}/{time}"
        store.given(mark, [kept.number for kept in _seen(store, ANN)][:1])
        store.settle(mark, effect)


def test_advice_that_did_harm_twice_and_more_often_than_good_is_retired(
    store: SqlExperiences,
) -> None:
    store.add(ANN, KEY, mark="m")
    store.add(BOB, KEY, mark="n")
    _harm(store, 1)
    assert len(_seen(store, ANN)) == 2
    _harm(store, 2)
    assert _seen(store, ANN) == _seen(store, BOB) == []


def test_advice_that_did_more_good_than_harm_stays(store: SqlExperiences) -> None:
    store.add(ANN, KEY, mark="m")
    _harm(store, 2, Effect.IMPROVED)
    _harm(store, 2)
    assert len(_seen(store, ANN)) == 1


def test_what_was_deleted_stays_away_until_it_is_imported(store: SqlExperiences) -> None:
    store.add(ANN, KEY, mark="m")
    assert store.delete(KEY.id) == 1
    assert store.delete(KEY.id) == 0
    store.add(ANN, KEY, mark="n")
    assert list(store.all()) == []
    assert store.take(ANN, KEY, Tally(learned=3), retired=False)
    assert not store.take(ANN, KEY, Tally(learned=3), retired=False)
    assert _tally(store) == Tally(learned=3)


def test_many_writers_lose_nothing(store: SqlExperiences, address: str) -> None:
    other = SqlExperiences(address)
    with ThreadPoolExecutor(4) as pool:
        for n in range(40):
            pool.submit((store, other)[n % 2].add, ANN, KEY, mark=str(n))
    assert _tally(store).learned == 40
    assert store.changes(ANN, 0)[0] == 40
    other.close()


@pytest.mark.parametrize("wrong", ["", "nothing://x", "sqlite:////proc/none/at/all.sqlite"])
def test_a_database_that_cannot_be_used_is_one_clear_sentence(wrong: str) -> None:
    with pytest.raises(RepowrightError) as caught:
        SqlExperiences(wrong).open()
    assert caught.value.hint
