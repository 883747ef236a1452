"""GitHub's search syntax, as far as clients use it; REST and GraphQL both ask here.

https://docs.github.com/search-github/searching-on-github/searching-issues-and-pull-requests
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from bot.forge.embedded.store import Actor, Store
from bot.forge.embedded.store.merging import review_decision
from bot.forge.embedded.store.rows import Account, Issue, Pull, Repository

_TERM = re.compile(
    r'(?P<not>-?)(?:(?P<name>[a-z-]+):)?(?:"(?P<quoted>[^"]*)"|(?P<plain>[^\s()"]+))'
)
_JOINING = ("AND", "OR", "NOT")


@dataclass(frozen=True)
class Term:
    """A word (empty name), or a qualifier such as label:bug; negated with a minus."""

    name: str
    value: str
    negated: bool


def parse(text: str, me: str = "") -> list[Term]:
    """The terms of a query; `me` is the login that @me stands for."""
    terms = []
    for found in _TERM.finditer(text):
        value = found["plain"] if found["quoted"] is None else found["quoted"]
        if value not in _JOINING:
            value = me if value == "@me" else value
            terms.append(Term(found["name"] or "", value, bool(found["not"])))
    return terms


@dataclass(frozen=True)
class Candidate:
    """An issue as the qualifiers see it."""

    store: Store
    repository: Repository
    issue: Issue

    @cached_property
    def pull(self) -> Pull | None:
        return self.store.pulls.of_issue(self.issue) if self.issue.is_pull else None

    @cached_property
    def labels(self) -> set[str]:
        return {label.name.lower() for label in self.store.issues.label_rows(self.issue)}

    def login(self, account_id: int) -> str:
        return self.store.accounts.get(account_id).login.lower()

    def named(self, value: str) -> str:
        return value.removeprefix("app/").lower()

    def states(self) -> set[str]:
        """Everything that `is:` may say of it."""
        words = {"pr", "pull-request"} if self.issue.is_pull else {"issue"}
        words |= {self.issue.state, "private" if self.repository.private else "public"}
        words.add("locked" if self.issue.locked else "unlocked")
        if self.pull is not None:
            words.add("merged" if self.pull.merged_at else "unmerged")
            words |= {"draft"} if self.pull.draft else set()
        return words

    def wrote(self, login: str) -> bool:
        talk = self.store.issues.comments(self.issue)
        return any(self.login(comment.author_id) == login for comment in talk)

    def mentions(self, login: str) -> bool:
        texts = [self.issue.body or ""] + [c.body for c in self.store.issues.comments(self.issue)]
        return any(f"@{login}" in text.lower() for text in texts)

    def review_state(self) -> str:
        if self.pull is None:
            return "none"
        return (review_decision(self.store, self.repository, self.pull) or "none").lower()

    def lacks(self, what: str) -> bool:
        empty = {
            "label": not self.issue.label_ids,
            "assignee": not self.issue.assignee_ids,
            "milestone": self.issue.milestone_id is None,
        }
        return empty.get(what, False)

    def says(self, word: str, places: set[str]) -> bool:
        texts = []
        if "title" in places:
            texts.append(self.issue.title)
        if "body" in places:
            texts.append(self.issue.body or "")
        if "comments" in places:
            texts += [comment.body for comment in self.store.issues.comments(self.issue)]
        return word.lower() in "\n".join(texts).lower()


Check = Callable[[Candidate, str], bool]
QUALIFIERS: Mapping[str, Check] = {
    "assignee": lambda c, v: c.named(v) in {c.login(i) for i in c.issue.assignee_ids},
    "author": lambda c, v: c.login(c.issue.author_id).removesuffix("[bot]") == c.named(v),
    "base": lambda c, v: c.pull is not None and c.pull.base_ref == v,
    "commenter": lambda c, v: c.wrote(c.named(v)),
    "draft": lambda c, v: c.pull is not None and str(c.pull.draft).lower() == v,
    "head": lambda c, v: c.pull is not None and c.pull.head_ref == v,
    "involves": lambda c, v: (
        c.named(v) in {c.login(i) for i in (c.issue.author_id, *c.issue.assignee_ids)}
        or c.wrote(c.named(v))
        or c.mentions(c.named(v))
    ),
    "is": lambda c, v: v.lower() in c.states(),
    "label": lambda c, v: any(name.lower().strip('"') in c.labels for name in v.split(",")),
    "mentions": lambda c, v: c.mentions(c.named(v)),
    "no": Candidate.lacks,
    "number": lambda c, v: str(c.issue.number) == v,
    "reason": lambda c, v: (c.issue.state_reason or "").replace("_", " ") == v.replace("-", " "),
    "review": lambda c, v: c.review_state() == v.lower().replace("required", "review_required"),
    "review-requested": lambda c, v: (
        c.pull is not None and c.named(v) in {c.login(i) for i in c.pull.requested_reviewer_ids}
    ),
    "reviewed-by": lambda c, v: (
        c.pull is not None
        and c.named(v) in {c.login(r.author_id) for r in c.store.reviews.of(c.pull)}
    ),
    "sha": lambda c, v: c.pull is not None and c.pull.head_sha.startswith(v.lower()),
    "state": lambda c, v: c.issue.state == v.lower(),
    "type": lambda c, v: v.lower() in c.states(),
}
_REPOSITORY_TERMS: Mapping[str, Callable[[Repository, str], bool]] = {
    "org": lambda r, v: r.owner.lower() == v,
    "repo": lambda r, v: r.full_name.lower() == v,
    "user": lambda r, v: r.owner.lower() == v,
}
_ASIDE = ("archived", "in", "order", "sort")
_PLACES = {"title", "body", "comments"}


def search_issues(store: Store, actor: Actor, text: str) -> list[Issue]:
    """What matches every term and the actor may see, newest first unless `sort:` says so."""
    terms = parse(text, _login(actor))
    wanted = [term for term in terms if term.name not in _ASIDE]
    places = {p for term in terms if term.name == "in" for p in term.value.split(",")} or _PLACES
    found = [
        issue
        for repository in store.repositories.visible_to(actor)
        if all(_names(repository, term) != term.negated for term in wanted)
        for issue in store.issues.of(repository)
        if _fits(Candidate(store, repository, issue), wanted, places)
    ]
    order = next((term.value for term in terms if term.name == "sort"), "created-desc")
    column = "updated_at" if order.startswith("updated") else "created_at"
    return sorted(
        found,
        key=lambda issue: (getattr(issue, column), issue.id),
        reverse=not order.endswith("-asc"),
    )


def search_repositories(store: Store, actor: Actor, text: str) -> list[Repository]:
    return [
        repository
        for repository in store.repositories.visible_to(actor)
        if all(_describes(repository, term) != term.negated for term in parse(text, _login(actor)))
    ]


def search_accounts(store: Store, text: str) -> list[Account]:
    words = [term.value.lower() for term in parse(text) if not term.name]
    people = [a for a in store.tables.accounts.find() if a.kind != "Bot"]
    return [a for a in people if all(w in f"{a.login} {a.name or ''}".lower() for w in words)]


def _login(actor: Actor) -> str:
    return actor.account.login if actor.account else ""


def _names(repository: Repository, term: Term) -> bool:
    """Whether the terms that choose repositories let it pass; looked at first, being cheap."""
    check = _REPOSITORY_TERMS.get(term.name)
    return not term.negated if check is None else check(repository, term.value.lower())


def _fits(candidate: Candidate, terms: list[Term], places: set[str]) -> bool:
    return all(_check(candidate, term, places) != term.negated for term in terms)


def _check(candidate: Candidate, term: Term, places: set[str]) -> bool:
    if term.name in _REPOSITORY_TERMS:
        return not term.negated
    check = QUALIFIERS.get(term.name)
    if check is None:
        word = f"{term.name}:{term.value}" if term.name else term.value
        return candidate.says(word, places)
    return check(candidate, term.value)


def _describes(repository: Repository, term: Term) -> bool:
    value = term.value.lower()
    check = _REPOSITORY_TERMS.get(term.name)
    if check is not None:
        return check(repository, value)
    if term.name == "is":
        return value == ("private" if repository.private else "public")
    return (
        bool(term.name) or value in f"{repository.full_name} {repository.description or ''}".lower()
    )
