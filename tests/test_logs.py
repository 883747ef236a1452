"""What a server's log looks like to people and to machines, and what is never in it."""

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

SECRET = 'pa"ss\\word-é-0123456789'
TOKEN = "ghp_" + "a1B2c3D4e5" * 4

PROGRAM = """
import logging, sys, threading, warnings
from functools import partial
from bot.logs import about, log_to_stderr
from bot.redaction import redact

SECRET, TOKEN = sys.argv[2:]
log_to_stderr(sys.argv[1], partial(redact, secrets=(SECRET,)))
log = logging.getLogger("repowright.run")

class Shows:
    def __str__(self):
        return f"an object with {SECRET}"

with about(repository="ann/tally", issue=3, run="rw3-0123456789", delivery=""):
    with about(delivery="72d3162e"):
        log.info("3 of 9 fail", extra={"phase": "check", "said": f"x {SECRET} {TOKEN}"})
    log.warning("said %s and %s\\nERROR forged\\x1b[2J\\u2028more", SECRET, Shows())
    try:
        raise ValueError(f"refused {SECRET} with {TOKEN}")
    except ValueError:
        log.exception("an error")
log.info("outside")
log.info("%d is no number", SECRET)
warnings.warn(f"old {TOKEN}")
dying = threading.Thread(target=lambda: {}[TOKEN])
dying.start()
dying.join()
raise KeyError(SECRET)
"""


def logged(style: str) -> str:
    """Everything that the program writes."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, style, SECRET, TOKEN], capture_output=True, text=True
    )
    return done.stdout + done.stderr


def lines() -> list[dict[str, object]]:
    """The JSON lines; the one that could not be logged is none."""
    return [json.loads(line) for line in logged("json").splitlines() if line.startswith("{")]


@pytest.mark.parametrize("style", ["text", "json"])
def test_no_field_and_no_traceback_holds_a_secret(style: str) -> None:
    text = logged(style)
    spelt = (SECRET, TOKEN, json.dumps(SECRET)[1:-1], repr(SECRET)[1:-1])
    assert [s for s in spelt if s in text] == []
    assert text.count("***") >= 8
    assert "an error" in text
    assert "could not be logged" in text
    assert "a thread ended by an error of its own" in text
    assert "the server ends by an error of its own" in text


def test_a_json_line_says_what_it_is_about() -> None:
    first, forging, error, outside, *_ = lines()
    when = datetime.fromisoformat(str(first.pop("time")))
    assert when.utcoffset() == timedelta(0)
    assert abs(datetime.now(UTC) - when) < timedelta(minutes=5)
    assert first == {
        "level": "INFO",
        "logger": "repowright.run",
        "event": "3 of 9 fail",
        "phase": "check",
        "said": "x *** ***",
        "repository": "ann/tally",
        "issue": 3,
        "run": "rw3-0123456789",
        "delivery": "72d3162e",
    }
    assert "delivery" not in forging
    assert (error["event"], error["issue"]) == ("an error", 3)
    assert str(error["traceback"]).startswith("Traceback (most recent call last):")
    assert set(outside) == {"time", "level", "logger", "event"}


def test_what_is_quoted_begins_no_line_of_its_own() -> None:
    text = logged("text")
    (forging,) = (line for line in text.splitlines() if "forged" in line)
    assert " WARNING repowright.run said ***" in forging
    assert forging.endswith("more repository=ann/tally issue=3 run=rw3-0123456789")
    assert "\x1b" not in text
