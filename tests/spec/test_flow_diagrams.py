"""Flow and package diagrams, and Mermaid blocks that are something else or broken as a whole."""

import pytest

from bot.spec.mermaid.diagrams import Diagrams

from .kit import corpus_diagrams, diagrams, mermaid


@pytest.fixture(scope="module")
def found() -> Diagrams:
    return corpus_diagrams("flows.md")


def test_nodes_have_titles_and_groups(found: Diagrams) -> None:
    nodes = {n.id: n for n in found.packages[0].nodes}
    assert nodes["INIT"].title == "__init__.py\npublic names"
    assert nodes["HARBOUR"].title == "harbour.py\nHarbour, Berth"
    assert nodes["HARBOUR"].group == ("ferry package", "Core modules")
    assert nodes["EXT"].title == "sqlite3"
    assert nodes["EXT"].group == ()
    assert nodes["LOG"].title == "log"


def test_edges_of_every_kind(found: Diagrams) -> None:
    edges = {(e.source, e.target, e.label) for e in found.packages[0].edges}
    assert edges == {
        ("INIT", "HARBOUR", ""),
        ("HARBOUR", "EXT", ""),
        ("HARBOUR", "TIDE", "asks"),
        ("TIDE", "LOG", ""),
        ("A", "C", ""),
        ("B", "C", ""),
        ("TIDE", "EXT", "reads"),
    }


def test_an_edge_to_nowhere_is_reported(found: Diagrams) -> None:
    (problem,) = found.problems
    assert problem.message == "This line of a flow diagram cannot be understood: HARBOUR -->"
    assert problem.hint == 'Write nodes as `A["title"]` and edges as `A --> B`.'
    assert (problem.location.line, problem.location.column) == (19, 13)


def test_statements_on_the_header_line(found: Diagrams) -> None:
    (edge,) = found.packages[1].edges
    assert (edge.source, edge.target) == ("x.py", "y.py")


@pytest.mark.parametrize(
    "shape",
    [
        '["a b"]',
        '("a b")',
        '(("a b"))',
        '{"a b"}',
        '{{"a b"}}',
        '[("a b")]',
        '(["a b"])',
        '[["a b"]]',
        '>"a b"]',
        '[/"a b"/]',
        "[a b]",
        "(a b)",
    ],
)
def test_every_shape_of_a_node(shape: str) -> None:
    found = mermaid("graph TD", f"X{shape} --> Y")
    assert found.packages[0].nodes[0].title == "a b"
    assert found.problems == ()


def test_a_block_without_a_kind() -> None:
    (problem,) = mermaid("", "  clasDiagram", "class A").problems
    assert problem.message == (
        "This Mermaid block does not begin with a kind of diagram that is known: clasDiagram"
    )
    assert problem.hint == "Begin it with classDiagram, sequenceDiagram, graph TD or flowchart TD."
    assert (problem.severity, problem.location.line, problem.location.column) == ("warning", 3, 3)


def test_an_empty_block() -> None:
    (problem,) = mermaid("%% nothing").problems
    assert problem.message == "This Mermaid block holds no diagram."
    assert problem.location.line == 1


def test_a_kind_that_is_not_evaluated() -> None:
    found = mermaid("erDiagram", "A ||--o{ B : has")
    (problem,) = found.problems
    assert problem.message == "A erDiagram is kept as text and not evaluated."
    assert problem.severity == "note"


def test_an_unclosed_fence() -> None:
    found = diagrams("# UML\n\n```mermaid\nclassDiagram\nclass A\n")
    assert [b.name for b in found.classes[0].classes] == ["A"]
    (problem,) = found.problems
    assert problem.code == "fence-unclosed"
    assert problem.location.line == 3


def test_indented_fences_keep_their_columns() -> None:
    found = diagrams("- a list\n\n  ```mermaid\n  graph TD\n    A -->\n  ```\n")
    (problem,) = found.problems
    assert (problem.location.line, problem.location.column) == (5, 7)


def test_a_file_that_is_one_diagram() -> None:
    found = diagrams("---\ntitle: X\n---\nclassDiagram\nclass A\n", "uml.mmd")
    assert [b.name for b in found.classes[0].classes] == ["A"]
