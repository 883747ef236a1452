"""A check run in which pytest could not even start, told as one failing test."""

import re

from bot.checks.report import Frame, Report, TestOutcome, TestResult

# What pytest prints of an error in a conftest.py with short tracebacks.
_FRAME = re.compile(r"^(?P<path>[\w./-]+\.py):(?P<line>\d+): in (?P<function>\S+)")
_WRONG_SYNTAX = re.compile(r"^E\s+File \"(?P<path>[\w./-]+\.py)\", line (?P<line>\d+)")
_ERROR = re.compile(r"^E\s+(?P<exception>[A-Za-z_][\w.]*)(?:: (?P<message>.*))?$")


def uncollected(report: Report) -> TestResult | None:
    """The failure that the end of the log tells of, its id the file that was being loaded; None
    where pytest did start, or where the log tells of none."""
    if report.collected:
        return None
    lines = report.log_tail.splitlines()
    frames: list[Frame] = []
    error: re.Match[str] | None = None
    for line in lines:
        frame = _FRAME.match(line)
        wrong = _WRONG_SYNTAX.match(line)
        if frame:
            frames.append(
                Frame(path=frame["path"], line=int(frame["line"]), function=frame["function"])
            )
        elif wrong:
            frames.append(Frame(path=wrong["path"], line=int(wrong["line"])))
        else:
            error = _ERROR.match(line) or error
    if error is None or not frames:
        return None
    return TestResult(
        id=frames[0].path,
        outcome=TestOutcome.ERROR,
        exception=error["exception"].rpartition(".")[2],
        message=error["message"] or "",
        frames=tuple(frames),
        detail="\n".join(lines[-40:]),
    )
