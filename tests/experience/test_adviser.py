"""Failing tests get the advice that fits, and what came of it changes what is given next."""

from pathlib import Path

from rank_bm25 import BM25Okapi

from bot.experience.adviser import Adviser
from bot.experience.families import background, signal_of
from bot.experience.recall import Shelf
from bot.experience.store import SqlExperiences
from bot.ports.experience import Effect, Experience, Kept, Scope, Tally

from .lessons import FAILURES, LOST_ATTRIBUTE, LOST_KEY, LOST_NAME, lesson
from .reports import passed, report

ANN = Scope(installation=1, repository="ann/jars")
BOB = Scope(installation=1, repository="bob/pans")
RED = report(LOST_KEY)
GREEN = report(*passed(LOST_KEY.id))


def _filled(store: SqlExperiences) -> Adviser:
    adviser = Adviser(store, ANN)
    adviser.remember(map(lesson, FAILURES), mark="run-1/code.1")
    return adviser


def _families(adviser: Adviser, *failures: object) -> list[str]:
    found = adviser.recall(report(*failures))  # type: ignore[arg-type]
    return [lesson.experience.family for lesson in found]


def test_the_first_experience_of_all_is_found_again(store: SqlExperiences) -> None:
    adviser = Adviser(store, ANN)
    assert adviser.advice_for(RED, mark="run-1/code.1") == ""
    adviser.remember([lesson("missing_key")], mark="run-1/code.1")
    text = Adviser(store, BOB).advice_for(RED, mark="run-2/code.1")
    assert "1. When: a mapping is asked" in text
    assert "not patches" in text


def test_the_right_family_comes_first(store: SqlExperiences) -> None:
    adviser = _filled(store)
    assert _families(adviser, LOST_KEY)[0] == "missing_key"
    assert _families(adviser, LOST_NAME)[0] == "undefined_name"
    assert _families(adviser, LOST_ATTRIBUTE)[0] == "missing_attribute"


def test_each_family_of_a_report_gets_its_turn(store: SqlExperiences) -> None:
    assert set(_families(_filled(store), LOST_KEY, LOST_NAME, LOST_ATTRIBUTE)) == set(FAILURES)


def test_a_green_report_gets_no_advice(store: SqlExperiences) -> None:
    assert _filled(store).advice_for(GREEN, mark="run-1/code.2") == ""


def test_what_came_of_advice_is_written_down_and_told(store: SqlExperiences) -> None:
    adviser = _filled(store)
    adviser.advice_for(RED, mark="run-1/code.2")
    adviser.came_of(RED, GREEN, mark="run-1/code.2")
    tallies = {kept.experience.family: kept.tally for _, kept in store.all() if kept.experience}
    assert tallies["missing_key"].improved == 1
    assert "It helped 1 of the 1 times it was given." in adviser.advice_for(RED, mark="x")


def test_of_one_family_the_advice_that_helped_more_often_is_given(store: SqlExperiences) -> None:
    adviser = Adviser(store, ANN)
    good, idle = lesson("missing_key", "look first."), lesson("missing_key", "look twice.")
    adviser.remember([idle, good], mark="run-1/code.1")
    numbers = {kept.experience: kept.number for _, kept in store.all()}
    for experience, effect in ((good, Effect.IMPROVED), (idle, Effect.NO_EFFECT)):
        store.given(effect, [numbers[experience]])
        store.settle(effect, effect)
    given = [r.experience for r in adviser.recall(RED)]
    assert given[0] == good
    assert idle not in given


def test_retired_and_deleted_lessons_are_given_no_more(store: SqlExperiences) -> None:
    adviser = _filled(store)
    for n in range(2):
        adviser.advice_for(RED, mark=f"run-{n}")
        adviser.came_of(report(*passed("a::b")), RED, mark=f"run-{n}")
    assert "missing_key" not in _families(adviser, LOST_KEY)
    store.delete(lesson("undefined_name").id)
    assert "undefined_name" not in _families(adviser, LOST_NAME)


def test_the_shelf_scores_as_rank_bm25_does_after_comings_and_goings() -> None:
    def kept(number: int, experience: Experience | None) -> Kept:
        return Kept(number=number, experience=experience, tally=Tally())

    shelf = Shelf()
    lessons = [lesson(f, f"advice {n}.") for n in range(30) for f in FAILURES]
    shelf.put(kept(n, each) for n, each in enumerate(lessons))
    shelf.put(kept(n, None) for n in range(0, 90, 7))
    left = [n for n in range(90) if n % 7]
    query = signal_of(LOST_NAME)
    corpus = [*background(), *(lessons[n].signal for n in left)]
    expected = BM25Okapi([list(words) for words in corpus]).get_scores(query)[len(background()) :]
    scores = shelf.scores(query)
    assert sorted(scores) == left
    assert max(abs(scores[n] - e) for n, e in zip(left, expected, strict=True)) < 1e-12


def test_the_store_outlives_the_process(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'a.sqlite'}"
    first = SqlExperiences(address)
    Adviser(first, ANN).remember([lesson("missing_key")], mark="m")
    first.close()
    second = SqlExperiences(address)
    assert len(Adviser(second, ANN).recall(RED)) == 1
    second.close()
