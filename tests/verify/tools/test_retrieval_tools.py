"""Requirement Access, Symbol Extractor, Artifacts Retriever and Documentation Searcher."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.base import RepowrightError
from bot.spec.folder import spec_from_files
from bot.spec.model import Spec
from bot.specfolder import read_folder
from bot.state.model import ProjectState
from bot.state.skeleton import skeleton_of
from bot.state.structure import structure_of
from bot.verify.tools.counting import Tally, merged_calls
from bot.verify.tools.toolbox import Toolbox

GRIDLET = Path(__file__).resolve().parents[3] / "examples" / "gridlet"


@pytest.fixture(scope="module")
def spec() -> Spec:
    return spec_from_files(read_folder(GRIDLET))


@pytest.fixture
def box(spec: Spec) -> Toolbox:
    project = ProjectState(nodes=structure_of(spec))
    return Toolbox(
        spec=spec,
        project=project,
        phase="architecture",
        agent="judge",
        skeleton=skeleton_of(project),
    )


def document(name: str) -> list[str]:
    return (GRIDLET / name).read_text().splitlines()


def test_a_section_comes_with_those_below_it_and_their_places(box: Toolbox) -> None:
    found = box.requirements("prd/3-formulas")
    assert [p.id.rpartition("/")[2] for p in found] == [
        "3-formulas",
        "values-and-operators",
        "what-operators-do-with-values",
        "functions",
    ]
    for passage in found:
        assert passage.title in document(passage.location.file)[passage.location.line - 1]


def test_an_unknown_section_names_those_near_to_it(box: Toolbox) -> None:
    with pytest.raises(RepowrightError, match=r"no section `prd/3-formula`.*`prd/3-formulas`"):
        box.requirements("prd/3-formula")


def test_a_document_without_headings_is_found_by_its_name() -> None:
    bare = spec_from_files(
        {"PRD.md": b"# A\n\nDo it.\n", "UML_class.md": b"classDiagram\nclass A\n"}
    )
    box = Toolbox(spec=bare, project=ProjectState(), phase="architecture", agent="judge")
    (found,) = box.requirements("uml")
    assert (found.location.file, found.text) == ("UML_class.md", "classDiagram\nclass A")


def test_symbols_of_a_file_say_where_they_are_defined(box: Toolbox) -> None:
    found = {s.id: s for s in box.symbols("gridlet/core/address.py")}
    lines = box.skeleton["gridlet/core/address.py"].splitlines()
    kinds = {s.kind for s in found.values()}
    assert kinds == {"class", "function", "variable"}
    for symbol in found.values():
        assert symbol.location.file == "gridlet/core/address.py"
        assert symbol.id.rpartition("::")[2].rpartition(".")[2] in lines[symbol.location.line - 1]
    assert found["gridlet/core/address.py::Address.parse"].signature == (
        "Address.parse(cls, text: str) -> Address"
    )


def test_symbols_without_code_lie_where_the_documents_ask_for_them(spec: Spec) -> None:
    project = ProjectState(nodes=structure_of(spec))
    box = Toolbox(spec=spec, project=project, phase="architecture", agent="architect")
    (parser, *_) = box.symbols("gridlet/formula/parser.py")
    asked = document(parser.location.file)[parser.location.line - 1]
    assert parser.location.file == "architecture_design.md"
    assert parser.id.rpartition("::")[2] in asked


def test_a_path_gives_its_architecture_skeleton_and_code(box: Toolbox) -> None:
    path = "gridlet/core/inputs.py"
    planned = box.artifact(path, "architecture")
    assert "is_formula(text: str) -> bool" in planned.text
    assert f"## `{path}`" in document(planned.location.file)[planned.location.line - 1]
    assert "raise NotImplementedError" in box.artifact(path, "skeleton").text
    with pytest.raises(RepowrightError, match="there is no code of"):
        box.artifact(path, "code")


@pytest.mark.parametrize(
    ("keywords", "heading"),
    [
        ("byte order mark CSV", "7. Files"),
        ("setting a cell returns the addresses that changed", "5. Recalculation"),
        ("TokenKind enumeration", "Formula"),
    ],
)
def test_keywords_find_the_block_that_answers(box: Toolbox, keywords: str, heading: str) -> None:
    hits = box.search(keywords, most=3)
    assert heading in [h.heading for h in hits]
    assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)
    for hit in hits:
        first = hit.text.splitlines()[0]
        assert first in document(hit.location.file)[hit.location.line - 1]


def test_nothing_is_found_for_words_that_no_document_holds(box: Toolbox) -> None:
    assert box.search("zeppelin") == ()


def test_calls_are_counted_by_tool_phase_and_agent_from_all_threads(box: Toolbox) -> None:
    coder = box.of("coder")
    paths = ["gridlet/core/inputs.py", "gridlet/core/values.py"] * 20
    with ThreadPoolExecutor(max_workers=8) as pool:
        list(pool.map(lambda path: coder.artifact(path, "skeleton"), paths))
    box.structure()
    assert [(c.tool, c.phase, c.agent, c.calls) for c in box.tally.calls] == [
        ("artifacts-retriever (skeleton)", "architecture", "coder", 40),
        ("structure-verifier", "architecture", "judge", 1),
    ]


def test_counts_add_up_in_any_order() -> None:
    one, other = Tally(), Tally()
    one.count("symbol-extractor", "code", "coder", 2)
    other.count("symbol-extractor", "code", "coder")
    other.count("structure-verifier", "architecture", "judge")
    assert merged_calls(one.calls, other.calls) == merged_calls(other.calls, one.calls)
    assert sum(c.calls for c in merged_calls(one.calls, other.calls)) == 4
