"""The project of the runs that faults strike: its issue, and a model that gets it wrong first."""

import re

from bot.bench.parts import FUNCTIONS, MODULES, Part, Way, part_of, path_of, source_of, spec_files
from bot.phases.texts import page
from bot.ports.model import ModelRequest
from bot.spec.folder import spec_from_files
from bot.spec.model import DocumentKind

_MODULES = {path_of(module): module for module in range(MODULES)}
_SHOWN = re.compile(r'^<file path="([^"]+)">\n(.*?)\n</file>$', re.DOTALL | re.MULTILINE)
_RIGHT: tuple[Way, ...] = tuple("right" for _ in range(1 + FUNCTIONS))
_WRONG: tuple[Way, ...] = ("wrong", "right", "raises", "right", "right")


def issue() -> tuple[str, str]:
    """Title and body; the check tests stand in the body, so that the repository may be empty."""
    spec = spec_from_files(spec_files())
    texts = {document.kind: document.text.strip() for document in spec.documents}
    tests = "\n\n".join(f"`{t.path}`\n\n```python\n{t.text}```" for t in spec.check_tests)
    body = page(
        "issue",
        prd=texts[DocumentKind.PRD],
        uml=texts[DocumentKind.UML],
        architecture=texts[DocumentKind.ARCHITECTURE],
        check_tests=tests,
        requirements="",
    )
    return spec.title, body


def answer(request: ModelRequest) -> str:
    """The coder gets two of five functions wrong in the first module; the fixer mends what it is
    shown. The same answer to the same question, whichever process asks."""
    question = request.messages[1].content
    if request.role == "coder":
        named = re.search(r"^Your files?: (.*)$", question, re.MULTILINE)
        paths = re.findall(r"`([^`]+)`", named[1]) if named else []
        return "".join(_block(path, _first(path)) for path in paths)
    _, _, shown = question.partition("The files that you may change:")
    found = [path for path, text in _SHOWN.findall(shown) if part_of(text) is not None]
    mended = (source_of(_MODULES[path], Part(ways=_RIGHT, revision=1)) for path in found)
    blocks = [_block(path, text) for path, text in zip(found, mended, strict=True)]
    return "Some sums are wrong.\n\n" + "".join(blocks)


def _first(path: str) -> str:
    module = _MODULES.get(path)
    if module is None:
        return '"""Sums."""\n'
    return source_of(module, Part(ways=_WRONG if module == 0 else _RIGHT))


def _block(path: str, text: str) -> str:
    return f'<file path="{path}">\n{text}</file>\n'
