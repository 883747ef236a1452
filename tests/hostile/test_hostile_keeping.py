"""What a run keeps and shows: forged states, secrets, a terminal, and texts of any length."""

import base64
import io
import json
from datetime import UTC, datetime
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from hostile_corpus import Entry, bounded, entries, text_of
from rich.text import Text

from bot.config import Settings
from bot.phases.record import SPEC, STATE, StateNewer, StateUnreadable, load
from bot.phases.run import RunState
from bot.plainconsole import PlainConsole
from bot.ports.forge import Issue
from bot.redaction import Redactor, redact, secrets_of
from bot.spec.issue import spec_from_issue
from bot.terminal import TerminalNarrator

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ISSUE = Issue(
    number=7,
    title="Lamp",
    body="## PRD\n\nIt is a lamp.\n",
    author="ann",
    state="open",
    locked=False,
    labels=(),
    comments=(),
    html_url="https://github.example/ann/lamp/issues/7",
)
SPECIFICATION = spec_from_issue(ISSUE, {}, {})
RUN = RunState(
    run_id="rw7-0123456789",
    repository="ann/lamp",
    issue=7,
    issue_url=ISSUE.html_url,
    title="Lamp",
    branch="repowright/7-lamp",
    started=NOW,
    settings=Settings(),
    spec_digest=SPECIFICATION.digest,
)


def _with(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    nested = {k: _with(base[k], v) if isinstance(v, dict) else v for k, v in over.items()}
    return {**base, **nested}


@pytest.mark.parametrize("entry", entries("states"))
def test_a_forged_state_is_not_taken(entry: Entry) -> None:
    whole = json.loads(RUN.model_dump_json())
    text = json.dumps(_with(whole, entry["over"])) if "over" in entry else text_of(entry)
    files = {STATE: text.encode(), SPEC: SPECIFICATION.model_dump_json().encode()}
    honest = {**files, STATE: RUN.model_dump_json().encode()}
    assert load(honest, RUN.ref)[0] == RUN
    with bounded(5), pytest.raises((StateUnreadable, StateNewer)):
        load(files, RUN.ref)


def _secret(kind: str) -> str:
    """Something that looks like the real thing and opens nothing."""
    random = base64.b32encode(bytes(range(40))).decode().strip("=")
    key = rsa.generate_private_key(public_exponent=65537, key_size=1024)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    pem_text = pem.decode().strip()
    return {
        "github": f"ghs_{random}",
        "github_fine": f"github_pat_{random}",
        "openai": f"sk-proj-{random}",
        "anthropic": f"sk-ant-{random}",
        "jwt": jwt.encode({"sub": "x"}, random, algorithm="HS256"),
        "pem": pem_text,
        "pem_json": json.dumps(pem_text)[1:-1],
        "pem_cut": pem_text[:300],
        "basic": base64.b64encode(f"x:{random}".encode()).decode(),
        "opaque": random,
        "password": random,
        "aws_id": f"AKIA{random[:16]}",
        "aws_secret": random[:40],
    }[kind]


@pytest.mark.parametrize("entry", entries("secrets"))
def test_what_looks_like_a_secret_is_not_shown(entry: Entry) -> None:
    secret = _secret(entry["kind"])
    text = entry["text"].format(secret)
    shown = redact(text)
    middle = secret[len(secret) // 3 : 2 * len(secret) // 3]
    assert middle not in shown
    assert "***" in shown
    assert redact(shown) == shown


@pytest.mark.parametrize("entry", entries("secrets"))
def test_a_known_secret_goes_from_texts_and_from_what_is_kept(entry: Entry) -> None:
    secret = f"{_secret('opaque')}-known"
    redactor = Redactor(lambda: (secret,))
    text = f"a {secret} b {json.dumps({'x': secret})} c"
    assert secret not in redactor.shown(text)
    assert secret not in redactor.known(text)
    assert secret.encode() not in redactor.kept(text.encode())
    assert secret.encode() not in redactor.kept(text.encode(), as_given=True)
    given = entry["text"].format(_secret("openai")).encode()
    assert redactor.kept(given, as_given=True) == given


def test_the_secrets_of_an_environment_are_known_by_their_names() -> None:
    random = _secret("opaque")
    environ = {
        "OPENAI_API_KEY": random,
        "REPOWRIGHT_WEBHOOK_SECRET": "hush hush",
        "DATABASE_URL": "postgresql://bot:p4ssw0rd!@db/x",
        "REPOWRIGHT_PRIVATE_KEY_PATH": "/etc/key.pem",
        "HOME": "/home/ann",
        "MAX_TOKENS": "100000000",
    }
    assert set(secrets_of(environ)) == {random, "hush hush", "p4ssw0rd!"}


@pytest.mark.parametrize("entry", entries("long"))
def test_no_text_takes_long_to_take_secrets_out_of(entry: Entry) -> None:
    with bounded(3):
        redact(text_of(entry) * 10, ("x" * 40,))


@pytest.mark.parametrize("entry", entries("terminal"))
def test_no_text_steers_the_terminal(entry: Entry) -> None:
    out = io.StringIO()
    console = PlainConsole(file=out, force_terminal=False, width=200)
    TerminalNarrator(console, lambda: NOW).tell(RUN, text_of(entry))
    console.print(Text(text_of(entry)), soft_wrap=True)
    console.print(text_of(entry), markup=False, soft_wrap=True)
    shown = out.getvalue()
    assert all(c.isprintable() or c == "\n" for c in shown)
    assert shown.startswith("   0.0 s  open")
    assert sum(" s  " in line[:12] for line in shown.splitlines()[:1]) == 1


@pytest.mark.parametrize("entry", entries("long"))
@pytest.mark.parametrize("heading", ["PRD", "UML diagrams", "Architecture design", "Check tests"])
def test_no_specification_takes_long_to_read(entry: Entry, heading: str) -> None:
    body = f"## PRD\n\nIt is a lamp.\n\n## {heading}\n\n{text_of(entry)}\n"
    with bounded(10):
        spec_from_issue(ISSUE.model_copy(update={"body": body}), {}, {})


def test_the_corpus_holds_what_the_tests_count() -> None:
    channels = ("texts", "comments", "paths", "replies", "artifacts", "outputs", "answers",
                "addresses", "settings", "payloads", "packages", "long", "states", "secrets",
                "terminal")  # fmt: skip
    names = [p.id for channel in channels for p in entries(channel)]
    assert len(names) >= 400
    assert all(len({p.id for p in entries(c)}) == len(entries(c)) for c in channels)
