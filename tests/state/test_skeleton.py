"""Skeletons written from the structure can be imported, keep what the documents say, and tell what
is left to write."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bot.spec.model import Parameter
from bot.state.model import Attribute, Node, NodeKind, ProjectState, module_name, ordered
from bot.state.skeleton import is_complete, skeleton_of
from bot.state.structure import with_modules


def file(path: str, purpose: str = "") -> Node:
    name = path.rpartition("/")[2]
    return Node(id=path, kind=NodeKind.FILE, name=name, parent="app", purpose=purpose)


def cls(name: str, path: str = "app/a.py", **more: object) -> Node:
    values = {"id": f"{path}::{name}", "kind": "class", "name": name, "parent": path, **more}
    return Node.model_validate(values)


def function(name: str, path: str = "app/a.py", owner: str = "", **more: object) -> Node:
    parent = f"{path}::{owner}" if owner else path
    qualname = f"{owner}.{name}" if owner else name
    values = {"id": f"{path}::{qualname}", "kind": "function", "name": name, "parent": parent}
    return Node.model_validate({**values, **more})


def variable(name: str, path: str = "app/a.py", **more: object) -> Node:
    values = {"id": f"{path}::{name}", "kind": "global", "name": name, "parent": path, **more}
    return Node.model_validate(values)


def written(*nodes: Node) -> dict[str, str]:
    paths = {n.path for n in nodes}
    files = {p: file(p) for p in paths | {"app/__init__.py"}}
    return skeleton_of(
        ProjectState(nodes=ordered(with_modules({**files, **{n.id: n for n in nodes}})))
    )


def imported(tmp_path: Path, files: dict[str, str], ask: str = "None") -> object:
    """Import every module for real; the value of an expression in which `a` is `app.a`."""
    for path, source in files.items():
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(source, "utf-8")
    modules = sorted(module_name(p) for p in files)
    code = (
        f"import importlib, json\nfor m in {modules}:\n    importlib.import_module(m)\n"
        f"import app.a as a\nprint(json.dumps({ask}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "bases",
    [
        {"A": ("Generic[T]",), "B": ('A["B"]', "Token"), "Token": ()},
        {"A": (), "B": ("A[int]",)},
        {"A": ("Generic",), "B": ("Protocol[T_co]",)},
        {"A": (), "B": ("A",), "C": ("A", "B")},
        {"A": ("bool",), "B": ("int", "str"), "C": ("NoReturn",), "D": ("LIMIT",)},
        {"A": ("Exception[str]",), "B": ("dict[str, int]",), "C": ("enum.Enum", "ABC")},
        {"A": ("A",), "B": ("C",), "C": ("B",)},
        {"A": ("metaclass=ABCMeta",), "B": ("TypedDict", "total=False"), "C": ("depth=3",)},
        {"A": ("Enum",), "B": ("A",)},
        {"A": ("metaclass=ABCMeta", "Exception"), "B": ("depth=print", "metaclass=print")},
        {"A": ("elsewhere.Base[int]", "make()"), "B": ("Literal['x']",), "C": ("A", "A")},
    ],
)
def test_whatever_the_bases_the_skeleton_is_imported(
    tmp_path: Path, bases: dict[str, tuple[str, ...]]
) -> None:
    member = (Attribute(name="FIRST"),)
    classes = [cls(name, bases=said, attributes=member) for name, said in bases.items()]
    files = written(variable("LIMIT", value="3"), *classes)
    imported(tmp_path, files)
    for name, said in bases.items():
        assert f"class {name}" in files["app/a.py"]
        for base in said:
            assert base.replace("'", '"').strip("A") in files["app/a.py"].replace("'", '"')


def test_generic_classes_keep_their_type_variables_across_files(tmp_path: Path) -> None:
    files = written(
        cls("Box", bases=("Generic[T]",)),
        cls("IntBox", path="app/b.py", bases=("Box[int]",)),
    )
    imported(tmp_path, files)
    assert "class Box(Generic[T]):" in files["app/a.py"]
    assert "class IntBox(Box[int]):" in files["app/b.py"]


def test_a_base_of_a_module_beside_is_taken_from_it(tmp_path: Path) -> None:
    files = written(cls("Base", path="app/types.py"), cls("Child", bases=("types.Base",)))
    imported(tmp_path, files)
    assert "from app import types" in files["app/a.py"]
    assert "class Child(types.Base):" in files["app/a.py"]


def test_values_of_the_documents_stand_where_they_can_run(tmp_path: Path) -> None:
    files = written(
        cls(
            "Currency",
            decorators=("dataclass(frozen=True)",),
            attributes=(
                Attribute(name="code", annotation="str"),
                Attribute(name="notes", annotation="list[str]", value="[]"),
            ),
        ),
        variable("ALL", value="(EUR, LIMIT)"),
        variable("EUR", annotation="Currency", value='Currency("EUR")'),
        variable("WRONG", value="Currency()"),
        variable("LIMIT", annotation="int", value="60 * 60"),
        variable("Amount", value="int | Currency | None"),
        variable("LATER", value="compute(3)", purpose="Worked out."),
    )
    found = imported(tmp_path, files, "[a.EUR.code, a.EUR.notes, a.LIMIT, a.LATER, len(a.ALL)]")
    assert found == ["EUR", [], 3600, None, 2]
    assert "LATER = None  # = compute(3); Worked out." in files["app/a.py"]
    assert "WRONG = None  # = Currency()" in files["app/a.py"]


def test_defaults_use_only_what_stands_above_them(tmp_path: Path) -> None:
    later = (Parameter(name="kind", default="Later"), Parameter(name="much", default="LIMIT"))
    files = written(
        cls("Early"),
        function("make", owner="Early", parameters=later),
        cls("Later"),
        function("build", parameters=later),
        variable("LIMIT", value="3"),
    )
    imported(tmp_path, files)
    assert "def make(self, kind=None, much=LIMIT):  # kind = Later" in files["app/a.py"]
    assert "def build(kind=Later, much=LIMIT):" in files["app/a.py"]


def test_types_that_the_file_does_not_know_are_told_beside_it() -> None:
    files = written(
        function(
            "draw",
            parameters=(
                Parameter(name="ctx", annotation="click.Context"),
                Parameter(name="size", annotation="int", default="DEFAULT_SIZE"),
            ),
            returns="Image",
        ),
        cls("Canvas", attributes=(Attribute(name="pixels", annotation="np.ndarray"),)),
    )
    source = files["app/a.py"]
    assert (
        "def draw(ctx, size: int = None):"
        "  # ctx: click.Context, size = DEFAULT_SIZE, -> Image" in source
    )
    assert "pixels: object  # np.ndarray" in source


def test_enumerations_have_members_unless_making_one_needs_code(tmp_path: Path) -> None:
    members = (Attribute(name="RED"), Attribute(name="BLUE", value="'b'"))
    files = written(
        cls("Plain", bases=("Enum",), attributes=members),
        cls("Made", bases=("Enum",), attributes=members),
        function("__init__", owner="Made", parameters=(Parameter(name="code"),)),
    )
    assert imported(tmp_path, files, "[[m.name for m in c] for c in (a.Plain, a.Made)]") == [
        ["RED", "BLUE"],
        [],
    ]
    assert "BLUE: object  # = 'b'" in files["app/a.py"]


@pytest.mark.parametrize(
    "attributes",
    [
        (Attribute(name="a", value="1"), Attribute(name="b")),
        (
            Attribute(name="a", value="[1]"),
            Attribute(name="b", value="field(default_factory=list)"),
        ),
        (Attribute(name="a", value="other()"), Attribute(name="b", value="field(default=Other)")),
    ],
)
def test_data_classes_are_imported_whatever_their_fields(
    tmp_path: Path, attributes: tuple[Attribute, ...]
) -> None:
    parent = cls("Base", decorators=("dataclass",), attributes=(Attribute(name="z", value="1"),))
    child = cls("Child", decorators=("dataclass",), bases=("Base",), attributes=attributes)
    imported(tmp_path, written(parent, child))


def test_what_says_nothing_new_is_left_out() -> None:
    nodes = {
        n.id: n
        for n in (
            file("app/a.py", "a.py"),
            cls("Cart", purpose="Holds items."),
            function("add", owner="Cart", purpose="Holds items.", parameters=()),
            cls(
                "Point",
                decorators=("dataclass",),
                purpose="A dataclass.",
                attributes=(Attribute(name="x", annotation="int"),),
            ),
        )
    }
    source = skeleton_of(ProjectState(nodes=ordered(with_modules(nodes))))["app/a.py"]
    assert source == (
        "from __future__ import annotations\n\nfrom dataclasses import dataclass\n\n\n"
        'class Cart:\n    """Holds items."""\n\n    def add(self):\n'
        "        raise NotImplementedError\n\n\n@dataclass\nclass Point:\n    x: int\n"
    )


@pytest.mark.parametrize(
    ("path", "source", "complete"),
    [
        ("app/__init__.py", "", True),
        ("app/__init__.py", '"""Calculating."""\n', True),
        ("app/__init__.py", '"""Exports the functions of `a.py`."""\n', False),
        ("app/__init__.py", '"""Sets the package version."""\n', False),
        ("app/__init__.py", '"""Re-exports."""\nfrom app.a import f\n__all__ = ["f"]\n', True),
        ("app/__init__.py", '"""Defines X."""\nfrom app.a import f\n__all__ = ["f"]\n', False),
        ("app/__about__.py", '__version__ = "1.0"\n', True),
        ("app/__about__.py", '"""`__version__` and `__author__`."""\n__version__ = "1"\n', False),
        ("app/__about__.py", "__version__ = None\n", False),
        ("app/errors.py", 'class AppError(Exception):\n    """A fault."""\n', True),
        ("app/errors.py", 'class AppError(Exception):\n    """A fault. Extends lib.E."""\n', False),
        ("app/views.py", 'class Page(View):\n    """Shows a page."""\n', False),
        ("app/a.py", "def f():\n    raise NotImplementedError\n", False),
        ("app/a.py", "", False),
    ],
)
def test_what_is_left_to_write(path: str, source: str, *, complete: bool) -> None:
    assert is_complete(path, source) is complete


def test_nothing_that_the_documents_name_is_run(tmp_path: Path) -> None:
    """Bases, metaclasses and members come from strangers: making the classes calls none of them."""
    mark = tmp_path / "run"
    folder = tmp_path / "A"
    folder.mkdir()
    command = (Attribute(name="FIRST", value=repr(["touch", str(mark)])),)
    skeleton_of(
        ProjectState(
            nodes=ordered(
                with_modules(
                    {
                        n.id: n
                        for n in (
                            file("app/a.py"),
                            cls("Run", bases=("Popen", "Enum"), attributes=command),
                            cls("Mixed", bases=("Popen",), attributes=command),
                            cls("Later", bases=("Mixed", "Enum"), attributes=command),
                            cls("A", bases=("metaclass=shutil.rmtree",)),
                            cls("B", bases=(f"metaclass=open('{mark}', 'w')",)),
                            cls("C", bases=(f"open('{mark}', 'w')",)),
                        )
                    }
                )
            )
        )
    )
    assert not mark.exists()
    assert folder.is_dir()


def test_classes_that_are_called_errors_are_exceptions_where_nobody_says_more() -> None:
    text = written(
        cls("ParseError"),
        cls("MLLPException"),
        cls("OldWarning"),
        cls("Told", bases=("ValueError",)),
        cls("ToldError", bases=("ValueError",)),
        cls("Errors"),
    )["app/a.py"]
    for head in (
        "class ParseError(Exception):",
        "class MLLPException(Exception):",
        "class OldWarning(Warning):",
        "class ToldError(ValueError):",
        "class Errors:",
    ):
        assert head in text
