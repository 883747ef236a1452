"""The mailbox: requests appear whole, replies are read once they are whole, nothing is lost."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.base import Outcome
from bot.model.attempt import AttemptFailed
from bot.model.mailbox import MailboxCancelled, MailboxModel
from bot.ports.model import ModelError, ModelReply, ModelRequest, Usage

from .kit import Clock, ask, recorded
from .server import completion

FIRST = "0001-code.1-write-pkg-a.py"


def until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition never came true"
        time.sleep(0.01)


def put(path: Path, text: str | bytes) -> None:
    """As the contract asks: write elsewhere, then rename."""
    draft = path.with_name(f"{path.name}.part")
    draft.write_bytes(text if isinstance(text, bytes) else text.encode())
    draft.rename(path)


class Desk:
    """A mailbox with a thread for each open question."""

    def __init__(
        self,
        folder: Path,
        settle: float = 0.05,
        deadline: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.folder = folder
        self.model = MailboxModel(folder, poll=0.02, settle=settle, deadline=deadline, clock=clock)
        self.pool = ThreadPoolExecutor(20)

    def ask(self, request: ModelRequest) -> Future[ModelReply]:
        return self.pool.submit(self.model.complete, request)

    def waiting(self, count: int = 1) -> list[str]:
        until(lambda: len(self.open()) >= count)
        return self.open()

    def open(self) -> list[str]:
        return sorted(p.name[:-13] for p in self.folder.glob("*.request.json"))


class WatchedClock(Clock):
    """A clock that knows how often somebody looked at it."""

    looks = 0

    def __call__(self) -> float:
        self.looks += 1
        return self.seconds


class SlowDesk:
    """A mailbox in which a second passes only when it is told to; files settle in one."""

    def __init__(self, folder: Path) -> None:
        self.clock = WatchedClock()
        self.desk = Desk(folder, settle=1.0, deadline=1e9, clock=self.clock)

    def seen(self) -> None:
        """Wait until the mailbox has looked at its files as they are now."""
        looks = self.clock.looks
        until(lambda: self.clock.looks >= looks + 10)

    def answer(self, reply: Future[ModelReply]) -> ModelReply:
        """Let time pass until the reply is there."""

        def later() -> bool:
            self.clock.seconds += 0.5
            return reply.done()

        until(later)
        return reply.result()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path / "mail")
    yield desk
    desk.model.cancel()
    desk.pool.shutdown()


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[SlowDesk]:
    slow = SlowDesk(tmp_path / "mail")
    yield slow
    slow.desk.model.cancel()
    slow.desk.pool.shutdown()


def test_the_request_is_there_for_programs_and_for_people(desk: Desk) -> None:
    reply = desk.ask(ask(text="Write {{ pkg }}.\n# Heading", model="gpt-4o"))
    assert desk.waiting() == [FIRST]
    body = json.loads((desk.folder / f"{FIRST}.request.json").read_bytes())
    assert body == {
        "model": "gpt-4o",
        "messages": [
            {"role": "system", "content": "You write Python."},
            {"role": "user", "content": "Write {{ pkg }}.\n# Heading"},
        ],
        "max_completion_tokens": 1000,
        "temperature": 0.0,
    }
    page = (desk.folder / f"{FIRST}.request.md").read_text()
    assert page.startswith(f"# Request {FIRST}\n")
    assert f"`{FIRST}.reply.md`" in page
    assert "You write Python.\n" in page
    assert "Write {{ pkg }}.\n# Heading\n" in page
    put(desk.folder / f"{FIRST}.reply.md", "done\r\n")
    assert reply.result(timeout=20).text == "done\r\n"


def test_a_reply_may_be_an_openai_response(desk: Desk) -> None:
    reply = desk.ask(ask())
    (mail,) = desk.waiting()
    usage = {"prompt_tokens": 9, "completion_tokens": 3}
    body = completion("half", finish="length", usage=usage)
    put(desk.folder / f"{mail}.reply.json", json.dumps(body))
    got = reply.result(timeout=20)
    assert (got.text, got.finish_reason, got.usage) == ("half", "length", Usage(input=9, output=3))


def test_usage_of_a_text_is_estimated(desk: Desk) -> None:
    reply = desk.ask(ask(text="x" * 30))
    (mail,) = desk.waiting()
    put(desk.folder / f"{mail}.reply.md", "y" * 31)
    assert reply.result(timeout=20).usage == Usage(input=24, output=11, estimated=True)


def test_many_are_in_flight_and_answered_in_any_order(desk: Desk) -> None:
    replies = {n: desk.ask(ask(f"code.1/write/f{n}.py", f"File {n}.")) for n in range(16)}
    mails = desk.waiting(16)
    assert [mail[:4] for mail in mails] == [f"{n:04d}" for n in range(1, 17)]
    for mail in reversed(mails):
        asked = json.loads((desk.folder / f"{mail}.request.json").read_bytes())
        put(desk.folder / f"{mail}.reply.md", "re: " + asked["messages"][1]["content"])
    for number, reply in replies.items():
        assert reply.result(timeout=20).text == f"re: File {number}."


@pytest.mark.parametrize("suffix", ["request.md", "request.json"])
def test_a_request_never_appears_in_part(desk: Desk, suffix: str) -> None:
    text = "x" * 3_000_000
    path = desk.folder / f"{FIRST}.{suffix}"
    desk.ask(ask(text=text))
    deadline = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < deadline
    assert path.stat().st_size > len(text)


def test_an_editor_that_writes_in_place_is_waited_for(slow: SlowDesk) -> None:
    reply = slow.desk.ask(ask())
    (mail,) = slow.desk.waiting()
    with (slow.desk.folder / f"{mail}.reply.md").open("w") as file:
        for word in ("one ", "two ", "three"):
            file.write(word)
            file.flush()
            slow.seen()
            slow.clock.seconds += 0.9
            slow.seen()
            assert not reply.done()
    assert slow.answer(reply).text == "one two three"


@pytest.mark.parametrize("text", ["", "\n"])
def test_an_empty_reply_counts_once_nobody_writes_on(slow: SlowDesk, text: str) -> None:
    reply = slow.desk.ask(ask())
    (mail,) = slow.desk.waiting()
    put(slow.desk.folder / f"{mail}.reply.md", text)
    began = slow.clock.seconds
    assert slow.answer(reply).text == text
    assert slow.clock.seconds - began >= 10


def test_what_is_written_into_an_empty_file_is_the_reply(slow: SlowDesk) -> None:
    reply = slow.desk.ask(ask())
    (mail,) = slow.desk.waiting()
    path = slow.desk.folder / f"{mail}.reply.md"
    path.touch()
    slow.seen()
    slow.clock.seconds += 9
    slow.seen()
    assert not reply.done()
    path.write_text("at last")
    assert slow.answer(reply).text == "at last"


def link_to_secret(path: Path) -> None:
    path.with_name("secret").write_text("secret")
    path.symlink_to(path.with_name("secret"))


def too_long(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(9 * 1024 * 1024)


@pytest.mark.parametrize(
    ("suffix", "write", "sentence"),
    [
        ("json", lambda p: put(p, "no JSON"), "not a chat completion; it begins no JSON"),
        ("json", lambda p: put(p, '{"choices": ['), "not a chat completion"),
        ("md", lambda p: put(p, b"\xff\xfe\xff"), "the reply is not UTF-8 text"),
        ("md", link_to_secret, "the reply is not a file of at most 8 MiB"),
        ("md", os.mkfifo, "the reply is not a file of at most 8 MiB"),
        ("md", Path.mkdir, "the reply is not a file of at most 8 MiB"),
        ("md", too_long, "the reply is not a file of at most 8 MiB"),
    ],
)
def test_a_reply_that_cannot_be_one_is_refused(
    desk: Desk, suffix: str, write: Callable[[Path], None], sentence: str
) -> None:
    reply = desk.ask(ask())
    (mail,) = desk.waiting()
    write(desk.folder / f"{mail}.reply.{suffix}")
    with pytest.raises(ModelError) as caught:
        reply.result(timeout=20)
    assert sentence in caught.value.sentence
    assert desk.open() == []


def test_nobody_answers(tmp_path: Path) -> None:
    desk = Desk(tmp_path, deadline=0.2)
    with pytest.raises(AttemptFailed) as caught:
        desk.model.complete(ask())
    assert caught.value.sentence == (
        f"{tmp_path}/{FIRST}.request.md: nobody answered within 0.2 seconds "
        "(answer the requests in the folder and resume the run)"
    )
    assert list(tmp_path.iterdir()) == []


def test_cancelled_requests_are_withdrawn(desk: Desk) -> None:
    replies = [desk.ask(ask(f"s{n}")) for n in range(3)]
    desk.waiting(3)
    desk.model.cancel()
    for reply in replies:
        with pytest.raises(MailboxCancelled) as caught:
            reply.result(timeout=20)
        assert caught.value.outcome is Outcome.CANCELLED
    assert list(desk.folder.iterdir()) == []


def test_a_reply_that_is_there_already_is_used(desk: Desk) -> None:
    desk.folder.mkdir()
    (desk.folder / "0003-other.reply.md").write_text("a stale reply")
    first = desk.ask(ask())
    (mail,) = desk.waiting()
    assert mail.startswith("0004-")
    put(desk.folder / f"{mail}.reply.md", "the answer")
    assert first.result(timeout=20).text == "the answer"
    assert Desk(desk.folder).model.complete(ask()).text == "the answer"
    assert desk.open() == [mail]
    other = desk.ask(ask(text="Another prompt for the same step."))
    until(lambda: len(desk.open()) == 2)
    assert desk.open()[1].startswith("0005-")
    assert not other.done()


def test_the_same_question_asked_twice_gets_two_letters(desk: Desk) -> None:
    replies = [desk.ask(ask()), desk.ask(ask())]
    for number, mail in enumerate(desk.waiting(2)):
        put(desk.folder / f"{mail}.reply.md", str(number))
    assert sorted(reply.result(timeout=20).text for reply in replies) == ["0", "1"]


RUN = """
import sys
from pathlib import Path
from bot.model.mailbox import MailboxModel
from tests_kit import ask, recorded
folder = Path(sys.argv[1])
model = recorded(MailboxModel(folder / "mail", poll=0.02, settle=0.02), folder / "run")
print(model.complete(ask()).text, model.ledger.total.calls, flush=True)
"""


def test_a_killed_run_finds_the_reply_that_came_meanwhile(tmp_path: Path) -> None:
    kit = Path(__file__).with_name("kit.py")
    (tmp_path / "tests_kit.py").write_text(kit.read_text())
    (tmp_path / "run.py").write_text(RUN)
    command = [sys.executable, str(tmp_path / "run.py"), str(tmp_path)]
    environ = {**os.environ, "PYTHONPATH": f"{tmp_path}:{Path(__file__).parents[2]}"}
    request = tmp_path / "mail" / f"{FIRST}.request.json"
    with subprocess.Popen(command, env=environ) as run:
        until(request.exists)
        run.send_signal(signal.SIGKILL)
    put(tmp_path / "mail" / f"{FIRST}.reply.md", "late but welcome")
    printed = subprocess.run(
        command, env=environ, check=True, capture_output=True, text=True, timeout=60
    ).stdout
    assert printed == "late but welcome 2\n"
    resumed = recorded(MailboxModel(tmp_path / "mail"), tmp_path / "run")
    assert [entry.outcome for entry in resumed.ledger.calls] == ["reserved", "stop"]
