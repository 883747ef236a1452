"""Artifacts Retriever: what the project holds for a path, as planned, as skeleton or as code."""

from collections.abc import Mapping
from difflib import get_close_matches
from enum import StrEnum

from bot.base import Data, RepowrightError
from bot.spec.model import Location
from bot.state.model import ProjectState
from bot.state.reconcile import signature
from bot.verify.tools.places import asked_for


class Binding(StrEnum):
    """The three kinds of artifacts; the paper counts the retriever once for each."""

    ARCHITECTURE = "architecture"
    SKELETON = "skeleton"
    CODE = "code"


class Artifact(Data):
    """The artifact of one path. The location of an architecture node is where the documents ask
    for it, that of a source its own file."""

    path: str
    binding: Binding
    text: str
    location: Location


def planned(state: ProjectState, path: str) -> Artifact:
    """The architecture node of a path: what it is for and what it holds, a line each."""
    node = state.node(path)
    if node is None or "::" in path:
        raise _missing(path, Binding.ARCHITECTURE, [n.path for n in state.nodes])
    lines = [f"{path}: {node.purpose}" if node.purpose else path]
    for inner in state.inside(path) if path.endswith(".py") else state.children(path):
        depth = 1 + inner.qualname.count(".")
        said = f"  # {inner.purpose}" if inner.purpose else ""
        lines.append("    " * depth + signature(inner) + said)
    return Artifact(
        path=path,
        binding=Binding.ARCHITECTURE,
        text="\n".join(lines),
        location=asked_for(node),
    )


def source(files: Mapping[str, str], path: str, binding: Binding) -> Artifact:
    """The skeleton or code of a path, from sources by path."""
    if path not in files:
        raise _missing(path, binding, files)
    return Artifact(path=path, binding=binding, text=files[path], location=Location(file=path))


def _missing(path: str, binding: Binding, known: Mapping[str, str] | list[str]) -> RepowrightError:
    near = get_close_matches(path, sorted(set(known)), n=3, cutoff=0.5)
    names = ", ".join(f"`{n}`" for n in near)
    return RepowrightError(
        f"there is no {binding.value} of `{path}`",
        hint=f"near to it: {names}" if names else "give a path of the project",
    )
