"""What a failing test stands on in other files, as a fixer is shown it."""

from textwrap import dedent

from bot.checks.agenda.test_support import support_of


def files(**texts: str) -> dict[str, str]:
    return {name.replace("__", "/") + ".py": dedent(text) for name, text in texts.items()}


def test_fixtures_of_the_folders_above_and_what_they_need() -> None:
    tests = files(
        tests__conftest="""
            import pytest
            from shop import Shop

            RATE = 3

            @pytest.fixture
            def shop():
                return Shop(RATE)

            @pytest.fixture
            def unused():
                return 1
        """,
        tests__unit__test_shop="""
            def test_price(shop):
                assert shop.price() == 3
        """,
    )
    shown = support_of(["tests/unit/test_shop.py::test_price[a-b]"], tests)
    assert "# tests/conftest.py" in shown
    assert "return Shop(RATE)" in shown
    assert "RATE = 3" in shown
    assert "unused" not in shown


def test_a_fixture_by_another_name_and_one_that_is_for_all() -> None:
    tests = files(
        conftest="""
            import pytest

            @pytest.fixture(name="till")
            def make_till():
                return object()

            @pytest.fixture(autouse=True)
            def clean(tmp_path):
                return None
        """,
        test_till="""
            def test_it(till):
                assert till
        """,
    )
    shown = support_of(["test_till.py::test_it"], tests)
    assert "def make_till" in shown
    assert "def clean" in shown


def test_helpers_of_other_test_files_and_of_base_classes() -> None:
    tests = files(
        tests__helpers="""
            def build(kind):
                return {"kind": kind}

            def other():
                return None
        """,
        tests__base="""
            import unittest

            class Case(unittest.TestCase):
                limit = 7

                def check(self, thing):
                    self.assertEqual(thing, self.limit)
        """,
        tests__test_kinds="""
            from helpers import build
            from .base import Case

            class TestKinds(Case):
                def test_one(self):
                    self.check(build("a"))
        """,
    )
    shown = support_of(["tests/test_kinds.py::TestKinds::test_one"], tests)
    assert "def build" in shown
    assert "def check" in shown
    assert "def other" not in shown


def test_nothing_else_is_shown_and_never_more_than_asked() -> None:
    tests = files(
        conftest="""
            import pytest

            @pytest.fixture
            def long():
                return "%s"
        """
        % ("x" * 500),
        test_a="""
            def test_it(long):
                assert long
        """,
    )
    assert support_of(["test_a.py::test_it"], tests, most=100) == ""
    assert support_of(["test_a.py::gone", "nowhere.py::test_it"], tests) == ""
