"""Architecture consistency: what counts as a path, and the figure."""

from bot.bench.paths import leaves, level, overlap, planned_names, pooled, public, real_names
from bot.spec.model import Location, PlannedClass, PlannedFile, PlannedFunction, Spec
from bot.state.structure import structure_of

SOURCE = """
import sys

if sys.version_info > (3,):
    async def fetch(): ...
else:
    def old(): ...

try:
    class Guarded: pass
except ImportError:
    pass

class Outer:
    limit = 1
    class Inner:
        def deep(self): ...
    @property
    def size(self):
        def nested(): ...
        return nested
    def _hidden(self): ...

for name in "ab":
    def looped(): ...
"""
HERE = Location(file="architecture_design.md")


def test_leaves_are_those_of_the_definition() -> None:
    found = leaves(real_names({"pkg/a.py": SOURCE, "pkg/__init__.py": ""}))
    assert {"/".join(p) for p in found} == {
        "pkg/__init__.py",
        "pkg/a.py/def fetch",
        "pkg/a.py/def old",
        "pkg/a.py/class Guarded",
        "pkg/a.py/class Outer/class Inner",
        "pkg/a.py/class Outer/def size",
        "pkg/a.py/class Outer/def _hidden",
    }


def test_levels_and_public_names() -> None:
    names = real_names({"pkg/a.py": SOURCE, "pkg/_b.py": "def f(): ...\n"})
    assert {p[-1] for p in level(names, "file")} == {"a.py", "_b.py"}
    assert {p[-1] for p in level(names, "class")} == {"class Guarded", "class Outer", "class Inner"}
    kept = {p[-1] for p in public(names)}
    assert "def size" in kept and not kept & {"def _hidden", "_b.py", "def f"}


def test_a_structure_gives_the_same_kind_of_paths() -> None:
    method = PlannedFunction(name="add", location=HERE)
    cart = PlannedClass(name="Cart", methods=(method,), location=HERE)
    spec = Spec(
        title="Shop",
        documents=(),
        sections=(),
        files=(
            PlannedFile(path="shop/cart.py", classes=(cart,), location=HERE),
            PlannedFile(path="README.md", location=HERE),
            PlannedFile(path="tests/test_cart.py", location=HERE),
        ),
        digest="0",
    )
    planned = planned_names(structure_of(spec), lambda path: not path.startswith("tests/"))
    assert leaves(planned) == {("shop", "cart.py", "class Cart", "def add")}
    real = real_names(
        {"shop/cart.py": "class Cart:\n    def add(self): ...\n    def sum(self): ..."}
    )
    found = overlap(leaves(planned), leaves(real))
    assert (found.common, found.planned, found.real) == (1, 1, 2)
    assert found.f1 == 2 / 3
    assert pooled([found, overlap(frozenset(), frozenset())]) == 2 / 3
