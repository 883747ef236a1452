"""Model replies are read strictly; what is wrong is said in a sentence the model can act on."""

import pytest

from bot.agents.allowed import configures_tests, refusal
from bot.agents.replies import (
    Edit,
    ReplyRejected,
    apply_edits,
    parse_changes,
    parse_files,
    parse_review,
    parse_structure,
)
from bot.config import Settings


def test_a_file_with_a_fence_and_tags_inside_survives() -> None:
    source = 'TEXT = """\n```\n<file path="x">\n"""\n'
    found = parse_files('Here:\n<file path="a.py">\n```python\nx = 1\n```\n</file>\n', ["a.py"])
    assert found == {"a.py": "x = 1\n"}
    assert (
        parse_changes(f'<file path="a.py">\n{source[:10]}\n</file>').files[0].text == 'TEXT = """\n'
    )


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("I would rather not.", 'it holds no block `<file path="a.py">` … `</file>`'),
        (
            '<file path="a.py">\nx = 1\n',
            "it ends before `</file>` of `a.py`: the block is only half there",
        ),
        ('<file path="b.py">\n</file>', "it gives `b.py`, and `a.py` was asked for"),
    ],
)
def test_unusable_files_are_refused(reply: str, said: str) -> None:
    with pytest.raises(ReplyRejected) as error:
        parse_files(reply, ["a.py"])
    assert error.value.what == said


EDIT = '<edit path="a.py">\n<find>\n  x = 1\n</find>\n<replace>\n  x = 2\n</replace>\n</edit>'


def test_an_edit_replaces_its_anchor_and_nothing_else() -> None:
    changes = parse_changes(f"The value is off by one.\n\n{EDIT}")
    assert changes.explanation == "The value is off by one."
    assert apply_edits({"a.py": "if y:\n  x = 1\n"}, changes.edits) == {"a.py": "if y:\n  x = 2\n"}


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            "x = 3\n",
            "the `<find>` text of an edit of `a.py` that begins with `x = 1` does not occur in the "
            "file; it must occur exactly once, to the letter",
        ),
        (
            "x = 1\nx = 1\n",
            "the `<find>` text of an edit of `a.py` that begins with `x = 1` occurs 2 times in the "
            "file; it must occur exactly once, to the letter",
        ),
    ],
)
def test_an_anchor_must_be_there_once(source: str, said: str) -> None:
    with pytest.raises(ReplyRejected) as error:
        apply_edits({"a.py": source}, (Edit(path="a.py", find="x = 1", replace="x = 2"),))
    assert error.value.what == said


def test_structure_and_review_are_yaml_between_tags() -> None:
    found = parse_structure(
        '<structure>\nfiles:\n  - path: a.py\n    functions: ["f(x: int) -> int"]\n</structure>'
    )
    assert found.files[0].functions == ("f(x: int) -> int",)
    (finding,) = parse_review("<review>\n- section: prd/x\n  served_by: [a.py]\n</review>")
    assert finding.served_by == ("a.py",)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("files: []", "it holds no complete block `<structure>` … `</structure>`"),
        (
            "<structure>\nfiles: [\n</structure>",
            "the YAML in `<structure>` has an error in line 1: "
            "expected the node content, but found '<stream end>'",
        ),
        (
            "<structure>\nfiles:\n  - purpose: none\n</structure>",
            "`files.0.path` in `<structure>` is wrong: Field required",
        ),
    ],
)
def test_unusable_structure_is_refused(reply: str, said: str) -> None:
    with pytest.raises(ReplyRejected) as error:
        parse_structure(reply)
    assert error.value.what == said


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("pkg/a.py", ""),
        ("/etc/passwd", "`/etc/passwd` is not a plain path inside the project"),
        ("../a.py", "`../a.py` is not a plain path inside the project"),
        ("a//b.py", "`a//b.py` is not a plain path inside the project"),
        ("pkg/.GIT/config", "`pkg/.GIT/config` belongs to git itself"),
        (
            ".github/workflows/x.yml",
            "`.github/workflows/x.yml` belongs to the maintainers: workflows and settings are not "
            "written",
        ),
        (
            "check_tests/test_a.py",
            "`check_tests/test_a.py` is part of the given specification, which nobody may change",
        ),
        (
            "data/sample.txt",
            "`data/sample.txt` is part of the given specification, which nobody may change",
        ),
        ("pkg/conftest.py", "`pkg/conftest.py` could configure the check tests away"),
        ("evil.pth", "`evil.pth` could configure the check tests away"),
        ("pytest/__init__.py", "`pytest/__init__.py` would take the place of a test tool"),
        ("pytest.py", "`pytest.py` would take the place of a test tool"),
    ],
)
def test_where_an_agent_may_write(path: str, said: str) -> None:
    assert refusal(path, Settings(), given={"data/sample.txt"}) == said


def test_a_project_file_may_not_configure_the_tests() -> None:
    assert configures_tests("pyproject.toml", '[project]\nname="x"\n[tool.pytest.ini_options]\n')
    assert configures_tests("pyproject.toml", "[tool.coverage.run]\n")
    assert not configures_tests("pyproject.toml", '[project]\nname = "x"\n')


@pytest.mark.parametrize(
    "yaml", ["since: 2024-13-45", "name: \x00", "[" * 3000], ids=["date", "control", "deep"]
)
def test_yaml_that_cannot_be_read_is_refused(yaml: str) -> None:
    with pytest.raises(ReplyRejected, match="the YAML in `<structure>`"):
        parse_structure(f"<structure>\n{yaml}\n</structure>")
