"""What files will use of each other, before there is code."""

import pytest

from bot.spec.folder import spec_from_files
from bot.spec.model import Spec
from bot.state.model import ProjectState, Relation, RelationKind
from bot.state.reconcile import change_of, reconcile
from bot.state.relations import predict, strength, weighted

SKELETON = {
    "shop/__init__.py": '__all__ = ["Cart"]\n\ndef main():\n    raise NotImplementedError\n',
    "shop/cart.py": (
        "from shop.price import Money\n\n\n"
        "class Cart:\n"
        '    """What a customer takes; raises `EmptyCart` where there is nothing."""\n\n'
        "    def total(self) -> Money:\n        raise NotImplementedError\n"
    ),
    "shop/cli.py": (
        "from shop.cart import Cart\nfrom shop.files import open_store\n\n\n"
        'def main() -> None:\n    """Print the bill."""\n    raise NotImplementedError\n'
    ),
    "shop/errors.py": "class EmptyCart(Exception):\n    pass\n",
    "shop/files.py": (
        "from shop.store import Store\n\n\n"
        "def open_store() -> Store:\n    raise NotImplementedError\n"
    ),
    "shop/price.py": "class Money:\n    cents: int\n",
    "shop/report.py": (
        "def bill(price) -> str:\n"
        '    """Write the price of money and cents as a customer reads it."""\n'
        "    raise NotImplementedError\n"
    ),
    "shop/store.py": "class Store:\n    def save(self):\n        raise NotImplementedError\n",
}
UML = """# UML

```mermaid
classDiagram
class Store {
  +save()
}
class Money {
}
Store --> Money : keeps
```

```mermaid
sequenceDiagram
participant U as User
participant S as Store (store.py)
participant C as Cart
U->>C: add(item)
S->>C: total()
C-->>S: money
```
"""


@pytest.fixture(scope="module")
def spec() -> Spec:
    return spec_from_files({"PRD.md": b"# Shop\n", "UML.md": UML.encode()})


@pytest.fixture(scope="module")
def predicted(spec: Spec) -> tuple[Relation, ...]:
    state, _ = reconcile(ProjectState(), change_of(SKELETON, SKELETON))
    return predict(state, SKELETON, spec)


@pytest.mark.parametrize(
    ("source", "target", "signal"),
    [
        ("shop/cli.py", "shop/files.py::open_store", "import"),
        ("shop/cart.py::Cart.total", "shop/price.py::Money", "import"),
        ("shop/cart.py::Cart", "shop/errors.py::EmptyCart", "symbol"),
        ("shop/__init__.py::__all__", "shop/cart.py::Cart", "symbol"),
        ("shop/__init__.py::main", "shop/cli.py::main", "symbol"),
        ("shop/cli.py", "shop/store.py::Store", "symbol"),
        ("shop/store.py::Store", "shop/cart.py::Cart.total", "sequence"),
        ("shop/store.py::Store", "shop/price.py::Money", "diagram"),
    ],
)
def test_a_relation_names_its_signal(
    predicted: tuple[Relation, ...], source: str, target: str, signal: str
) -> None:
    found = {(r.source, r.target, r.signal): r for r in predicted}
    relation = found[source, target, signal]
    assert relation.origin == "predicted"
    assert 0 < relation.weight <= 1


def test_files_that_say_similar_things_are_weakly_related(
    predicted: tuple[Relation, ...],
) -> None:
    similar = {r.files: r.weight for r in predicted if r.signal == "similarity"}
    assert ("shop/report.py", "shop/price.py") in similar
    assert max(similar.values()) <= 0.4


def test_a_reply_and_an_actor_predict_nothing(predicted: tuple[Relation, ...]) -> None:
    messages = [(r.source, r.target) for r in predicted if r.signal == "sequence"]
    assert messages == [("shop/store.py::Store", "shop/cart.py::Cart.total")]


def test_signals_add_up_and_one_signal_counts_once() -> None:
    def relation(name: str, signal: str, weight: float) -> Relation:
        return Relation(
            source="a.py",
            target=f"b.py::{name}",
            kind=RelationKind.USE,
            origin="predicted",
            signal=signal,
            weight=weight,
        )

    told = [
        relation("f", "symbol", 0.5),
        relation("g", "symbol", 0.4),
        relation("f", "diagram", 0.5),
    ]
    assert strength(told) == {("a.py", "b.py"): pytest.approx(0.75)}


def test_guesses_count_less_where_the_imports_stand_for_the_bodies(spec: Spec) -> None:
    planned = {
        **SKELETON,
        "shop/store.py": f"from shop.errors import EmptyCart\n{SKELETON['shop/store.py']}",
    }

    def weight(files: dict[str, str]) -> float:
        state, _ = reconcile(ProjectState(), change_of(files, files))
        told = predict(state, files, spec)
        return next(r.weight for r in told if r.signal == "diagram")

    assert weight(planned) < weight(SKELETON)


def test_predictions_fade_and_go_where_code_contradicts_them() -> None:
    def guess(source: str, target: str) -> Relation:
        return Relation(
            source=source,
            target=target,
            kind=RelationKind.USE,
            origin="predicted",
            signal="symbol",
            weight=0.5,
        )

    files = {
        "p/a.py": "from p.b import run\nrun()\n",
        "p/b.py": "def run(): ...\n",
        "p/c.py": "def run(): ...\ndef stop(): ...\n",
    }
    kept = guess("p/a.py", "p/c.py::stop")
    wrong = [
        guess("p/a.py", "p/c.py::run"),
        guess("p/b.py", "p/a.py"),
        guess("p/a.py", "p/c.py::gone"),
    ]
    state, _ = reconcile(ProjectState(), change_of(files, files))
    state = state.model_copy(update={"predicted": (kept, *wrong)})
    for iteration, weight in ((1, 0.5), (2, 0.15), (3, 0.045)):
        told = weighted(state, iteration)
        assert {r.weight for r in told if r.origin == "realized"} == {1.0}
        left = [(r.target, r.weight) for r in told if r.origin == "predicted"]
        assert left == [("p/c.py::stop", pytest.approx(weight))]
