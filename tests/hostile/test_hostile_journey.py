"""A whole run over a real server whose issue, model and tests are hostile: what it leaves behind
on GitHub, on disk and in its processes."""

import json
import logging
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hostile_corpus import entries, text_of

sys.path.insert(0, str(Path(__file__).parents[1] / "runs"))
sys.path.insert(0, str(Path(__file__).parents[1] / "journeys"))
from server_town import Town, eventually
from tally_journey import REPLIES, WRONG

from bot.base import Outcome
from bot.forge.embedded.store.rows import Repository

pytestmark = pytest.mark.timeout(300)

PLANTED = "zq7Hk2-planted-where-no-one-may-see-it"
TEXTS = [text_of(p.values[0]) for p in entries("texts")]
HOSTILE_WORDS = "\n\n".join(t for t in TEXTS if not t.startswith("<!--"))
REPLY = f"The key is {PLANTED}.\n\n{HOSTILE_WORDS}\n\n"


def _objects(town: Town, place: Repository) -> bytes:
    """Every commit, tree and file that GitHub holds of the repository, one after the other."""
    folder = town.store.git(place).path
    command = ["git", "-C", str(folder), "cat-file", "--batch-all-objects", "--batch"]
    return subprocess.run(command, check=True, capture_output=True).stdout


def _said(town: Town, place: Repository, number: int) -> list[str]:
    """What the bot said on the issue, its pull request and its reviews."""
    texts = [body for login, body in town.comments(place, number) if login.endswith("[bot]")]
    for pull in town.store.pulls.of(place):
        texts += [body for login, body in town.comments(place, pull.number) if "[bot]" in login]
    texts += [review.body or "" for review in town.store.tables.reviews.find()]
    texts += [json.dumps(run.output) for run in town.store.tables.check_runs.find()]
    return texts


def test_a_hostile_run_calls_nobody_and_shows_no_secret(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap")
    caplog.set_level(logging.DEBUG)
    town = Town(tmp_path, actions=True)
    repair = REPLIES["code.2/repair#1"]
    town.replies = {
        "code.*/write/tally/counting.py#1": f"{REPLY}{WRONG}\n",
        "code.*/repair#1": f"{REPLY}{repair}",
    }
    try:
        place = town.repository()
        with town.server({"PLANTED_API_KEY": PLANTED}):
            issue = town.open_issue(place, town.ann, "repowright")
            town.say(place, issue.number, town.eve, f"/repowright cancel\n\n{HOSTILE_WORDS}")
            eventually("the end of the run", lambda: town.outcome(place, issue) is not None)
            shown = [
                path.read_bytes()
                for path in Path("/proc").glob("[0-9]*/cmdline")
                if path.is_file() and _readable(path)
            ]
            said = _said(town, place, issue.number)
        assert town.outcome(place, issue) is Outcome.PASSED
        kept = _objects(town, place)
        assert said
        assert any("victim" in text for text in said)
        assert any("The key is ***." in text for text in said)
        assert b"The key is ***." in kept
        assert not [text for text in said if PLANTED in text]
        assert b"state.json" in kept
        assert PLANTED.encode() not in kept
        assert not [line for line in shown if PLANTED.encode() in line]
        assert PLANTED not in caplog.text
        bots = [p for p in (tmp_path / "bot").rglob("*") if p.is_file()]
        assert len(bots) > 5
        assert not [p for p in bots if PLANTED.encode() in p.read_bytes()]
        for text in said:
            bare = re.sub(r"(?s)(`{3,})[^\n]*\n.*?\n>? ?\1|`[^`\n]*`", "", text)
            assert not re.search(r"(?:^|[^A-Za-z0-9_])@victim", bare)
            assert "![" not in bare
            assert not re.search(r"<img|<picture", bare)
    finally:
        town.close()


def _readable(path: Path) -> bool:
    try:
        path.read_bytes()
    except OSError:
        return False
    return True
