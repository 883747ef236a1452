"""A spec from an issue: its body, the author's comments, attachments, files of the repository."""

import re
from collections.abc import Mapping

from bot.ports.forge import Issue
from bot.spec.architecture.tree import looks_like_tree
from bot.spec.assemble import Parts, assemble
from bot.spec.folder import add_document, add_file
from bot.spec.given import given_file, is_data, present_file, requirement_lines
from bot.spec.kinds import is_requirements, kind_of_file
from bot.spec.markdown import blocks
from bot.spec.model import Document, DocumentKind, Location, Spec
from bot.spec.paths import repository_path
from bot.spec.problems import problem
from bot.spec.references import (
    References,
    attachment_name,
    author_texts,
    references,
    references_of,
)
from bot.spec.split import Pieces, mask_details, split_document
from bot.spec.texts import decode, normalise

__all__ = ["references", "spec_from_issue"]

_FEWEST_WORDS = 12
_PRD_WORDS = 30
_MOST_PRESENT = 500
# Every repetition has an end: a text of brackets alone must not take the square of its length.
_LINK = re.compile(r"\[[^\[\]\n]{0,300}\]\([^()\n]{0,600}\)")
_FILE_NAME = re.compile(r".+\.\w{1,8}\W*")


def spec_from_issue(
    issue: Issue,
    attachments: Mapping[str, bytes],
    repository_files: Mapping[str, bytes],
    check_tests_dir: str = "check_tests",
) -> Spec:
    """Read an issue. `attachments` maps the addresses that `references` listed to contents,
    `repository_files` maps paths of the repository to contents: what `references` listed, and
    whatever stands under `check_tests_dir` and in requirements.txt.

    Only the author's own comments count; anyone may comment on a public repository.
    """
    where = f"issue #{issue.number}"
    parts = Parts(title=issue.title, check_tests_dir=check_tests_dir, where=where)
    reader = _IssueReader(parts, issue, attachments, repository_files)
    for index, text in enumerate(author_texts(issue)):
        name = where if index == 0 else f"comment {index} of {where}"
        reader.text(Document(file=name, kind=DocumentKind.OTHER, text=text), body=index == 0)
    reader.finish()
    return assemble(parts)


class _IssueReader:
    """Collects the parts of a spec from the texts of one issue."""

    def __init__(
        self,
        parts: Parts,
        issue: Issue,
        attachments: Mapping[str, bytes],
        repository: Mapping[str, bytes],
    ) -> None:
        self.parts = parts
        self.issue = issue
        self.attachments = attachments
        self.repository = repository
        self.taken: set[str] = set()
        self.loose: list[Document] = []

    def text(self, document: Document, *, body: bool) -> None:
        """Sort in one text; a comment counts only where it holds a part of a spec."""
        pieces = split_document(document, self.parts.check_tests_dir)
        if pieces is None:
            self._unheaded(document, body=body)
            return
        for part in pieces.documents:
            self._part(part)
        for rest in pieces.rest:
            self._references(rest.text, DocumentKind.OTHER)
            if body:
                self.loose.append(rest)
        self._extras(pieces, body=body)

    def finish(self) -> None:
        """Add what the repository holds, and settle what the PRD is."""
        folder = f"{self.parts.check_tests_dir.strip('/')}/"
        for path in sorted(self.repository):
            if path in self.taken:
                continue
            if path.startswith(folder) and not path.endswith(".pyc"):
                self.parts.check_tests.append(given_file(path, self.repository[path]))
            elif is_requirements(path) and "/" not in path:
                text = decode(self.repository[path]) or ""
                self.parts.requirements.extend(requirement_lines(text))
            elif is_data(path) and len(self.parts.present) < _MOST_PRESENT:
                self.parts.present.append(present_file(path, self.repository[path]))
        self._settle_prd()

    def _settle_prd(self) -> None:
        """Without a part headed PRD, the body's own text is the PRD if it says enough."""
        if any(d.kind is DocumentKind.PRD for d in self.parts.documents):
            self.parts.documents.extend(self.loose)
            return
        words = sum(len(d.text.split()) for d in self.loose)
        if words < _PRD_WORDS:
            self.parts.documents.extend(self.loose)
            return
        first = self.loose[0]
        place = Location(file=first.file, line=first.first_line)
        self.parts.problems.append(problem("prd-assumed", place))
        prd = [d.model_copy(update={"kind": DocumentKind.PRD}) for d in self.loose]
        self.parts.documents.extend(prd)

    def _unheaded(self, document: Document, *, body: bool) -> None:
        self._references(document.text, DocumentKind.OTHER)
        masked = mask_details(document.text)
        if body:
            self.loose.append(document.model_copy(update={"text": masked}))
            return
        fences = [b for b in blocks(masked) if b.kind == "fence"]
        if any(re.match(r"\{?mermaid", f.info, re.IGNORECASE) for f in fences):
            kind = DocumentKind.UML
        elif any(looks_like_tree(f.text) for f in fences):
            kind = DocumentKind.ARCHITECTURE
        else:
            return
        self.parts.documents.append(document.model_copy(update={"kind": kind, "text": masked}))

    def _part(self, part: Document) -> None:
        """A headed part; where it only points at files, these stand for it."""
        found = self._references(part.text, part.kind)
        words = _LINK.sub(" ", part.text).split() if found else []
        if not found or sum(not _is_place(word) for word in words) >= _FEWEST_WORDS:
            self.parts.documents.append(part)

    def _extras(self, pieces: Pieces, *, body: bool) -> None:
        self.parts.check_tests.extend(pieces.check_tests)
        self.parts.requirements.extend(pieces.requirements)
        if pieces.title and body:
            self.parts.title = pieces.title

    def _references(self, text: str, kind: DocumentKind) -> bool:
        """Take in what a text points at; whether anything was found."""
        refs = references_of(text, self.issue.html_url)
        before = len(self.taken)
        self._attached(refs, kind)
        for path in refs.paths:
            self._path(path, kind)
        return len(self.taken) > before

    def _attached(self, refs: References, kind: DocumentKind) -> None:
        for url in refs.attachments:
            if url in self.taken:
                continue
            data = self.attachments.get(url)
            if data is None:
                place = Location(file=self.parts.where)
                missing = problem("attachment-missing", place, name=attachment_name(url))
                self.parts.problems.append(missing)
                continue
            self.taken.add(url)
            name = repository_path(attachment_name(url))
            if name is not None:
                self._file(name, data, kind)

    def _path(self, path: str, kind: DocumentKind) -> None:
        if not path.endswith("/"):
            if path in self.repository and path not in self.taken:
                self.taken.add(path)
                self._file(path, self.repository[path], kind)
            return
        if path.startswith(self.parts.check_tests_dir.strip("/") + "/"):
            return  # `finish` takes the check tests, under their own paths
        for name in sorted(self.repository):
            if name.startswith(path) and name not in self.taken:
                self.taken.add(name)
                add_file(self.parts, name.removeprefix(path), self.repository[name])

    def _file(self, path: str, data: bytes, kind: DocumentKind) -> None:
        """One file that the issue points at: its name says what it is, else where it is named."""
        own = kind_of_file(path)
        if is_requirements(path):
            self.parts.requirements.extend(requirement_lines(decode(data) or ""))
        elif path.endswith(".py"):
            self.parts.check_tests.append(given_file(self._test_path(path), data))
        elif own is None and kind is DocumentKind.OTHER:
            self.parts.resources.append(given_file(path, data))
        elif own is not None and own is not DocumentKind.OTHER:
            add_document(self.parts, path, own, data)
        elif kind is not DocumentKind.OTHER or not self._split(path, data):
            add_document(self.parts, path, kind, data)

    def _test_path(self, path: str) -> str:
        """Where a Python file that was linked belongs: among the check tests."""
        folder = self.parts.check_tests_dir.strip("/")
        return path if path.startswith(f"{folder}/") else f"{folder}/{path.rpartition('/')[2]}"

    def _split(self, path: str, data: bytes) -> bool:
        """An attachment that holds several documents under headings of their own."""
        text = decode(data)
        if text is None:
            return False
        document = Document(file=path, kind=DocumentKind.OTHER, text=normalise(text))
        pieces = split_document(document, self.parts.check_tests_dir)
        if pieces is None:
            return False
        self.parts.documents.extend([*pieces.documents, *pieces.rest])
        self._extras(pieces, body=False)
        return True


def _is_place(word: str) -> bool:
    """Whether a word is a path or the name of a file rather than one of a sentence."""
    return "/" in word or _FILE_NAME.fullmatch(word[:300]) is not None
