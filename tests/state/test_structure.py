"""What the documents say becomes structure and skeleton without asking anybody."""

import ast

import pytest

from bot.spec.folder import spec_from_files
from bot.spec.model import (
    ClassDiagram,
    Location,
    Member,
    Parameter,
    PlannedClass,
    PlannedFile,
    PlannedFunction,
    PlannedVariable,
    Spec,
    UmlClass,
    UmlRelation,
)
from bot.state.model import ProjectState
from bot.state.reconcile import change_of, reconcile
from bot.state.skeleton import is_complete, skeleton_of
from bot.state.structure import homeless, structure_of

HERE = Location(file="architecture_design.md", line=3)


def method(name: str, **more: object) -> Member:
    return Member.model_validate(
        {"name": name, "kind": "method", "text": name, "location": HERE, **more}
    )


def shop_spec(**more: object) -> Spec:
    cart = PlannedClass(
        name="Cart",
        responsibility="What a customer takes.",
        methods=(
            PlannedFunction(
                name="add",
                parameters=(Parameter(name="self"), Parameter(name="item", annotation="str")),
                location=HERE,
            ),
        ),
        location=HERE,
    )
    files = (
        PlannedFile(
            path="shop/__init__.py",
            variables=(PlannedVariable(name="Cart", location=HERE),),
            location=HERE,
        ),
        PlannedFile(path="shop/cart.py", classes=(cart,), location=HERE),
        PlannedFile(
            path="shop/price.py",
            functions=(PlannedFunction(name="total", location=HERE),),
            location=HERE,
        ),
    )
    uml = ClassDiagram(
        classes=(
            UmlClass(
                name="Cart",
                members=(
                    method("clear", parameters=()),
                    Member(name="items", kind="attribute", type="list", text="", location=HERE),
                ),
                location=HERE,
            ),
            UmlClass(
                name="Global_functions",
                hosts_globals=True,
                members=(
                    method(
                        "total",
                        type="int",
                        parameters=(Parameter(name="cart"), Parameter(name="vat", default="0")),
                    ),
                ),
                location=HERE,
            ),
            UmlClass(name="Ghost", members=(method("haunt"),), location=HERE),
        ),
        relations=(UmlRelation(source="Cart", target="Basket", kind="inherit", location=HERE),),
        location=HERE,
    )
    values: dict[str, object] = {
        "title": "Shop",
        "documents": (),
        "sections": (),
        "files": files,
        "class_diagrams": (uml,),
        "digest": "0",
    }
    return Spec.model_validate({**values, **more})


def test_architecture_and_uml_become_one_structure() -> None:
    nodes = {n.id: n for n in structure_of(shop_spec())}
    assert set(nodes) == {
        "shop",
        "shop/__init__.py",
        "shop/__init__.py::Cart",
        "shop/cart.py",
        "shop/cart.py::Cart",
        "shop/cart.py::Cart.add",
        "shop/cart.py::Cart.clear",
        "shop/price.py",
        "shop/price.py::total",
    }
    assert [p.name for p in nodes["shop/price.py::total"].parameters or ()] == ["cart", "vat"]
    assert nodes["shop/price.py::total"].returns == "int"
    assert [a.name for a in nodes["shop/cart.py::Cart"].attributes] == ["items"]


def test_a_class_that_no_file_holds_is_named() -> None:
    spec = shop_spec()
    assert [box.name for box in homeless(spec, structure_of(spec))] == ["Ghost"]


def test_skeleton_compiles_exports_and_keeps_unknown_bases_as_words() -> None:
    spec = shop_spec()
    files = skeleton_of(ProjectState(nodes=structure_of(spec)))
    for source in files.values():
        ast.parse(source)
    assert "from shop.cart import Cart" in files["shop/__init__.py"]
    assert "class Cart:" in files["shop/cart.py"]
    assert "Extends Basket" in files["shop/cart.py"]
    assert "def add(self, item: str):" in files["shop/cart.py"]
    assert "def total(cart, vat=0) -> int:" in files["shop/price.py"]


def test_skeleton_realizes_the_whole_structure() -> None:
    state = ProjectState(nodes=structure_of(shop_spec()))
    files = skeleton_of(state)
    after, drift = reconcile(state, change_of(files, files))
    assert drift.not_realized == ()
    assert drift.changed == ()
    assert {n.id for n in state.nodes} <= {n.id for n in after.nodes}


def test_state_survives_json() -> None:
    files = skeleton_of(ProjectState(nodes=structure_of(shop_spec())))
    state, _ = reconcile(ProjectState(), change_of(files, files))
    assert ProjectState.model_validate_json(state.model_dump_json()) == state


def test_a_file_that_does_not_parse_is_still_to_be_written() -> None:
    assert not is_complete("shop/errors.py", "class CartError(Exception:\n")
    assert is_complete("shop/errors.py", 'class CartError(Exception):\n    """A fault."""\n')


@pytest.mark.parametrize(
    ("said", "decorator"),
    [
        ("A dataclass.", "@dataclass\n"),
        ("A frozen dataclass: it never changes.", "@dataclass(frozen=True)\n"),
        ("A frozen, ordered dataclass; sorted by row.", "@dataclass(frozen=True, order=True)\n"),
        ("The small immutable `dataclass` of a cell.", "@dataclass(frozen=True)\n"),
        ("Holds a dataclass.", ""),
        ("Makes things ordered.", ""),
    ],
)
def test_prose_says_what_kind_of_dataclass_a_class_is(said: str, decorator: str) -> None:
    text = f"# Architecture\n\n## `app/cell.py`\n\n- `Cell`: {said}\n  - `row: int`: From 1.\n"
    spec = spec_from_files({"PRD.md": b"# Cells\n", "architecture.md": text.encode()}, "app")
    skeleton = skeleton_of(ProjectState(nodes=structure_of(spec)))["app/cell.py"]
    assert f"{decorator}class Cell:" in skeleton
    assert ("@dataclass" in skeleton) == bool(decorator)
