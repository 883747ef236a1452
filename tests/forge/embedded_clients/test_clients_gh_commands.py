"""More of what people type into `gh`, each against the embedded GitHub."""

from pathlib import Path

import pytest
from clients_people import Person, commit_all

from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store.rows import Repository


@pytest.fixture
def pull(octavia: Person, project: Path) -> Path:
    """The clone, on branch `more` with pull request 1."""
    octavia.git("switch", "-q", "-c", "more", cwd=project)
    (project / "more.py").write_text("MORE = 1\n")
    commit_all(octavia, project, "Add more")
    octavia.git("push", "-q", "-u", "origin", "more", cwd=project)
    octavia.gh("pr", "create", "-t", "More", "-b", "More of it.", cwd=project)
    return project


def repository(github: EmbeddedGitHub) -> Repository:
    found = github.store.repositories.find("octavia", "demo")
    assert found is not None
    return found


def test_auth_status_names_the_account(octavia: Person) -> None:
    told = octavia.gh("auth", "status")
    assert "Logged in to 127.0.0.1 account octavia" in told
    assert "'repo'" in told


def test_lists_and_searches(octavia: Person, rufus: Person, project: Path) -> None:
    for title in ("Say hello", "Say goodbye"):
        octavia.gh("issue", "create", "-t", title, "-b", "", cwd=project)
    rufus.gh("issue", "create", "-R", "octavia/demo", "-t", "Say more", "-b", "@octavia knows")

    def found(*arguments: str) -> list[str]:
        listed = octavia.gh_json("issue", "list", "--json", "title", *arguments, cwd=project)
        return [issue["title"] for issue in listed]

    assert found() == ["Say more", "Say goodbye", "Say hello"]
    assert found("--author", "rufus") == ["Say more"]
    assert found("--mention", "octavia") == ["Say more"]
    assert found("--limit", "1") == ["Say more"]
    assert found("--search", "goodbye in:title sort:created-asc") == ["Say goodbye"]
    assert found("--search", "-author:rufus sort:created-asc") == ["Say hello", "Say goodbye"]
    assert found("--label", "bug") == []
    everywhere = octavia.gh_json(
        "search", "issues", "say", "--owner", "@me", "--json", "title", "--sort", "created"
    )
    assert [issue["title"] for issue in everywhere] == ["Say more", "Say goodbye", "Say hello"]
    names = octavia.gh_json("repo", "list", "--json", "nameWithOwner")
    assert names == [{"nameWithOwner": "octavia/demo"}]


def test_an_issue_is_edited(github: EmbeddedGitHub, octavia: Person, project: Path) -> None:
    octavia.gh("label", "create", "later", "-c", "00ff00", "-d", "Not now", cwd=project)
    octavia.gh("issue", "create", "-t", "One", "-b", "Text", "-l", "bug", cwd=project)
    octavia.gh(
        "issue", "edit", "1", "-t", "Two", "--add-label", "later", "--remove-label", "bug",
        "--add-assignee", "@me", cwd=project,
    )  # fmt: skip
    octavia.gh("issue", "lock", "1", "-r", "resolved", cwd=project)
    shown = octavia.gh_json("issue", "view", "1", "--json", "title,labels,assignees", cwd=project)
    assert (shown["title"], shown["labels"][0]["name"]) == ("Two", "later")
    assert [person["login"] for person in shown["assignees"]] == ["octavia"]
    issue = github.store.issues.find(repository(github), 1)
    assert issue is not None
    assert (issue.locked, issue.lock_reason) == (True, "resolved")


def test_a_person_reads_an_issue(octavia: Person, project: Path) -> None:
    octavia.gh("issue", "create", "-t", "One", "-b", "Some *text*.", cwd=project)
    octavia.gh("issue", "comment", "1", "-b", "A remark.", cwd=project)
    assert "Some *text*." in octavia.gh("issue", "view", "1", cwd=project)
    assert "A remark." in octavia.gh("issue", "view", "1", "--comments", cwd=project)


def test_a_pull_request_is_edited_and_talked_about(
    octavia: Person, rufus: Person, pull: Path, github: EmbeddedGitHub
) -> None:
    github.store.repositories.add_collaborator(repository(github), rufus.account)
    octavia.gh(
        "pr", "edit", "1", "-t", "Much more", "--add-label", "enhancement", "--add-reviewer",
        "rufus", cwd=pull,
    )  # fmt: skip
    octavia.gh("pr", "comment", "1", "-b", "Please look.", cwd=pull)
    shown = octavia.gh_json(
        "pr", "view", "1", "--json", "title,labels,reviewRequests,comments", cwd=pull
    )
    assert shown["title"] == "Much more"
    assert [request["login"] for request in shown["reviewRequests"]] == ["rufus"]
    assert [comment["body"] for comment in shown["comments"]] == ["Please look."]
    asked = rufus.gh_json(
        "pr", "list", "-R", "octavia/demo", "--search", "review-requested:@me", "--json", "number"
    )
    assert asked == [{"number": 1}]
    assert "Much more" in octavia.gh("pr", "status", cwd=pull)
    assert "Please look." in octavia.gh("pr", "view", "1", "--comments", cwd=pull)


def test_closing_and_reopening(octavia: Person, pull: Path) -> None:
    octavia.gh("pr", "close", "1", "-c", "Not now.", cwd=pull)
    assert octavia.gh_json("pr", "view", "1", "--json", "state", cwd=pull) == {"state": "CLOSED"}
    octavia.gh("pr", "reopen", "1", cwd=pull)
    assert octavia.gh_json("pr", "view", "1", "--json", "state", cwd=pull) == {"state": "OPEN"}


def test_a_protected_branch_waits_for_its_review(
    github: EmbeddedGitHub, octavia: Person, rufus: Person, pull: Path
) -> None:
    settings = {
        "required_pull_request_reviews": {"required_approving_review_count": 1},
        "enforce_admins": True,
    }
    github.store.repositories.protect(repository(github), "main", settings)
    refused = octavia.try_gh("pr", "merge", "1", "--merge", cwd=pull)
    assert refused.returncode == 1
    assert "the base branch policy prohibits the merge" in refused.stderr
    forced = octavia.try_gh("pr", "merge", "1", "--merge", "--admin", cwd=pull)
    assert "At least 1 approving review is required" in forced.stderr
    github.store.repositories.add_collaborator(repository(github), rufus.account)
    rufus.gh("pr", "review", "1", "-R", "octavia/demo", "--approve")
    octavia.gh("pr", "merge", "1", "--merge", cwd=pull)
    assert octavia.gh_json("pr", "view", "1", "--json", "state", cwd=pull) == {"state": "MERGED"}


def test_a_branch_is_brought_up_to_date(octavia: Person, pull: Path) -> None:
    octavia.git("switch", "-q", "-c", "other", "origin/main", cwd=pull)
    (pull / "other.py").write_text("OTHER = 1\n")
    commit_all(octavia, pull, "Add other")
    octavia.git("push", "-q", "origin", "HEAD:main", cwd=pull)
    octavia.gh("pr", "update-branch", "1", cwd=pull)
    octavia.gh("pr", "checkout", "1", cwd=pull)
    octavia.git("pull", "-q", cwd=pull)
    assert (pull / "other.py").exists()
    assert octavia.git("log", "-1", "--format=%s", cwd=pull) == "Merge branch 'main' into more"


def test_a_repository_is_cloned_edited_and_archived(octavia: Person, project: Path) -> None:
    octavia.gh("repo", "clone", "octavia/demo", "again")
    assert (octavia.home / "again" / "hello.py").exists()
    octavia.gh("repo", "edit", "octavia/demo", "-d", "Says hello")
    octavia.gh("repo", "rename", "greeter", "-R", "octavia/demo", "--yes")
    octavia.gh("repo", "archive", "octavia/greeter", "--yes")
    shown = octavia.gh_json(
        "repo", "view", "octavia/demo", "--json", "nameWithOwner,description,isArchived"
    )
    assert shown == {
        "nameWithOwner": "octavia/greeter",
        "description": "Says hello",
        "isArchived": True,
    }
    refused = octavia.try_gh("issue", "create", "-R", "octavia/greeter", "-t", "One", "-b", "")
    assert refused.returncode == 1
    assert "Repository was archived so is read-only." in refused.stderr


def test_api_walks_pages(octavia: Person, github: EmbeddedGitHub, project: Path) -> None:
    for number in range(1, 4):
        octavia.gh("issue", "create", "-t", f"Issue {number}", "-b", "", cwd=project)
    rest = octavia.gh(
        "api", "--paginate", "repos/{owner}/{repo}/issues?per_page=2", "-q", ".[].number",
        cwd=project,
    )  # fmt: skip
    assert rest.split() == ["3", "2", "1"]
    query = (
        'query($endCursor: String) { repository(owner: "octavia", name: "demo") {'
        " issues(first: 2, after: $endCursor) {"
        " nodes { number } pageInfo { hasNextPage endCursor } } } }"
    )
    graphql = octavia.gh(
        "api", "graphql", "--paginate", "-f", f"query={query}",
        "-q", ".data.repository.issues.nodes[].number",
    )  # fmt: skip
    assert graphql.split() == ["1", "2", "3"]


def test_what_is_not_there_is_said(octavia: Person) -> None:
    gone = octavia.try_gh("repo", "view", "octavia/nothing")
    assert gone.returncode == 1
    assert "Could not resolve to a Repository with the name 'octavia/nothing'." in gone.stderr
