"""What the bot says of a specification's documents before it builds from them."""

import pytest

from bot.phases.opening import notes_on_documents
from bot.phases.run import Phase, Round
from bot.phases.show import rounds_table
from bot.spec.folder import spec_from_files


def notes(uml: str) -> str:
    files = {"PRD.md": b"# Lamp\n\nA lamp.\n", "UML_class.md": uml.encode()}
    return "\n".join(notes_on_documents(spec_from_files(files)))


@pytest.mark.parametrize(
    "uml",
    [
        "```mermaid\nclassDiagram\n  clas Lamp {\n    on()\n```\n",
        "```mermaid\nclassDiagrm\n  class Lamp {\n    +on()\n  }\n```\n",
        "```mermaid\nclassDiagram\n```\n",
    ],
)
def test_a_diagram_of_which_no_class_is_left_is_said_plainly(uml: str) -> None:
    told = notes(uml)
    assert "**No class could be read from the diagram at UML_class.md:" in told
    assert "No UML was given" not in told


def test_lines_of_a_diagram_that_are_lost_are_counted() -> None:
    good = "```mermaid\nclassDiagram\n  class Lamp {\n    +on()\n  }\n"
    assert "diagram" not in notes(f"{good}```\n")
    told = notes(f"{good}  class B ((\n  what is this\n```\n")
    assert "2 lines of the diagrams could not be read" in told
    assert "the first at UML_class.md:6." in told


def test_the_table_of_rounds_names_the_tests_that_one_loses() -> None:
    lost = Round(
        phase=Phase.CODE,
        iteration=2,
        commit="0123456789",
        verdict="revise",
        tests_passed=2,
        tests_total=3,
        note="test_lamp.py::test_on[@ann]",
        kept=False,
    )
    assert "| 2 / 3, lost test_lamp.py::test_on[@\u200bann] |" in rounds_table([lost])
