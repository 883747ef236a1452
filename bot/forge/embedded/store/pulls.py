"""Pull requests: opening, following their branches, merging."""

import re
from typing import Any

from bot.forge.embedded.git.objects import FileChange, RefUpdate, Signature
from bot.forge.embedded.git.process import GitFailed
from bot.forge.embedded.store.access import Actor
from bot.forge.embedded.store.core import Core
from bot.forge.embedded.store.errors import Refused, conflict, invalid, unprocessable
from bot.forge.embedded.store.issues import Issues
from bot.forge.embedded.store.rows import Account, Issue, Pull, Repository

_CLOSES = re.compile(r"\b(?:close[sd]?|fix(?:es|ed)?|resolve[sd]?):?\s+#(\d{1,9})\b", re.IGNORECASE)


class Pulls:
    def __init__(self, core: Core, issues: Issues) -> None:
        self._core = core
        self._tables = core.tables
        self._issues = issues

    def create(
        self,
        repository: Repository,
        by: Actor,
        *,
        title: str,
        head: str,
        base: str,
        body: str | None = None,
        draft: bool = False,
        maintainer_can_modify: bool = False,
    ) -> Pull:
        """`head` is a branch of this repository, or owner:branch.
        https://docs.github.com/rest/pulls/pulls#create-a-pull-request
        """
        check_actions(repository, by, open_pull=True)
        source, branch = self._head_repository(repository, head)
        git = self._core.git(repository)
        base_sha = git.refs("refs/heads/").get(f"refs/heads/{base}")
        head_sha = self._core.git(source).refs("refs/heads/").get(f"refs/heads/{branch}")
        if base_sha is None:
            raise invalid("PullRequest", "base", code="invalid")
        if head_sha is None:
            raise invalid("PullRequest", "head", code="invalid")
        if git.is_ancestor(head_sha, base_sha):
            message = f"No commits between {base} and {branch}"
            raise invalid("PullRequest", "base", message)
        if self._open(repository, source, branch, base):
            message = f"A pull request already exists for {source.owner}:{branch}."
            raise invalid("PullRequest", "head", message)
        with self._core.transaction():
            issue = self._issues.create(repository, by, title, body, is_pull=True)
            pull = self._tables.pulls.insert(
                Pull(
                    repository_id=repository.id,
                    issue_id=issue.id,
                    number=issue.number,
                    head_repository_id=source.id,
                    head_ref=branch,
                    head_sha=head_sha,
                    base_ref=base,
                    base_sha=base_sha,
                    draft=draft,
                    maintainer_can_modify=maintainer_can_modify,
                )
            )
            git.update_ref(f"refs/pull/{pull.number}/head", head_sha)
            self._core.publish("pull_request", "opened", by, repository, pull_request=pull)
        return pull

    def find(self, repository: Repository, number: int) -> Pull | None:
        return self._tables.pulls.one(repository_id=repository.id, number=number)

    def get(self, identity: int) -> Pull:
        return self._tables.pulls.get(identity)

    def of_issue(self, issue: Issue) -> Pull | None:
        return self._tables.pulls.one(issue_id=issue.id)

    def issue(self, pull: Pull) -> Issue:
        return self._issues.get(pull.issue_id)

    def of(self, repository: Repository) -> list[Pull]:
        return self._tables.pulls.find(repository_id=repository.id)

    def of_commit(self, repository: Repository, sha: str) -> list[Pull]:
        """Open pull requests whose head is the commit."""
        found = self._tables.pulls.find(repository_id=repository.id, head_sha=sha)
        return [pull for pull in found if self.issue(pull).state == "open"]

    def edit(self, repository: Repository, pull: Pull, by: Actor, **changes: Any) -> Pull:
        """Change title, body or state (the issue's), or base_ref, maintainer_can_modify."""
        of_issue = {k: v for k, v in changes.items() if k in ("title", "body", "state")}
        own = {k: v for k, v in changes.items() if k not in of_issue}
        if of_issue.get("state") == "open":
            self._check_reopen(repository, pull)
        with self._core.transaction():
            if "base_ref" in own:
                base = self._core.git(repository).refs("refs/heads/")
                if f"refs/heads/{own['base_ref']}" not in base:
                    raise invalid("PullRequest", "base", code="invalid")
                own["base_sha"] = base[f"refs/heads/{own['base_ref']}"]
            pull = self._tables.pulls.update(pull, **own)
            self._issues.edit(repository, self.issue(pull), by, **of_issue)
        return pull

    def set_draft(self, repository: Repository, pull: Pull, by: Actor, draft: bool) -> Pull:
        """Take a pull request out of draft, or back; nothing happens where it is so already."""
        if pull.draft == draft:
            return pull
        with self._core.transaction():
            pull = self._tables.pulls.update(pull, draft=draft)
            issue = self._issues.touch(self.issue(pull))
            self._issues.note(issue, by, "convert_to_draft" if draft else "ready_for_review")
            action = "converted_to_draft" if draft else "ready_for_review"
            self._core.publish("pull_request", action, by, repository, pull_request=pull)
        return pull

    def request_reviewers(
        self, repository: Repository, pull: Pull, by: Actor, reviewers: tuple[Account, ...]
    ) -> Pull:
        author = self.issue(pull).author_id
        if any(reviewer.id == author for reviewer in reviewers):
            raise Refused(422, "Review cannot be requested from pull request author.")
        wanted = dict.fromkeys((*pull.requested_reviewer_ids, *(r.id for r in reviewers)))
        with self._core.transaction():
            pull = self._tables.pulls.update(pull, requested_reviewer_ids=tuple(wanted))
            for reviewer in reviewers:
                self._core.publish(
                    "pull_request",
                    "review_requested",
                    by,
                    repository,
                    pull_request=pull,
                    requested_reviewer=reviewer,
                )
        return pull

    def remove_reviewers(self, pull: Pull, reviewers: tuple[Account, ...]) -> Pull:
        gone = {reviewer.id for reviewer in reviewers}
        left = tuple(i for i in pull.requested_reviewer_ids if i not in gone)
        return self._tables.pulls.update(pull, requested_reviewer_ids=left)

    # The diff

    def merge_base(self, repository: Repository, pull: Pull) -> str | None:
        return self._core.git(repository).merge_base(pull.base_sha, pull.head_sha)

    def files(self, repository: Repository, pull: Pull) -> list[FileChange]:
        """What the pull request changes: from the merge base to its head."""
        git = self._core.git(repository)
        return git.changes(self.merge_base(repository, pull), pull.head_sha)

    def mergeable(self, repository: Repository, pull: Pull) -> bool | None:
        """None once it is merged."""
        if pull.merged_at is not None:
            return None
        git = self._core.git(repository)
        base = git.refs("refs/heads/").get(f"refs/heads/{pull.base_ref}")
        return base is not None and git.merge_tree(base, pull.head_sha) is not None

    # Following branches

    def follow(self, repository: Repository, by: Actor, update: RefUpdate) -> None:
        """Bring pull requests in line with a branch that moved: synchronize, close, or mark as
        merged by a push."""
        branch = update.ref.removeprefix("refs/heads/")
        for pull in self._tables.pulls.find(head_repository_id=repository.id, head_ref=branch):
            if self.issue(pull).state == "open":
                self._follow_head(pull, by, update)
        if update.deleted:
            return
        for pull in self._tables.pulls.find(repository_id=repository.id, base_ref=branch):
            if self.issue(pull).state == "open":
                self._follow_base(repository, pull, by, update.new)

    def _follow_head(self, pull: Pull, by: Actor, update: RefUpdate) -> None:
        repository = self._tables.repositories.get(pull.repository_id)
        if update.deleted:
            self.edit(repository, pull, by, state="closed")
            return
        git = self._core.git(repository)
        git.update_ref(f"refs/pull/{pull.number}/head", update.new)
        with self._core.transaction():
            new = self._tables.pulls.update(pull, head_sha=update.new)
            self._issues.touch(self.issue(new))
            extra = {"before": update.old, "after": update.new}
            self._core.publish(
                "pull_request", "synchronize", by, repository, extra, pull_request=new
            )

    def _follow_base(self, repository: Repository, pull: Pull, by: Actor, tip: str) -> None:
        git = self._core.git(repository)
        if pull.head_sha != pull.base_sha and git.is_ancestor(pull.head_sha, tip):
            self.mark_merged(repository, pull, by, tip)

    # Merging

    def merge(
        self,
        repository: Repository,
        pull: Pull,
        by: Actor,
        *,
        method: str = "merge",
        title: str | None = None,
        message: str | None = None,
        expected_head: str | None = None,
    ) -> RefUpdate:
        """Merge into the base branch; the caller records the push that this is.
        https://docs.github.com/rest/pulls/pulls#merge-a-pull-request
        """
        issue = self.issue(pull)
        if expected_head is not None and expected_head != pull.head_sha:
            raise conflict("Head branch was modified. Review and try the merge again.")
        if issue.state != "open":
            raise Refused(405, "Pull Request is not mergeable")
        if pull.draft:
            raise Refused(405, "Pull Request is still a draft")
        allowed = {
            "merge": repository.allow_merge_commit,
            "squash": repository.allow_squash_merge,
            "rebase": repository.allow_rebase_merge,
        }
        if not allowed.get(method):
            raise Refused(405, f"{method.capitalize()} merges are not allowed on this repository.")
        git = self._core.git(repository)
        ref = f"refs/heads/{pull.base_ref}"
        base = git.refs("refs/heads/")[ref]
        new = self._merged(repository, pull, by, base, method, title, message)
        if new is None:
            raise Refused(405, "Pull Request is not mergeable")
        try:
            git.update_ref(ref, new, base)
        except GitFailed as error:
            raise conflict("Base branch was modified. Review and try the merge again.") from error
        self.mark_merged(repository, pull, by, new)
        return RefUpdate(ref, base, new)

    def mark_merged(self, repository: Repository, pull: Pull, by: Actor, commit: str) -> Pull:
        with self._core.transaction():
            pull = self._tables.pulls.update(
                pull,
                merged_at=self._core.now(),
                merged_by_id=by.user.id,
                merge_commit_sha=commit,
            )
            issue = self.issue(pull)
            self._issues.note(issue, by, "merged", {"commit_id": commit})
            self._issues.edit(repository, issue, by, state="closed")
            if pull.base_ref == repository.default_branch:
                self._close_issues(repository, issue, by)
        return pull

    def _close_issues(self, repository: Repository, issue: Issue, by: Actor) -> None:
        """https://docs.github.com/issues/tracking-your-work-with-issues/using-issues/linking-a-pull-request-to-an-issue"""
        for number in closing_numbers(issue.body):
            closed = self._issues.find(repository, number)
            if closed is not None and closed.state == "open" and not closed.is_pull:
                self._issues.edit(repository, closed, by, state="closed")

    def _merged(
        self,
        repository: Repository,
        pull: Pull,
        by: Actor,
        base: str,
        method: str,
        title: str | None,
        message: str | None,
    ) -> str | None:
        git = self._core.git(repository)
        person = self._core_signature(by)
        if method == "rebase":
            return git.rebase(base, pull.head_sha, person)
        tree = git.merge_tree(base, pull.head_sha)
        if tree is None:
            return None
        name = self.issue(pull).title
        if method == "squash":
            text = f"{title or f'{name} (#{pull.number})'}\n\n{message or ''}".strip()
            return git.write_commit(tree, [base], text, person, person)
        default = f"Merge pull request #{pull.number} from {repository.owner}/{pull.head_ref}"
        text = f"{title or default}\n\n{name if message is None else message}".strip()
        return git.write_commit(tree, [base, pull.head_sha], text, person, person)

    def _core_signature(self, by: Actor) -> Signature:
        return signature(by.user, self._core)

    def _head_repository(self, repository: Repository, head: str) -> tuple[Repository, str]:
        owner, colon, branch = head.rpartition(":")
        if not colon or owner.lower() == repository.owner.lower():
            return repository, branch
        raise invalid("PullRequest", "head", code="invalid")

    def _open(self, repository: Repository, source: Repository, head: str, base: str) -> bool:
        found = self._tables.pulls.find(
            repository_id=repository.id,
            head_repository_id=source.id,
            head_ref=head,
            base_ref=base,
        )
        return any(self.issue(pull).state == "open" for pull in found)

    def _check_reopen(self, repository: Repository, pull: Pull) -> None:
        head = f"refs/heads/{pull.head_ref}"
        if pull.merged_at is not None:
            raise invalid(
                "PullRequest", "state", "state cannot be changed. The pull request is merged."
            )
        if self.issue(pull).state == "closed" and head not in self._core.git(repository).refs():
            message = f"state cannot be changed. The {pull.head_ref} branch has been deleted."
            raise invalid("PullRequest", "state", message)


def signature(account: Account, core: Core) -> Signature:
    """How commits made through the API name an account."""
    email = account.email or f"{account.id}+{account.login}@users.noreply.localhost"
    return Signature(account.name or account.login, email, core.now())


def check_actions(repository: Repository, by: Actor, *, open_pull: bool = False) -> None:
    """A GITHUB_TOKEN opens and approves pull requests only where the repository allows it, and by
    default it does not.
    https://docs.github.com/repositories/managing-your-repositorys-settings-and-features/enabling-features-for-your-repository/managing-github-actions-settings-for-a-repository
    """
    if not by.is_workflow or repository.actions_may_approve:
        return
    if open_pull:
        raise Refused(403, "GitHub Actions is not permitted to create or approve pull requests.")
    message = "GitHub Actions is not permitted to approve pull requests."
    docs = "https://docs.github.com/rest/pulls/reviews#create-a-review-for-a-pull-request"
    raise unprocessable(message, docs=docs)


def closing_numbers(body: str | None) -> list[int]:
    """The issues that a pull request's body says it closes, each once.
    https://docs.github.com/issues/tracking-your-work-with-issues/using-issues/linking-a-pull-request-to-an-issue
    """
    return list(dict.fromkeys(int(number) for number in _CLOSES.findall(body or "")))
