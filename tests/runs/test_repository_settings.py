"""`.github/repowright.yml` of the default branch decides how a server's run works there."""

import base64
from typing import Any

import pytest
import requests
from server_town import TALLY, Town, eventually

from bot.forge.embedded.store import Actor
from bot.forge.embedded.store.rows import Account, Issue, Repository
from bot.local import issue_of
from bot.spec.folder import spec_from_files
from bot.specfolder import read_folder

pytestmark = pytest.mark.timeout(300)

LABEL = "repowright"
PLACE = ".github/repowright.yml"


def put(town: Town, place: Repository, text: str, branch: str = "main") -> None:
    """Ann writes the settings file through the API."""
    token = town.store.tokens.create_personal(town.ann)
    url = f"{town.github.api_url}/repos/{place.full_name}/contents/{PLACE}"
    headers = {"Authorization": f"Bearer {token}"}
    there: Any = requests.get(url, headers=headers, params={"ref": branch}, timeout=20)
    body = {
        "message": "Settings",
        "content": base64.b64encode(text.encode()).decode(),
        "branch": branch,
    }
    if there.ok:
        body["sha"] = there.json()["sha"]
    requests.put(url, headers=headers, json=body, timeout=20).raise_for_status()


def furnished(town: Town) -> Repository:
    """A repository with the check tests of `tally`."""
    place = town.repository()
    files = read_folder(TALLY)
    town.give(place, issue_of(spec_from_files(files), files, "check_tests")[1])
    return place


def pull_body(town: Town, place: Repository) -> str:
    [pull] = town.store.pulls.of(place)
    issue = town.store.issues.find(place, pull.number)
    assert issue is not None
    return issue.body or ""


def start(town: Town, place: Repository, by: Account) -> Issue:
    return town.open_issue(place, by, LABEL)


def test_a_run_has_the_settings_of_its_repository_and_says_so(town: Town) -> None:
    place = furnished(town)
    put(town, place, "budget:\n  usd: 2.5\ngates: [architecture]\n")
    with town.server():
        issue = start(town, place, town.ann)
        eventually("the gate", lambda: _gate(town, place, issue) == "architecture")
        put(town, place, "budget: {usd: 1}\n")
        town.say(place, issue.number, town.ann, "/repowright status")
        eventually("rest", town.is_idle)
        state = town.run(place, issue)
        assert state is not None
        assert state.settings.budget.usd == 2.5
        assert state.chosen == ("budget.usd: 2.5", 'gates: ["architecture"]')
        assert "- `budget.usd: 2.5`" in pull_body(town, place)


def test_a_wrong_file_starts_nothing_and_is_told_once_with_its_lines(town: Town) -> None:
    place = furnished(town)
    put(town, place, "modle: x\nbudget:\n  usd: 99\n")
    with town.server():
        issue = start(town, place, town.ann)
        eventually("the answer", lambda: len(town.comments(place, issue.number)) == 1)
        town.say(place, issue.number, town.ann, "/repowright run")
        eventually("rest", town.is_idle)
        [first, _] = town.comments(place, issue.number)
        assert "- line 1: there is no setting `modle` here; allowed: `model`" in first[1]
        assert town.run(place, issue) is None
        put(town, place, "budget:\n  usd: 99\n")
        town.say(place, issue.number, town.ann, "/repowright run")
        eventually("another answer", lambda: len(town.comments(place, issue.number)) == 4)
        said = "- line 2: `budget.usd` is `99.0`, and the server allows `5.0` at most"
        assert said in town.comments(place, issue.number)[-1][1]
        put(town, place, "budget:\n  usd: 3\n")
        town.say(place, issue.number, town.ann, "/repowright run")
        eventually("the run", lambda: town.run(place, issue) is not None)
        eventually("rest", town.is_idle)
    state = town.run(place, issue)
    assert state is not None
    assert state.settings.budget.usd == 3.0
    assert town.branches(place)


def test_a_file_on_another_branch_counts_for_nothing(town: Town) -> None:
    place = furnished(town)
    token = town.store.tokens.create_personal(town.ann)
    git = town.store.git(place)
    requests.post(
        f"{town.github.api_url}/repos/{place.full_name}/git/refs",
        headers={"Authorization": f"Bearer {token}"},
        json={"ref": "refs/heads/other", "sha": git.resolve("refs/heads/main")},
        timeout=20,
    ).raise_for_status()
    put(town, place, "budget: {usd: 1}\n", branch="other")
    with town.server():
        issue = start(town, place, town.ann)
        eventually("the run", lambda: town.run(place, issue) is not None)
    state = town.run(place, issue)
    assert state is not None
    assert (state.settings.budget.usd, state.chosen) == (5.0, ())


def test_a_file_that_breaks_after_a_run_stops_the_next_one(town: Town) -> None:
    place = furnished(town)
    with town.server():
        issue = start(town, place, town.ann)
        eventually("the end", lambda: town.outcome(place, issue) is not None)
        put(town, place, "budget: {usd: 99}\n")
        edited = f"{issue.body}\n\nThe tally is kept in a file, too.\n"
        town.store.issues.edit(place, issue, Actor(town.ann), body=edited)
        town.say(place, issue.number, town.ann, "/repowright run")
        eventually("the answer", lambda: "is wrong." in town.comments(place, issue.number)[-1][1])
        before = town.run(place, issue)
        put(town, place, "budget: {usd: 2}\n")
        town.say(place, issue.number, town.ann, "/repowright run")
        eventually("another run", lambda: _budget(town, place, issue) == 2.0)
        after = town.run(place, issue)
    assert before is not None
    assert after is not None
    assert before.run_id != after.run_id


def _budget(town: Town, place: Repository, issue: Issue) -> float | None:
    state = town.run(place, issue)
    return state.settings.budget.usd if state else None


def _gate(town: Town, place: Repository, issue: Issue) -> str:
    state = town.run(place, issue)
    return state.wait.gate if state else ""
