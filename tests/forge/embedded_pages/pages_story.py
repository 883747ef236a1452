"""A small run as the bot leaves it: a spec, a pull request, two failing rounds and a green one."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.forge.embedded.git.objects import ZERO, Signature, TreeChange
from bot.forge.embedded.store import Actor, RefUpdate, Store
from bot.forge.embedded.store.reviews import InlineComment
from bot.forge.embedded.store.rows import Issue, Pull, Repository, WorkflowRun

BRANCH = "repowright/1-durations"
PARSE = """# Text to seconds.

UNITS = {"h": 3600}


def parse(text: str) -> int:
    return 0
"""
SPEC = """## Product requirements

Text such as `1h` becomes **seconds**.

- [x] hours
- [ ] days

| unit | seconds |
|---|--:|
| h | 3600 |

```mermaid
classDiagram
    class Parser
```

<details><summary>More</summary>

Inside the fold.

</details>
"""
EVIDENCE = "| tool | verdict |\n|---|---|\n| Interface Verifier | {} |\n"
WORKING = """### Repowright is working: code, round 1

**4 of 7 check tests pass** at best · **$0.21** of $5.00 · 11 model calls · 2 min 5 s

**Next:** repair what fails
"""
PROGRESS = """### ✅ Repowright: passed

All check tests pass.

**7 of 7 check tests pass** on the branch · **$0.42** · 23 model calls · 4 min 10 s

**What to do next:** Review the pull request and merge it.
"""


class Clock:
    """A clock that only moves when it is told to."""

    def __init__(self) -> None:
        self.time = datetime.now(UTC) - timedelta(hours=1)

    def __call__(self) -> datetime:
        return self.time

    def forward(self, seconds: int) -> None:
        self.time += timedelta(seconds=seconds)


@dataclass
class Story:
    """What was told; the maintainer is dana, the bot repowright[bot]."""

    store: Store
    clock: Clock
    dana: Actor
    bot: Actor
    repository: Repository
    issue: Issue
    pull: Pull
    runs: list[WorkflowRun]

    @property
    def address(self) -> str:
        return f"/{self.repository.full_name}"


def tell(store: Store, clock: Clock) -> Story:
    dana = Actor(store.accounts.create("dana", email="dana@example.org"))
    app, _ = store.apps.create("repowright", dana.user, permissions={"checks": "write"})
    bot = Actor(store.apps.bot(app), app=app)
    repository = store.repositories.create(dana.user, "durations", description="Text & seconds")
    readme = "# Durations\n\nSee [the notes](docs/notes.md) and ![logo](logo.png).\n"
    files = {"README.md": readme, "docs/notes.md": "# Notes\n", "a b/c#d.py": "x = 1\n"}
    commit(store, repository, dana, "main", files, "Begin", clock)
    issue = store.issues.create(repository, dana, "Parse durations", SPEC, labels=("repowright",))
    store.issues.react("issue", issue, bot, "rocket")
    clock.forward(5)
    progress = store.issues.comment(repository, issue, bot, "Starting.")
    first = {"durations/parse.py": PARSE}
    sha = commit(store, repository, bot, BRANCH, first, "Architecture and skeleton", clock)
    pull = store.pulls.create(
        repository,
        bot,
        title="Durations",
        body="Builds what #1 asks for.",
        head=BRANCH,
        base="main",
        draft=True,
    )
    story = Story(store, clock, dana, bot, repository, issue, pull, [])
    check(story, sha, passed=2, failed=5, marked=False)
    doubt = InlineComment(path="durations/parse.py", line=3, side="RIGHT", body="Only hours here?")
    review(story, sha, "revise", (doubt,))
    second = {"durations/parse.py": PARSE.replace("return 0", "return 1")}
    sha = commit(
        store, repository, bot, BRANCH, second, "Code, round 1: repair the return value", clock
    )
    check(story, sha, passed=4, failed=3)
    review(story, sha, "revise")
    third = {"durations/parse.py": PARSE.replace("return 0", "return 2")}
    sha = commit(
        store, repository, bot, BRANCH, third, "Code, round 2: repair the rest [skip ci]", clock
    )
    check(story, sha, passed=7, failed=0)
    review(story, sha, "pass")
    store.issues.edit_comment(repository, progress, bot, PROGRESS)
    return story


def commit(
    store: Store,
    repository: Repository,
    by: Actor,
    branch: str,
    files: dict[str, str | bytes],
    message: str,
    clock: Clock,
) -> str:
    """Commit on a branch, made from main where it is new, and tell of the push."""
    clock.forward(60)
    git = store.git(repository)
    heads = git.refs("refs/heads/")
    old = heads.get(f"refs/heads/{branch}")
    parent = old or heads.get("refs/heads/main")
    changes = [
        TreeChange(path, "100644", git.write_blob(t.encode() if isinstance(t, str) else t))
        for path, t in files.items()
    ]
    author = Signature(by.user.login, f"{by.user.login}@example.org", clock())
    tree = git.write_tree(parent, changes)
    sha = git.write_commit(tree, [parent] if parent else [], message, author, author)
    update = RefUpdate(f"refs/heads/{branch}", old or ZERO, sha)
    git.update_ref(update.ref, sha, update.old)
    store.record_push(repository, by, (update,))
    return sha


def review(story: Story, sha: str, verdict: str, comments: tuple[InlineComment, ...] = ()) -> None:
    """The judge's review and check run."""
    story.clock.forward(10)
    body = f"### Judged\n\n{EVIDENCE.format(verdict)}"
    pull = story.store.pulls.get(story.pull.id)
    story.store.reviews.create(
        story.repository, pull, story.bot, event="COMMENT", body=body, commit=sha, comments=comments
    )
    story.store.checks.create_run(
        story.repository,
        story.bot,
        name="repowright / judge",
        sha=sha,
        conclusion="success" if verdict == "pass" else "neutral",
        output={"title": f"To {verdict}", "summary": body},
    )


def check(story: Story, sha: str, *, passed: int, failed: int, marked: bool = True) -> None:
    """A workflow run with one job of two steps, a summary, an annotation and an artifact; the log
    is `marked` with the names of the steps, or only has times."""
    actions, repository = story.store.actions, story.repository
    workflow = actions.workflow(repository, ".github/workflows/check.yml", "Check")
    run = actions.create_run(
        repository, workflow, story.bot, event="push", head_sha=sha, head_branch=BRANCH
    )
    job = actions.create_job(repository, run, "tests")
    job = actions.update_job(repository, job, status="in_progress")
    start = story.clock().replace(microsecond=0)
    story.clock.forward(20)
    conclusion = "failure" if failed else "success"
    steps = (_step(1, "Install", start, "success"), _step(2, "Run tests", start, conclusion))
    for step, line in zip(steps, ("wheels are there", "\x1b[31m##[error]boom\x1b[0m"), strict=True):
        stamp = f"{step['started_at'][:-1]}.5000000Z"
        head = (f"##[group]{step['name']}", "##[endgroup]") if marked else ()
        actions.append_log(job, "".join(f"{stamp} {row}\n" for row in (*head, line)))
    actions.update_job(
        repository,
        job,
        output={"title": f"{passed} passed, {failed} failed", "summary": "### Job summary"},
        status="completed",
        conclusion=conclusion,
        steps=steps,
    )
    note = {"path": "durations/parse.py", "start_line": 7, "message": "off by one"}
    app = story.store.apps.actions()
    runner = Actor(story.store.apps.bot(app), app=app)
    made = story.store.checks.run(repository, job.id)
    assert made is not None
    story.store.checks.update_run(
        repository, made, runner, annotations=[note | {"annotation_level": "failure"}]
    )
    actions.create_artifact(repository, run, "repowright-report", b"PK\x05\x06" + bytes(18))
    story.runs.append(
        actions.update_run(repository, run, status="completed", conclusion=conclusion)
    )


def _step(number: int, name: str, start: datetime, conclusion: str) -> dict[str, Any]:
    begin = start + timedelta(seconds=5 * number)
    return {
        "number": number,
        "name": name,
        "status": "completed",
        "conclusion": conclusion,
        "started_at": f"{begin:%Y-%m-%dT%H:%M:%SZ}",
        "completed_at": f"{begin + timedelta(seconds=4):%Y-%m-%dT%H:%M:%SZ}",
    }
