"""What is told of a repair: where the cause was by the change itself, not by what was likely."""

from bot.checks.agenda.targets import Target
from bot.checks.report import Report, Spectrum, TestOutcome, TestResult
from bot.phases.causes import Failed, mending
from bot.phases.run import Cause

TEST = "tests/test_port.py::test_find"
BEFORE = """class Vessel:
    def fits(self, berth):
        return self.length < berth.length


class Barge(Vessel):
    def __init__(self, length):
        self.length = length
"""
AFTER = "import math\n\n\n" + BEFORE.replace("<", "<=")
LIKELY = Target(
    title="'west' != 'east'",
    files=("port.py",),
    node="port.py::Barge.__init__",
    tests=(TEST,),
)


def told(words: str, ran: tuple[int, ...] = (3, 8)) -> Cause:
    failing = TestResult(id=TEST, outcome=TestOutcome.FAILED, exception="AssertionError")
    spectrum = Spectrum(
        passed=2, lines={"port.py": {3: 2}}, failed={TEST: {"port.py": ran}} if ran else {}
    )
    report = Report(tests=(failing,), spectrum=spectrum)
    failed = Failed(report=report, code={"port.py": BEFORE}, tests={})
    [cause] = mending(1, (LIKELY,), failed, {"port.py": AFTER}, words).causes
    return cause


def test_the_changed_function_that_the_model_names_and_the_test_ran_is_the_cause() -> None:
    cause = told("1. `Vessel.fits` refuses a barge as long as the berth; `Barge` is right.")
    assert cause.names == ("Vessel.fits",)
    assert cause.evidence == (
        "`port.py` line 3, which the change touches, is run by 1 of 1 of these tests,"
        " and by 2 tests that passed.",
    )


def test_without_such_a_function_the_likely_one_is_named() -> None:
    assert told("1. Berths are too short.").names == ("Barge.__init__",)
    assert told("1. `Vessel.fits` is wrong.", ran=(8,)).names == ("Barge.__init__",)


def test_where_no_test_was_followed_the_model_is_taken_at_its_word() -> None:
    cause = told("1. `Vessel.fits` is wrong.", ran=())
    assert (cause.names, cause.evidence) == (("Vessel.fits",), ())
