"""Class diagrams: every oddity of the corpus means what its author meant, and says where it is."""

import pytest

from bot.spec.mermaid.diagrams import Diagrams
from bot.spec.model import ClassDiagram, Member, RelationKind, UmlClass

from .kit import corpus_diagrams, mermaid


@pytest.fixture(scope="module")
def found() -> Diagrams:
    return corpus_diagrams("classes.md")


def box(diagram: ClassDiagram, name: str) -> UmlClass:
    return next(b for b in diagram.classes if b.name == name)


def member(cls: UmlClass, name: str) -> Member:
    return next(m for m in cls.members if m.name == name)


def relations(diagram: ClassDiagram) -> set[tuple[str, str, str]]:
    return {(r.source, r.kind.value, r.target) for r in diagram.relations}


def test_a_diagram_in_a_bare_and_a_mermaid_fence_is_one(found: Diagrams) -> None:
    assert len(found.classes) == 2
    assert [b.name for b in found.classes[0].classes] == ["Global_functions"]
    assert found.classes[0].location.line == 15


def test_a_class_that_stands_for_functions(found: Diagrams) -> None:
    functions = box(found.classes[0], "Global_functions")
    assert functions.hosts_globals
    load = member(functions, "load_port")
    assert load.type == "Port | None"
    assert [(p.name, p.annotation) for p in load.parameters or ()] == [("name", "str")]
    crossings = member(functions, "crossings")
    assert [p.name for p in crossings.parameters or ()] == ["day", "*", "limit"]
    assert crossings.type == "List[Crossing]"
    tariff = member(functions, "tariff")
    assert [(p.name, p.annotation) for p in tariff.parameters or ()] == [
        ("ship", "str"),
        ("cargo", "List"),
    ]
    assert tariff.type == "float"


def test_a_module_box_knows_its_module(found: Diagrams) -> None:
    tide = box(found.classes[1], "tide_module")
    assert tide.hosts_globals
    assert tide.module == "tide"


@pytest.mark.parametrize(
    ("name", "visibility", "type_"),
    [
        ("title", "-", "str"),
        ("berths", "", "int"),
        ("position_i", "-", "list"),
        ("spare", "-", "Buffer"),
        ("ship_class", "+", "Type[Ship]"),
        ("open", "+", "bool"),
        ("state", "", "None | Optional[bytes]"),
    ],
)
def test_attributes_in_every_order(found: Diagrams, name: str, visibility: str, type_: str) -> None:
    attribute = member(box(found.classes[1], "Harbour"), name)
    assert (attribute.kind, attribute.visibility, attribute.type) == (
        "attribute",
        visibility,
        type_,
    )


@pytest.mark.parametrize(
    ("name", "type_", "abstract", "static"),
    [
        ("moor", "bool", False, False),
        ("plan", "Tuple[int, int]", False, False),
        ("dump", "bytes", True, False),
        ("restore", None, False, True),
        ("_check_tide", "None", False, False),
        ("from_log", "'Harbour'", False, False),
        ("each", "t.Callable[..., t.Any]", False, False),
        ("close", "None", False, False),
    ],
)
def test_methods_and_their_types(
    found: Diagrams, name: str, type_: str | None, abstract: bool, static: bool
) -> None:
    method = member(box(found.classes[1], "Harbour"), name)
    assert (method.kind, method.type) == ("method", type_)
    assert (method.abstract, method.static) == (abstract, static)


def test_parameters_with_nested_types_and_ellipses(found: Diagrams) -> None:
    harbour = box(found.classes[1], "Harbour")
    (fn,) = member(harbour, "each").parameters or ()
    assert fn.annotation == "t.Callable[..., t.Coroutine[t.Any, t.Any, t.Any]]"
    report = member(harbour, "report")
    assert report.open_ended
    assert [p.name for p in report.parameters or ()] == ["title", "lines"]
    assert harbour.open_ended


def test_a_class_said_many_times_is_one(found: Diagrams) -> None:
    named = [b for b in found.classes[1].classes if b.name == "Harbour"]
    assert len(named) == 1
    assert [m.name for m in named[0].members].count("berths") == 1
    assert named[0].stereotypes == ("interface",)


def test_prose_and_broken_members_are_kept_and_reported(found: Diagrams) -> None:
    harbour = box(found.classes[1], "Harbour")
    assert harbour.notes == (
        "Berths are numbered from the sea wall inwards.",
        "+broken(first: List[int",
    )
    reported = {(p.code, p.location.line) for p in found.problems}
    assert {("member-prose", 47), ("member-unread", 48), ("member-prose", 68)} <= reported
    unread = next(p for p in found.problems if p.code == "member-unread")
    assert unread.location.column == 29
    assert unread.message == (
        "This member of Harbour cannot be taken apart and is kept as text: +broken(first: List[int"
    )


def test_a_bad_line_loses_only_itself(found: Diagrams) -> None:
    (problem,) = [p for p in found.problems if p.severity == "warning"]
    assert problem.message == (
        "This line of a class diagram cannot be understood: this line -> is no relation"
    )
    assert (problem.location.file, problem.location.line, problem.location.column) == (
        "classes.md",
        90,
        10,
    )
    assert problem.hint == (
        "Write relations as `A --> B : label`, and members between the braces of their class."
    )
    assert box(found.classes[1], "Buoy").notes == ("red to port",)


def test_names_that_are_no_python_names(found: Diagrams) -> None:
    names = {b.name for b in found.classes[1].classes}
    assert {"ferry-line-tools", "0001_initial", "serializers.Serializer"} <= names
    assert box(found.classes[1], "Buoy").namespace == "sea"


def test_classes_from_elsewhere(found: Diagrams) -> None:
    external = {b.name for b in found.classes[1].classes if b.external}
    assert external == {"serializers.Serializer", "wrapt_Proxy", "dict"}
    assert not box(found.classes[1], "serializers.Serializer").declared


@pytest.mark.parametrize(
    "relation",
    [
        ("PortSerializer", "inherit", "serializers.Serializer"),
        ("Ship", "associate", "Crossing"),
        ("Barge", "inherit", "Ship"),
        ("Tug", "use", "Global_functions"),
        ("Flags", "associate", "Harbour"),
        ("Harbour", "compose", "Berth"),
        ("Harbour", "compose", "Crane"),
        ("Harbour", "aggregate", "Ship"),
        ("Crossing", "use", "Harbour"),
        ("Pilot", "realize", "Harbour"),
        ("Manifest", "inherit", "dict"),
        ("Harbour", "associate", "Buoy"),
        ("Berth", "associate", "Ship"),
        ("Ship", "associate", "Berth"),
    ],
)
def test_what_arrows_mean(found: Diagrams, relation: tuple[str, str, str]) -> None:
    assert relation in relations(found.classes[1])


def test_labels_lose_their_reading_direction(found: Diagrams) -> None:
    labels = {(r.source, r.label) for r in found.classes[1].relations if r.label}
    assert {
        ("Flags", "uses"),
        ("Ship", "sails"),
        ("Tug", "Uses"),
        ("Crane", "part of"),
    } - labels == {("Crane", "part of")}
    assert ("Harbour", "part of") in labels


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("A --> B : extends", RelationKind.INHERIT),
        ("A --|> B : uses", RelationKind.USE),
        ("A --|> B : implements", RelationKind.INHERIT),
        ("A ..> B : extends nothing yet", RelationKind.INHERIT),
        ("A --> B : contains", RelationKind.ASSOCIATE),
    ],
)
def test_a_label_may_overrule_its_arrow(line: str, kind: RelationKind) -> None:
    (relation,) = mermaid("classDiagram", line).classes[0].relations
    assert (relation.source, relation.target, relation.kind) == ("A", "B", kind)


def test_a_missing_brace_costs_one_warning() -> None:
    found = mermaid("classDiagram", "class A {", "+x int", "class B {", "+y int", "}", "A --> B")
    assert [b.name for b in found.classes[0].classes] == ["A", "B"]
    assert [len(b.members) for b in found.classes[0].classes] == [1, 1]
    (problem,) = found.problems
    assert problem.message == "The class opened here is never closed."
    assert (problem.location.line, problem.location.column) == (3, 1)


def test_bodies_and_bases_on_one_line() -> None:
    found = mermaid(
        "classDiagram", "class A~T~ { +x int }", "class B(A, abc.ABC)", "class C extends A {", "}"
    )
    a, b, c = (box(found.classes[0], n) for n in "ABC")
    assert [m.name for m in a.members] == ["x"]
    assert b.declared
    assert c.declared
    assert relations(found.classes[0]) == {
        ("B", "inherit", "A"),
        ("B", "inherit", "abc.ABC"),
        ("C", "inherit", "A"),
    }
    assert found.problems == ()
