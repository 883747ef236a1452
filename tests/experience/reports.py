"""Reports as check runs make them, for the tests of this folder."""

from bot.checks.report import Report, TestOutcome, TestResult


def passed(*ids: str) -> tuple[TestResult, ...]:
    return tuple(TestResult(id=id_, outcome=TestOutcome.PASSED) for id_ in ids)


def failed(id_: str, exception: str, message: str, detail: str = "") -> TestResult:
    return TestResult(
        id=id_,
        outcome=TestOutcome.FAILED,
        exception=exception,
        message=message,
        detail=detail,
    )


def report(*tests: TestResult) -> Report:
    return Report(tests=tests)
