"""What is known of the repository that Repowright is to be added to: looked up, never changed."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import yaml
from git import InvalidGitRepositoryError, NoSuchPathError, Repo
from git.exc import GitCommandError

from bot.base import Data, RepowrightError
from bot.checks.project import find_tests
from bot.config import Settings

_REMOTE = re.compile(
    r"(?:https?://(?:[^@/]+@)?|ssh://git@|git@)(?P<host>[\w.-]+(?::\d+)?)[:/]"
    r"(?P<name>[\w.-]+/[\w.-]+?)(?:\.git)?/?"
)
_OWN_CHECK = "Repowright check"
_OWN_FILE = "repowright-check.yml"
_EXTRAS = ("test", "tests", "testing", "dev")
_LARGEST_WORKFLOW = 256 * 1024
_FILE_NAME = re.compile(r"[A-Za-z0-9_.-]+\.ya?ml")
_FOLDER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*")
_CALLS_CHECK = re.compile(r"uses:\s*[\"']?[\w.-]+/repowright/actions/check@")


class CheckWorkflow(Data):
    """The workflow that calls actions/check: its name, and its file's."""

    name: str = _OWN_CHECK
    file: str = _OWN_FILE


class Target(Data):
    """The repository: its `root`, default branch, and where it is at home: `web` is a GitHub's
    address, `name` OWNER/NAME or "" where no remote tells. `tests` is the folder of its tests,
    `extras` what pyproject.toml has for them, `check` a workflow of its own that calls
    actions/check."""

    root: Path
    default_branch: str = "main"
    web: str = "https://github.com"
    name: str = ""
    tests: str = Settings().check_tests
    extras: tuple[str, ...] = ()
    check: CheckWorkflow | None = None

    @property
    def has_own_tests(self) -> bool:
        """Whether its tests are people's, with whatever settings those need."""
        return self.tests != Settings().check_tests


def target_at(folder: Path) -> Target:
    """What the repository around a folder is; raises RepowrightError where there is none."""
    try:
        with Repo(folder, search_parent_directories=True) as repository:
            root = repository.working_tree_dir
            if root is None:
                raise InvalidGitRepositoryError(folder)
            web, name = _home(repository)
            branch = _default_branch(repository)
    except (InvalidGitRepositoryError, NoSuchPathError) as error:
        raise RepowrightError(
            "there is no git repository here",
            where=str(folder),
            hint="run this in a clone, or name one with --directory",
        ) from error
    return Target(
        root=Path(root),
        default_branch=branch,
        web=web,
        name=name,
        tests=_tests(Path(root)),
        extras=_extras(Path(root)),
        check=next(_checks(Path(root)), None),
    )


def _home(repository: Repo) -> tuple[str, str]:
    """(web address, OWNER/NAME) of the remote `origin`."""
    urls = [remote.url for remote in repository.remotes if remote.name == "origin"]
    match = _REMOTE.fullmatch(urls[0]) if urls else None
    if match is None:
        return Target.model_fields["web"].default, ""
    scheme = "http" if urls[0].startswith("http://") else "https"
    return f"{scheme}://{match['host']}", match["name"]


def _default_branch(repository: Repo) -> str:
    """The remote's default branch as the clone knows it, else the branch that is checked out."""
    try:
        told = str(repository.git.symbolic_ref("--short", "refs/remotes/origin/HEAD"))
        return told.removeprefix("origin/")
    except GitCommandError:
        if repository.head.is_detached:
            return str(Target.model_fields["default_branch"].default)
        return repository.head.ref.name


def _tests(root: Path) -> str:
    found = next(iter(find_tests(root)), "").rstrip("/")
    return found if _FOLDER.fullmatch(found) else Settings().check_tests


def _extras(root: Path) -> tuple[str, ...]:
    """The extra or dependency group that a project's tests are likely to need."""
    try:
        document = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
        extras = {
            **document.get("project", {}).get("optional-dependencies", {}),
            **document.get("dependency-groups", {}),
        }
    except (OSError, ValueError, AttributeError, TypeError):
        return ()
    return tuple(name for name in _EXTRAS if name in extras)[:1]


def _checks(root: Path) -> Iterator[CheckWorkflow]:
    """Workflows that call actions/check already."""
    folder = root / ".github" / "workflows"
    for path in sorted(folder.glob("*.y*ml")):
        if not _FILE_NAME.fullmatch(path.name) or path.is_symlink() or not path.is_file():
            continue
        if path.stat().st_size > _LARGEST_WORKFLOW:
            continue
        text = path.read_text("utf-8", errors="replace")
        if _CALLS_CHECK.search(text):
            yield CheckWorkflow(name=_name(text, path), file=path.name)


def _name(text: str, path: Path) -> str:
    """As GitHub names it: by its path where it has no name."""
    try:
        table = yaml.safe_load(text)
    except yaml.YAMLError:
        table = None
    name = str((table.get("name") if isinstance(table, dict) else None) or "")
    if "${{" in name or not name.isprintable():
        raise RepowrightError(
            "the name of this workflow is no plain text",
            where=f".github/workflows/{path.name}",
            hint="give it a plain name, so that other workflows can be told of it",
        )
    return name or f".github/workflows/{path.name}"
