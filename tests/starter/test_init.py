"""`repowright init`: what it writes, what it leaves alone, and what it says is left to do."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.config import Settings
from bot.repoconfig.ceiling import apply_file
from bot.starter.setups import SetupName, setups

WORKFLOWS = ".github/workflows"
OWN_CHECK = """\
name: Tests
on: push
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683
      - uses: repowright/repowright/actions/check@v0
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """An empty repository's clone, as GitHub gives it."""
    folder = tmp_path / "shop"
    subprocess.run(["git", "init", "-q", "-b", "trunk", str(folder)], check=True)
    origin = "git@github.example.org:ada/shop.git"
    subprocess.run(["git", "-C", str(folder), "remote", "add", "origin", origin], check=True)
    return folder


def init(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bot", "init", "--directory", str(folder), *arguments],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )


def told(folder: Path, *arguments: str) -> Any:
    done = init(folder, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def statuses(report: Any) -> dict[str, str]:
    return {file["path"].removeprefix(".github/"): file["status"] for file in report["files"]}


def test_an_empty_repository_gets_all_and_is_told_what_is_left(clone: Path) -> None:
    done = init(clone, "--setup", "app")
    assert done.returncode == 0
    assert "+ .github/workflows/repowright.yml  written" in done.stdout
    check = yaml.safe_load((clone / WORKFLOWS / "repowright-check.yml").read_text())
    assert check[True]["push"]["branches"] == ["trunk", "repowright/**"]
    for said in (
        "$ gh secret set REPOWRIGHT_API_KEY --env repowright",
        "$ gh secret set REPOWRIGHT_PRIVATE_KEY --env repowright < PRIVATE_KEY.pem",
        "repos/ada/shop/environments/repowright/deployment-branch-policies -f name=trunk",
        "https://github.example.org/settings/apps/new?name=ada-repowright&",
        "https://github.example.org/ada/shop/settings/environments",
        "Pull requests (read and write)",
    ):
        assert said in done.stdout, said
    settings = (clone / ".github" / "repowright.yml").read_bytes()
    assert apply_file(settings, Settings()).chosen == ("check_tests: check_tests",)


@pytest.mark.parametrize("setup", SetupName)
def test_each_set_up_names_its_secrets_and_permissions_with_reasons(
    clone: Path, setup: SetupName
) -> None:
    report = told(clone, "--setup", setup, "--for", "both")
    commands = "\n".join(command for step in report["steps"] for command in step["commands"])
    used = "\n".join(path.read_text() for path in (clone / WORKFLOWS).iterdir())
    named = {"REPOWRIGHT_API_KEY", "REPOWRIGHT_PRIVATE_KEY", "REPOWRIGHT_TOKEN"}
    for name in (*named, "REPOWRIGHT_CLIENT_ID"):
        assert (f".{name} }}}}" in used) is (f"set {name}" in commands), name
    whys = "\n".join(step["why"] for step in report["steps"])
    if setup is not SetupName.ACTIONS:
        assert all(permission.title in whys for permission in setups()[setup].permissions)
    assert all(step["why"] and step["shows"] for step in report["steps"])
    names = [yaml.safe_load(path.read_text())["name"] for path in (clone / WORKFLOWS).iterdir()]
    assert sorted(report["steps"][0]["shows"].removesuffix(" as active").split(", ")) == sorted(
        names
    )


def test_nothing_of_others_is_written_over(clone: Path) -> None:
    told(clone, "--setup", "token")
    changed = clone / WORKFLOWS / "repowright.yml"
    changed.write_text("name: mine\n")
    (clone / ".github" / "repowright.yml").write_text("budget: { usd: 1 }\n")
    again = statuses(told(clone, "--setup", "token"))
    assert set(again.values()) == {"unchanged", "differs", "kept"}
    assert changed.read_text() == "name: mine\n"
    first, last = told(clone, "--setup", "token", "--force")["files"][::4]
    assert (first["status"], last["status"]) == ("replaced", "kept")
    assert (clone / ".github" / "repowright.yml").read_text() == "budget: { usd: 1 }\n"


def test_a_dry_run_writes_nothing(clone: Path) -> None:
    report = told(clone, "--setup", "actions", "--for", "both", "--dry-run")
    assert set(statuses(report).values()) == {"written"}
    assert not (clone / ".github").exists()


def test_a_check_workflow_of_ones_own_is_used(clone: Path) -> None:
    place = clone / WORKFLOWS
    place.mkdir(parents=True)
    (place / "tests.yml").write_text(OWN_CHECK)
    report = told(clone, "--setup", "app", "--for", "repair")
    assert set(statuses(report)) == {
        "workflows/repowright-repair.yml",
        "workflows/repowright-review.yml",
        "repowright.yml",
    }
    repair = yaml.safe_load((place / "repowright-repair.yml").read_text())
    assert repair[True]["workflow_run"]["workflows"] == ["Tests", "Repowright review"]
    asked = repair["jobs"]["work"]["steps"][-1]["with"]
    assert asked["workflow"] == "tests.yml"
    assert yaml.safe_load(asked["settings"])["checks"] == {"workflow": "tests.yml"}


def test_tests_that_are_there_are_run_with_the_projects_settings(clone: Path) -> None:
    (clone / "tests").mkdir()
    (clone / "pyproject.toml").write_text('[dependency-groups]\ndocs = ["x"]\ndev = ["y"]\n')
    told(clone, "--setup", "actions", "--for", "repair")
    check = yaml.safe_load((clone / WORKFLOWS / "repowright-check.yml").read_text())
    asked = check["jobs"]["check"]["steps"][-1]["with"]
    assert (asked["tests"], asked["settings"], asked["extras"]) == ("tests", "project", "dev")
    settings = (clone / ".github" / "repowright.yml").read_bytes()
    applied = apply_file(settings, Settings()).settings
    assert applied.check_tests == "tests"
    assert (applied.checks.settings, applied.checks.extras) == ("project", ("dev",))


def test_what_a_job_is_told_are_settings(clone: Path) -> None:
    told(clone, "--setup", "app")
    workflow = yaml.safe_load((clone / WORKFLOWS / "repowright.yml").read_text())
    given = workflow["jobs"]["work"]["steps"][-1]["with"]["settings"]
    settings = Settings.model_validate(yaml.safe_load(given))
    assert settings == Settings(may_write_workflows=False)


@pytest.mark.parametrize("place", [".github", f"{WORKFLOWS}/repowright.yml"])
def test_links_are_not_written_through(clone: Path, tmp_path: Path, place: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (clone / place).parent.mkdir(parents=True, exist_ok=True)
    (clone / place).symlink_to(elsewhere / "there" if "/" in place else elsewhere)
    done = init(clone, "--setup", "app", "--force")
    assert done.returncode == 1
    assert "links are not written through" in done.stderr
    assert not list(elsewhere.iterdir())


def test_a_name_that_would_run_in_another_workflow_is_refused(clone: Path) -> None:
    place = clone / WORKFLOWS
    place.mkdir(parents=True)
    (place / "tests.yml").write_text(OWN_CHECK.replace("Tests", "'${{ secrets.KEY }}'"))
    done = init(clone, "--setup", "app", "--for", "both")
    assert done.returncode == 1
    assert "the name of this workflow is no plain text" in done.stderr


def test_outside_a_repository_it_says_so(tmp_path: Path) -> None:
    done = init(tmp_path, "--setup", "app")
    assert (done.returncode, done.stdout) == (1, "")
    assert "there is no git repository here" in done.stderr


def test_a_script_has_to_name_the_set_up(clone: Path) -> None:
    done = init(clone)
    assert done.returncode == 2
    assert "app, token, actions" in done.stderr


def test_a_person_is_asked(clone: Path) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "bot", "init", "--directory", str(clone), "--dry-run"]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as asked:
        os.close(theirs)
        os.write(ours, b"token\n")
        said = b""
        while chunk := _read(ours):
            said += chunk
    os.close(ours)
    assert asked.returncode == 0
    assert b"a GitHub App of your own" in said
    assert b"gh secret set REPOWRIGHT_TOKEN" in said


def _read(terminal: int) -> bytes:
    """What a terminal shows; nothing once nobody writes to it any more."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""
