"""What the repair agenda tells of a check run: causes, responsible files, and why."""

from bot.checks.agenda.targets import agenda
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


def state() -> ProjectState:
    return reconcile(ProjectState(), change_of(FILES, FILES))[0]


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
