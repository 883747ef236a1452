"""No text crashes the intake, and none makes it slow: issues are written by strangers."""

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.spec import lint_report, references, spec_from_files, spec_from_issue
from bot.spec.architecture.tree import looks_like_tree, read_tree
from bot.spec.mermaid.members import read_member
from bot.spec.model import Location
from bot.spec.signatures import parse_parameters

from .kit import CORPUS, diagrams, folder, issue

LINES = [
    line
    for path in sorted(CORPUS.rglob("*.md"))
    for line in path.read_text(encoding="utf-8").split("\n")
    if line.strip()
]
MARKS = [*"()[]{}<>~`*_-=|:;.,'\"#%&+/\\│├└─ \t\n", "```", "-->", "<|--", "->>", "class ", "end"]
line = st.one_of(st.sampled_from(LINES), st.text(max_size=60))
noise = st.lists(st.one_of(st.sampled_from(MARKS), st.text(max_size=8)), max_size=60).map("".join)
headers = st.sampled_from(
    ["classDiagram", "sequenceDiagram", "graph TD", "flowchart LR", "", "pie"]
)
quick = settings(
    max_examples=120,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


@st.composite
def broken(draw: st.DrawFn) -> str:
    """A line of the corpus with pieces cut out, doubled or put in."""
    text = draw(line)
    for _ in range(draw(st.integers(0, 3))):
        a = draw(st.integers(0, len(text)))
        b = draw(st.integers(a, len(text)))
        text = (
            text[:a]
            + draw(st.one_of(st.just(""), st.sampled_from(MARKS), st.just(text[a:b] * 2)))
            + text[b:]
        )
    return text


@quick
@given(headers, st.lists(st.one_of(broken(), noise), max_size=25))
def test_no_diagram_crashes_and_every_problem_has_a_place(header: str, lines: list[str]) -> None:
    text = "\n".join(["```mermaid", header, *lines, "```"])
    rows = text.count("\n") + 1
    for problem in diagrams(text).problems:
        assert 1 <= problem.location.line <= rows
        assert problem.location.column >= 1
        assert problem.message


@quick
@given(st.one_of(noise, line))
def test_no_member_crashes(text: str) -> None:
    found = read_member(text, Location(file="x"))
    assert found.member is None or found.member.name.isidentifier()
    parameters, _ = parse_parameters(text)
    assert all(p.name.isidentifier() or p.name in ("*", "/") for p in parameters)


@quick
@given(st.lists(st.one_of(broken(), noise), max_size=25))
def test_no_tree_crashes(lines: list[str]) -> None:
    text = "\n".join(lines)
    looks_like_tree(text)
    assert all(e.path and not e.path.startswith("/") for e in read_tree(text).entries)


@quick
@given(st.lists(st.one_of(broken(), noise), max_size=40))
def test_no_documents_crash(lines: list[str]) -> None:
    text = "\n".join(lines).encode("utf-8", "replace")
    spec = spec_from_files(
        {
            "PRD.md": text,
            "architecture.md": folder("ferry")["architecture_design.md"] + b"\n" + text,
            "UML.md": text,
            "check_tests/test_x.py": text,
            "requirements.txt": text,
        }
    )
    lint_report(spec)
    assert all(".." not in f.path.split("/") and not f.path.startswith("/") for f in spec.files)


@quick
@given(st.lists(st.one_of(broken(), noise), max_size=40))
def test_no_issue_crashes(lines: list[str]) -> None:
    made = issue("\r\n".join(lines), ("anna", "\n".join(reversed(lines))))
    found = references(made)
    assert all(not p.startswith("/") and ".." not in p.split("/") for p in found.paths)
    lint_report(spec_from_issue(made, {}, {}))


WHOLE = """# Title

@

`a.py`:

- @

```mermaid
classDiagram
@
class X {
@
}
```

```mermaid
sequenceDiagram
@
```

```mermaid
graph TD
@
```

```
@
```
"""
HOSTILE = {
    "backticks": "`" * 20_000,
    "brackets": "(" * 20_000,
    "squares": "[" * 10_000 + "](",
    "quotes": "\"'" * 10_000,
    "tildes": "a~" * 10_000,
    "stars": "*a" * 10_000,
    "dashes": "-" * 20_000,
    "spaces": "a" + " " * 20_000 + "b",
    "words": "class " * 4_000,
    "commas": "f(" + "a, " * 6_000 + ")",
    "pipes": "│   " * 5_000 + "├── a.py",
    "details": "<details>" * 4_000,
    "arrows": "A" + " --> A" * 3_000,
    "links": "[a](b" * 4_000,
    "dots": "a." * 10_000,
    "lines": "\n".join(f"- `f{i}(a, b)`: text" for i in range(3_000)),
    "boxes": "\n".join(f"class C{i} {{\n+f(a) int\n}}\nC{i} --> C{i + 1}" for i in range(1_000)),
    "nested": "\n".join("  " * min(i, 90) + f"- `f{i}()`: x" for i in range(400)),
    "shapes": 'A((("' + 'a"' * 5_000,
    "comments": "<!--" * 10_000,
    "summaries": "<summary>" * 5_000,
    "fences": "```\n```\n" * 3_000,
    "opened": "A -- b " * 2_000,
    "heirs": "\n".join(f"class D{i} {{\n}}\nD{i} --|> D{i + 1}" for i in range(700, 0, -1)),
    "tree": "\n".join(f"├── module_{i}.py" for i in range(1_500)),
    "strays": "\n".join(f"`modul{i}.py`:\n\n- `f{i}()`: x\n" for i in range(1_500)),
    "guessed": "\n".join(f"`mod{i}.py`:\n- `f{i}()`: x" for i in range(150)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_read_in_good_time(name: str) -> None:
    text = HOSTILE[name]
    whole = WHOLE.replace("@", text)
    files = {n: whole.encode() for n in ("PRD.md", "architecture.md", "UML.md")}
    start = time.perf_counter()
    spec = spec_from_files({**files, "check_tests/test_x.py": text.encode()})
    spec_from_issue(issue(whole), {}, {})
    assert time.perf_counter() - start < 20
    assert spec.documents
