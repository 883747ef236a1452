"""Lays out what one run of act needs, and nothing else, in a folder that its sandbox sees."""

import json
import os
import re
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml

import bot
from bot.base import Data
from bot.checks.environment import Environment, default_folder, running_python
from bot.forge.embedded.actions.given import Given
from bot.forge.embedded.actions.plan import Plan, read_uses
from bot.forge.embedded.git.process import run_git
from bot.forge.embedded.store import Store
from bot.forge.embedded.store.rows import Json, Repository
from bot.ports.sandbox import Limits, SandboxJob

_PACKAGE = Path(bot.__file__).parent
_TOOLBOX = Path(__file__).parent / "toolbox"
_OWN_ACTIONS = _PACKAGE.parent / "actions"
_OWN = ("actions/check", "actions/generate", "actions/repair")
_USES = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)(?:/(?P<path>[^@]+))?@(?P<ref>.+)")
_MOST_ACTIONS = 50


class Order(Data):
    """What act is to run: `path` is the workflow's, `event` its name and `payload` its body;
    `addresses` are those of the embedded GitHub: server, api, graphql; `caches` is where earlier
    runs' caches lie. On a `machine` jobs have its network and may start sandboxes of their own."""

    repository: Repository
    path: str
    event: str
    payload: Json
    sha: str
    ref: str
    actor: str
    run_id: int
    number: int
    attempt: int
    token: str
    given: Given
    caches: Path
    addresses: tuple[str, str, str]
    machine: bool = False


class Workspace:
    """The folder of one run, which its caller removes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.checkout = folder / "checkout"
        self.artifacts = folder / "artifacts"
        self.caches = folder / "caches"
        self._home = folder / "home"
        self._given = folder / "given"
        self._tools = self._given / "tools"
        for place in (self.checkout, self.artifacts, self.caches, self._home, self._tools):
            place.mkdir(parents=True)

    def fill(self, store: Store, order: Order, plan: Plan) -> list[str]:
        """Check the commit out and put the actions in place; return act's options for them."""
        _check_out(store, order, self.checkout)
        for script in ("transfer.py", "caches.py", "app_token.py"):
            shutil.copyfile(_TOOLBOX / script, self._tools / script)
        waiting = [*plan.uses, *_uses_in(self.checkout)]
        options: list[str] = []
        seen: set[str] = set()
        while waiting and len(seen) < _MOST_ACTIONS:
            uses = waiting.pop()
            match = _USES.fullmatch(uses)
            if match is None or uses in seen:
                continue
            seen.add(uses)
            place = self._place(store, order.repository, match)
            if place is not None:
                options += ["--local-repository", f"{match['repository']}@{match['ref']}={place}"]
                waiting += _uses_in(place)
        return options

    def job(
        self,
        order: Order,
        plan: Plan,
        options: Iterable[str],
        environment: Environment | None,
        act: Path,
        limits: Limits,
    ) -> SandboxJob:
        """The one command that runs the workflow, for the sandbox."""
        event = self._write("event.json", json.dumps(order.payload))
        # In YAML, since the other form of these files has no values of several lines.
        secrets = {**order.given.secrets, "GITHUB_TOKEN": order.token}
        secret_file = self._write("secrets.yml", yaml.safe_dump(secrets))
        var_file = self._write("vars.yml", yaml.safe_dump(dict(order.given.variables)))
        host = order.addresses[0].partition("://")[2]
        argv = [
            *(str(act), order.event, "--json", "-C", str(self.checkout)),
            *("-W", str(self.checkout / order.path), "-e", str(event)),
            *("--secret-file", str(secret_file), "--env-file", "/dev/null"),
            *("--var-file", str(var_file), "--input-file", "/dev/null"),
            *("--actor", order.actor, "--github-instance", host),
            *("--defaultbranch", order.repository.default_branch),
            *("--no-cache-server", "--action-offline-mode"),
            *_platforms(plan),
            *options,
        ]
        for name, value in self._variables(order, environment).items():
            argv += ["--env", f"{name}={value}"]
        readable = [self.checkout, self._given, order.caches, act.resolve(), act, _PACKAGE]
        readable += running_python()
        return SandboxJob(
            argv=tuple(argv),
            workdir=self._given,
            readable=(*readable, *(environment.readable if environment else ())),
            writable=(self.artifacts, self.caches, self._home),
            env={"HOME": str(self._home), "PATH": "/usr/local/bin:/usr/bin:/bin"},
            limits=limits,
        )

    def _variables(self, order: Order, environment: Environment | None) -> dict[str, str]:
        """What every step finds in its environment beside what act itself sets."""
        server, api, graphql = order.addresses
        variables = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "TERM": "dumb",
            "PAGER": "cat",
            "GIT_PAGER": "cat",
            "PIP_NO_INDEX": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "GITHUB_SERVER_URL": server,
            "GITHUB_API_URL": api,
            "GITHUB_GRAPHQL_URL": graphql,
            "GITHUB_REF": order.ref,
            "GITHUB_RUN_ID": str(order.run_id),
            "GITHUB_RUN_NUMBER": str(order.number),
            "GITHUB_RUN_ATTEMPT": str(order.attempt),
            "EMBEDDED_PYTHON": sys.executable,
            "EMBEDDED_TOOLBOX": str(self._tools),
            "EMBEDDED_ARTIFACTS": str(self.artifacts),
            "EMBEDDED_CACHES": str(order.caches),
            "EMBEDDED_KEPT": str(self.caches),
        }
        if environment is not None:
            home = environment.python.parent
            variables |= {
                "PATH": f"{home}:{variables['PATH']}",
                "VIRTUAL_ENV": str(home.parent),
                "REPOWRIGHT_PYTHON": str(self._own_python()),
                "REPOWRIGHT_CHECK_ENV": str(home.parent),
                "REPOWRIGHT_SANDBOX": "none",
            }
        return variables | _of_machine() if order.machine else variables

    def _own_python(self) -> Path:
        """A Python that finds this very package, however it was installed."""
        script = self._write(
            "python", f'#!/bin/sh\nPYTHONPATH="{_PACKAGE.parent}" exec "{sys.executable}" -P "$@"\n'
        )
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        return script

    def _place(self, store: Store, repository: Repository, match: re.Match[str]) -> Path | None:
        """The folder that stands for an action's repository; None where act must cope."""
        owner, name = match["repository"].split("/")
        if owner == "actions":
            return self._stand_in(name)
        if (match["path"] or "").startswith(_OWN) and name == "repowright":
            return self._own_actions()
        found = store.repositories.find(owner, name)
        if found is None or (found.private and found.owner_id != repository.owner_id):
            return None
        sha = store.git(found).resolve(match["ref"])
        if sha is None:
            return None
        place = self._tools / "repositories" / sha
        if not place.exists():
            place.mkdir(parents=True)
            _export(store, found, sha, place)
        return place

    def _stand_in(self, name: str) -> Path | None:
        """Our action of this name, and those in its folders: `cache.save.yml` is `cache/save`."""
        if not (_TOOLBOX / f"{name}.yml").exists():
            return None
        place = self._tools / name
        for source in _TOOLBOX.glob(f"{name}.*"):
            inner = place.joinpath(*source.name.split(".")[1:-1])
            inner.mkdir(exist_ok=True)
            shutil.copyfile(source, inner / "action.yml")
        return place

    def _own_actions(self) -> Path:
        place = self._tools / "repowright"
        if not place.exists():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(_OWN_ACTIONS, place / "actions", ignore=ignored)
        return place

    def _write(self, name: str, text: str) -> Path:
        path = self._given / name
        path.touch(mode=0o600)
        path.write_text(text, encoding="utf-8")
        return path


def _of_machine() -> dict[str, str]:
    """What differs where nothing stands around the jobs: packages may be fetched as this user
    fetches them, and the tests of generated code get the sandbox that a runner would give them."""
    pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    return {
        "PIP_NO_INDEX": "0",
        **pip,
        "XDG_CACHE_HOME": str(default_folder().parents[1]),
        "REPOWRIGHT_SANDBOX": "bubblewrap",
        "REPOWRIGHT_SECONDS_BETWEEN_WRITES": "0",
    }


def _check_out(store: Store, order: Order, folder: Path) -> None:
    """A clone with the one commit, on a branch where the run is for one, as actions/checkout
    makes it; act copies it for each job."""
    bare = store.git(order.repository).path
    server = order.addresses[0]
    run_git(folder, "init", "-q")
    run_git(folder, "remote", "add", "origin", f"{server}/{order.repository.full_name}")
    run_git(folder, "fetch", "-q", "--depth=1", "--no-tags", f"file://{bare}", order.sha)
    branch = order.ref.removeprefix("refs/heads/")
    where = ["--detach"] if branch == order.ref else ["-B", branch]
    run_git(folder, "checkout", "-q", *where, order.sha)


def _export(store: Store, repository: Repository, sha: str, folder: Path) -> None:
    git = store.git(repository)
    run_git(folder, "init", "-q")
    run_git(folder, "fetch", "-q", "--depth=1", f"file://{git.path}", sha)
    run_git(folder, "checkout", "-q", "--detach", sha)
    shutil.rmtree(folder / ".git")


def _uses_in(folder: Path) -> Iterator[str]:
    """What the composite actions below a folder use themselves."""
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            path = Path(parent) / name
            if name in ("action.yml", "action.yaml") and not path.is_symlink():
                try:
                    yield from read_uses(path.read_bytes())
                except yaml.YAMLError:
                    continue


def _platforms(plan: Plan) -> Iterator[str]:
    """Every Linux label runs here; the machine itself is the runner."""
    labels = {"ubuntu-latest"}
    labels |= {label for job in plan.jobs if job.supported for label in job.labels}
    for label in sorted(labels):
        if "=" not in label and "${{" not in label:
            yield from ("-P", f"{label}=-self-hosted")
