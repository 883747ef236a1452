"""What there is to do and who attends to it, in a database of either kind."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine

from bot.runs.calls import SqlCalls, forget_calls
from bot.runs.events import Commanded, Labelled, Swept, Woken
from bot.runs.inbox import Address, SqlInbox
from bot.runs.workers import NameTaken, SqlWorkers

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
SOON = NOW + timedelta(seconds=10)
PATIENCE = timedelta(seconds=30)
HERE = Address(repository="ann/tally", issue=4, installation=7)
WOKEN = Woken(repository="Ann/Tally", installation=7, issue=4, why="checked")


def test_events_wait_by_issue_and_are_not_doubled(engine: Engine) -> None:
    inbox = SqlInbox(engine)
    for event in (
        WOKEN,
        Labelled(repository="ann/tally", installation=7, issue=4, sender="ann", at=NOW),
        WOKEN,
        Commanded(repository="ann/tally", installation=7, number=9, on_pull=True, comment=1),
        Swept(repository="ann/tally", installation=7),
    ):
        inbox.put(event)
    assert inbox.waiting() == 4
    assert [task.event.kind for task in inbox.read(HERE)] == ["labelled", "woken"]
    assert [ring.address.issue for ring in inbox.to_ring()] == [4, 0]


def test_what_comes_again_while_it_is_worked_is_worked_again(engine: Engine) -> None:
    inbox = SqlInbox(engine)
    inbox.put(WOKEN)
    [ring] = inbox.to_ring()
    inbox.rung(ring)
    working = inbox.read(HERE)
    inbox.put(WOKEN)
    inbox.done(working)
    assert [task.event for task in inbox.read(HERE)] == [WOKEN]
    assert [again.address for again in inbox.to_ring()] == [HERE]


def test_who_was_rung_is_rung_again_for_what_comes_later_alone(engine: Engine) -> None:
    inbox = SqlInbox(engine)
    inbox.put(WOKEN)
    [ring] = inbox.to_ring()
    inbox.put(Woken(repository="ann/tally", installation=7, issue=4, why="closed"))
    inbox.rung(ring)
    [later] = inbox.to_ring()
    assert later.last > ring.last
    inbox.rung(later)
    assert inbox.to_ring() == ()
    assert len(inbox.read(HERE)) == 2


def test_a_workflow_goes_on_until_it_has_worked_all(engine: Engine) -> None:
    inbox = SqlInbox(engine)
    inbox.put(WOKEN)
    assert inbox.open(HERE, 1, NOW) == inbox.open(HERE, 1, NOW) == 1
    assert not inbox.close(HERE, 1)
    inbox.done(inbox.read(HERE))
    assert inbox.close(HERE, 1)
    assert inbox.going() == ()
    assert not inbox.is_current(HERE, 1)
    assert inbox.open(HERE, 1, NOW) == 2


def test_another_version_or_a_dead_workflow_makes_place_for_a_new_one(engine: Engine) -> None:
    inbox = SqlInbox(engine)
    assert inbox.open(HERE, 1, NOW) == 1
    assert inbox.open(HERE, 2, SOON) == 2
    assert inbox.open(HERE, 2, SOON, dead=2) == 3
    assert inbox.open(HERE, 2, SOON, dead=2) == 3
    assert inbox.open(HERE, 1, SOON) == 3
    assert not inbox.is_current(HERE, 2)
    assert inbox.close(HERE, 2)
    [going] = inbox.going()
    assert (going.generation, going.version, going.moved_at) == (3, 2, SOON)


def test_leaving_drops_what_waits(engine: Engine) -> None:
    inbox = SqlInbox(engine)
    inbox.put(WOKEN)
    generation = inbox.open(HERE, 1, NOW)
    assert inbox.close(HERE, generation, leaving=True)
    assert inbox.waiting() == 0


def test_a_worker_that_stops_beating_is_dead_to_others(engine: Engine) -> None:
    workers = SqlWorkers(engine)
    workers.enter("one", "s1", NOW, PATIENCE)
    workers.enter("two", "s2", NOW, PATIENCE)
    later = NOW + PATIENCE + timedelta(seconds=1)
    workers.enter("two", "s2", later, PATIENCE)
    assert workers.alive(later, PATIENCE) == 1
    assert workers.dead("two", later, PATIENCE) == ("one",)
    workers.forget("one")
    assert workers.dead("two", later, PATIENCE) == ()
    workers.leave("two", "s2")
    assert workers.dead("one", later, PATIENCE) == ("two",)


def test_two_living_workers_cannot_have_one_name(engine: Engine) -> None:
    """The same data folder may start again at once, another one when the first is dead."""
    workers = SqlWorkers(engine)
    workers.enter("one", "s1", NOW, PATIENCE)
    workers.enter("one", "s1", SOON, PATIENCE)
    with pytest.raises(NameTaken) as caught:
        workers.enter("one", "s2", SOON, PATIENCE)
    assert caught.value.what == "another worker works as `one` on this database"
    workers.enter("one", "s2", SOON + PATIENCE + timedelta(seconds=1), PATIENCE)


def test_calls_are_kept_by_run_until_they_are_dropped(engine: Engine) -> None:
    calls, others = (
        SqlCalls(engine, lambda: NOW, run) for run in ("ann/tally:rw4-1", "ann/r:rw4-1")
    )
    calls.keep("calls/0001-a.json", b"{}")
    calls.keep("calls/0001-a.json", b"{}")
    calls.keep("calls/0002-b.json", b"[]")
    assert others.kept() == {}
    assert calls.kept() == {"calls/0001-a.json": b"{}", "calls/0002-b.json": b"[]"}
    calls.drop(["calls/0001-a.json", "state.json"])
    assert list(calls.kept()) == ["calls/0002-b.json"]


def test_calls_that_nobody_fetches_again_are_forgotten(engine: Engine) -> None:
    run = "ann/tally:rw4-1"
    SqlCalls(engine, lambda: NOW, run).keep("calls/0001-a.json", b"{}")
    SqlCalls(engine, lambda: SOON, run).keep("calls/0002-b.json", b"{}")
    assert forget_calls(engine, SOON) == 1
    assert list(SqlCalls(engine, lambda: SOON, run).kept()) == ["calls/0002-b.json"]
