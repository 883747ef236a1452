"""A spec from a folder: which file is what, what is placed from the UML, and what is derived."""

from bot.spec import spec_from_files
from bot.spec.model import DocumentKind

from .kit import class_of, codes, file_of, folder


def test_every_file_has_its_place() -> None:
    spec = spec_from_files(folder("ferry"))
    assert spec.title == "Ferry"
    kinds = {d.file: d.kind for d in spec.documents}
    assert kinds == {
        "PRD.md": DocumentKind.PRD,
        "UML.md": DocumentKind.UML,
        "UML_pyreverse.md": DocumentKind.UML,
        "architecture_design.md": DocumentKind.ARCHITECTURE,
        "directory_tree.txt": DocumentKind.ARCHITECTURE,
    }
    assert [t.path for t in spec.check_tests] == ["check_tests/test_harbour.py"]
    assert [r.path for r in spec.resources] == ["data/tides.csv"]
    assert spec.requirements == ("python-dateutil>=2.8", "pyyaml")
    assert spec.derived == ()
    assert spec.fatal == ()


def test_sections_have_stable_ids() -> None:
    ids = [s.id for s in spec_from_files(folder("ferry")).sections]
    assert ids[:5] == [
        "prd",
        "prd/introduction",
        "prd/features",
        "prd/features/timetable",
        "prd/features/berths",
    ]
    assert len(ids) == len(set(ids))


def test_generated_diagrams_stand_behind_the_others() -> None:
    spec = spec_from_files(folder("ferry"))
    assert [d.generated for d in spec.class_diagrams] == [False, True]
    modules = {b.name: b.module for b in spec.class_diagrams[1].classes if b.hosts_globals}
    assert modules == {"ferry": "ferry", "harbour": "harbour"}


def test_digest_follows_the_content_and_nothing_else() -> None:
    files = folder("ferry")
    first = spec_from_files(files)
    again = spec_from_files(dict(reversed(files.items())), title="Another title")
    crlf = spec_from_files({**files, "PRD.md": files["PRD.md"].replace(b"\n", b"\r\n")})
    other = spec_from_files({**files, "PRD.md": files["PRD.md"] + b"\nMore.\n"})
    assert first.digest == again.digest == crlf.digest
    assert first.digest != other.digest


def test_only_the_prd_is_needed() -> None:
    spec = spec_from_files({"PRD.md": b"# Tool\n\nIt works.\n"})
    assert spec.derived == ("uml", "architecture", "check_tests")
    assert codes(spec) == ["architecture-missing", "check-tests-missing", "uml-missing"]
    assert spec.fatal == ()


def test_a_data_set_folder_with_docs_below() -> None:
    files = {f"docs/{name}": data for name, data in folder("ferry").items() if name.endswith(".md")}
    spec = spec_from_files(files)
    assert {d.file for d in spec.documents} == set(files)


def test_spec_kit_from_the_repository_and_from_the_feature() -> None:
    for files in (folder("speckit"), folder("speckit", "specs", "001-notes")):
        spec = spec_from_files(files)
        assert spec.title == "Notes"
        assert [f.path for f in spec.files] == ["src/notes/__init__.py", "src/notes/store.py"]
        assert [m.name for m in class_of(spec, "src/notes/store.py", "Store").methods] == [
            "__init__",
            "add",
        ]
        assert [r.path.rpartition("/")[2] for r in spec.resources] == ["api.yaml"]
        assert {s.kind for s in spec.sections} == {"prd", "architecture", "other"}
        assert spec.fatal == ()


def test_one_file_that_holds_everything() -> None:
    files = folder("ferry")
    whole = (
        b"# Ferry\n\n## PRD\n\nIt sails.\n\n## UML\n\n```mermaid\nclassDiagram\nclass A\n```\n\n"
    )
    whole += b"## Architecture\n\n```\n|-- a.py\n`-- b.py\n```\n"
    spec = spec_from_files(
        {"ferry.md": whole, "check_tests/test_a.py": files["check_tests/test_harbour.py"]}
    )
    assert [d.kind for d in spec.documents] == ["prd", "uml", "architecture", "other"]
    assert [f.path for f in spec.files] == ["a.py", "b.py"]
    assert spec.documents[1].first_line == 9
    assert spec.class_diagrams[0].location.line == 10


def test_files_that_are_no_text_or_no_part() -> None:
    spec = spec_from_files(
        {
            "PRD.md": b"# T\n\nText.\n",
            "UML.md": b"\xff\xfe\x00",
            "logo.png": b"\x89PNG\x00",
            ".git/config": b"x",
            "../evil.md": b"# PRD",
            "/etc/passwd": b"x",
        }
    )
    assert [(r.path, r.encoding, r.text) for r in spec.resources] == [
        ("logo.png", "base64", "iVBORwA=")
    ]
    assert "not-text" in codes(spec)
    assert [d.file for d in spec.documents] == ["PRD.md"]


def uml(*lines: str) -> bytes:
    return "\n".join(["```mermaid", *lines, "```"]).encode()


def test_what_only_the_uml_shows_is_placed_where_no_doubt_is_left() -> None:
    tree = (
        "```\n├── app\n│   ├── __init__.py\n│   ├── csv_utils.py\n│   ├── core.py\n"
        "│   └── errors.py\n```\n\n"
        "`core.py`:\n- `run()`: Runs.\n- `stop()`: Stops.\n- `Base`: A base class.\n"
    )
    spec = spec_from_files(
        {
            "PRD.md": b"# T\n\nText.\n",
            "architecture.md": tree.encode(),
            "UML.md": uml(
                "classDiagram",
                "class CSVUtils {",
                "+rows(path str) list",
                "}",
                "class Global_functions {",
                "+run()",
                "+stop()",
                "+pause()",
                "}",
                "class AppError",
                "class Child",
                "class Elsewhere {",
                "+x()",
                "}",
                "Child --|> Base",
                "AppError --|> Exception",
            ),
        }
    )
    rows = class_of(spec, "app/csv_utils.py", "CSVUtils").methods[0]
    assert [(p.name, p.annotation) for p in rows.parameters or ()] == [("path", "str")]
    assert rows.location.file == "UML.md"
    assert [f.name for f in file_of(spec, "app/core.py").functions] == ["run", "stop", "pause"]
    assert class_of(spec, "app/core.py", "Child").bases == ("Base",)
    assert class_of(spec, "app/errors.py", "AppError").bases == ("Exception",)
    unplaced = [p.message for p in spec.problems if p.code == "class-unplaced"]
    assert unplaced == [
        "The class Elsewhere is in the UML, but no file of the architecture holds it."
    ]


def test_a_package_diagram_tells_the_file_of_a_class() -> None:
    tree = "```\n├── app\n│   ├── a.py\n│   └── b.py\n```\n"
    spec = spec_from_files(
        {
            "PRD.md": b"# T\n\nText.\n",
            "architecture.md": tree.encode(),
            "UML.md": uml("classDiagram", "class Pump {", "+go()", "}")
            + b"\n\n"
            + uml("graph TD", 'B["b.py<br/>Pump, valves"]'),
        }
    )
    assert [m.name for m in class_of(spec, "app/b.py", "Pump").methods] == ["go"]
