"""A spec from a folder that has been read into memory, a Spec Kit feature folder included."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from bot.spec.assemble import Parts, assemble
from bot.spec.given import given_file, requirement_lines
from bot.spec.kinds import is_requirements, kind_of_file
from bot.spec.markdown import blocks
from bot.spec.model import Document, DocumentKind, Location, Spec
from bot.spec.paths import repository_path
from bot.spec.problems import problem
from bot.spec.split import split_document
from bot.spec.texts import decode

LONGEST_DOCUMENT = 1_000_000
_NOT_GIVEN = frozenset(
    [
        ".git",
        ".hg",
        "__pycache__",
        ".pytest_cache",
        ".mypy_cache",
        ".ruff_cache",
        ".venv",
        "venv",
        "node_modules",
        ".repowright",
        ".specify",
        ".idea",
        ".vscode",
    ]
)
_DOCUMENT_WORDS = re.compile(
    r"^(?:feature specification|product requirements? document|prd)(?:\s*\(prd\))?"
    r"(?:\s+document)?\s*(?:for|of|:|[-–—])?\s*",
    re.IGNORECASE,
)
_GENERIC = re.compile(
    r"^(?:\d+\.?\s*)?(?:introduction|overview|requirements|goals|features|purpose|background|summary"
    r"|table of contents|project|document)\b",
    re.IGNORECASE,
)
_DOCUMENT_FOLDERS = frozenset(["docs", "doc", "spec", "specs", "design"])


def spec_from_files(
    files: Mapping[str, bytes], title: str = "", check_tests_dir: str = "check_tests"
) -> Spec:
    """Read a spec folder; `files` maps POSIX paths relative to the folder to contents.

    Documents are told by their names: PRD*.md, UML*.md, architecture*.md, directory_tree.txt, or
    Spec Kit's spec.md, plan.md, data-model.md and contracts/
    (https://github.com/github/spec-kit). Requirements come from requirements*.txt, check tests
    from `check_tests_dir`; all other files are resources.
    """
    parts = Parts(title=title, check_tests_dir=check_tests_dir)
    for name in sorted(files):
        path = repository_path(name)
        if path is None or _NOT_GIVEN & set(PurePosixPath(path).parts):
            continue
        add_file(parts, path, files[name])
    _split_whole(parts)
    parts.title = title or _title(parts.documents)
    spec = assemble(parts)
    return spec if spec.title else spec.model_copy(update={"title": _root(spec) or "Project"})


def add_file(parts: Parts, path: str, data: bytes) -> None:
    """Sort one file of the folder in."""
    kind = kind_of_file(path) if _may_be_document(path) else None
    if path.startswith(f"{parts.check_tests_dir.strip('/')}/"):
        if not path.endswith(".pyc"):
            parts.check_tests.append(given_file(path, data))
    elif is_requirements(path) and _may_be_document(path):
        parts.requirements.extend(requirement_lines(decode(data) or ""))
    elif kind is not None:
        add_document(parts, path, kind, data)
    elif not path.endswith(".pyc"):
        parts.resources.append(given_file(path, data))


def add_document(parts: Parts, path: str, kind: DocumentKind, data: bytes) -> None:
    text = decode(data)
    if text is None:
        parts.problems.append(problem("not-text", Location(file=path), name=path))
        return
    if len(text) > LONGEST_DOCUMENT:
        found = problem(
            "too-large", Location(file=path), name=path, size=len(text), limit=LONGEST_DOCUMENT
        )
        parts.problems.append(found)
        text = text[:LONGEST_DOCUMENT]
    parts.documents.append(Document(file=path, kind=kind, text=text))


def _may_be_document(path: str) -> bool:
    """Documents lie at the top, below docs/ and the like, or in a Spec Kit contracts/ folder."""
    folders = PurePosixPath(path).parts[:-1]
    return all(f.lower() in _DOCUMENT_FOLDERS or f == "contracts" for f in folders) or (
        bool(folders) and folders[0] == "specs"
    )


def _split_whole(parts: Parts) -> None:
    """One document may hold all parts under headings of their own: a PRD where neither UML nor
    architecture are given apart, any other document where no PRD is."""
    kinds = {d.kind for d in parts.documents}
    splitting = DocumentKind.OTHER if DocumentKind.PRD not in kinds else DocumentKind.PRD
    if splitting is DocumentKind.PRD and kinds & {DocumentKind.UML, DocumentKind.ARCHITECTURE}:
        return
    if splitting is DocumentKind.OTHER and len(parts.documents) == 1:
        sole = parts.documents[0]
        if sole.kind is DocumentKind.OTHER and split_document(sole) is None:
            parts.documents = [sole.model_copy(update={"kind": DocumentKind.PRD})]
            return
    out: list[Document] = []
    for document in parts.documents:
        pieces = split_document(document, parts.check_tests_dir)
        if pieces is None or document.kind is not splitting:
            out.append(document)
            continue
        out.extend(pieces.documents)
        rest = [d.model_copy(update={"kind": splitting}) for d in pieces.rest]
        out.extend(rest)
        parts.requirements.extend(pieces.requirements)
        parts.check_tests.extend(pieces.check_tests)
    parts.documents = out


def _title(documents: list[Document]) -> str:
    """What the first heading of the PRD names, empty where it only says what the document is."""
    prd = next((d for d in documents if d.kind is DocumentKind.PRD), None)
    heading = next((b for b in blocks(prd.text) if b.kind == "heading"), None) if prd else None
    if heading is None or heading.level > 1:
        return ""
    title = _DOCUMENT_WORDS.sub("", heading.text.strip("`* "))
    return "" if _GENERIC.match(title) else title


def _root(spec: Spec) -> str:
    """The only folder that holds planned Python files, empty where there are several."""
    roots = {f.path.partition("/")[0] for f in spec.files if f.path.endswith("/__init__.py")}
    return next(iter(roots)) if len(roots) == 1 else ""
