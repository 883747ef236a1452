"""Commits, comparisons, and the checks and statuses on a commit.

https://docs.github.com/rest/commits
"""

from flask import Response

from bot.forge.embedded.git.objects import Commit
from bot.forge.embedded.rest.call import Answer, Body, Call
from bot.forge.embedded.rest.routing import Routes
from bot.forge.embedded.shapes import checks, pulls
from bot.forge.embedded.shapes import git as shape
from bot.forge.embedded.shapes.repositories import api_url, web_url
from bot.forge.embedded.store.errors import Refused, not_found
from bot.forge.embedded.store.rows import Json

routes = Routes()
_R = "/repos/<owner>/<repo>"
_DIFF = ("application/vnd.github.diff", "application/vnd.github.v3.diff")
_PATCH = ("application/vnd.github.patch", "application/vnd.github.v3.patch")


class NewStatus(Body):
    state: str
    target_url: str | None = None
    description: str | None = None
    context: str = "default"


@routes.get(f"{_R}/commits", "contents:read")
def commits(call: Call) -> Answer:
    revision = call.argument("sha") or call.repository.default_branch
    sha = call.filled_git.resolve(revision)
    if sha is None:
        raise not_found()
    rows = call.git.log(sha, path=call.argument("path"))
    shown = [row for row in rows if _wanted(call, row)]
    return call.page(shown, lambda row: shape.commit(call.shapes, call.repository, row))


@routes.get(f"{_R}/commits/<path:revision>/status", "statuses:read")
def combined_status(call: Call, revision: str) -> Json:
    return checks.combined(call.shapes, call.repository, call.commit_sha(revision))


@routes.get(f"{_R}/commits/<path:revision>/statuses", "statuses:read")
def statuses(call: Call, revision: str) -> Answer:
    rows = call.store.checks.statuses(call.repository, call.commit_sha(revision))
    return call.page(rows, lambda row: checks.status(call.shapes, call.repository, row))


@routes.post(f"{_R}/statuses/<sha>", "statuses:write")
def create_status(call: Call, sha: str) -> Answer:
    body = call.body(NewStatus)
    row = call.store.checks.create_status(
        call.repository,
        call.actor,
        sha,
        body.state,
        context=body.context,
        description=body.description,
        target_url=body.target_url,
    )
    return Answer(checks.status(call.shapes, call.repository, row), 201)


@routes.get(f"{_R}/commits/<path:revision>/check-runs", "checks:read")
def check_runs(call: Call, revision: str) -> Answer:
    rows = call.store.checks.runs(call.repository, call.commit_sha(revision))
    name, status, app = (call.argument(k) for k in ("check_name", "status", "app_id"))
    shown = [
        row
        for row in reversed(rows)
        if name in ("", row.name) and status in ("", row.status) and app in ("", str(row.app_id))
    ]
    if call.argument("filter", "latest") == "latest":
        shown = list(
            {(row.app_id, row.name, row.suite_id): row for row in reversed(shown)}.values()
        )
    return call.page(
        shown, lambda row: checks.run(call.shapes, call.repository, row), key="check_runs"
    )


@routes.get(f"{_R}/commits/<path:revision>/check-suites", "checks:read")
def check_suites(call: Call, revision: str) -> Answer:
    rows = call.store.checks.suites(call.repository, call.commit_sha(revision))
    app = call.argument("app_id")
    shown = [row for row in rows if app in ("", str(row.app_id))]
    return call.page(
        shown, lambda row: checks.suite(call.shapes, call.repository, row), key="check_suites"
    )


@routes.get(f"{_R}/commits/<path:revision>/pulls", "pull_requests:read")
def pulls_of_commit(call: Call, revision: str) -> Answer:
    sha = call.commit_sha(revision)
    rows = [
        pull
        for pull in call.store.pulls.of(call.repository)
        if pull.head_sha == sha
        or pull.merge_commit_sha == sha
        or _holds(call, pull.head_sha, pull.base_sha, sha)
    ]
    return call.page(rows, lambda row: pulls.short(call.shapes, call.repository, row))


@routes.get(f"{_R}/commits/<path:revision>", "contents:read")
def commit(call: Call, revision: str) -> Json | Response:
    row = call.git.commit(call.commit_sha(revision))
    parent = row.parents[0] if row.parents else None
    accept = call.request.headers.get("Accept", "")
    if accept in _DIFF:
        return Response(call.git.diff(parent, row.sha), mimetype=accept)
    files = call.git.changes(parent, row.sha)
    return shape.commit_with_files(call.shapes, call.repository, row, files)


@routes.get(f"{_R}/compare/<path:basehead>", "contents:read")
def compare(call: Call, basehead: str) -> Json | Response:
    """https://docs.github.com/rest/commits/commits#compare-two-commits"""
    base_name, dots, head_name = basehead.partition("...")
    base, head = _end(call, base_name), _end(call, head_name)
    if not dots or base is None or head is None:
        raise not_found()
    git = call.git
    fork = git.merge_base(base, head)
    if fork is None:
        raise Refused(404, f"No common ancestor between {base_name} and {head_name}.")
    accept = call.request.headers.get("Accept", "")
    if accept in _DIFF:
        return Response(git.diff(fork, head), mimetype=accept)
    if accept in _PATCH:
        return Response(git.format_patch(fork, head), mimetype=accept)
    return _comparison(call, basehead, git.commit(base), git.commit(fork), head)


def _comparison(call: Call, basehead: str, base: Commit, fork: Commit, head: str) -> Json:
    ahead, behind = call.git.ahead_behind(base.sha, head)
    ways = {(False, False): "identical", (True, False): "ahead", (False, True): "behind"}
    commits = call.git.log(head, exclude=base.sha)[::-1]
    html = web_url(call.shapes, call.repository, f"/compare/{basehead}")
    return {
        "url": api_url(call.shapes, call.repository, f"/compare/{basehead}"),
        "html_url": html,
        "permalink_url": html,
        "diff_url": f"{html}.diff",
        "patch_url": f"{html}.patch",
        "base_commit": shape.commit(call.shapes, call.repository, base),
        "merge_base_commit": shape.commit(call.shapes, call.repository, fork),
        "status": ways.get((ahead > 0, behind > 0), "diverged"),
        "ahead_by": ahead,
        "behind_by": behind,
        "total_commits": len(commits),
        "commits": [shape.commit(call.shapes, call.repository, row) for row in commits],
        "files": [
            shape.file_change(call.shapes, call.repository, change, head)
            for change in call.git.changes(fork.sha, head)
        ],
    }


def _end(call: Call, name: str) -> str | None:
    """One end of a comparison: a revision, or OWNER:branch of this repository."""
    owner, colon, branch = name.partition(":")
    if colon and owner.lower() != call.repository.owner.lower():
        return None
    return call.filled_git.resolve(branch if colon else name)


def _wanted(call: Call, row: Commit) -> bool:
    author = call.argument("author")
    if author:
        account = call.store.accounts.by_email(row.author.email)
        if author not in (row.author.email, account.login if account else ""):
            return False
    since, until = call.time("since"), call.time("until")
    date = row.committer.date
    return (since is None or date >= since) and (until is None or date <= until)


def _holds(call: Call, head: str, base: str, sha: str) -> bool:
    """Whether a pull request brings the commit."""
    return call.git.is_ancestor(sha, head) and not call.git.is_ancestor(sha, base)
