"""What a run leaves behind for everyone to see, in words that are the same in every run: commits
by what they are called, no times, no ports."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby, zip_longest
from pathlib import Path

from bot.forge.embedded.store import Store
from bot.forge.embedded.store.rows import Issue, Repository
from bot.model.ledger import Ledger
from bot.phases.run import RunState

Ending = Mapping[str, tuple[str, ...]]
"""Section -> its lines."""

_SHOWN = 200
_CONTEXT = 40
_COMMIT = re.compile(r"\b[0-9a-f]{7,40}\b")
_RULES = (
    (re.compile(r"http://127\.0\.0\.1:\d+"), "http://HOST"),
    (re.compile(r"\b(?:\d+ h )?(?:\d+ min )?\d+(?:\.\d)? (?:s|min)\b"), "TIME"),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)?"), "DATE"),
)


def ending_of(store: Store, repository: Repository, asked: Path, run_ref: str) -> Ending:
    """Branches with their files, the run, everything that was posted, and what it cost."""
    plain = _plain(store, repository)
    state = run_state(store, repository, run_ref)
    return {
        "branches": tuple(_branches(store, repository, plain)),
        "run": tuple(_run(state, plain)),
        "legs": tuple(_legs(store, repository, run_ref)),
        "issues": tuple(_issues(store, repository, plain)),
        "reactions": tuple(sorted(_reactions(store))),
        "pulls": tuple(_pulls(store, repository)),
        "reviews": tuple(_reviews(store, plain)),
        "checks": tuple(sorted(_checks(store, plain))),
        "workflow_runs": tuple(sorted(_workflow_runs(store, plain))),
        "ledger": tuple(sorted(_ledger(store, repository, run_ref))),
        "paid": tuple(sorted(asked.read_text("utf-8").splitlines() if asked.exists() else ())),
    }


def differences(expected: Ending, found: Ending) -> list[str]:
    """What is in one ending and not in the other, section by section, for a person."""
    return [
        f"{section}: {line}"
        for section in expected
        if expected[section] != found[section]
        for line in _changed(expected[section], found[section])
    ]


def _changed(old: tuple[str, ...], new: tuple[str, ...]) -> Iterator[str]:
    missing, extra = list(old), []
    for line in new:
        if line in missing:
            missing.remove(line)
        else:
            extra.append(line)
    if not missing and not extra:
        yield "in another order"
    for was, now in zip_longest(missing, extra, fillvalue=""):
        start = max(_common(was, now) - _CONTEXT, 0)
        if was:
            yield f"- {was[start : start + _SHOWN]}"
        if now:
            yield f"+ {now[start : start + _SHOWN]}"


def _common(one: str, other: str) -> int:
    """How many characters two texts share at their start."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _plain(store: Store, repository: Repository) -> Callable[[str], str]:
    """Text without what differs from run to run."""
    git = store.git(repository)
    names = {
        commit.sha: commit.message.splitlines()[0] for ref in git.refs() for commit in git.log(ref)
    }

    def named(found: re.Match[str]) -> str:
        name = next((name for sha, name in names.items() if sha.startswith(found[0])), None)
        return found[0] if name is None else f"<{name}>"

    def plain(text: str) -> str:
        for rule, word in _RULES:
            text = rule.sub(word, text)
        return _COMMIT.sub(named, text)

    return plain


def run_state(store: Store, repository: Repository, run_ref: str) -> RunState | None:
    """The run as its ref holds it, None where there is none."""
    git = store.git(repository)
    entry = git.entry(run_ref, "state.json") if git.resolve(run_ref) else None
    return RunState.model_validate_json(git.blob(entry.sha)) if entry else None


def _run(state: RunState | None, plain: Callable[[str], str]) -> Iterator[str]:
    if state is None:
        return
    yield f"{state.outcome} in {state.phase}: {state.outcome_note}"
    yield f"budget {state.settings.budget.model_dump_json()}"
    yield f"head {plain(state.head)}, seen {', '.join(state.seen)}"
    yield from (plain(note) for note in state.notes)
    for round_ in state.rounds:
        facts = round_.model_dump(mode="json", exclude={"seconds"})
        yield plain(json.dumps(facts))


def _legs(store: Store, repository: Repository, run_ref: str) -> Iterator[str]:
    """The phases and iterations that the run went through. How often it looked whether a check had
    ended is a matter of time; but no leg is saved twice."""
    messages = [commit.message.splitlines() for commit in store.git(repository).log(run_ref)]
    marks = [lines[-1] for lines in messages]
    yield f"{len(marks) - len(set(marks))} legs saved twice"
    yield from (step for step, _ in groupby(lines[0].partition(": ")[2] for lines in messages))


def _branches(store: Store, repository: Repository, plain: Callable[[str], str]) -> Iterator[str]:
    git = store.git(repository)
    for ref in git.refs("refs/heads/"):
        yield ref
        for commit in git.log(ref):
            yield f"{commit.author.email} {plain(commit.message)}"
        yield from (f"{e.mode} {e.sha} {e.path}" for e in git.entries(ref, recursive=True))


def _issues(store: Store, repository: Repository, plain: Callable[[str], str]) -> Iterator[str]:
    for issue in store.issues.of(repository):
        yield f"#{issue.number} {issue.state} {issue.title}\n{plain(issue.body or '')}"
        yield from _comments(store, issue, plain)


def _comments(store: Store, issue: Issue, plain: Callable[[str], str]) -> Iterator[str]:
    for comment in store.issues.comments(issue):
        author = store.accounts.get(comment.author_id).login
        yield f"#{issue.number} {author}: {plain(comment.body)}"


def _reactions(store: Store) -> Iterator[str]:
    for reaction in store.tables.reactions.find():
        login = store.accounts.get(reaction.account_id).login
        yield f"{login} {reaction.content} {reaction.subject} {reaction.subject_id}"


def _pulls(store: Store, repository: Repository) -> Iterator[str]:
    for pull in store.pulls.of(repository):
        state = "draft" if pull.draft else "ready"
        yield f"#{pull.number} {pull.head_ref} -> {pull.base_ref}, {state}"


def _reviews(store: Store, plain: Callable[[str], str]) -> Iterator[str]:
    for review in store.tables.reviews.find():
        author = store.accounts.get(review.author_id).login
        yield f"{author} {review.state} on {plain(review.commit_id)}: {plain(review.body)}"
        for note in store.reviews.comments(review):
            yield f"{note.path}:{note.line}: {plain(note.body)}"


def _checks(store: Store, plain: Callable[[str], str]) -> Iterator[str]:
    actions = store.apps.actions().id
    for run in store.tables.check_runs.find():
        if run.app_id != actions or run.external_id:
            said = plain(json.dumps([run.output, run.annotations]))
            yield f"{run.name} {run.conclusion} on {plain(run.head_sha)}: {said}"
    for status in store.tables.statuses.find():
        yield f"{status.context} {status.state} on {plain(status.sha)}: {status.description}"


def _workflow_runs(store: Store, plain: Callable[[str], str]) -> Iterator[str]:
    for run in store.tables.workflow_runs.find():
        yield f"{run.name} {run.event} {run.conclusion} on {plain(run.head_sha)}"


def _ledger(store: Store, repository: Repository, run_ref: str) -> Iterable[str]:
    """The calls as the run's ref holds them: what was asked and what it took."""
    git = store.git(repository)
    entry = git.entry(run_ref, "ledger.jsonl") if git.resolve(run_ref) else None
    if entry is None:
        return
    for line in Ledger.from_jsonl(git.blob(entry.sha), name="ledger.jsonl").calls:
        yield f"{line.step} {line.outcome} {line.usd} {line.usage.model_dump_json()}"
