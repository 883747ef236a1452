"""Which event starts which job, and which of them wait for each other: the rendered workflows'
conditions, evaluated by the real act."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from variants import workflows

from bot.base import RepowrightError
from bot.forge.embedded.actions.runner import find_act
from bot.forge.github.marks import hidden
from bot.starter.setups import Purpose, SetupName

ADA = {"type": "User", "login": "ada"}
BOT = {"type": "Bot", "login": "repowright[bot]"}
HERE = {"full_name": "ada/shop"}
FORK = {"full_name": "eve/shop"}
OURS = "repowright/7-shop"


def issue(action: str, label: str = "", labels: tuple[str, ...] = (), **more: Any) -> Any:
    about = {"number": 7, "labels": [{"name": name} for name in labels]}
    set_ = {"label": {"name": label}} if label else {}
    return "issues", {"action": action, "issue": about, "sender": ADA, **set_, **more}


def comment(body: str, **more: Any) -> Any:
    payload = {"action": "created", "issue": {"number": 7}, "comment": {"body": body}}
    return "issue_comment", {**payload, "sender": ADA, **more}


def checked(branch: str, conclusion: str, event: str = "push", repository: Any = HERE) -> Any:
    run = {"head_branch": branch, "conclusion": conclusion, "event": event}
    run["head_repository"] = repository
    return "workflow_run", {"action": "completed", "workflow_run": run, "sender": BOT}


def review(branch: str, body: str = "fine", repository: Any = HERE, sender: Any = ADA) -> Any:
    head = {"ref": branch, "repo": repository}
    payload = {"review": {"body": body}, "pull_request": {"number": 8, "head": head}}
    return "pull_request_review", {"action": "submitted", **payload, "sender": sender}


def pull(branch: str, repository: Any = HERE) -> Any:
    head = {"ref": branch, "repo": repository}
    payload = {"action": "opened", "pull_request": {"number": 8, "head": head}, "sender": ADA}
    return "pull_request", payload


Starts = Callable[..., tuple[bool, str]]


@pytest.fixture
def started(tmp_path: Path) -> Starts:
    """Whether an event starts the one job of a workflow, and the group that the run is in."""
    try:
        act = find_act()
    except RepowrightError as error:
        pytest.skip(str(error))

    def run(name: str, event: Any, purpose: Purpose = Purpose.GENERATE) -> tuple[bool, str]:
        (tmp_path / "w.yml").write_text(told(workflows(SetupName.APP, purpose)[name], event[0]))
        payload = {"repository": {**HERE, "default_branch": "main"}, **event[1]}
        (tmp_path / "event.json").write_text(json.dumps(payload))
        done = subprocess.run(
            [
                *(str(act), event[0], "--dryrun", "--json", "-W", "w.yml", "-e", "event.json"),
                *("-P", "ubuntu-latest=-self-hosted", "--env", "GITHUB_RUN_ID=4711"),
                *("--env", "GITHUB_REPOSITORY=ada/shop", "--env-file", "/dev/null"),
            ],
            cwd=tmp_path,
            env={"HOME": str(tmp_path), "PATH": "/usr/local/bin:/usr/bin:/bin"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        group = re.search(r"group is (\S+?)\\n", done.stdout)
        assert group is not None, done.stdout
        return "it starts\\n" in done.stdout, group[1]

    return run


def told(workflow: dict[Any, Any], event: str) -> str:
    """The workflow with its one job's condition, and steps that say what came of it."""
    (job,) = workflow["jobs"].values()
    group = workflow["concurrency"]["group"]
    says = {"runs-on": "ubuntu-latest"}
    jobs = {
        "always": {**says, "steps": [{"run": 'echo "group is $GROUP"', "env": {"GROUP": group}}]},
        "work": {**says, "if": job["if"], "steps": [{"run": "echo it starts"}]},
    }
    return yaml.safe_dump({"on": {event: {}}, "jobs": jobs})


@pytest.mark.parametrize(
    ("event", "group"),
    [
        (issue("labeled", "repowright", ("repowright",)), "repowright-7"),
        (issue("labeled", "bug", ("bug", "repowright")), ""),
        (issue("labeled", "repowright", ("repowright",), sender=BOT), ""),
        (issue("unlabeled", "repowright"), "repowright-7"),
        (issue("closed", labels=("bug", "repowright")), "repowright-7"),
        (issue("closed", labels=("bug",)), ""),
        (comment("/repowright approve"), "repowright-7"),
        (comment("thanks"), ""),
        (comment("/repowright approve", sender=BOT), ""),
        (comment(f"write `/repowright approve`\n{hidden('7/gate')}"), ""),
        (checked(OURS, "success"), f"repowright-{OURS}"),
        (checked(OURS, "failure"), f"repowright-{OURS}"),
        (checked(OURS, "skipped"), ""),
        (checked(OURS, "failure", "pull_request", FORK), ""),
        (checked("main", "failure"), ""),
        (("schedule", {}), "repowright-all"),
        (("workflow_dispatch", {}), "repowright-all"),
        (("workflow_dispatch", {"inputs": {"issue": "7"}}), "repowright-7"),
    ],
)
def test_what_gives_the_bot_a_turn(started: Starts, event: Any, group: str) -> None:
    """What gives none has a group of its own, so that it takes nobody's place in a queue."""
    assert started("repowright.yml", event) == (bool(group), group or "repowright-4711")


@pytest.mark.parametrize(
    ("event", "purpose", "starts"),
    [
        (checked("main", "failure"), Purpose.BOTH, True),
        (checked("main", "failure"), Purpose.REPAIR, True),
        (checked("main", "success"), Purpose.REPAIR, False),
        (checked("main", "failure", "pull_request"), Purpose.BOTH, False),
        (checked("main", "failure", "push", FORK), Purpose.REPAIR, False),
        (checked(OURS, "failure", "pull_request", FORK), Purpose.REPAIR, False),
        (checked(OURS, "success"), Purpose.REPAIR, True),
        (checked(OURS, "success"), Purpose.BOTH, False),
        (comment("/repowright cancel"), Purpose.REPAIR, True),
    ],
)
def test_what_starts_a_repair(started: Starts, event: Any, purpose: Purpose, starts: bool) -> None:
    assert started("repowright-repair.yml", event, purpose)[0] is starts


@pytest.mark.parametrize(
    ("event", "starts"),
    [
        (review(OURS), True),
        (review(OURS, sender=BOT), False),
        (review(OURS, body=f"Round 2\n{hidden('7/review.2')}"), False),
        (review("feature"), False),
        (review(OURS, repository=FORK), False),
    ],
)
def test_which_reviews_are_noted(started: Starts, event: Any, starts: bool) -> None:
    assert started("repowright-review.yml", event)[0] is starts


@pytest.mark.parametrize(
    ("event", "starts"),
    [
        (("push", {}), True),
        (pull("feature"), True),
        (pull(OURS), False),
        (pull(OURS, FORK), True),
    ],
)
def test_each_commit_is_checked_once(started: Starts, event: Any, starts: bool) -> None:
    assert started("repowright-check.yml", event)[0] is starts
