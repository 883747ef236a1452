"""What a maintainer does with `repowright experience`."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.base import RepowrightError
from bot.experience.commands import app
from bot.experience.families import families
from bot.experience.store import SqlExperiences
from bot.experience.wording import is_plain
from bot.ports.experience import Scope

from .lessons import FAILURES, lesson

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


def test_a_store_that_is_not_there_is_not_made_by_looking(tmp_path: Path) -> None:
    with pytest.raises(RepowrightError, match="there is no experience store"):
        _run("list", "--store", tmp_path / "none.sqlite")
    assert not list(tmp_path.iterdir())


def test_all_advice_that_is_shipped_is_prose() -> None:
    for family in families():
        assert is_plain(family.scenario), family.name
        assert is_plain(family.strategy), family.name
