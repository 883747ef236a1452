"""The workflows that people copy: clean for the strictest checkers, and no way to a secret for a
fork's pull request."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from variants import ALL, read, texts, workflows

from bot.starter.setups import Purpose, SetupName, setups

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "actions.md"
TOOLS = Path(sys.executable).parent
STRICT = (
    *("--quiet", "--offline", "--no-progress", "--persona", "auditor"),
    *("--config", str(ROOT / ".github/zizmor.yml")),
)
# Started by whoever opens a pull request; the last also by what such a pull request started.
OF_PULLS = ("pull_request", "pull_request_review", "pull_request_review_comment")
GUARD = "github.event.workflow_run.head_repository.full_name == github.repository"


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each variant as a repository would have it."""
    folder = tmp_path_factory.mktemp("variants")
    for setup, purpose in ALL:
        place = folder / f"{setup}-{purpose}" / ".github" / "workflows"
        place.mkdir(parents=True)
        for name, text in texts(setup, purpose).items():
            (place / name).write_text(text)
    return folder


def tool(name: str) -> str:
    path = TOOLS / name
    if not path.exists():
        pytest.skip(f"{name} is not installed")
    return str(path)


def clean(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_actionlint_finds_nothing(rendered: Path) -> None:
    files = sorted(map(str, rendered.glob("*/.github/workflows/*.yml")))
    assert len(files) == 3 * (3 + 3 + 4)
    clean(tool("actionlint"), *files)


def test_zizmor_finds_nothing(rendered: Path) -> None:
    clean(tool("zizmor"), *STRICT, str(rendered))


@pytest.fixture(scope="module")
def of_the_page(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The workflows that docs/actions.md shows: the check alone, and with the repair behind it."""
    alone, behind = re.findall(r"```yaml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    folder = tmp_path_factory.mktemp("page") / ".github" / "workflows"
    folder.mkdir(parents=True)
    (folder / "alone.yml").write_text(alone)
    (folder / "behind.yml").write_text(alone + behind)
    return sorted(folder.iterdir())


def test_what_the_page_shows_is_clean_and_safe_too(of_the_page: list[Path]) -> None:
    clean(tool("actionlint"), *map(str, of_the_page))
    clean(tool("zizmor"), *STRICT, *map(str, of_the_page))
    alone, behind = (read(path.read_text()) for path in of_the_page)
    assert not secrets_in(alone)
    (repair,) = (job for job in jobs(behind) if secrets_in(job))
    assert repair["if"].startswith("failure() && github.event_name == 'push' &&")


def test_the_page_tells_each_permission_with_its_reason() -> None:
    table: dict[tuple[str, str], list[str]] = {}
    for setup in setups().values():
        for permission in setup.permissions:
            row = table.setdefault((permission.title, permission.why), ["", "", ""])
            row[list(SetupName).index(setup.name)] = permission.level
    rows = [f"| {title} | {' | '.join(row)} | {why} |" for (title, why), row in table.items()]
    lines = [" ".join(line.split()) for line in PAGE.read_text("utf-8").splitlines()]
    assert {" ".join(row.split()) for row in rows} <= set(lines)


def test_an_action_is_pinned_to_one_commit_everywhere() -> None:
    """Templates are no files that a bot of GitHub's keeps up to date: our own are, and lead."""
    places = [*ROOT.glob(".github/workflows/*.yml"), *ROOT.glob("actions/*/action.yml"), PAGE]
    places += [*ROOT.glob("bot/forge/workflows/*.yml"), *ROOT.glob("bot/starter/templates/*.j2")]
    pins: dict[str, set[str]] = {}
    for path in places:
        for name, pin in re.findall(r"uses: (actions/[\w-]+)[\w/-]*@(.+)", path.read_text("utf-8")):
            assert re.fullmatch(r"[0-9a-f]{40} # v\d+\.\d+\.\d+", pin), path
            pins.setdefault(name, set()).add(pin)
    assert len(pins) > 4
    assert {name: len(found) for name, found in pins.items() if len(found) > 1} == {}


def every_workflow() -> Iterator[tuple[str, dict[Any, Any]]]:
    """All variants, the workflow that the bot commits, and our own."""
    for setup, purpose in ALL:
        for name, workflow in workflows(setup, purpose).items():
            yield f"{setup}-{purpose}/{name}", workflow
    own = [*ROOT.glob(".github/workflows/*.yml"), *ROOT.glob("bot/forge/workflows/*.yml")]
    for path in own:
        yield str(path.relative_to(ROOT)), read(path.read_text("utf-8"))


def events_of(workflow: dict[Any, Any]) -> set[str]:
    on = workflow["on"]
    return {on} if isinstance(on, str) else set(on)


def secrets_in(value: Any) -> bool:
    return "secrets." in yaml.safe_dump(value) or value == "inherit"


def test_a_forks_pull_request_reaches_no_secret() -> None:
    """What a pull request can start is given none; what reads afterwards what it started looks
    whose it was; and no workflow runs a stranger's code with the repository's rights."""
    seen = 0
    for name, workflow in every_workflow():
        events = events_of(workflow)
        assert "pull_request_target" not in events, name
        if events & set(OF_PULLS):
            seen += 1
            assert not secrets_in(workflow), name
            granted = [workflow.get("permissions"), *(j.get("permissions") for j in jobs(workflow))]
            levels = {level for table in granted for level in (table or {}).values()}
            assert levels <= {"read"}, name
            assert not any("environment" in job for job in jobs(workflow)), name
        if "workflow_run" in events:
            for job in jobs(workflow):
                told = job["if"].count("github.event_name == 'workflow_run'")
                assert told == job["if"].count(GUARD) > 0, name
                assert not any("checkout" in s.get("uses", "") for s in job["steps"]), name
    assert seen > len(ALL)


def jobs(workflow: dict[Any, Any]) -> list[dict[str, Any]]:
    return list(workflow["jobs"].values())


def test_secrets_are_given_to_the_default_branch_alone_and_to_steps_alone() -> None:
    for name, workflow in every_workflow():
        for job in jobs(workflow):
            if secrets_in(job):
                assert job["environment"] == "repowright", name
                rest = {key: value for key, value in job.items() if key != "steps"}
                assert not secrets_in(rest), name
                assert not any("secrets." in step.get("run", "") for step in job["steps"]), name


@pytest.mark.parametrize("setup", SetupName)
def test_jobs_have_the_permissions_of_their_set_up_and_no_more(setup: SetupName) -> None:
    facts = setups()[setup]
    named = {permission.name: permission.level for permission in facts.permissions}
    for workflow in workflows(setup, Purpose.BOTH).values():
        assert workflow["permissions"] == {}
        for job in jobs(workflow):
            assert job["timeout-minutes"] > 0
            works = any("actions/generate" in s.get("uses", "") for s in job["steps"])
            if works:
                assert job["permissions"] == (named if facts.job_permissions else {})
            for step in job["steps"]:
                if "create-github-app-token" in step.get("uses", ""):
                    asked = {
                        key.removeprefix("permission-"): level
                        for key, level in step["with"].items()
                        if key.startswith("permission-")
                    }
                    assert asked == named


def test_our_own_form_is_the_one_that_init_writes() -> None:
    written = (ROOT / "bot/starter/templates/spec.yml").read_text("utf-8")
    assert written == (ROOT / ".github/ISSUE_TEMPLATE/spec.yml").read_text("utf-8")
