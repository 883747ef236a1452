"""The Dockerfile and its lock: what the image runs as, and that it holds what the code needs.
`make walk-image` carries the Dockerfile out."""

import json
import re
import tomllib
from typing import Any

from deployed import DEPLOY, REPOSITORY
from dockerfile_parse import DockerfileParser
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_STEPS: list[dict[str, Any]] = DockerfileParser(
    path=str(DEPLOY / "Dockerfile"), env_replace=False
).structure


def test_bases_are_pinned_to_one_version() -> None:
    bases = {value.split()[0] for value in _values("FROM")}
    assert len(bases) == 1
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-[a-z]+", bases.pop())


def test_runs_as_a_user_by_number() -> None:
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", _values("USER")[-1])
    last = [step["instruction"] for step in _STEPS if step["instruction"] in ("USER", "RUN")][-1]
    assert last == "USER", "nothing is done as root after the user is set"


def test_starts_the_server_with_data_that_outlive_it() -> None:
    assert json.loads(_values("ENTRYPOINT")[0])[-1] == "repowright"
    assert json.loads(_values("CMD")[0]) == ["serve"]
    assert json.loads(_values("VOLUME")[0]) == ["/var/lib/repowright"]
    assert "REPOWRIGHT_DATA=/var/lib/repowright" in _values("ENV")[-1]
    assert "/healthz" in _values("HEALTHCHECK")[0]


def test_says_what_it_is() -> None:
    labels = " ".join(_values("LABEL"))
    version = _project()["project"]["version"]
    for name in ("title", "source", "licenses", "version", "revision"):
        assert f"org.opencontainers.image.{name}=" in labels
    assert f"VERSION={version}" in _values("ARG")
    compose = (DEPLOY / "compose.yaml").read_text("utf-8")
    assert f"REPOWRIGHT_VERSION:-{version}" in compose


def test_the_lock_holds_what_the_project_asks_for() -> None:
    """`make lock` pins anew after a change of dependencies."""
    lock = (DEPLOY / "requirements.txt").read_text("utf-8")
    pinned = {
        canonicalize_name(name): version
        for name, version in re.findall(r"^([\w.-]+)==(\S+)", lock, re.MULTILINE)
    }
    project = _project()["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["postgres"]]
    for requirement in map(Requirement, wanted):
        version = pinned.get(canonicalize_name(requirement.name))
        assert version is not None, f"deploy/requirements.txt lacks {requirement.name}: make lock"
        assert requirement.specifier.contains(version), (
            f"{requirement} against {version}: make lock"
        )
    assert "://" not in lock, "the lock names no registry"


def test_nothing_unasked_goes_into_the_image() -> None:
    rules = (DEPLOY / "Dockerfile.dockerignore").read_text("utf-8").split("\n")
    assert rules[1] == "*"
    copied = {word for value in _values("COPY") if "--from" not in value for word in value.split()}
    let_in = {rule.removeprefix("!") for rule in rules if rule.startswith("!")}
    assert {word for word in copied if not word.startswith(".")} == let_in


def _values(instruction: str) -> list[str]:
    return [step["value"] for step in _STEPS if step["instruction"] == instruction]


def _project() -> dict[str, Any]:
    return tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
