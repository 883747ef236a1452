"""A spec from an issue: form fields, free headings, details, comments, attachments, paths."""

from bot.spec import references, spec_from_issue
from bot.spec.model import DocumentKind, Spec

from .kit import codes, file_of, folder, issue

CLASS = "```mermaid\nclassDiagram\nclass Ship {\n+sail()\n}\n```"
TREE = (
    "```\n├── ferry\n│   ├── __init__.py\n│   └── ship.py\n```\n\n`ship.py`:\n\n- `Ship`: A ship.\n"
)
FORM = f"""### Project title

Island ferry

### Product requirement document (PRD)

# Ferry

It sails.

### Dependencies

None of the spec's business.

### UML diagrams

{CLASS}

### Architecture design

{TREE}

### Check tests

`check_tests/test_ship.py`:

```python
from ferry.ship import Ship


def test_sail():
    Ship().sail()
```

### Python requirements

```text
requests>=2  # web
```

### Run settings

_No response_
"""


def kinds(spec: Spec) -> list[tuple[str, str, int]]:
    return [(d.kind.value, d.file, d.first_line) for d in spec.documents]


def test_the_issue_form_with_crlf() -> None:
    spec = spec_from_issue(issue(FORM.replace("\n", "\r\n")), {}, {})
    assert spec.title == "Island ferry"
    assert kinds(spec) == [
        ("prd", "issue #7", 7),
        ("uml", "issue #7", 17),
        ("architecture", "issue #7", 26),
        ("other", "issue #7", 39),
        ("other", "issue #7", 51),
    ]
    assert "Dependencies" in spec.documents[0].text
    assert [c.path for c in spec.check_tests] == ["check_tests/test_ship.py"]
    assert spec.requirements == ("requests>=2",)
    assert spec.class_diagrams[0].classes[0].location.line == 19
    assert [c.name for c in file_of(spec, "ferry/ship.py").classes] == ["Ship"]
    assert spec.fatal == ()
    assert spec.derived == ()


def test_fields_without_an_answer_are_missing() -> None:
    empty = "\n\n_No response_\n\n"
    body = f"### Product requirement document (PRD){empty}### UML diagrams{empty}"
    spec = spec_from_issue(issue(body), {}, {})
    assert [(p.code, p.location.file) for p in spec.fatal] == [("prd-missing", "issue #7")]
    assert spec.derived == ("uml", "architecture", "check_tests")


def test_free_headings_and_details() -> None:
    body = f"""Hello, please build this.

## Requirements

It sails, and
## not a heading of the spec
it floats.

<details>
<summary>UML diagrams</summary>

## Classes

{CLASS}

</details>

<details><summary>Architecture</summary>

{TREE}
</details>

Thanks!
"""
    spec = spec_from_issue(issue(body), {}, {})
    assert [d.kind for d in spec.documents] == ["prd", "uml", "architecture", "other", "other"]
    assert "it floats." in spec.documents[0].text
    assert "Thanks" not in spec.documents[2].text
    assert [f.path for f in spec.files] == ["ferry/__init__.py", "ferry/ship.py"]


def test_parts_below_the_heading_of_the_prd() -> None:
    body = f"# PRD\n\nIt sails.\n\n## Class diagram\n\n{CLASS}\n\n## Architecture\n\n{TREE}"
    spec = spec_from_issue(issue(body), {}, {})
    assert [d.kind for d in spec.documents] == ["prd", "uml", "architecture"]


def test_text_without_headings_is_the_prd() -> None:
    spec = spec_from_issue(issue("Build a tool that counts words in files. " * 6), {}, {})
    assert [d.kind for d in spec.documents] == [DocumentKind.PRD]
    assert "prd-assumed" in codes(spec)
    assert spec.fatal == ()


def test_too_little_text_is_no_prd() -> None:
    spec = spec_from_issue(issue("Please build it."), {}, {})
    assert [p.message for p in spec.fatal] == ["The spec has no product requirement document."]


def test_only_the_author_adds_to_the_spec() -> None:
    made = issue(
        "## PRD\n\nIt sails.",
        ("mallory", f"## Architecture\n\n{TREE.replace('ferry', 'evil')}"),
        ("anna", "Nice day, isn't it?"),
        ("anna", f"## Architecture\n\n{TREE}"),
        ("anna[bot]", "## PRD\n\nOther."),
        ("anna", f"And the classes:\n\n{CLASS}"),
        ("anna", "/repowright run"),
    )
    spec = spec_from_issue(made, {}, {})
    assert kinds(spec) == [
        ("prd", "issue #7", 3),
        ("uml", "comment 3 of issue #7", 1),
        ("architecture", "comment 2 of issue #7", 3),
    ]
    assert [f.path for f in spec.files] == ["ferry/__init__.py", "ferry/ship.py"]


PRD_URL = "https://github.com/user-attachments/files/12/PRD.md"
UML_URL = "https://github.com/anna/ferry/files/13/drawing.md"


def test_what_must_be_fetched() -> None:
    body = f"""## PRD

[PRD.md]({PRD_URL})

## UML

{UML_URL}

## Architecture

docs/design/plan.md

See [the tests](./check_tests/) and [more](https://github.com/anna/ferry/blob/main/docs/more.md#x),
not [this](https://evil.example/user-attachments/files/1/x.md),
nor [that](https://github.com/other/repo/blob/main/x.md), nor ![p](https://github.com/a/b/files/1/p.md).

- ../../etc/passwd.md
- /etc/x.md

```
docs/in-a-fence.md
```
"""
    found = references(issue(body, ("bob", f"[x]({PRD_URL}x)")))
    assert found.attachments == (PRD_URL, UML_URL)
    assert found.paths == ("docs/design/plan.md", "check_tests/", "docs/more.md")


def test_attachments_and_repository_files_stand_for_their_parts() -> None:
    body = (
        f"## PRD\n\n[PRD.md]({PRD_URL})\n\n## UML\n\n{UML_URL}\n\n## Architecture\n\ndocs/plan.md\n"
    )
    files = folder("ferry")
    spec = spec_from_issue(
        issue(body),
        {PRD_URL: files["PRD.md"].replace(b"\n", b"\r\n"), UML_URL: files["UML.md"]},
        {
            "docs/plan.md": files["architecture_design.md"],
            "docs/unrelated.md": b"# PRD\n\nNo.",
            "check_tests/test_harbour.py": files["check_tests/test_harbour.py"],
            "requirements.txt": files["requirements.txt"],
        },
    )
    assert kinds(spec) == [
        ("prd", "PRD.md", 1),
        ("uml", "drawing.md", 1),
        ("architecture", "docs/plan.md", 1),
    ]
    assert [c.path for c in spec.check_tests] == ["check_tests/test_harbour.py"]
    assert spec.requirements == ("python-dateutil>=2.8", "pyyaml")
    assert spec.derived == ()


def test_a_folder_of_the_repository() -> None:
    files = {f"specs/ferry/{n}": d for n, d in folder("ferry").items()}
    spec = spec_from_issue(
        issue("Please build `specs/ferry/` for us.\n\nspecs/ferry/\n"), {}, files
    )
    assert [d.file for d in spec.documents if d.kind is DocumentKind.PRD] == ["PRD.md"]
    assert [c.path for c in spec.check_tests] == ["check_tests/test_harbour.py"]
    assert spec.fatal == ()


def test_a_missing_attachment_is_said() -> None:
    spec = spec_from_issue(issue(f"## PRD\n\n[PRD.md]({PRD_URL})\n"), {}, {})
    said = [p.message for p in spec.problems if p.code == "attachment-missing"]
    assert said == ["The linked file PRD.md could not be read."]


def test_a_spec_beyond_the_size_of_an_issue() -> None:
    body = "## PRD\n\n" + "It sails on and on. " * 3_000
    comments = [("anna", f"## Architecture\n\n{TREE}"), ("anna", f"## UML\n\n{CLASS}")]
    spec = spec_from_issue(issue(body, *comments), {}, {})
    assert len(spec.documents[0].text) > 59_000
    assert spec.derived == ("check_tests",)


def test_naming_the_folder_of_the_check_tests_keeps_them_where_they_are() -> None:
    body = (
        "### Product requirement document (PRD)\n\nIt sails.\n\n### Check tests\n\n`check_tests/`\n"
    )
    tests = {"check_tests/test_ship.py": b"def test_sail():\n    pass\n"}
    spec = spec_from_issue(issue(body), {}, tests)
    assert [f.path for f in spec.check_tests] == ["check_tests/test_ship.py"]


def test_data_of_the_repository_is_seen_and_nothing_about_the_project_itself() -> None:
    files = {
        "README.md": b"# Ferry\n",
        "LICENSE": b"MIT\n",
        "pyproject.toml": b"[project]\n",
        ".github/workflows/x.yml": b"on: push\n",
        "ferry/old.py": b"x = 1\n",
        "data/tides.csv": b"hour,metres\n" + b"0,1.5\n" * 500,
        "data/map.png": b"\x89PNG\x00\xff",
        "check_tests/test_ship.py": b"def test_sail(): ...\n",
    }
    spec = spec_from_issue(issue(FORM), {}, files)
    assert [f.path for f in spec.present] == ["data/map.png", "data/tides.csv"]
    assert spec.present[0].beginning == ""
    assert spec.present[1].beginning.startswith("hour,metres\n0,1.5\n")
    assert len(spec.present[1].beginning) == 300
    assert spec.resources == ()
    assert Spec.model_validate_json(spec.model_dump_json()) == spec
