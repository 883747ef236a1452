"""Issues, pull requests and reviews."""

from bot.bench.api.tour.guide import HOME, Guide


def issues(guide: Guide) -> None:
    ask = guide.ask
    ask("POST", f"{HOME}/milestones", {"title": "One", "description": "First"})
    ask("GET", f"{HOME}/milestones")
    ask("GET", f"{HOME}/milestones/1")
    new = {"title": "Dark", "body": "It is.", "labels": ["bug"], "assignees": ["ann"]}
    issue = ask("POST", f"{HOME}/issues", new | {"milestone": 1})
    ask("POST", f"{HOME}/issues", {"title": "Odd", "milestone": 99}, status=422)
    home = f"{HOME}/issues/{issue['number']}"
    ask("GET", f"{HOME}/issues", state="all", labels="bug", per_page=5)
    ask("GET", home)
    ask("GET", f"{HOME}/issues/4711", status=404)
    _labels(guide, home)
    ask("POST", f"{home}/assignees", {"assignees": ["dan"]})
    ask("DELETE", f"{home}/assignees", {"assignees": ["dan"]})
    ask("PUT", f"{home}/lock", {"lock_reason": "resolved"})
    ask("DELETE", f"{home}/lock")
    _comments(guide, home)
    _reactions(guide, home)
    ask("PATCH", home, {"state": "closed", "state_reason": "completed"})
    ask("GET", f"{home}/events")
    ask("GET", f"{home}/timeline")
    ask("GET", "/search/issues", q="repo:ann/lamp dark")


def _labels(guide: Guide, home: str) -> None:
    ask = guide.ask
    ask("GET", f"{home}/labels")
    ask("POST", f"{home}/labels", {"labels": ["wontfix"]})
    ask("DELETE", f"{home}/labels/wontfix")
    ask("PUT", f"{home}/labels", {"labels": ["bug", "question"]})
    ask("DELETE", f"{home}/labels")


def _comments(guide: Guide, home: str) -> None:
    ask = guide.ask
    said = ask("POST", f"{home}/comments", {"body": "Hm."})
    by_app = ask("POST", f"{home}/comments", {"body": "Indeed."}, by="app")
    comment = f"{HOME}/issues/comments/{said['id']}"
    ask("GET", f"{home}/comments", per_page=1)
    ask("GET", f"{HOME}/issues/comments", sort="created", direction="asc")
    ask("GET", comment)
    ask("PATCH", comment, {"body": "Hm!"})
    ask("PATCH", comment, {"body": "x" * 70_000}, status=422)
    _reactions(guide, comment)
    ask("DELETE", f"{HOME}/issues/comments/{by_app['id']}", by="app")


def _reactions(guide: Guide, home: str) -> None:
    made = guide.ask("POST", f"{home}/reactions", {"content": "+1"})
    guide.ask("POST", f"{home}/reactions", {"content": "+1"}, status=200)
    guide.ask("GET", f"{home}/reactions")
    guide.ask("DELETE", f"{home}/reactions/{made['id']}")


def pulls(guide: Guide) -> None:
    """A pull request from `work`, its reviews, and its end."""
    ask = guide.ask
    new = {"title": "Three", "head": "work", "base": "main", "body": "In words.", "draft": False}
    pull = ask("POST", f"{HOME}/pulls", new)
    ask("POST", f"{HOME}/pulls", new, status=422)
    home = f"{HOME}/pulls/{pull['number']}"
    ask("GET", f"{HOME}/pulls", state="all", head="ann:work", base="main")
    ask("GET", home)
    ask("GET", home, accept="application/vnd.github.diff")
    ask("GET", home, accept="application/vnd.github.patch")
    ask("PATCH", home, {"title": "Three, in words", "body": "As asked."})
    ask("GET", f"{home}/files")
    ask("GET", f"{home}/commits")
    ask("GET", f"{HOME}/commits/{pull['head']['sha']}/pulls")
    ask("POST", f"{home}/requested_reviewers", {"reviewers": ["dan"]})
    ask("GET", f"{home}/requested_reviewers")
    ask("DELETE", f"{home}/requested_reviewers", {"reviewers": ["dan"]})
    ask("POST", f"{home}/requested_reviewers", {"reviewers": ["dan"]})
    _reviews(guide, home)
    _remarks(guide, home, pull["head"]["sha"])
    ask("PUT", f"{home}/update-branch", {"expected_head_sha": pull["head"]["sha"]})
    ask("GET", f"{home}/merge", status=404)
    ask("PUT", f"{home}/merge", {"sha": "0" * 40}, status=409)
    ask("PUT", f"{home}/merge", {"merge_method": "squash", "commit_title": "Three"})
    ask("GET", f"{home}/merge")
    ask("PUT", f"{home}/merge", {}, status=405)
    ask("GET", home)


def _reviews(guide: Guide, home: str) -> None:
    ask = guide.ask
    remark = {"path": "lamp.py", "line": 3, "side": "RIGHT", "body": "Why?"}
    ask("POST", f"{home}/reviews", {"event": "APPROVE"}, status=422)
    first = {"event": "REQUEST_CHANGES", "body": "Hm.", "comments": [remark]}
    asked = ask("POST", f"{home}/reviews", first, by="dan")
    review = f"{home}/reviews/{asked['id']}"
    ask("GET", f"{home}/reviews")
    ask("GET", review)
    ask("PUT", review, {"body": "Hmm."}, by="dan")
    ask("GET", f"{review}/comments")
    ask("PUT", f"{review}/dismissals", {"message": "Answered", "event": "DISMISS"})
    draft = ask("POST", f"{home}/reviews", {"body": "Not yet."}, by="dan")
    ask("DELETE", f"{home}/reviews/{draft['id']}", by="dan")
    draft = ask("POST", f"{home}/reviews", {"body": "Soon."}, by="dan")
    submit = {"event": "COMMENT", "body": "Now."}
    ask("POST", f"{home}/reviews/{draft['id']}/events", submit, by="dan")
    off = {"event": "COMMENT", "body": "Hm.", "comments": [remark | {"line": 999}]}
    ask("POST", f"{home}/reviews", off, by="dan", status=422)


def _remarks(guide: Guide, home: str, sha: str) -> None:
    ask = guide.ask
    on_line = {"path": "lamp.py", "line": 3, "side": "RIGHT", "commit_id": sha, "body": "Here."}
    said = ask("POST", f"{home}/comments", on_line, by="dan")
    on_file = {"path": "lamp.py", "subject_type": "file", "commit_id": sha, "body": "All of it."}
    ask("POST", f"{home}/comments", on_file, by="dan")
    ask("POST", f"{home}/comments/{said['id']}/replies", {"body": "Where?"})
    ask("GET", f"{home}/comments", sort="created")
    ask("GET", f"{HOME}/pulls/comments")
    comment = f"{HOME}/pulls/comments/{said['id']}"
    ask("GET", comment)
    ask("PATCH", comment, {"body": "There."}, by="dan")
    _reactions(guide, comment)
    ask("DELETE", comment, by="dan")
