"""What texts, packages, diagrams and check tests tell of files that will use each other."""

from bot.spec.folder import spec_from_files
from bot.state.model import ProjectState
from bot.state.reconcile import change_of, reconcile
from bot.state.relations import predict

RAISE = "\n    raise NotImplementedError\n"


def pairs(files: dict[str, str], signal: str, **documents: str) -> dict[tuple[str, str], float]:
    """(file, file) -> the greatest weight with which a signal predicts it."""
    given = {"PRD.md": b"# Shop\n", **{f"{n}.md": t.encode() for n, t in documents.items()}}
    tests = {f"check_tests/{n}.py": t for n, t in documents.items() if n.startswith("test_")}
    given = {k: v for k, v in given.items() if not k.startswith("test_")}
    spec = spec_from_files({**given, **{p: t.encode() for p, t in tests.items()}})
    state, _ = reconcile(ProjectState(), change_of(files, files))
    found: dict[tuple[str, str], float] = {}
    for r in predict(state, files, spec):
        if r.signal == signal:
            found[r.files] = max(found.get(r.files, 0), r.weight)
    return found


def test_what_an_exception_speaks_of_raises_it() -> None:
    found = pairs(
        {
            "shop/errors.py": 'class CartError(Exception):\n    """Raised by `checkout`."""\n',
            "shop/cart.py": f"def checkout():{RAISE}",
        },
        "symbol",
    )
    assert found == {("shop/cart.py", "shop/errors.py"): 0.6}


def test_the_name_of_the_product_means_no_class_and_a_migration_no_model() -> None:
    found = pairs(
        {
            "shop/app.py": "class Shop:\n    open: bool\n",
            "shop/report.py": f'def bill():\n    """How `Shop` prints a bill."""{RAISE}',
            "shop/migrations/one.py": '"""Adds a field to `Customer`."""\n',
            "shop/models.py": "class Customer:\n    name: str\n",
        },
        "symbol",
    )
    assert found == {}


def test_a_package_that_re_exports_takes_from_the_modules_beside_it() -> None:
    found = pairs(
        {
            "shop/__init__.py": '"""Re-exports the key classes."""\n',
            "shop/cart.py": "class Cart:\n    items: list\n",
            "shop/deep/__init__.py": "",
            "shop/deep/inner.py": f"def f():{RAISE}",
        },
        "symbol",
    )
    assert found == {("shop/__init__.py", "shop/cart.py"): 0.55}


def test_a_file_that_is_named_is_used() -> None:
    found = pairs(
        {
            "shop/__init__.py": '"""Offers the functions of `prices.py`."""\n',
            "shop/prices.py": f"def f():{RAISE}",
        },
        "symbol",
    )
    assert found == {("shop/__init__.py", "shop/prices.py"): 0.6}


def test_command_lines_use_their_package_and_packages_the_module_of_their_name() -> None:
    found = pairs(
        {
            "shop/__init__.py": f"def start():{RAISE}",
            "shop/__main__.py": "",
            "shop/cli.py": f"def run():{RAISE}",
            "shop/shop.py": f"def build():{RAISE}",
        },
        "symbol",
    )
    assert found == {
        ("shop/cli.py", "shop/__init__.py"): 0.55,
        ("shop/__init__.py", "shop/shop.py"): 0.55,
    }


def test_a_box_of_functions_calls_from_the_function_that_runs_there() -> None:
    uml = (
        "```mermaid\nsequenceDiagram\nparticipant User\nparticipant Global_functions\n"
        "participant Result\nUser->>Global_functions: read(text)\n"
        "Global_functions->>Global_functions: count(text)\n"
        "Global_functions->>Result: __init__(n)\nResult-->>Global_functions: Result\n```\n"
    )
    found = pairs(
        {
            "shop/api.py": f"def read(text):{RAISE}",
            "shop/utils.py": f"def count(text):{RAISE}",
            "shop/result.py": "class Result:\n    def __init__(self, n):\n        self.n = n\n",
        },
        "sequence",
        UML=uml,
    )
    assert found == {
        ("shop/api.py", "shop/utils.py"): 0.7,
        ("shop/utils.py", "shop/result.py"): 0.7,
    }


def test_what_check_tests_replace_in_a_module_is_imported_there() -> None:
    test = (
        "from unittest.mock import patch\n\n\n@patch('shop.app.now')\n"
        "@patch(\"shop.app.clock.tick\")\ndef test_it(*patched):\n    assert 'shop.app'\n"
    )
    found = pairs(
        {
            "shop/app.py": f"def run():{RAISE}",
            "shop/clock.py": f"def tick():{RAISE}",
            "shop/times.py": f"def now():{RAISE}",
        },
        "tests",
        test_app=test,
    )
    assert found == {("shop/app.py", "shop/times.py"): 0.8, ("shop/app.py", "shop/clock.py"): 0.8}


def test_an_arrow_to_the_package_around_a_module_tells_little_where_nothing_is_defined() -> None:
    uml = "```mermaid\nclassDiagram\nclass Cart\nclass Price\nCart --> shop\nCart --> Price\n```\n"
    found = pairs(
        {
            "shop/__init__.py": '__all__ = ["Cart"]\n',
            "shop/cart.py": "class Cart:\n    items: list\n",
            "shop/price.py": "class Price:\n    cents: int\n",
        },
        "diagram",
        UML=uml,
    )
    assert found[("shop/cart.py", "shop/__init__.py")] < 0.5
    assert found[("shop/cart.py", "shop/price.py")] == 0.7
