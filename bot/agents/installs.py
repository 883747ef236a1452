"""What a project file has an installer fetch, in every form that pip, uv and their like read by
themselves; the text comes from a model and is hostile. Pure."""

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from bot.base import Data

_REQUIREMENTS = re.compile(
    r"(?:[\w.-]*[-_.])?(?:requirements|constraints)[\w.-]*\.(?:txt|in)|reqs\.txt"
)
_IN_FOLDER = re.compile(r"(?:.*/)?(?:requirements|constraints)/[^/]+\.(?:txt|in)")
# Files that say where packages come from, or name each by its address.
_PLACES = re.compile(
    r"(?:poetry|uv|pdm|pixi)\.lock|pipfile\.lock|pylock(?:\.[^/]+)?\.toml|conda-lock\.ya?ml"
    r"|(?:uv|pixi|poetry)\.toml|pip\.(?:conf|ini)|\.pypirc|environment\.ya?ml"
)
# pip reads a file in the encoding that one of its first two lines names.
# https://pip.pypa.io/en/stable/reference/requirements-file-format/#encoding
_CODING = re.compile(r"coding[:=]\s*(?!utf-?8\b|ascii\b)")
# https://packaging.python.org/en/latest/specifications/inline-script-metadata/
_SCRIPT = re.compile(r"(?m)^# /// script[ \t]*$\n(?P<lines>(?:^#(?: .*)?$\n)+?)^# ///[ \t]*$")
_ADDRESSES = frozenset({"url", "git", "hg", "svn", "find-links", "index-url", "extra-index-url"})
_ELSEWHERE = _ADDRESSES | {"path", "file", "source", "index"}
_SETUP = ("install_requires", "setup_requires", "tests_require", "extras_require")


class Asked(Data):
    """Requirement lines, and what is written instead of one; `build` is for building alone."""

    lines: tuple[str, ...] = ()
    build: tuple[str, ...] = ()


def is_place(path: str) -> bool:
    """Whether a file as a whole says where packages come from."""
    return _PLACES.fullmatch(path.rpartition("/")[2].lower()) is not None


def asked(path: str, text: str) -> Asked:
    """What a file asks for; nothing for other files, and for one that its tool could not read."""
    path = path.lower()
    name = path.rpartition("/")[2]
    if _lists_requirements(path):
        return Asked(lines=_of_text(text))
    if name == "pyproject.toml":
        return _of_pyproject(_toml(text))
    if name == "pipfile":
        return Asked(lines=tuple(_of_pipfile(_toml(text))))
    if name.endswith(".py"):
        of_setup = _of_setup(text) if name == "setup.py" else ()
        return Asked(lines=(*of_setup, *_of_script(text)))
    return Asked()


def _lists_requirements(path: str) -> bool:
    name = path.rpartition("/")[2]
    return bool(_REQUIREMENTS.fullmatch(name) or _IN_FOLDER.fullmatch(path))


def _of_text(text: str) -> tuple[str, ...]:
    """Lines of a requirements file; a comment that changes how the rest is read is none."""
    found = []
    for number, raw in enumerate(text.splitlines()):
        line = raw.strip()
        if number < 2 and line.startswith("#") and _CODING.search(line):
            found.append(line)
        line = "" if line.startswith("#") else line.partition(" #")[0].strip()
        if line:
            found.append(line)
    return tuple(found)


def _toml(text: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _of_pyproject(document: Mapping[str, Any]) -> Asked:
    project, build = _table(document, "project"), _table(document, "build-system")
    lines = [*_texts(project.get("dependencies"))]
    for groups in (_table(project, "optional-dependencies"), _table(document, "dependency-groups")):
        for group in groups.values():
            lines += _texts(group)
    lines += _of_tables(_table(document, "tool"))
    return Asked(lines=tuple(lines), build=tuple(_texts(build.get("requires"))))


def _of_pipfile(document: Mapping[str, Any]) -> Iterator[str]:
    """Every table of it but two lists packages."""
    for name, value in document.items():
        if name not in ("requires", "scripts"):
            packages = isinstance(value, Mapping)
            yield from _of_dependencies(value) if packages else _of_tables({name: value})


def _of_tables(tables: Mapping[str, Any]) -> Iterator[str]:
    """What tables of a tool ask for, however deep: all that is called dependencies or requirements,
    and addresses."""
    for name, value in tables.items():
        if name in _ADDRESSES and value:
            yield f"{name} = {value}"
        elif re.fullmatch(r"(?:.*[-_])?(?:dependencies|requires)", name):
            yield from _of_dependencies(value)
        elif isinstance(value, Mapping):
            yield from _of_tables(value)
        elif isinstance(value, list):
            for entry in value:
                if isinstance(entry, Mapping):
                    yield from _of_tables(entry)


def _of_dependencies(value: object) -> Iterator[str]:
    """A list of requirement lines; or a table of packages, of groups of lines, or of files with
    lines (https://setuptools.pypa.io/en/latest/userguide/pyproject_config.html#dynamic-metadata)."""
    yield from _texts(value)
    for name, detail in value.items() if isinstance(value, Mapping) else ():
        if name == "file":
            files = detail if isinstance(detail, list) else [detail]
            yield from (f"-r {f}" for f in files if not _lists_requirements(str(f).lower()))
        elif isinstance(detail, Mapping) and set(detail) == {"file"}:
            yield from _of_dependencies(detail)
        elif isinstance(detail, list):
            yield from _texts(detail)
        elif isinstance(detail, Mapping) and not _ELSEWHERE.isdisjoint(detail):
            yield f"{name} from {dict(detail)}"
        elif name != "python":
            yield str(name)


def _of_script(text: str) -> Iterator[str]:
    """What a script asks of who runs it with `uv run` or `pipx run`."""
    for block in _SCRIPT.finditer(text):
        lines = (line.removeprefix("#")[1:] for line in block["lines"].splitlines())
        document = _toml("\n".join(lines))
        yield from _texts(document.get("dependencies"))
        yield from _of_tables(_table(document, "tool"))


def _of_setup(text: str) -> Iterator[str]:
    """The literals of `setup(…)`; what else that program does is code like any other."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    assigned = [node for node in ast.walk(tree) if isinstance(node, ast.Assign)]
    names = {t.id: a.value for a in assigned for t in a.targets if isinstance(t, ast.Name)}
    for call in ast.walk(tree):
        for keyword in call.keywords if isinstance(call, ast.Call) else ():
            if keyword.arg in _SETUP:
                yield from _strings(keyword.value, names)
            elif keyword.arg == "dependency_links":
                yield from (f"--find-links {link}" for link in _strings(keyword.value, names))


def _strings(node: ast.expr, names: Mapping[str, ast.expr], depth: int = 0) -> Iterator[str]:
    """Texts in lists and tables of literals, and in names that stand for such."""
    inner: list[ast.expr] = []
    match node:
        case ast.Constant(value=str(text)):
            yield from (line.strip() for line in text.splitlines() if line.strip())
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            inner = parts
        case ast.Dict(values=parts):
            inner = parts
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            inner = [left, right]
        case ast.Name(id=name) if name in names:
            inner = [names[name]]
    if depth < 20:
        for part in inner:
            yield from _strings(part, names, depth + 1)


def _table(around: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = around.get(name)
    return found if isinstance(found, Mapping) else {}


def _texts(value: object) -> Iterator[str]:
    for entry in value if isinstance(value, list) else ():
        if isinstance(entry, str):
            yield entry
