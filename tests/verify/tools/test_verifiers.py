"""The four verifiers: what they find, and that each fault has a place."""

from bot.spec.folder import spec_from_files
from bot.spec.model import Spec
from bot.state.model import Node, NodeKind, ProjectState
from bot.state.skeleton import skeleton_of
from bot.state.structure import structure_of
from bot.verify.coverage import verify_coverage
from bot.verify.evidence import Evidence, Rule
from bot.verify.structure import verify_files, verify_interfaces, verify_structure

UML = """# UML

```mermaid
classDiagram
    class Base {
        +name: str
        +close()
    }
    class Cart {
        +add(item: str)
    }
    class Global_functions {
        +checkout(cart: Cart)
        +RATE
    }
    Base <|-- Cart
```
"""
ARCHITECTURE = """# Architecture

## `shop/cart.py`

The cart.

- `Base`: What can be closed.
  - `name: str`
  - `close(self) -> None`
- `Cart(Base)`: Holds items.
  - `add(self, item: str) -> None`: Puts one in.

## `shop/till.py`

The till.

- `checkout(cart: Cart) -> int`: The price.
"""


def spec_of(architecture: str = ARCHITECTURE, uml: str = UML) -> Spec:
    files = {"PRD.md": "# Shop\n\nSell.\n", "UML.md": uml, "architecture_design.md": architecture}
    return spec_from_files({name: text.encode() for name, text in files.items()})


def structure(spec: Spec) -> ProjectState:
    return ProjectState(nodes=structure_of(spec))


def without(state: ProjectState, *ids: str) -> ProjectState:
    return ProjectState(nodes=tuple(n for n in state.nodes if n.id not in ids))


def places(found: list[Evidence]) -> list[tuple[str, str, int]]:
    assert all(e.location is not None for e in found)
    return [(e.subject, e.location.file, e.location.line) for e in found if e.location]


def test_a_whole_structure_has_no_structural_fault() -> None:
    spec = spec_of()
    assert verify_structure(structure(spec), spec) == []


def test_a_node_whose_parent_is_gone_and_one_that_stands_in_a_function() -> None:
    spec = spec_of()
    state = without(structure(spec), "shop/cart.py::Cart")
    stray = Node(
        id="shop/till.py::X",
        kind=NodeKind.GLOBAL,
        name="X",
        parent="shop/till.py::checkout",
        asked=(),
    )
    found = verify_structure(ProjectState(nodes=(*state.nodes, stray)), spec)
    assert {e.rule for e in found} == {Rule.ORPHAN}
    assert places(found) == [
        ("shop/cart.py::Cart.add", "architecture_design.md", 11),
        ("shop/till.py::X", "shop/till.py", 1),
    ]


def test_a_file_without_a_purpose_and_a_function_of_unknown_parameters() -> None:
    bare = spec_of("```text\nshop\n├── cart.py\n└── till.py\n```\n", "")
    found = verify_structure(structure(bare), bare)
    assert {(e.rule, e.verdict) for e in found} == {(Rule.NO_PURPOSE, "fault")}
    assert [line for _, _, line in places(found)] == [3, 4]
    open_ended = Node(
        id="shop/till.py::pay", kind=NodeKind.FUNCTION, name="pay", parent="shop/till.py"
    )
    spec = spec_of()
    state = ProjectState(nodes=(*structure(spec).nodes, open_ended))
    (warned,) = verify_structure(state, spec)
    assert (warned.rule, warned.verdict) == (Rule.NO_SIGNATURE, "warning")


def test_a_structure_without_a_python_file_points_at_the_architecture() -> None:
    spec = spec_of()
    (found,) = verify_structure(ProjectState(), spec)
    assert found.rule is Rule.NO_PYTHON
    assert places([found]) == [(".", "architecture_design.md", 1)]


def test_what_the_uml_defines_and_the_structure_lacks() -> None:
    spec = spec_of()
    whole = structure(spec)
    assert [e.subject for e in verify_interfaces(whole, spec)] == ["RATE"]
    state = without(whole, "shop/cart.py::Cart.add", "shop/till.py::checkout")
    assert places(verify_interfaces(state, spec)) == [
        ("shop/cart.py::Cart.add", "UML.md", 10),
        ("checkout", "UML.md", 13),
        ("RATE", "UML.md", 14),
    ]
    lost = without(whole, *(n.id for n in whole.nodes if "Base" in n.id))
    assert ("Base", "UML.md", 5) in places(verify_interfaces(lost, spec))


def test_what_a_base_holds_need_not_stand_in_the_class() -> None:
    uml = UML.replace("+add(item: str)", "+add(item: str)\n        +close()")
    spec = spec_of(uml=uml)
    state = without(structure(spec), "shop/cart.py::Cart.close")
    assert [e.subject for e in verify_interfaces(state, spec)] == ["RATE"]


def test_a_class_of_the_same_name_in_two_files_is_held_by_both_together() -> None:
    spec = spec_of()
    twin = Node(id="shop/z.py::Cart", kind=NodeKind.CLASS, name="Cart", parent="shop/z.py")
    state = ProjectState(nodes=(*structure(spec).nodes, twin))
    assert [e.subject for e in verify_interfaces(state, spec)] == ["RATE"]


def test_classes_of_the_standard_library_need_no_file() -> None:
    drawn = (
        "    class StringIO {\n        +write(text: str)\n        +getvalue() str\n    }\n"
        "    class Path {\n        +walk_backwards()\n    }\n"
    )
    spec = spec_of(uml=UML.replace("classDiagram\n", f"classDiagram\n{drawn}"))
    lost = [e.subject for e in verify_interfaces(structure(spec), spec)]
    assert "Path" in lost
    assert "StringIO" not in lost


def test_a_file_that_the_architecture_names_and_the_structure_lacks() -> None:
    spec = spec_of()
    state = without(structure(spec), "shop/till.py")
    assert places(verify_files(state, spec)) == [("shop/till.py", "architecture_design.md", 13)]


def test_the_computed_skeleton_covers_its_structure() -> None:
    state = structure(spec_of())
    assert verify_coverage(state, skeleton_of(state)) == []


def test_what_a_skeleton_lacks_and_where() -> None:
    state = structure(spec_of())
    files = skeleton_of(state)
    files["shop/cart.py"] = "class Cart:\n    pass\n\n\nclass Base:\n    pass\n"
    del files["shop/till.py"]
    assert places(verify_coverage(state, files)) == [
        ("shop/till.py", "architecture_design.md", 13),
        ("shop/cart.py::Base.close", "shop/cart.py", 5),
        ("shop/cart.py::Cart.add", "shop/cart.py", 1),
    ]


def test_what_a_base_of_the_project_brings_is_covered() -> None:
    state = structure(spec_of())
    files = skeleton_of(state)
    files["shop/cart.py"] = (
        "class _Adds:\n    def add(self, item): ...\n\n\n"
        "class Base:\n    def close(self): ...\n\n\nclass Cart(_Adds, Base):\n    pass\n"
    )
    assert verify_coverage(state, files) == []
    files["shop/cart.py"] = files["shop/cart.py"].replace("Cart(_Adds, Base)", "Cart(dict)")
    assert [e.subject for e in verify_coverage(state, files)] == ["shop/cart.py::Cart.add"]


def test_a_skeleton_that_does_not_parse_is_told_by_its_line() -> None:
    state = structure(spec_of())
    broken = {**skeleton_of(state), "shop/till.py": "def checkout(\n    cart\n"}
    (found,) = verify_coverage(state, broken)
    assert found.rule is Rule.SYNTAX
    assert places([found]) == [("shop/till.py", "shop/till.py", 1)]
