"""Recording: every call is on disk before its reply is used, and nothing is paid twice."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from bot.base import RepowrightError
from bot.config import BudgetSettings
from bot.model.attempt import AttemptFailed
from bot.model.journal import Journal, settled_names
from bot.model.ledger import Ledger, LedgerEntry, Totals
from bot.model.scripted import ScriptedModel
from bot.ports.model import ModelError, ModelReply, ModelRequest, Usage
from bot.runs.calls import SqlCalls
from bot.runs.database import open_database

from .kit import UNLIMITED, ask, recorded


def test_a_call_is_on_disk_before_its_reply_is_used(tmp_path: Path) -> None:
    reply = ModelReply(
        text="ok", usage=Usage(input=80, cache_read=20, output=10), model="gpt-5", seconds=1.5
    )
    model = recorded(ScriptedModel({"*": reply}), tmp_path)
    assert model.complete(ask()) == reply
    assert sorted(model.journal.files()) == [
        "calls/0001-code.1-write-pkg-a.py.json",
        "ledger.jsonl",
    ]
    call = json.loads((tmp_path / "calls/0001-code.1-write-pkg-a.py.json").read_bytes())
    assert call["request"]["messages"][1]["content"] == "Write pkg/a.py."
    assert call["reply"]["text"] == "ok"
    assert call["entry"]["usage"]["cache_read"] == 20
    assert call["entry"]["outcome"] == "stop"
    assert call["entry"]["seconds"] == 1.5
    lines = [json.loads(line) for line in (tmp_path / "ledger.jsonl").read_text().splitlines()]
    assert [line["outcome"] for line in lines] == ["reserved", "stop"]
    assert lines[1]["usd"] == pytest.approx((80 * 1.25 + 20 * 0.125 + 10 * 10) / 1e6)
    assert lines[0]["usd"] > lines[1]["usd"]


def test_an_answered_call_is_not_made_again(tmp_path: Path) -> None:
    first = recorded(ScriptedModel({"*": ["once"]}), tmp_path)
    assert first.complete(ask()).text == "once"
    again = recorded(ScriptedModel({}), tmp_path)
    assert again.complete(ask()).text == "once"
    assert again.complete(ask(role="renamed")).text == "once"
    assert again.budget.spent == first.budget.spent
    assert again.ledger.entries == first.ledger.entries


def test_a_changed_prompt_or_step_is_a_new_call(tmp_path: Path) -> None:
    model = recorded(ScriptedModel({"*": ["1", "2", "3", "4"]}), tmp_path)
    asked = [ask(), ask(text="Else."), ask("other"), ask(temperature=0.8)]
    assert [model.complete(request).text for request in asked] == ["1", "2", "3", "4"]
    assert [model.complete(request).text for request in asked] == ["1", "2", "3", "4"]


def test_a_failed_call_is_recorded_and_made_again_after_resuming(tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        recorded(ScriptedModel({"*": AttemptFailed("boom", raw="<x>")}), tmp_path).complete(ask())
    resumed = recorded(ScriptedModel({"*": "fine"}), tmp_path)
    assert resumed.complete(ask()).text == "fine"
    failed, fine = resumed.journal.records
    assert (failed.call, failed.raw, failed.reply) == ("0001-code.1-write-pkg-a.py", "<x>", None)
    assert (fine.call, fine.entry.outcome) == ("0002-code.1-write-pkg-a.py", "stop")
    assert resumed.ledger.total.failed == 1


def test_the_reply_is_not_used_where_it_cannot_be_recorded(tmp_path: Path) -> None:
    model = recorded(ScriptedModel({"*": "lost"}), tmp_path)
    (tmp_path / "calls").write_text("a file where the folder should be")
    with pytest.raises(RepowrightError) as caught:
        model.complete(ask())
    assert "the record of model calls cannot be written" in caught.value.sentence
    assert model.budget.spent.calls == 1


def test_an_interrupted_call_counts_with_its_worst_case(tmp_path: Path) -> None:
    def interrupt(request: ModelRequest) -> str:
        raise KeyboardInterrupt

    model = recorded(ScriptedModel({"*": interrupt}), tmp_path)
    with pytest.raises(KeyboardInterrupt):
        model.complete(ask())
    resumed = recorded(ScriptedModel({"*": "ok"}), tmp_path)
    assert resumed.budget.spent == model.budget.spent
    assert resumed.budget.spent.usd == Decimal("0.01016")
    assert resumed.complete(ask()).text == "ok"
    assert [r.call[:4] for r in resumed.journal.records] == ["0002"]
    assert [e.outcome for e in resumed.ledger.calls] == ["reserved", "stop"]
    assert resumed.ledger.total.failed == 1


def test_killed_between_the_call_and_its_line_in_the_ledger(tmp_path: Path) -> None:
    recorded(ScriptedModel({"*": "ok"}), tmp_path).complete(ask())
    ledger = tmp_path / "ledger.jsonl"
    whole = ledger.read_bytes()
    for cut in (whole.index(b"\n") + 1, len(whole) - 10):
        ledger.write_bytes(whole[:cut])
        resumed = recorded(ScriptedModel({}), tmp_path)
        assert ledger.read_bytes() == whole
        assert resumed.complete(ask()).text == "ok"


def test_a_run_moves_to_another_machine_by_its_files(tmp_path: Path) -> None:
    here = recorded(ScriptedModel({"*": ["a", AttemptFailed("no"), "b"]}), tmp_path / "here")
    here.complete(ask("one"))
    with pytest.raises(ModelError):
        here.complete(ask("two"))
    here.complete(ask("two"))
    files = {
        **here.journal.files(),
        "state.json": b"{}",
        "calls/../../escape-x.json": b"{}",
        "calls/notes.txt": b"",
    }
    Journal.restored(tmp_path / "there", files)
    there = recorded(ScriptedModel({}), tmp_path / "there")
    assert there.complete(ask("two")).text == "b"
    assert there.journal.records == here.journal.records
    assert there.budget.spent == here.budget.spent
    assert sorted(p.name for p in (tmp_path / "there").iterdir()) == ["calls", "ledger.jsonl"]
    assert not (tmp_path / "escape-x.json").exists()


def test_what_a_killed_leg_paid_for_outlives_the_ref_it_did_not_save(tmp_path: Path) -> None:
    model = recorded(ScriptedModel({"*": ["a", "b"]}), tmp_path)
    model.complete(ask("one"))
    ref = model.journal.files()
    model.complete(ask("two"))
    Journal.restored(tmp_path, ref)
    resumed = recorded(ScriptedModel({}), tmp_path)
    assert resumed.complete(ask("two")).text == "b"
    assert resumed.budget.spent == model.budget.spent


def test_what_a_lost_machine_paid_for_and_had_begun_counts_on_the_next(tmp_path: Path) -> None:
    def interrupt(request: ModelRequest) -> str:
        raise KeyboardInterrupt

    engine = open_database(tmp_path / "database")
    calls = SqlCalls(engine, lambda: datetime.now(UTC), "ann/tally:rw4-1")
    here = recorded(ScriptedModel({"*": ["a", interrupt]}), tmp_path / "here", keeper=calls)
    here.complete(ask("one"))
    with pytest.raises(KeyboardInterrupt):
        here.complete(ask("two"))
    Journal.restored(tmp_path / "there", calls.kept())
    there = recorded(ScriptedModel({"two": "b"}), tmp_path / "there", keeper=calls)
    assert there.budget.spent == here.budget.spent
    assert there.complete(ask("one")).text == "a"
    assert there.complete(ask("two")).text == "b"
    assert [e.outcome for e in there.ledger.calls] == ["stop", "reserved", "stop"]
    calls.drop(settled_names(there.journal.files()))
    assert calls.kept() == {}


def test_a_damaged_record_is_named(tmp_path: Path) -> None:
    (tmp_path / "calls").mkdir()
    (tmp_path / "calls/0001-a.json").write_text("{")
    with pytest.raises(ModelError) as caught:
        recorded(ScriptedModel({}), tmp_path)
    assert caught.value.where == "calls/0001-a.json"
    (tmp_path / "calls/0001-a.json").unlink()
    (tmp_path / "ledger.jsonl").write_text('{"call": 1}\n')
    with pytest.raises(ModelError, match="line 1 of the ledger cannot be read"):
        recorded(ScriptedModel({}), tmp_path)


def entry(call: str, **changes: object) -> LedgerEntry:
    values: dict[str, object] = {
        "call": call,
        "step": "code.1/write/a.py",
        "role": "coder",
        "model": "gpt-5",
        "usage": Usage(input=10, output=5),
        "usd": Decimal("0.25"),
        "seconds": 2.0,
        "outcome": "stop",
        "at": datetime(2026, 1, 1, tzinfo=UTC),
    }
    return LedgerEntry.model_validate({**values, **changes})


def test_totals_by_phase_role_and_model() -> None:
    ledger = Ledger()
    for line in (
        entry("0001-a", outcome="reserved", usd=Decimal(9)),
        entry("0001-a"),
        entry("0002-b", step="architecture.1/judge", role="judge"),
        entry("0003-c", step="code.2/fix/a.py", model="gpt-4o", outcome="failed"),
    ):
        ledger.append(line)
    one = Totals(calls=1, usage=Usage(input=10, output=5), usd=Decimal("0.25"), seconds=2.0)
    code = ledger.by_phase()["code"]
    assert (code.calls, code.failed, code.usd, code.tokens) == (2, 1, Decimal("0.50"), 30)
    assert ledger.by_phase()["architecture"] == one
    assert ledger.by_role()["judge"] == one
    assert ledger.by_model()["gpt-4o"].failed == 1
    assert ledger.total.usd == Decimal("0.75")
    assert len(ledger.entries) == 4


def test_the_ledger_survives_json_lines() -> None:
    ledger = Ledger()
    ledger.append(entry("0001-a", usd=Decimal("0.0000000038"), detail="two\nlines \u2028 and ü"))
    ledger.append(entry("0002-b", usage=Usage(cache_read=7, estimated=True)))
    text = ledger.to_jsonl()
    assert len(text.splitlines()) == 2
    assert Ledger.from_jsonl(text).entries == ledger.entries
    assert Ledger.from_jsonl(text + b'{"torn": ').entries == ledger.entries


def test_limits_reach_across_legs(tmp_path: Path) -> None:
    limits = UNLIMITED.model_copy(update={"calls": 2})
    recorded(ScriptedModel({"*": "x"}), tmp_path, limits).complete(ask("one"))
    second = recorded(ScriptedModel({"*": "x"}), tmp_path, BudgetSettings(calls=2))
    second.complete(ask("two"))
    with pytest.raises(RepowrightError, match="all 2 calls of the budget are used"):
        second.complete(ask("three"))
