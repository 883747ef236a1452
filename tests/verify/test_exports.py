"""Re-exports that the check tests use, or by which the documents call things."""

from bot.spec.folder import spec_from_files
from bot.state.model import ProjectState
from bot.state.structure import structure_of
from bot.verify.usage import missing_exports

ARCHITECTURE = """# Architecture

```text
shop/
├── __init__.py
├── cart.py
├── till.py
└── extra/
    ├── __init__.py
    └── gift.py
```

## `shop/cart.py`

- `Cart`: what a customer has. `shop.cart.Cart` is where it lives.
- `Item`: one thing.
- `twice(n: int) -> int`: in two files.

## `shop/till.py`

- `pay(cart: Cart) -> int`: returns the sum of a `shop.Cart`, see `shop.Nothing` and `shop.twice`.
- `twice(n: int) -> int`: in two files.

## `shop/extra/gift.py`

- `wrap(cart: Cart) -> Cart`: call `shop.extra.wrap(cart)`; see https://shop.Item.example and
  docs/shop.Item.
"""


def exported(tests: str = "def test_it(): ...\n") -> set[str]:
    files = {
        "PRD.md": "# Shop\n\nUse `shop.pay(cart)`; mail to me@shop.Item.\n",
        "architecture_design.md": ARCHITECTURE,
        "check_tests/test_shop.py": tests,
    }
    spec = spec_from_files({p: t.encode() for p, t in files.items()}, "shop")
    state = ProjectState(nodes=structure_of(spec))
    return {n.id for n in missing_exports(spec, state) if "::" in n.id}


def test_what_the_documents_call_by_the_package_is_exported() -> None:
    assert exported() == {
        "shop/__init__.py::Cart",
        "shop/__init__.py::pay",
        "shop/extra/__init__.py::wrap",
    }


def test_what_the_check_tests_use_by_the_package_is_exported() -> None:
    found = exported("from shop import Item\n\n\ndef test_it():\n    assert Item\n")
    assert "shop/__init__.py::Item" in found
