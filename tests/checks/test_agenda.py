"""What the repair agenda tells of a check run: causes, responsible files, and why."""

import subprocess
import sys
from collections.abc import Mapping

from bot.checks.agenda.targets import Fault, agenda
from bot.checks.report import Frame, Report, TestOutcome, TestResult
from bot.state.model import ProjectState
from bot.state.reconcile import change_of, reconcile

FILES = {
    "shop/__init__.py": "from shop.cart import Cart\n",
    "shop/cart.py": (
        "from shop.prices import price\n\n\n"
        "class Cart:\n"
        "    def __init__(self):\n"
        "        self.items = []\n\n"
        "    def add(self, item):\n"
        "        self.items.append(item)\n\n"
        "    def total(self):\n"
        "        return sum(price(item) for item in self.items)\n"
    ),
    "shop/prices.py": "def price(item):\n    return len(item)\n",
    "shop/names.py": "def label(item):\n    return item.upper()\n",
}
TESTS = {
    "check_tests/test_cart.py": (
        "import pytest\n\n"
        "from shop import Cart\n"
        "from shop.names import label\n\n"
        "APPLE = 'apple'\n\n\n"
        "@pytest.fixture\n"
        "def cart():\n"
        "    made = Cart()\n"
        "    made.add(APPLE)\n"
        "    return made\n\n\n"
        "def test_total(cart):\n"
        "    assert cart.total() == 5\n\n\n"
        "def test_label():\n"
        "    text = label(APPLE)\n"
        "    assert text == 'APPLE'\n\n\n"
        "def test_label_again():\n"
        "    assert label('pear') == 'PEAR'\n"
    )
}


def state(files: Mapping[str, str] = FILES) -> ProjectState:
    return reconcile(ProjectState(), change_of(files, files))[0]


def failed(test: str, exception: str, message: str, *frames: tuple[str, int]) -> TestResult:
    return TestResult(
        id=test,
        outcome=TestOutcome.ERROR if "::" not in test else TestOutcome.FAILED,
        exception=exception,
        message=message,
        frames=tuple(Frame(path=p, line=n) for p, n in frames),
    )


def passed(test: str) -> TestResult:
    return TestResult(id=test, outcome=TestOutcome.PASSED)


CART = "check_tests/test_cart.py"


def test_an_assertion_without_frames_in_the_project_leads_to_what_the_test_calls() -> None:
    report = Report(
        tests=(
            passed(f"{CART}::test_total"),
            failed(f"{CART}::test_label", "AssertionError", "assert 'x' == 'APPLE'", (CART, 20)),
            failed(
                f"{CART}::test_label_again", "AssertionError", "assert 'x' == 'PEAR'", (CART, 24)
            ),
        )
    )
    first = agenda(report, FILES, TESTS, state())[0]
    assert first.files == ("shop/names.py",)
    assert first.node == "shop/names.py::label"
    assert first.test_source.startswith("def test_label():")
    assert "APPLE = 'apple'" in first.test_source


def test_each_way_in_which_a_target_fails_is_shown() -> None:
    report = Report(
        tests=(
            failed(f"{CART}::test_label", "AssertionError", "assert 'x' == 'APPLE'", (CART, 20)),
            failed(
                f"{CART}::test_label_again",
                "TypeError",
                "unsupported operand",
                (CART, 24),
                ("shop/names.py", 2),
            ),
            passed(f"{CART}::test_total"),
        )
    )
    first = agenda(report, FILES, TESTS, state())[0]
    assert first.node == "shop/names.py::label"
    assert len(first.tests) == 2
    (other,) = first.others
    assert {other.tests[0], *first.tests} == {f"{CART}::test_label", f"{CART}::test_label_again"}
    assert other.title != first.title
    assert other.test_source.startswith("def test_label")
    assert other.test_source != first.test_source


def test_a_fixture_leads_to_the_class_that_it_makes() -> None:
    report = Report(
        tests=(
            failed(f"{CART}::test_total", "AssertionError", "assert 4 == 5", (CART, 16)),
            passed(f"{CART}::test_label"),
            passed(f"{CART}::test_label_again"),
        )
    )
    first = agenda(report, FILES, TESTS, state())[0]
    assert set(first.files) <= {"shop/cart.py", "shop/prices.py"}
    assert "def cart():" in first.test_source


def test_a_broken_import_hides_tests_and_is_one_target_however_many_modules_see_it() -> None:
    tests = {**TESTS, "check_tests/test_more.py": "import pytest\n\n\n" + PARAMETRIZED}
    message = "cannot import name 'price' from 'shop.prices' (shop/prices.py)"
    way = (("shop/__init__.py", 1), ("shop/cart.py", 1))
    report = Report(
        tests=(
            failed(CART, "ImportError", message, (CART, 3), *way),
            failed(
                "check_tests/test_more.py",
                "ImportError",
                message,
                ("check_tests/test_more.py", 1),
                *way,
            ),
            failed("check_tests/test_z.py::test_z", "KeyError", "'x'", ("shop/names.py", 2)),
        )
    )
    files = {**FILES, "shop/prices.py": "def cost(item):\n    return len(item)\n"}
    first, second = agenda(report, files, tests, state(files))
    assert first.files == ("shop/prices.py",)
    assert first.symbol == "shop.prices.price"
    assert first.tests == (CART, "check_tests/test_more.py")
    assert first.unlocks == 3 + 4
    assert "shop/prices.py does not provide `price`, imported at shop/cart.py:1" in first.evidence
    assert (second.files, second.unlocks) == (("shop/names.py",), 1)


PARAMETRIZED = (
    "@pytest.mark.parametrize('n', [1, 2, 3])\ndef test_many(n):\n    assert n\n\n\n"
    "class TestOne:\n    def test_in_class(self):\n        assert True\n"
)


def test_each_test_file_that_does_not_load_is_shown_in_its_own_words() -> None:
    tests = {**TESTS, "check_tests/test_more.py": "from shop.prices import price\n"}
    message = "cannot import name 'price' from 'shop.prices' (shop/prices.py)"
    report = Report(
        tests=tuple(
            failed(path, "ImportError", message, (path, 1)).model_copy(
                update={"detail": f"{path}:1: in <module>"}
            )
            for path in (CART, "check_tests/test_more.py")
        )
    )
    (only,) = agenda(report, FILES, tests, state())
    assert only.detail == f"{CART}:1: in <module>"
    assert [case.detail for case in only.others] == ["check_tests/test_more.py:1: in <module>"]


def test_an_odd_spelling_is_at_fault_where_nobody_else_writes_it() -> None:
    files = {
        **FILES,
        "shop/cart.py": FILES["shop/cart.py"].replace("prices import price", "prices import prize"),
    }
    report = Report(
        tests=(
            failed(
                CART,
                "ImportError",
                "cannot import name 'prize' from 'shop.prices' (shop/prices.py)",
                (CART, 3),
                ("shop/__init__.py", 1),
                ("shop/cart.py", 1),
            ),
        )
    )
    first = agenda(report, files, TESTS, state(files))[0]
    assert first.files[0] == "shop/cart.py"
    assert "shop/prices.py has `price`" in first.evidence[0]


def test_a_name_that_a_test_asks_for_is_missing_where_it_should_be_defined() -> None:
    report = Report(
        tests=(
            failed(
                f"{CART}::test_total",
                "AttributeError",
                "'Cart' object has no attribute 'clear'",
                (CART, 16),
            ),
        )
    )
    first = agenda(report, FILES, TESTS, state())[0]
    assert first.files == ("shop/cart.py",)
    assert first.symbol == "Cart.clear"


def test_a_call_that_no_other_call_resembles_is_wrong_where_it_is_written() -> None:
    files = {
        **FILES,
        "shop/cart.py": FILES["shop/cart.py"].replace("price(item) for", "price() for"),
        "shop/bill.py": "from shop.prices import price\n\n\ndef bill(x):\n    return price(x)\n",
    }
    said = "price() missing 1 required positional argument: 'item'"
    place = (("shop/cart.py", 12), ("shop/cart.py", 12))
    report = Report(tests=(failed(f"{CART}::test_total", "TypeError", said, (CART, 16), *place),))
    assert agenda(report, files, TESTS, state(files))[0].files[0] == "shop/cart.py"
    files["shop/cart.py"] = FILES["shop/cart.py"]
    files["shop/prices.py"] = "def price(item, vat):\n    return len(item) * vat\n"
    said = "price() missing 1 required positional argument: 'vat'"
    report = Report(tests=(failed(f"{CART}::test_total", "TypeError", said, (CART, 16), *place),))
    assert agenda(report, files, TESTS, state(files))[0].files[0] == "shop/prices.py"


def test_none_leads_to_the_function_that_forgot_to_return() -> None:
    files = {**FILES, "shop/prices.py": "def price(item):\n    len(item) + 0\n"}
    said = "unsupported operand type(s) for +: 'int' and 'NoneType'"
    report = Report(
        tests=(
            failed(f"{CART}::test_total", "TypeError", said, (CART, 16), ("shop/cart.py", 12)),
            passed(f"{CART}::test_label"),
        )
    )
    first = agenda(report, files, TESTS, state(files))[0]
    assert first.files[0] == "shop/prices.py"
    assert first.node == "shop/prices.py::price"
    assert first.evidence[0] == (
        "shop/prices.py::price returns nothing, and its value is used at shop/cart.py:12"
    )


def test_what_stops_pytest_itself_is_on_the_agenda() -> None:
    tests = {**TESTS, "check_tests/conftest.py": "import shop\n"}
    report = Report(
        collected=False,
        problem="pytest could not start: NameError: name 'json' is not defined",
        log_tail=(
            "ImportError while loading conftest 'check_tests/conftest.py'.\n"
            "check_tests/conftest.py:1: in <module>\n"
            "    import shop\n"
            "shop/__init__.py:1: in <module>\n"
            "    from shop.cart import Cart\n"
            "shop/cart.py:1: in <module>\n"
            "    json\n"
            "E   NameError: name 'json' is not defined\n"
        ),
    )
    (only,) = agenda(report, FILES, tests, state())
    assert (only.exception, only.symbol, only.unlocks) == ("NameError", "json", 3)
    assert only.files == ("shop/cart.py",)


def test_what_passed_before_is_named_and_what_the_gate_says_counts() -> None:
    report = Report(
        tests=(
            failed(f"{CART}::test_total", "AssertionError", "assert 4 == 5", (CART, 16)),
            failed(f"{CART}::test_label", "ValueError", "no", (CART, 20), ("shop/names.py", 2)),
        )
    )
    lost = [f"{CART}::test_total"]
    fault = Fault(path="shop/prices.py", line=2, detail="`len` is given what it does not take")
    first, second = agenda(report, FILES, TESTS, state(), faults=[fault], lost=lost)
    assert first.tests == (f"{CART}::test_total",)
    assert first.evidence[0] == f"passed before: {CART}::test_total"
    assert first.files[0] == "shop/prices.py"
    assert "shop/prices.py:2 `len` is given what it does not take" in first.evidence
    assert second.files == ("shop/names.py",)


def test_of_a_large_file_only_what_matters_is_shown() -> None:
    filler = "".join(f"def unused_{n}(x):\n    return x + {n}\n\n\n" for n in range(600))
    long = f"import math\n\n\n{filler}{FILES['shop/names.py']}"
    files = {**FILES, "shop/names.py": long}
    line = long[: long.index("item.upper")].count("\n") + 1
    report = Report(
        tests=(
            failed(f"{CART}::test_label", "ValueError", "no", (CART, 20), ("shop/names.py", line)),
        )
    )
    (only,) = agenda(report, files, TESTS, state(files))
    assert only.code == f"import math\n# ...\n{FILES['shop/names.py'].rstrip()}"


def test_frames_of_other_packages_are_left_out_of_the_detail() -> None:
    inner = "".join(f"site-packages/lib/a.py:{n}: in call\n    step()\n" for n in range(9))
    detail = f"{CART}:20: in test_label\n    text = label(APPLE)\n{inner}E   ValueError: no"
    test = failed(f"{CART}::test_label", "ValueError", "no", (CART, 20), ("shop/names.py", 2))
    report = Report(tests=(test.model_copy(update={"detail": detail}),))
    (only,) = agenda(report, FILES, TESTS, state())
    assert only.detail == (
        f"{CART}:20: in test_label\n    text = label(APPLE)\n"
        "site-packages/lib/a.py:8: in call\n    step()\nE   ValueError: no"
    )


def test_a_green_run_has_no_agenda() -> None:
    assert agenda(Report(tests=(passed(f"{CART}::test_label"),)), FILES, TESTS, state()) == ()


TIES = """
from bot.checks.agenda.targets import agenda
from bot.checks.report import Frame, Report, TestOutcome, TestResult
from bot.state.model import ProjectState

names = [f"part_{n}" for n in range(20)]
files = {"shop.py": "".join(f"def {n}(x):\\n    return x\\n\\n\\n" for n in names)}
calls = " + ".join(f"{n}(1)" for n in names)
test = f"from shop import *\\n\\n\\ndef test_all():\\n    assert {calls} == 21\\n"
path = "check_tests/test_shop.py"
failed = TestResult(
    id=f"{path}::test_all",
    outcome=TestOutcome.FAILED,
    exception="AssertionError",
    frames=(Frame(path=path, line=5),),
)
(only,) = agenda(Report(tests=(failed,)), files, {path: test}, ProjectState())
print(only.model_dump_json())
"""


def test_ties_are_settled_the_same_way_in_every_process() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", TIES],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(said) == 1
    assert '"node":"shop.py::part_' in said.pop()
