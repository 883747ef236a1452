"""Pages where people and bots talk: issues, pull requests with their rounds, comment forms."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from flask import Response, abort, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from bot.forge.embedded.git.objects import Commit
from bot.forge.embedded.pages import diff, glance, rounds, words
from bot.forge.embedded.pages.gather import Gather, index_threads, linked_issues
from bot.forge.embedded.pages.rounds import Round, Story
from bot.forge.embedded.pages.site import Site
from bot.forge.embedded.store.rows import Account, Comment, Issue, Pull, Repository, TimelineEvent

MAX_COMMITS = 250
_QUIET = ("labeled", "unlabeled")
"""Events that a pull request's rounds do without."""


@dataclass(frozen=True)
class Talk:
    at: datetime
    comment: Comment | None = None
    event: TimelineEvent | None = None


@dataclass(frozen=True)
class Told:
    """A pull request as its pages show it."""

    repository: Repository
    issue: Issue
    pull: Pull
    commits: list[Commit]
    rounds: list[Round]


class TalkPages:
    def __init__(self, site: Site, gather: Gather) -> None:
        self._site = site
        self._store = site.store
        self._gather = gather

    # Lists

    def issues(self, owner: str, name: str) -> Response:
        return self._list(owner, name, pulls=False)

    def pulls(self, owner: str, name: str) -> Response:
        return self._list(owner, name, pulls=True)

    def _list(self, owner: str, name: str, *, pulls: bool) -> Response:
        repository = self._site.repository(owner, name)
        state = "closed" if request.args.get("state") == "closed" else "open"
        every = [i for i in self._store.issues.of(repository) if i.is_pull == pulls]
        found = [issue for issue in reversed(every) if issue.state == state]
        return self._site.repository_page(
            "issues.html",
            repository,
            "pulls" if pulls else "issues",
            heading="Pull requests" if pulls else "Issues",
            state=state,
            counts={key: sum(i.state == key for i in every) for key in ("open", "closed")},
            found=[self._gather.in_list(repository, issue) for issue in found],
        )

    # An issue

    def issue(self, owner: str, name: str, number: int) -> AnyResponse:
        repository = self._site.repository(owner, name)
        issue = self._issue(repository, number)
        if issue.is_pull:
            return redirect(f"/{repository.full_name}/pull/{number}")
        comments = self._store.issues.comments(issue)
        events = [e for e in self._store.issues.timeline(issue) if e.created_at > issue.created_at]
        talk = [
            *(Talk(c.created_at, comment=c) for c in comments),
            *(Talk(e.created_at, event=e) for e in events),
        ]
        return self._site.repository_page(
            "issue.html",
            repository,
            "issues",
            issue=issue,
            labels=self._store.issues.label_rows(issue),
            talk=sorted(talk, key=lambda one: one.at),
            people=self._people([issue.author_id, *(c.author_id for c in comments)]),
            pulls=self._gather.pulls_for(repository, number),
            closes=[],
            may_close=self._site.may(repository, "issues"),
        )

    # A pull request

    def pull(self, owner: str, name: str, number: int) -> AnyResponse:
        repository = self._site.repository(owner, name)
        if not self._issue(repository, number).is_pull:
            return redirect(f"/{repository.full_name}/issues/{number}")
        told = self._told(repository, number)
        threads = self._gather.threads(told.pull)
        by_review: dict[int, list[object]] = {}
        for thread in threads:
            by_review.setdefault(thread[0].review_id, []).append(thread)
        measured = [one for one in told.rounds if one.tally]
        facts = self._facts(told)
        return self._pull_page(
            "pull.html",
            told,
            "rounds",
            labels=self._store.issues.label_rows(told.issue),
            people=self._people(self._speakers(told)),
            closes=self._closed_by(told),
            may_close=self._site.may(repository, "pull_requests") and not told.pull.merged_at,
            may_merge=self._may_merge(told),
            threads_of=by_review,
            measured=measured,
            tally=measured[-1].tally if measured else None,
            facts=facts,
            next_step=facts.todo or _next_step(told, facts.next),
            verdicts=_verdicts(told),
        )

    def pull_commits(self, owner: str, name: str, number: int) -> Response:
        repository = self._site.repository(owner, name)
        return self._pull_page("pull_commits.html", self._told(repository, number), "commits")

    def pull_files(self, owner: str, name: str, number: int) -> Response:
        repository = self._site.repository(owner, name)
        told = self._told(repository, number)
        changes = self._store.pulls.files(repository, told.pull)
        files = [diff.read(change) for change in changes]
        index = index_threads(self._gather.threads(told.pull))
        shown = {(f.change.path, *place) for f in files for place in (*f.places, ("", 0))}
        kept = {key: threads for key, threads in index.items() if key in shown}
        placed = {thread[0].id for threads in kept.values() for thread in threads}
        return self._pull_page(
            "pull_files.html",
            told,
            "files",
            files=files,
            threads=kept,
            outdated=[t for t in self._gather.threads(told.pull) if t[0].id not in placed],
            additions=sum(change.additions for change in changes),
            deletions=sum(change.deletions for change in changes),
        )

    def pull_checks(self, owner: str, name: str, number: int) -> Response:
        repository = self._site.repository(owner, name)
        told = self._told(repository, number)
        shas = [(one.label, one.commits[-1].sha) for one in told.rounds if one.commits]
        wanted = request.args.get("sha", "")
        sha = wanted if wanted in {one for _, one in shas} else told.pull.head_sha
        runs = [r for r in self._store.actions.runs(repository) if r.head_sha == sha]
        views = [self._gather.run_view(repository, run) for run in runs]
        jobs = {job.job.id for view in views for job in view.jobs}
        own = [c for c in self._store.checks.runs(repository, sha) if c.id not in jobs]
        checks = self._gather.checks(repository, sha)
        return self._pull_page(
            "pull_checks.html",
            told,
            "checks",
            sha=sha,
            shas=shas,
            runs=views,
            check_views=[self._gather.check_view(check) for check in own],
            statuses=[check for check in checks if "/commit/" in check.url],
        )

    def _pull_page(self, template: str, told: Told, inner: str, **values: object) -> Response:
        head = self._gather.checks(told.repository, told.pull.head_sha)
        return self._site.repository_page(
            template,
            told.repository,
            "pulls",
            issue=told.issue,
            pull=told.pull,
            commits=told.commits,
            rounds=told.rounds,
            inner=inner,
            head_checks=len(head),
            file_count=len(self._store.pulls.files(told.repository, told.pull)),
            **values,
        )

    def _told(self, repository: Repository, number: int) -> Told:
        issue = self._issue(repository, number)
        pull = self._store.pulls.of_issue(issue)
        if pull is None:
            abort(404)
        git = self._store.git(repository)
        base = self._store.pulls.merge_base(repository, pull)
        commits = git.log(pull.head_sha, exclude=base, limit=MAX_COMMITS)[::-1]
        starters = {thread[0].review_id for thread in self._gather.threads(pull)}
        story = Story(
            commits=commits,
            checks=[check for c in commits for check in self._gather.checks(repository, c.sha)],
            reviews=[
                review
                for review in self._store.reviews.of(pull, self._site.actor)
                if review.body or review.state != "COMMENTED" or review.id in starters
            ],
            comments=self._store.issues.comments(issue),
            events=[e for e in self._store.issues.timeline(issue) if e.event not in _QUIET],
        )
        return Told(repository, issue, pull, commits, rounds.tell(story))

    def _facts(self, told: Told) -> glance.Facts:
        """What the author of the pull request said last: on it, or on the issue it closes."""
        author = told.issue.author_id
        comments = list(self._store.issues.comments(told.issue))
        for linked in self._closed_by(told):
            comments += self._store.issues.comments(linked)
        mine = sorted((c for c in comments if c.author_id == author), key=lambda c: c.updated_at)
        found = [glance.read(comment.body) for comment in reversed(mine)]
        found.append(glance.read(told.issue.body or ""))
        return glance.merge(found)

    def _closed_by(self, told: Told) -> list[Issue]:
        numbers = linked_issues(told.issue.body or "")
        found = [self._store.issues.find(told.repository, number) for number in numbers]
        return [issue for issue in found if issue is not None]

    def _may_merge(self, told: Told) -> bool:
        return (
            told.issue.state == "open"
            and not told.pull.draft
            and self._site.may(told.repository, "contents")
            and bool(self._store.pulls.mergeable(told.repository, told.pull))
        )

    def _speakers(self, told: Told) -> list[int]:
        reviews = self._store.reviews.of(told.pull, self._site.actor)
        comments = self._store.issues.comments(told.issue)
        return [
            told.issue.author_id,
            *(r.author_id for r in reviews),
            *(c.author_id for c in comments),
        ]

    def _issue(self, repository: Repository, number: int) -> Issue:
        found = self._store.issues.find(repository, number)
        if found is None:
            abort(404)
        return found

    def _people(self, identities: Sequence[int]) -> list[Account]:
        return [self._store.accounts.get(identity) for identity in dict.fromkeys(identities)]


def _verdicts(told: Told) -> dict[int, tuple[str, str]]:
    """Word and tone of each review; the bot's own by the judge's check run of the round."""
    found: dict[int, tuple[str, str]] = {}
    for one in told.rounds:
        for review in (h.review for h in one.happenings if h.review):
            own = review.author_id == told.issue.author_id
            found[review.id] = words.verdict(review, one.verdict if own else "")
    return found


def _next_step(told: Told, following: str) -> str:
    """What a reader would do, where the bot has not said it; `following` is what it does next."""
    last = told.rounds[-1] if told.rounds else None
    if told.pull.merged_at:
        return "Nothing: this is merged."
    if told.issue.state == "closed":
        return "Nothing: this was closed without merging."
    if last and last.result == "running":
        return "Wait for the checks that are running."
    if following.lower().startswith("a maintainer"):
        return following[:1].upper() + following[1:]
    if told.pull.draft and following:
        return f"Nothing yet. The bot goes on: {following.rstrip('.')}."
    if told.pull.draft:
        return "Work is under way: read the newest round, or steer it with a comment."
    if last and last.result == "failed":
        return "Look at the failed checks, then comment or push a repair."
    return "Review the files that changed, then merge."
