"""What the validator says, word for word, with file, line and hint."""

import pytest

from bot.spec import spec_from_files
from bot.spec.model import Problem, Severity, Spec

from .kit import codes, folder

PRD = b"# Tool\n\nIt counts words.\n"
ARCHITECTURE = (
    "# Architecture\n\n```\n├── tool\n│   ├── __init__.py\n│   ├── count.py\n"
    "│   └── words.py\n```\n\n"
    "`count.py`:\n\n- `Counter(text)`: A class that counts.\n  - `total()`: All words.\n"
    "  - `longest()`: The longest word.\n"
)
UML = (
    "```mermaid\nclassDiagram\n    class Counter {\n        +total()\n        +reset()\n    }\n"
    "    class Reporter {\n        +print()\n    }\n```\n"
)
TEST = b"from tool.count import Counter\n\n\ndef test_it():\n    assert Counter('a b').total()\n"


def tool(**changed: bytes | str | None) -> Spec:
    files: dict[str, bytes | str | None] = {
        "PRD.md": PRD,
        "UML.md": UML,
        "architecture.md": ARCHITECTURE,
        "check_tests/test_count.py": TEST,
    }
    files.update({_name(k): v for k, v in changed.items()})
    return spec_from_files(
        {n: v.encode() if isinstance(v, str) else v for n, v in files.items() if v is not None}
    )


def _name(key: str) -> str:
    return {
        "prd": "PRD.md",
        "uml": "UML.md",
        "architecture": "architecture.md",
        "test": "check_tests/test_count.py",
        "requirements": "requirements.txt",
    }[key]


def one(spec: Spec, code: str) -> Problem:
    (problem,) = [p for p in spec.problems if p.code == code]
    return problem


def said(problem: Problem) -> tuple[str, str, str, int, int, str]:
    place = problem.location
    return (
        problem.severity.value,
        problem.message,
        place.file,
        place.line,
        place.column,
        problem.hint,
    )


def test_no_prd_is_fatal() -> None:
    assert said(one(tool(prd=None), "prd-missing")) == (
        "fatal",
        "The spec has no product requirement document.",
        "PRD.md",
        1,
        1,
        "Add a PRD: a file such as PRD.md, or a section headed PRD in the issue.",
    )


def test_an_empty_prd_is_fatal() -> None:
    spec = tool(prd=b"# PRD\n\n\n")
    assert one(spec, "prd-empty").message == "The product requirement document is empty."
    assert [p.severity for p in spec.fatal] == [Severity.FATAL]


def test_what_is_missing_is_derived_and_said() -> None:
    spec = tool(uml=None, architecture=None, test=None)
    assert spec.derived == ("uml", "architecture", "check_tests")
    assert said(one(spec, "check-tests-missing")) == (
        "warning",
        "The spec has no check tests, so the run derives its own from the documents.",
        "PRD.md",
        1,
        1,
        "Add pytest files under check_tests/; they are what the run works towards.",
    )
    assert one(spec, "uml-missing").severity == "note"
    assert one(spec, "architecture-missing").severity == "note"


def test_a_class_that_no_file_holds() -> None:
    assert said(one(tool(), "class-unplaced")) == (
        "warning",
        "The class Reporter is in the UML, but no file of the architecture holds it.",
        "UML.md",
        7,
        5,
        "Say in the architecture document which file defines it.",
    )


def test_a_file_without_a_responsibility() -> None:
    assert said(one(tool(), "file-undescribed")) == (
        "note",
        "The file tool/words.py is in the tree, but nothing says what it is for.",
        "architecture.md",
        7,
        9,
        "Add its responsibility, its classes and its functions.",
    )


def test_members_that_differ() -> None:
    spec = tool()
    assert said(one(spec, "members-only-uml"))[1:4] == (
        "The UML gives Counter the methods reset, which the architecture document does not name.",
        "UML.md",
        3,
    )
    assert said(one(spec, "members-only-architecture"))[1:4] == (
        "The architecture document gives Counter the methods longest, which the UML does not show.",
        "architecture.md",
        12,
    )


@pytest.mark.parametrize(
    "prd",
    [
        b"# Tool\n\nIt is\na C library that counts.\n",
        b"# Tool\n\nText.\n```c\nint main(void);\n```\n",
        b"# Tool\n\nText.\nIt is written in C\nand counts.\n",
    ],
)
def test_a_prd_that_speaks_of_another_language(prd: bytes) -> None:
    problem = one(tool(prd=prd), "language-differs")
    assert problem.message == (
        "The PRD speaks of C, but the architecture plans Python; Python is taken."
    )
    assert (problem.location.file, problem.location.line) == ("PRD.md", 4)


@pytest.mark.parametrize(
    "prd",
    [
        b"# Tool\n\nA Python library with a C library below.\n",
        b"# Tool\n\nGo to the next word. Swift results, a C at the end.\n",
    ],
)
def test_languages_in_passing_are_no_contradiction(prd: bytes) -> None:
    assert "language-differs" not in codes(tool(prd=prd))


def test_an_architecture_without_python() -> None:
    spec = tool(architecture="```\n├── src\n│   ├── main.go\n│   └── words.go\n```\n", uml=None)
    assert one(spec, "language-not-python").message == (
        "The architecture plans Go; only Python projects can be checked and delivered."
    )


def test_a_check_test_that_is_no_python() -> None:
    spec = tool(test=b"def test_it(:\n    pass\n")
    problem = one(spec, "check-test-syntax")
    assert problem.message == (
        "The check test check_tests/test_count.py is not valid Python: invalid syntax."
    )
    place = problem.location
    assert (place.file, place.line, place.column) == ("check_tests/test_count.py", 1, 13)
    assert one(spec, "check-tests-no-test").message == (
        "The folder check_tests holds no test that pytest would collect."
    )


def test_imports_that_nobody_brings() -> None:
    test = b"import numpy as np\nimport yaml\nimport os\nfrom tool import count\n" + TEST
    spec = tool(test=test, requirements="PyYAML>=6\n")
    assert said(one(spec, "check-test-import")) == (
        "warning",
        "The check test check_tests/test_count.py imports numpy, which is neither planned, nor "
        "required, nor part of Python.",
        "check_tests/test_count.py",
        1,
        1,
        "Add it to requirements.txt, or correct the import.",
    )


def test_imports_of_a_module_that_is_not_planned() -> None:
    spec = tool(test=b"from tool.report import Reporter\n" + TEST)
    assert one(spec, "check-test-module").message == (
        "The check test check_tests/test_count.py imports tool.report, which no planned file makes."
    )


def test_guarded_imports_are_left_alone() -> None:
    test = b"try:\n    import ujson\nexcept ImportError:\n    ujson = None\n" + TEST
    assert "check-test-import" not in codes(tool(test=test))


def test_a_sound_spec_has_nothing_fatal_and_problems_in_order() -> None:
    spec = spec_from_files(folder("ferry"))
    assert codes(spec) == [
        "function-unplaced",
        "members-only-uml",
        "class-unplaced",
        "members-only-architecture",
    ]
    assert all(p.message.endswith(".") and p.hint.endswith(".") for p in spec.problems)
