"""Start a run from a spec issue, or pick up the one that the issue's ref holds."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from datetime import datetime
from hashlib import sha256

from bot.config import Settings
from bot.phases.record import STATE, load
from bot.phases.run import Phase, RunState
from bot.phases.steering import heard_key
from bot.phases.surroundings import digest_of
from bot.phases.tally import Tally
from bot.ports.forge import Forge, Issue
from bot.ports.git import GitStore
from bot.ports.lease import LEASE
from bot.repoconfig.ceiling import Applied
from bot.runs.repository import settings_here
from bot.spec.issue import references, spec_from_issue
from bot.spec.model import Spec


def run_ref(issue: int) -> str:
    """The ref of an issue's run (design 2)."""
    return f"refs/repowright/{issue}"


def find_run(issue: int, git: GitStore) -> tuple[RunState, Spec] | None:
    """The run that the issue's ref holds, None where there is none."""
    git.fetch()
    files = run_files(issue, git)
    return load(files, run_ref(issue)) if files is not None else None


def run_files(issue: int, git: GitStore) -> Mapping[str, bytes] | None:
    """The files of an issue's ref as last fetched; None where no run is saved in it, though a job
    may hold it to start one."""
    files = git.load_ref(run_ref(issue))
    return None if files is None or (LEASE in files and STATE not in files) else files


def new_run(
    number: int,
    settings: Settings,
    forge: Forge,
    git: GitStore,
    clock: Callable[[], datetime],
    *,
    since: datetime | None = None,
    previous: RunState | None = None,
) -> tuple[RunState, Spec]:
    """The state before the first leg. The spec is the issue as it stands now (its digest is kept,
    later edits do not change the run), its settings those of the repository within `settings`;
    raise SettingsRefused where the repository's are wrong. What was said before `since`, or heard
    by the issue's `previous` run, is not heard again; what that run has done within an hour, and
    who had it go on within a day, counts for the new one too."""
    issue = forge.issue(number)
    files = _base_files(forge, git)
    applied = settings_here(files, settings)
    spec = _spec_of(issue, applied.settings, forge, files)
    state = begun(issue, spec, applied, forge, git, clock(), since=since, previous=previous)
    digest = digest_of(issue, applied.settings.check_tests)
    return state.model_copy(update={"issue_digest": digest}), spec


def begun(
    issue: Issue,
    spec: Spec,
    applied: Applied,
    forge: Forge,
    git: GitStore,
    now: datetime,
    *,
    since: datetime | None = None,
    previous: RunState | None = None,
) -> RunState:
    """The state of a run of this spec that begins now, for the issue as it stands."""
    settings = applied.settings
    return RunState(
        run_id=_run_id(issue, spec, previous),
        repository=forge.repository().full_name,
        issue=issue.number,
        issue_url=issue.html_url,
        title=spec.title or issue.title,
        branch=free_branch(issue.number, spec.title or issue.title, git),
        started=now,
        settings=settings,
        chosen=applied.chosen,
        spec_digest=spec.digest,
        labelled=settings.label.casefold() in {label.casefold() for label in issue.labels},
        seen=(*(previous.seen if previous else ()), *_said_before(issue, since)),
        legs=previous.legs + 1 if previous else 0,
        tally=previous.tally.carried() if previous else Tally(),
        released=previous.released if previous else (),
    )


def _run_id(issue: Issue, spec: Spec, previous: RunState | None) -> str:
    """Of the spec, and of all runs of the issue before: what one run has written is not taken for
    another's, though the spec be the same again. Where an earlier run's ref is gone, its comments
    tell of it."""
    said = "\n".join(c.body for c in issue.comments if c.author_is_bot)
    digest = spec.digest if previous is None else _digest(previous.run_id, spec.digest)
    while f"{(name := f'rw{issue.number}-{digest[:10]}')}:" in said:
        digest = _digest(name, spec.digest)
    return name


def _digest(*parts: str) -> str:
    return sha256("\0".join(parts).encode()).hexdigest()


def _said_before(issue: Issue, since: datetime | None) -> list[str]:
    return [heard_key(c) for c in issue.comments if since is not None and c.created_at < since]


def read_spec(issue: Issue, settings: Settings, forge: Forge, git: GitStore) -> Spec:
    """The spec of an issue with the files and attachments that it names."""
    return _spec_of(issue, settings, forge, _base_files(forge, git))


def _base_files(forge: Forge, git: GitStore) -> Mapping[str, bytes]:
    """The files of the default branch."""
    base = git.head(forge.repository().default_branch)
    return git.read(base) if base else {}


def _spec_of(issue: Issue, settings: Settings, forge: Forge, files: Mapping[str, bytes]) -> Spec:
    attachments = {url: forge.download(url) for url in references(issue).attachments}
    return spec_from_issue(issue, attachments, files, check_tests_dir=settings.check_tests)


def free_branch(number: int, title: str, git: GitStore) -> str:
    """`repowright/<issue>-<slug>`, with a number where somebody else has that name."""
    name = branch_name(number, title)
    names = [name, *(f"{name}-{n}" for n in range(2, 100))]
    return next(n for n in names if git.head(n) is None)


def branch_name(number: int, title: str) -> str:
    """The name of an issue's work branch, if nobody else has it."""
    return f"repowright/{number}-{slug(title)}"


def issue_of_branch(name: str) -> int | None:
    """The issue whose run works on a branch of this name, None where it is no run's."""
    found = re.match(r"repowright/([1-9]\d{0,8})-", name)
    return int(found[1]) if found else None


def slug(title: str) -> str:
    """A title as part of a branch name: ASCII letters, digits and single dashes, at most 40."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40].strip("-") or "spec"


def is_over(state: RunState) -> bool:
    return state.phase is Phase.DONE
