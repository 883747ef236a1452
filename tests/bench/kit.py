"""A small data set in the published layout, of our own."""

import json
from pathlib import Path

ARCHITECTURE = """# Architecture

```text
shop/
├── __init__.py
├── cart.py
└── price.py
```

## `shop/cart.py`

- `class Cart`: what a customer takes.
  - `__init__(self, owner: str)`: starts empty.
  - `add(self, item: str) -> None`: takes an item.

## `shop/price.py`

- `total(cart: Cart, vat: float = 0.2) -> float`: the price of a cart.
"""
PRD = "# Shop\n\n## Features\n\nA cart that knows its price.\n"
UML = "```mermaid\nclassDiagram\nclass Cart {\n  +add(item)\n}\n```\n"

CART = '''"""The cart."""

from shop import price


class Cart:
    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.items: list[str] = []

    def add(self, item: str) -> None:
        self.items.append(item)

    def bill(self) -> float:
        return price.total(self)
'''
PRICE = '''"""Prices."""

import math


def total(cart, vat: float = 0.2) -> float:
    return math.ceil(len(cart.items) * (1 + vat))
'''


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def datasets(folder: Path) -> Path:
    """Two tasks: `shop`, its code below a source root, and `till`, its code at the top."""
    config = {
        "PRD": "docs/PRD.md",
        "UML": ["docs/UML.md"],
        "architecture_design": "docs/architecture_design.md",
        "dependencies": "requirements.txt",
        "source_code": "shop",
        "usage_examples": "",
        "required_files": ["requirements.txt", "data/*.txt"],
    }
    write(
        folder / "CodeProjectEval" / "shop",
        {
            "config.json": json.dumps(config),
            "docs/PRD.md": PRD,
            "docs/UML.md": UML,
            "docs/architecture_design.md": ARCHITECTURE,
            "requirements.txt": "",
            "data/rates.txt": "0.2\n",
            "check_tests/test_cart.py": "from shop.cart import Cart\n",
            "unit_tests/test_hidden.py": "from shop.cart import Cart\n",
            "shop/__init__.py": "",
            "shop/cart.py": CART,
            "shop/price.py": PRICE,
        },
    )
    flat = {
        "PRD": "PRD.md",
        "UML_class": "UML_class.md",
        "architecture_design": "architecture_design.md",
        "usage_examples": "examples",
        "required_files": "examples",
    }
    write(
        folder / "DevBench" / "till",
        {
            "config.json": json.dumps(flat),
            "PRD.md": PRD,
            "UML_class.md": UML,
            "architecture_design.md": ARCHITECTURE,
            "examples/demo.py": "import shop\n",
            "shop/__init__.py": "",
            "shop/cart.py": CART,
            "shop/price.py": PRICE,
        },
    )
    return folder


def many(folder: Path, count: int) -> Path:
    """One task, `rows`, of so many modules with a function each, and its package."""
    names = [f"row{number}" for number in range(count)]
    tree = "\n".join(f"├── {name}.py" for name in names)
    chapters = "".join(
        f"\n## `rows/{name}.py`\n\n- `{name}(value: int) -> int`: adds.\n" for name in names
    )
    members = "\n".join(f"  +{name}(value: int) int" for name in names)
    config = {
        "PRD": "PRD.md",
        "UML_class": "UML_class.md",
        "architecture_design": "architecture_design.md",
    }
    uml = f"```mermaid\nclassDiagram\nclass Global_functions {{\n{members}\n}}\n```\n"
    design = f"# Architecture\n\n```text\nrows/\n├── __init__.py\n{tree}\n```\n{chapters}"
    test = "from rows.row0 import row0\n\n\ndef test_it():\n    assert row0(1)\n"
    sources = {
        f"rows/{name}.py": f"def {name}(value: int) -> int:\n    return value + {number}\n"
        for number, name in enumerate(names)
    }
    write(
        folder / "DevBench" / "rows",
        {
            "config.json": json.dumps(config),
            "PRD.md": "# Rows\n\n## Rows\n\n" + "Each row adds something of its own.\n" * 200,
            "UML_class.md": uml,
            "architecture_design.md": design,
            "check_tests/test_rows.py": test,
            "rows/__init__.py": "",
            **sources,
        },
    )
    return folder
