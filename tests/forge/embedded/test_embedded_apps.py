"""Apps, their JWTs and installation tokens, and what each kind of token may."""

from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
import pytest
from embedded_world import World
from github import GithubException

from bot.forge.embedded.store.events import Event


def _jwt(world: World, **claims: Any) -> str:
    now = int((datetime.now(UTC) + world.clock.ahead).timestamp())
    payload = {"iat": now - 60, "exp": now + 540, "iss": str(world.seeded.app.id)} | claims
    return jwt.encode(payload, world.seeded.private_key, algorithm="RS256")


def test_an_app_finds_its_installation_and_gets_a_token(world: World) -> None:
    integration = world.integration()
    assert integration.get_app().slug == "repowright"
    found = integration.get_repo_installation("maintainer", "project")
    assert found.id == world.seeded.installation.id
    assert [i.id for i in integration.get_installations()] == [found.id]
    granted = integration.get_access_token(found.id)
    client = world.client(granted.token)
    issue = client.get_repo("maintainer/project").create_issue("From the App")
    assert issue.user.login == "repowright[bot]"
    assert issue.user.type == "Bot"
    assert issue.raw_data["performed_via_github_app"]["slug"] == "repowright"
    covered = world.call("GET", "installation/repositories", token=granted.token).json()
    assert [r["full_name"] for r in covered["repositories"]] == ["maintainer/project"]


def test_an_installation_token_lives_one_hour(world: World) -> None:
    world.repository().edit(private=True)
    granted = world.integration().get_access_token(world.seeded.installation.id)
    life = granted.expires_at - datetime.now(UTC)
    assert timedelta(minutes=59) < life <= timedelta(minutes=60)
    assert world.git("ls-remote", world.remote(granted.token)).returncode == 0
    world.clock.advance(minutes=59)
    assert world.call("GET", "repos/maintainer/project", token=granted.token).status_code == 200
    world.clock.advance(minutes=2)
    late = world.call("GET", "repos/maintainer/project", token=granted.token)
    assert (late.status_code, late.json()["message"]) == (401, "Bad credentials")
    assert world.git("ls-remote", world.remote(granted.token)).returncode != 0


def test_a_token_written_into_a_remote_does_not_renew(world: World) -> None:
    world.filled()
    clone = world.clone(world.app_token())
    world.commit(clone, {"a.py": ""})
    world.clock.advance(minutes=61)
    assert world.git("push", "origin", "HEAD:refs/heads/late", cwd=clone).returncode != 0


@pytest.mark.parametrize(
    "claims",
    [{"exp": 1}, {"exp": 99_999_999_999}, {"iat": 99_999_999_999}, {"iss": "999"}],
    ids=["expired", "too long", "from the future", "unknown App"],
)
def test_a_jwt_that_is_not_good_is_refused(world: World, claims: dict[str, Any]) -> None:
    assert world.call("GET", "app", token=_jwt(world)).status_code == 200
    refused = world.call("GET", "app", token=_jwt(world, **claims))
    assert refused.status_code in (401, 404)


def test_a_jwt_signed_with_another_key_or_algorithm_is_refused(world: World) -> None:
    _, other = world.github.store.apps.create("other", world.seeded.maintainer)
    now = int(datetime.now(UTC).timestamp())
    claims = {"iat": now, "exp": now + 60, "iss": str(world.seeded.app.id)}
    forged = jwt.encode(claims, other, algorithm="RS256")
    assert world.call("GET", "app", token=forged).status_code == 401
    unsigned = jwt.encode(claims, "", algorithm="none")
    assert world.call("GET", "app", token=unsigned).status_code == 401


def test_an_app_reaches_only_where_it_is_installed(world: World) -> None:
    other = world.client().get_user().create_repo("other", private=True)
    missing = world.call("GET", f"repos/{other.full_name}", token=world.app_token())
    assert missing.status_code == 404
    away = world.call("GET", f"repos/{other.full_name}/installation", token=_jwt(world))
    assert away.status_code == 404


def test_permissions_can_be_narrowed_but_not_widened(world: World) -> None:
    path = f"app/installations/{world.seeded.installation.id}/access_tokens"
    narrow = world.call(
        "POST", path, token=_jwt(world), json={"permissions": {"issues": "write"}}
    ).json()
    client = world.client(narrow["token"])
    assert client.get_repo("maintainer/project").create_issue("Allowed").number
    with pytest.raises(GithubException) as error:
        client.get_repo("maintainer/project").create_file("a.py", "Not allowed", "")
    assert error.value.status == 403
    assert error.value.data["message"] == "Resource not accessible by integration"
    wide = world.call(
        "POST", path, token=_jwt(world), json={"permissions": {"administration": "write"}}
    )
    assert wide.status_code == 422


def test_apps_are_no_user_and_people_are_no_app(world: World) -> None:
    assert world.call("GET", "user", token=world.app_token()).status_code == 403
    assert world.call("GET", "app").status_code == 401
    assert world.call("GET", "user", token=None).status_code == 401
    assert world.call("GET", "user", token="ghp_wrong").json()["message"] == "Bad credentials"


def test_a_revoked_token_is_good_for_nothing(world: World) -> None:
    token = world.app_token()
    assert world.call("DELETE", "installation/token", token=token).status_code == 204
    assert world.call("GET", "repos/maintainer/project", token=token).status_code == 401


def test_tokens_are_kept_as_digests_only(world: World) -> None:
    database = (world.folder / "data" / "embedded.sqlite3-wal").read_bytes()
    database += (world.folder / "data" / "embedded.sqlite3").read_bytes()
    assert world.seeded.maintainer.login.encode() in database
    assert world.seeded.token.encode() not in database
    assert world.seeded.private_key.splitlines()[1].encode() not in database


def test_what_a_workflow_does_starts_no_workflow_except_dispatches(world: World) -> None:
    repository = world.filled()
    text = "on:\n  workflow_dispatch:\n    inputs:\n      round: {default: '1'}\n"
    repository.create_file(".github/workflows/ci.yml", "CI", text)
    events: list[Event] = []
    world.github.store.bus.subscribe(events.append)
    token = world.github.store.tokens.create_workflow(world.seeded.repository, 1)
    clone = world.clone(token)
    world.commit(clone, {"by_workflow.py": ""})
    assert world.git("push", "-q", "origin", "HEAD:work2", cwd=clone).returncode == 0
    pushed = [e for e in events if e.name == "push"]
    assert [e.starts_workflows for e in pushed] == [False]
    assert pushed[0].actor.user.login == "github-actions[bot]"
    workflow = world.repository(world.client(token)).get_workflow("ci.yml")
    assert workflow.create_dispatch("main", {"round": "2"})
    dispatched = events[-1]
    assert (dispatched.name, dispatched.starts_workflows) == ("workflow_dispatch", True)
    assert dispatched.extra["inputs"] == {"round": "2"}
    mine = world.clone(folder="mine")
    world.commit(mine, {"by_person.py": ""})
    world.git("push", "-q", "origin", "HEAD:work3", cwd=mine)
    assert [e.starts_workflows for e in events if e.name == "push"] == [False, True]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"ref": "missing"}, "No ref found for: missing"),
        ({"ref": "main", "inputs": {"other": "1"}}, "Unexpected inputs provided"),
    ],
)
def test_dispatches_that_cannot_be(world: World, body: dict[str, Any], words: str) -> None:
    repository = world.filled()
    repository.create_file(".github/workflows/go.yml", "Go", "on: workflow_dispatch\n")
    repository.create_file(".github/workflows/no.yml", "No", "on: push\n")
    path = "repos/maintainer/project/actions/workflows"
    refused = world.call("POST", f"{path}/go.yml/dispatches", json=body)
    assert (refused.status_code, words in refused.json()["message"]) == (422, True)
    refused = world.call("POST", f"{path}/no.yml/dispatches", json={"ref": "main"})
    assert refused.json()["message"] == "Workflow does not have 'workflow_dispatch' trigger"
    assert (
        world.call("POST", f"{path}/none.yml/dispatches", json={"ref": "main"}).status_code == 404
    )


def test_a_workflow_may_open_and_approve_pull_requests_only_where_allowed(world: World) -> None:
    repository = world.filled()
    token = world.github.store.tokens.create_workflow(world.seeded.repository, 1)
    by_workflow = world.repository(world.client(token))
    with pytest.raises(GithubException) as error:
        by_workflow.create_pull(title="P", body="", head="work", base="main")
    assert error.value.status == 403
    words = "GitHub Actions is not permitted to create or approve pull requests."
    assert error.value.data["message"] == words
    pull = repository.create_pull(title="P", body="", head="work", base="main")
    with pytest.raises(GithubException) as error:
        by_workflow.get_pull(pull.number).create_review(event="APPROVE")
    assert error.value.status == 422
    assert "not permitted to approve" in error.value.data["errors"][0]
    allowed = world.call(
        "PUT",
        "repos/maintainer/project/actions/permissions/workflow",
        json={"can_approve_pull_request_reviews": True},
    )
    assert allowed.status_code == 204
    assert by_workflow.get_pull(pull.number).create_review(event="APPROVE").state == "APPROVED"
