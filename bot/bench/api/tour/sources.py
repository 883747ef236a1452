"""Files, branches, commits and the git database."""

from bot.bench.api.tour.guide import HOME, Guide, encoded


def contents(guide: Guide) -> None:
    ask = guide.ask
    ask("GET", f"{HOME}/contents/")
    entry = ask("GET", f"{HOME}/contents/lamp.py")
    ask("GET", f"{HOME}/contents/lamp.py", accept="application/vnd.github.raw+json")
    ask("GET", f"{HOME}/contents/.github/workflows")
    ask("GET", f"{HOME}/contents/nothing.py", status=404)
    guide.write("README.md", "# Lamp\n")
    ask("GET", f"{HOME}/readme")
    stale = {"message": "Again", "content": encoded("x"), "sha": entry["sha"]}
    ask("PUT", f"{HOME}/contents/README.md", stale, status=409)
    guide.write("spare.txt", "spare\n")
    spare = ask("GET", f"{HOME}/contents/spare.txt")
    ask("DELETE", f"{HOME}/contents/spare.txt", {"message": "Drop", "sha": spare["sha"]})
    ask("GET", f"{HOME}/zipball/main")
    ask("GET", f"{HOME}/tarball/main")


def commits(guide: Guide) -> None:
    ask = guide.ask
    (newest, *_) = ask("GET", f"{HOME}/commits", sha="work", path="lamp.py", per_page=1)
    sha = newest["sha"]
    ask("GET", f"{HOME}/commits/{sha}")
    ask("GET", f"{HOME}/commits/heads/work")
    ask("GET", f"{HOME}/commits/{'0' * 40}", status=422)
    ask("GET", f"{HOME}/compare/main...work")
    status = {"state": "success", "context": "lint", "description": "Fine"}
    ask("POST", f"{HOME}/statuses/{sha}", status)
    ask("POST", f"{HOME}/statuses/{'0' * 40}", {"state": "error"}, status=422)
    ask("GET", f"{HOME}/commits/{sha}/status")
    ask("GET", f"{HOME}/commits/{sha}/statuses")


def branches(guide: Guide) -> None:
    ask = guide.ask
    sha = ask("GET", f"{HOME}/branches/work")["commit"]["sha"]
    ask("POST", f"{HOME}/git/refs", {"ref": "refs/heads/old", "sha": sha})
    ask("POST", f"{HOME}/branches/old/rename", {"new_name": "feature/new"})
    ask("GET", f"{HOME}/branches/feature/new")
    ask("GET", f"{HOME}/branches", protected="false")
    protection = {
        "required_status_checks": {"strict": True, "contexts": ["lint"]},
        "enforce_admins": True,
        "required_pull_request_reviews": {"required_approving_review_count": 1},
        "restrictions": None,
    }
    home = f"{HOME}/branches/feature/new/protection"
    ask("GET", home, status=404)
    ask("PUT", home, protection)
    ask("GET", home)
    ask("DELETE", home)
    ask("GET", f"{HOME}/rules/branches/feature/new")
    ask("POST", f"{HOME}/git/refs", {"ref": "refs/heads/base", "sha": _main(guide)})
    ask("POST", f"{HOME}/merges", {"base": "base", "head": "work", "commit_message": "Merge"})
    ask("POST", f"{HOME}/merges", {"base": "base", "head": "work"}, status=204)
    ask("POST", f"{HOME}/merges", {"base": "nowhere", "head": "work"}, status=404)


def database(guide: Guide) -> None:
    ask = guide.ask
    git, main = f"{HOME}/git", _main(guide)
    blob = ask("POST", f"{git}/blobs", {"content": "a bulb\n", "encoding": "utf-8"})["sha"]
    ask("GET", f"{git}/blobs/{blob}")
    entry = {"path": "bulb.txt", "mode": "100644", "type": "blob", "sha": blob}
    tree = ask("POST", f"{git}/trees", {"base_tree": main, "tree": [entry]})["sha"]
    ask("GET", f"{git}/trees/{tree}", recursive="1")
    author = {"name": "Ann", "email": "ann@example.org", "date": "2026-01-02T03:04:05Z"}
    commit = {"message": "A bulb", "tree": tree, "parents": [main], "author": author}
    sha = ask("POST", f"{git}/commits", commit)["sha"]
    ask("GET", f"{git}/commits/{sha}")
    ask("POST", f"{git}/refs", {"ref": "refs/heads/bulb", "sha": main})
    ask("POST", f"{git}/refs", {"ref": "refs/heads/bulb", "sha": main}, status=422)
    ask("PATCH", f"{git}/refs/heads/bulb", {"sha": sha, "force": False})
    ask("GET", f"{git}/ref/heads/bulb")
    ask("GET", f"{git}/ref/heads/nothing", status=404)
    ask("GET", f"{git}/matching-refs/heads/b")
    ask("DELETE", f"{git}/refs/heads/bulb")
    ask("DELETE", f"{git}/refs/heads/bulb", status=422)
    tag = {"tag": "v1", "message": "One", "object": main, "type": "commit"}
    tagged = ask("POST", f"{git}/tags", tag)["sha"]
    ask("GET", f"{git}/tags/{tagged}")
    ask("POST", f"{git}/refs", {"ref": "refs/tags/v1", "sha": tagged})
    ask("GET", f"{HOME}/tags")


def _main(guide: Guide) -> str:
    sha: str = guide.ask("GET", f"{HOME}/git/ref/heads/main")["object"]["sha"]
    return sha
