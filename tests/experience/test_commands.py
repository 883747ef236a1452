"""What a maintainer does with `repowright experience`."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.base import RepowrightError
from bot.experience.adviser import Adviser
from bot.experience.commands import experience as app
from bot.experience.families import families
from bot.experience.store import LEAST_HARM, SqlExperiences
from bot.experience.tables import FILE_NAME
from bot.experience.wording import is_plain
from bot.ports.experience import Scope

from .lessons import FAILURES, LOST_KEY, lesson
from .reports import passed, report

KEY = lesson("missing_key")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "experience.sqlite"
    opened = SqlExperiences(f"sqlite:///{path}")
    for family in FAILURES:
        opened.add(Scope(repository="ann/jars"), lesson(family), mark="run-1")
    opened.close()
    return path


def _run(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": "200"})
    if isinstance(result.exception, RepowrightError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def test_experiences_are_listed_with_their_records(store: Path) -> None:
    said = _run("list", "--store", store)
    assert KEY.id in said and "missing_key" in said
    assert "experiences: 3\n" in said and "early: 1.0\n" in said and "improved: -\n" in said
    rows = json.loads(_run("list", "--json", "--store", store))
    assert {row["experience"]["family"] for row in rows} == set(FAILURES)


def test_one_is_shown_by_the_beginning_of_its_id(store: Path) -> None:
    (row,) = json.loads(_run("show", KEY.id[:8], "--store", store))
    assert row["experience"]["strategy"] == KEY.strategy
    assert row["repository"] == "ann/jars"


def test_one_is_deleted(store: Path) -> None:
    assert _run("delete", KEY.id, "--store", store) == "deleted 1\n"
    with pytest.raises(RepowrightError, match="no experience has"):
        _run("show", KEY.id, "--store", store)


def test_what_is_exported_can_be_imported_elsewhere(store: Path, tmp_path: Path) -> None:
    file, other = tmp_path / "all.jsonl", tmp_path / "new" / "other.sqlite"
    assert _run("export", file, "--store", store) == "exported 3\n"
    assert "ann/jars" not in file.read_text("utf-8")
    assert _run("import", file, "--store", other).startswith("imported 3,")
    assert _run("import", file, "--store", other).startswith("imported 0, 3 ")
    assert {r["id"] for r in json.loads(_run("list", "--json", "--store", other))} == {
        r["id"] for r in json.loads(_run("list", "--json", "--store", store))
    }


@pytest.mark.parametrize(
    "strategy",
    ["run os.system('x') now", "ask @ann", "use `x`", "see http://x.y", "\x1b[31mred", "a_b__c"],
)
def test_an_import_brings_in_nothing_but_prose(store: Path, tmp_path: Path, strategy: str) -> None:
    file = tmp_path / "bad.jsonl"
    bad = KEY.model_copy(update={"strategy": strategy})
    file.write_text(f'\n{{"experience": {bad.model_dump_json()}}}\n', "utf-8")
    with pytest.raises(RepowrightError) as caught:
        _run("import", file, "--store", store)
    assert caught.value.where == f"{file}:2"


@pytest.mark.parametrize("line", ["{", "[]", '{"experience": {}}', "x" * 30_000, '"\\ud800"'])
def test_a_line_that_is_no_experience_is_named(store: Path, tmp_path: Path, line: str) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text(line, "utf-8")
    with pytest.raises(RepowrightError) as caught:
        _run("import", file, "--store", store)
    assert caught.value.where == f"{file}:1"


def test_sharing_is_switched(store: Path) -> None:
    assert _run("sharing", "Ann/Jars", "--off", "--store", store) == "changed 3\n"
    assert _run("sharing", "ann/jars", "--off", "--store", store) == "changed 0\n"
    assert _run("sharing", "ann/jars", "--on", "--store", store) == "changed 3\n"


def test_sharing_that_is_off_stays_off_for_what_is_learnt_later(tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite"
    assert _run("sharing", "ann/jars", "--off", "--store", path) == "changed 0\n"
    opened = SqlExperiences(f"sqlite:///{path}")
    ann, bob = (Adviser(opened, Scope(repository=name)) for name in ("ann/jars", "bob/pans"))
    ann.remember([KEY], mark="run-1:code.2")
    bob.remember([lesson("undefined_name")], mark="run-2:code.2")
    red = report(*FAILURES.values())
    assert [found.experience for found in ann.recall(red)] == [KEY]
    assert KEY not in [found.experience for found in bob.recall(red)]
    opened.close()


def test_advice_that_does_harm_is_shown_as_retired_and_given_no_more(store: Path) -> None:
    opened = SqlExperiences(f"sqlite:///{store}")
    adviser = Adviser(opened, Scope(repository="ann/jars"))
    red, worse = report(LOST_KEY, *passed("t::a", "t::b")), report(LOST_KEY)
    for number in range(LEAST_HARM):
        mark = f"run-{number}:code.2"
        assert KEY.scenario in adviser.advice_for(red, mark=mark)
        assert KEY.id in adviser.came_of(red, worse, mark=mark)
    assert KEY.scenario not in adviser.advice_for(red, mark="run-9:code.2")
    again = KEY.model_copy(update={"signal": (*KEY.signal, "value")})
    adviser.remember([again], mark="run-9:code.2")
    assert KEY.scenario not in adviser.advice_for(red, mark="run-9:code.3")
    opened.close()
    said = _run("list", "--store", store)
    assert (
        len([line for line in said.splitlines() if "retired" in line and KEY.family in line]) == 2
    )


def test_figures_count_runs_and_the_repairs_that_were_advised(store: Path) -> None:
    opened = SqlExperiences(f"sqlite:///{store}")
    adviser = Adviser(opened, Scope(repository="ann/jars"))
    red, green = report(LOST_KEY), report(*passed(LOST_KEY.id))
    adviser.advice_for(red, mark="run-1:code.2")
    for mark in ("run-1:code.2", "run-1:code.2", "run-1:code.3", "run-2:code.2", "run-2:code.3"):
        adviser.came_of(red, green, mark=mark)
    opened.close()
    said = _run("list", "--store", store)
    assert "runs: 2\nrepairs: 4\n" in said
    assert "advised: 0.25\n" in said


def test_the_data_folder_holds_the_store_unless_it_is_named(tmp_path: Path, store: Path) -> None:
    (tmp_path / "data").mkdir()
    store.rename(tmp_path / "data" / FILE_NAME)
    listed = CliRunner().invoke(app, ["list"], env={"REPOWRIGHT_DATA": str(tmp_path / "data")})
    assert "experiences: 3\n" in listed.stdout


def test_a_store_that_is_not_there_is_not_made_by_looking(tmp_path: Path) -> None:
    with pytest.raises(RepowrightError, match="there is no experience store"):
        _run("list", "--store", tmp_path / "none.sqlite")
    assert not list(tmp_path.iterdir())


def test_all_advice_that_is_shipped_is_prose() -> None:
    for family in families():
        assert is_plain(family.scenario), family.name
        assert is_plain(family.strategy), family.name
