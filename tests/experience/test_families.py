"""A failing test is put into the family that its exception, message and comparison show."""

import pytest

from bot.experience.families import families, family_of, signal_of, troubles

from .reports import failed, passed, report

AROUND = """
    def test_refuses():
        with pytest.raises(ValueError):
>           shelf.put(-1)
"""

SEEN = [
    ("ImportError", "cannot import name 'Jar' from 'pantry.jars' (pantry/jars.py)", "missing_name"),
    (
        "ImportError",
        "cannot import name 'Jar' from 'pantry' (pantry/__init__.py)",
        "missing_reexport",
    ),
    (
        "ImportError",
        "cannot import name 'Jar' from partially initialized module 'pantry.jars' (most likely "
        "due to a circular import) (pantry/jars.py)",
        "circular_import",
    ),
    ("ModuleNotFoundError", "No module named 'pantry.jars'", "missing_module"),
    ("AttributeError", "module 'pantry' has no attribute 'Jar'", "missing_name"),
    ("AttributeError", "'Jar' object has no attribute 'lid'", "missing_attribute"),
    ("AttributeError", "'NoneType' object has no attribute 'lid'", "missing_return"),
    ("NameError", "name 'lid' is not defined", "undefined_name"),
    (
        "TypeError",
        "Jar.open() missing 1 required positional argument: 'hand'",
        "signature_mismatch",
    ),
    ("TypeError", "open() got an unexpected keyword argument 'hand'", "signature_mismatch"),
    ("TypeError", "Jar() takes no arguments", "signature_mismatch"),
    (
        "TypeError",
        "Can't instantiate abstract class Jar with abstract method open",
        "abstract_method",
    ),
    ("TypeError", "Object of type Jar is not JSON serializable", "value_serialisation"),
    ("TypeError", "a bytes-like object is required, not 'str'", "text_and_bytes"),
    ("TypeError", "'Jar' object is not iterable", "special_methods"),
    ("UnicodeDecodeError", "'ascii' codec can't decode byte 0xc3", "text_and_bytes"),
    ("Timeout", "Timeout (>3.0s) from pytest-timeout.", "timed_out"),
    ("Failed", "DID NOT RAISE <class 'ValueError'>", "missing_exception"),
    ("RecursionError", "maximum recursion depth exceeded", "endless_recursion"),
    ("AssertionError", "assert 3 == 4\n +  where 3 = len(jars)", "off_by_one"),
    ("AssertionError", "assert 0.1249 == 0.125", "number_rounding"),
    ("AssertionError", "assert ['b', 'a'] == ['a', 'b']", "item_order"),
    ("AssertionError", "Lists differ: ['b', 'a'] != ['a', 'b']", "item_order"),
    ("AssertionError", "assert None == 'lid'", "missing_return"),
    ("AssertionError", "assert b'lid' == 'lid'", "text_and_bytes"),
    ("AssertionError", "assert False == True", "inverted_condition"),
    ("AssertionError", "assert 'Lid' == 'lid'", "text_format"),
    ("AssertionError", "assert [1, 2] == [1, 2, 5]", "missing_items"),
    ("AssertionError", "assert {'a': [1, 7]} == {'a': [1, 8]}", "off_by_one"),
    ("AssertionError", "assert <Jar> == <Jar>", "wrong_value"),
    ("pantry.SpoiltError", "the jar is open", "own_failure"),
]


@pytest.mark.parametrize(("exception", "message", "family"), SEEN)
def test_families_are_told_from_what_a_test_says(exception: str, message: str, family: str) -> None:
    assert family_of(failed("t/test_a.py::test_a", exception, message)).name == family


def test_another_exception_than_the_awaited_one_is_told_from_the_test_around_it() -> None:
    result = failed("t/test_a.py::test_a", "RuntimeError", "no", AROUND)
    assert family_of(result).name == "wrong_exception"
    alone = failed("t/test_a.py::test_a", "RuntimeError", "no", ">   shelf.put(-1)")
    assert family_of(alone).name == "own_failure"


def test_the_signal_holds_no_word_that_a_project_made_up() -> None:
    message = "cannot import name 'Jar' from 'pantry' (/home/ann/pantry/__init__.py) sk-12345"
    signal = signal_of(failed("t/test_a.py", "pantry.SpoiltError", message))
    assert not {"jar", "pantry", "ann", "home", "sk", "spoilterror"} & set(signal)
    assert {"own_exception", "cannot", "import", "name", "while_importing"} <= set(signal)


def test_what_breaks_imports_comes_first_then_what_breaks_most() -> None:
    found = troubles(
        report(
            failed("t/test_b.py::test_1", "KeyError", "'a'"),
            failed("t/test_c.py::test_1", "NameError", "name 'a' is not defined"),
            failed("t/test_c.py::test_2", "NameError", "name 'b' is not defined"),
            failed("t/test_a.py", "ModuleNotFoundError", "No module named 'a'"),
            failed("t/test_d.py::test_1", "NotRun", "an earlier test ended the run"),
            *passed("t/test_b.py::test_2"),
        )
    )
    assert [t.family.name for t in found] == ["missing_module", "undefined_name", "missing_key"]


@pytest.mark.parametrize(
    "message",
    ["assert " + "[" * 5000, "(" * 400 + " == 1", "1 == " * 3000, "assert 1e308 == 1" + "0" * 400],
)
def test_hostile_messages_are_only_text(message: str) -> None:
    assert family_of(failed("t/test_a.py::test_a", "AssertionError", message)) in families()
