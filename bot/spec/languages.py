"""Which programming languages the PRD and the architecture speak of."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import PurePosixPath

from bot.spec.markdown import blocks, location
from bot.spec.model import Document, DocumentKind, Location, Problem, Spec
from bot.spec.problems import problem
from bot.spec.words import words


def language_problems(spec: Spec) -> Iterator[Problem]:
    """A PRD that speaks of other languages than the files planned, and plans without Python."""
    planned = Counter(filter(None, (_of_file(f.path) for f in spec.files)))
    if not planned:
        return
    main, _ = planned.most_common(1)[0]
    if "Python" not in planned:
        place = next(f.location for f in spec.files if _of_file(f.path) == main)
        yield problem("language-not-python", place, language=main)
    spoken: dict[str, Location] = {}
    for document in spec.documents:
        if document.kind is DocumentKind.PRD:
            for name, place in _of_text(document):
                spoken.setdefault(name, place)
    if spoken and not spoken.keys() & planned.keys():
        name, place = next(iter(spoken.items()))
        yield problem("language-differs", place, prd=name, architecture=main)


def _of_file(path: str) -> str | None:
    suffix = PurePosixPath(path).suffix.lower()
    return next((n for n, lang in words().languages.items() if suffix in lang.suffixes), None)


def _of_text(document: Document) -> Iterator[tuple[str, Location]]:
    """The languages that a document names in sentences or shows in fences, with their place."""
    for block in blocks(document.text):
        if block.kind == "fence":
            info = block.info.lower().split(" ")[0]
            for name, language in words().languages.items():
                if info in language.fences:
                    yield name, location(document, block.line)
            continue
        for found in _sentence().finditer(block.text):
            said = found["a"] or found["b"]
            line = block.line + block.text.count("\n", 0, found.start())
            for name, language in words().languages.items():
                if said in language.names:
                    yield name, location(document, line)


@lru_cache(maxsize=1)
def _sentence() -> re.Pattern[str]:
    """`written in X`, `an X library`: what says that a project is made of a language."""
    names = sorted({n for lang in words().languages.values() for n in lang.names}, key=len)
    any_name = "|".join(re.escape(n) for n in reversed(names))
    made = "written|implemented|programmed|developed|built|coded"
    thing = "library|program|project|package|implementation|module|application|tool|codebase|crate"
    return re.compile(
        rf"\b(?:{made})\s+(?:\w+\s+)?(?:in|with|using)\s+(?P<a>{any_name})(?![\w+#.])"
        rf"|(?<![\w.+#])(?P<b>{any_name})\s+(?:\d[\d.+]*\s+)?(?:{thing})\b"
    )
