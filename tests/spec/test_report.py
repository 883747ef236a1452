"""The object that `repowright lint --json` prints."""

import json

from bot.spec import lint_report, spec_from_files

from .kit import folder


def test_the_contract() -> None:
    report = lint_report(spec_from_files(folder("ferry")))
    assert list(report) == ["problems", "files", "classes", "members", "relations", "messages"]
    assert json.loads(json.dumps(report)) == report
    assert report["problems"][0] == {
        "severity": "note",
        "file": "UML.md",
        "line": 7,
        "column": 5,
        "message": (
            "The functions parse_line are in the UML box Global_functions, but no file of the "
            "architecture holds them."
        ),
        "hint": "Say in the architecture document which file defines them.",
    }


def test_counts_take_each_thing_once() -> None:
    report = lint_report(spec_from_files(folder("ferry")))
    assert {name: report[name] for name in list(report)[1:]} == {
        "files": 6,
        "classes": 5,
        "members": 10,
        "relations": 2,
        "messages": 3,
    }


def test_a_diagram_in_two_documents_counts_once() -> None:
    files = folder("ferry")
    once = lint_report(spec_from_files(files))
    twice = lint_report(spec_from_files({**files, "UML_again.md": files["UML.md"]}))
    assert {k: v for k, v in once.items() if k != "problems"} == {
        k: v for k, v in twice.items() if k != "problems"
    }


def test_a_spec_round_trips_through_json() -> None:
    spec = spec_from_files(folder("ferry"))
    assert type(spec).model_validate_json(spec.model_dump_json()) == spec
