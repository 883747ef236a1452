"""From architecture documents to planned files: the tree first, then what is said of each file."""

import re
from collections.abc import Iterable

from bot.base import Data
from bot.spec.architecture.drafts import FileDraft, fuller
from bot.spec.architecture.evidence import Evidence
from bot.spec.architecture.reader import Walk, read_document
from bot.spec.architecture.tree import Tree, TreeEntry, looks_like_tree, read_tree
from bot.spec.markdown import Block, blocks, location
from bot.spec.model import Document, PlannedFile, Problem
from bot.spec.problems import problem
from bot.spec.words import words

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


class Plan(Data):
    """What the architecture documents ask for."""

    files: tuple[PlannedFile, ...]
    directories: tuple[str, ...]
    problems: tuple[Problem, ...]


def plan_files(documents: Iterable[Document], trees: Iterable[Document], known: Evidence) -> Plan:
    """Read the trees of all documents, then their prose. `trees` are documents that hold a bare
    tree and nothing else, such as directory_tree.txt."""
    problems: list[Problem] = []
    read = [(document, blocks(document.text)) for document in documents]
    files: dict[str, FileDraft] = {}
    folders: dict[str, None] = {}
    for document, found in read:
        for block in found:
            if block.kind == "fence" and looks_like_tree(block.text):
                shift = 1 if block.line >= 0 else 0
                tree = read_tree(block.text)
                _add_tree(document, block.line + shift, tree, files, folders, problems)
    for document in trees:
        _add_tree(document, 0, read_tree(document.text), files, folders, problems)
    _rename_root(read, files, folders, problems)
    for document, found in read:
        walk = read_document(document, found, known, files, tuple(folders))
        _settle(walk, problems)
    return Plan(
        files=tuple(files[path].plan() for path in sorted(files)),
        directories=tuple(sorted(folders)),
        problems=tuple(problems),
    )


def _add_tree(
    document: Document,
    first: int,
    tree: Tree,
    files: dict[str, FileDraft],
    folders: dict[str, None],
    problems: list[Problem],
) -> None:
    if _shows_the_spec(tree):
        return
    for entry in _without_project_folder(tree.entries):
        place = location(document, first + entry.line, entry.column)
        if _outside(entry.path):
            problems.append(problem("path-outside", place, path=entry.path))
        elif entry.folder:
            folders.setdefault(entry.path)
        elif entry.path not in files:
            draft = files[entry.path] = FileDraft(entry.path, place)
            if entry.comment:
                draft.texts.append(entry.comment)
        elif files[entry.path].location.file == place.file:
            problems.append(
                problem(
                    "planned-twice", place, path=entry.path, line=files[entry.path].location.line
                )
            )
    for line in tree.unread:
        place = location(document, first + line)
        problems.append(problem("tree-line-unread", place))


def _shows_the_spec(tree: Tree) -> bool:
    """Spec Kit's plans draw the folder of the feature's own documents too."""
    names = {e.path.rpartition("/")[2] for e in tree.entries}
    return "plan.md" in names and any(e.path.startswith("specs/") for e in tree.entries)


def _outside(path: str) -> bool:
    return path.startswith(("/", "~")) or ".." in path.split("/") or ":" in path


def _without_project_folder(entries: tuple[TreeEntry, ...]) -> tuple[TreeEntry, ...]:
    """Drop a root folder that stands for the repository: it holds the project's own files and is
    no package."""
    tops = {e.path.partition("/")[0] for e in entries}
    if len(tops) != 1:
        return entries
    root = next(iter(tops))
    children = {e.path.split("/")[1].lower() for e in entries if e.path.startswith(f"{root}/")}
    if "__init__.py" in children or not children & words().project_files:
        return entries
    return tuple(
        e.model_copy(update={"path": e.path.removeprefix(f"{root}/")})
        for e in entries
        if e.path != root
    )


_ROOTED = re.compile(r"^#+\s*`?([A-Za-z_]\w*)/[\w./-]*", re.MULTILINE)


def _rename_root(
    read: list[tuple[Document, tuple[Block, ...]]],
    files: dict[str, FileDraft],
    folders: dict[str, None],
    problems: list[Problem],
) -> None:
    """A root that is no Python name while the prose names another one: the prose is right."""
    roots = {p.partition("/")[0] for p in files}
    if len(roots) != 1 or next(iter(roots)).isidentifier():
        return
    old = next(iter(roots))
    if f"{old}/__init__.py" not in files:
        return
    named = {m for document, _ in read for m in _ROOTED.findall(document.text)}
    if len(named) != 1:
        return
    new = named.pop()
    place = next(iter(files.values())).location
    problems.append(problem("root-renamed", place, old=old, new=new))
    for path in list(files):
        draft = files.pop(path)
        draft.path = new + path.removeprefix(old)
        files[draft.path] = draft
    for path in list(folders):
        del folders[path]
        folders[new + path.removeprefix(old)] = None


def _settle(walk: Walk, problems: list[Problem]) -> None:
    """Give files that the tree does not know, and second mentions, to undescribed files of the
    tree where their names say so; else keep them, and merge what was said twice."""
    for path, draft in list(walk.files.items()):
        if draft.in_tree or not draft.described:
            continue
        target = _meant(walk, draft)
        if not path.endswith(".py") and not draft.defines and walk.resolver.paths:
            problems.append(problem("file-left-out", draft.location, path=path))
            del walk.files[path]
        elif target:
            problems.append(problem("file-taken-for", draft.location, name=path, path=target))
            del walk.files[path]
            _merge(walk.files[target], draft, walk)
        else:
            problems.append(problem("file-not-in-tree", draft.location, path=path))
    for first, again in walk.twice:
        target = "" if first.names() & again.names() else _meant(walk, again)
        if target:
            problems.append(problem("file-taken-for", again.location, name=again.path, path=target))
            _merge(walk.files[target], again, walk)
        else:
            line = first.location.line
            problems.append(problem("described-twice", again.location, path=again.path, line=line))
            _merge(first, again, walk)
    for draft in walk.files.values():
        if draft.orphans:
            _adopt(draft, walk, problems)


def _meant(walk: Walk, draft: FileDraft) -> str:
    """The one undescribed file whose name shares most words with what the draft defines."""
    named = {w.lower() for name in draft.names() for w in _WORDS.findall(name)}
    scores: dict[str, int] = {}
    for path in walk.resolver.undescribed():
        stem = path.rpartition("/")[2].removesuffix(".py")
        score = len(
            {w.lower().rstrip("s") for w in _WORDS.findall(stem)} & {w.rstrip("s") for w in named}
        )
        if score:
            scores[path] = score
    best = max(scores.values(), default=0)
    winners = [p for p, s in scores.items() if s == best]
    return winners[0] if len(winners) == 1 else ""


def _merge(into: FileDraft, draft: FileDraft, walk: Walk) -> None:
    into.described = True
    into.location = draft.location if not into.defines else into.location
    walk.resolver.described.add(into.path)
    into.texts.extend(t for t in draft.texts if t not in into.texts)
    for function in draft.functions.values():
        into.add_function(function)
    for name, cls in draft.classes.items():
        own = into.classes.setdefault(name, cls)
        if own is not cls:
            own.bases = own.bases or cls.bases
            own.texts = own.texts or cls.texts
            for method in cls.methods.values():
                own.methods[method.name] = fuller(own.methods.get(method.name), method)
            for attribute in cls.attributes.values():
                own.add_attribute(attribute)
    for variable in draft.variables.values():
        into.add_variable(variable)
    into.orphans.extend(draft.orphans)


def _adopt(draft: FileDraft, walk: Walk, problems: list[Problem]) -> None:
    """Methods whose class the document does not name go to a class of the file that has them, to
    the class of the UML that has most of them, or to one named like the file."""
    names = {o.name for o in draft.orphans}
    if any(names <= set(c.methods) for c in draft.classes.values()):
        draft.orphans.clear()
        return
    planned = {name for f in walk.files.values() for name in f.classes}
    known = walk.reader.known.methods
    shared = {n: len(names & m) for n, m in known.items() if n not in planned and names & m}
    stem = draft.path.rpartition("/")[2].removesuffix(".py")
    guess = "".join(part.capitalize() for part in stem.split("_") if part) or "Main"
    name = max(shared, key=lambda n: (shared[n], n), default=guess)
    place = draft.orphans[0].location
    problems.append(problem("methods-without-class", place, path=draft.path, name=name))
    owner = draft.class_of(name, place)
    for method in draft.orphans:
        owner.add_method(method)
    draft.orphans.clear()
