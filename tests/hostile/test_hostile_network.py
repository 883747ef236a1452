"""A server that lies, addresses that lead elsewhere, and payloads that nobody would send."""

import json
from copy import deepcopy
from typing import Any

import pytest
import requests
from hostile_corpus import TOKEN, Entry, bounded, entries, text_of
from loopback import Reply, Scripted

from bot.base import RepowrightError
from bot.config import Settings
from bot.forge.github.client import GitHubClient
from bot.forge.github.forge import GitHubForge
from bot.outgoing import GuardedAdapter, Unreachable, is_of_api, public_address
from bot.ports.forge import ForgeError
from bot.repoconfig.ceiling import apply_file
from bot.repoconfig.yamlfile import Wrong
from bot.runs.events import EVENT, Ignored, event_of


@pytest.mark.parametrize("entry", entries("answers"))
def test_a_server_that_lies_gets_an_end(
    entry: Entry, liar: Scripted, forge: GitHubForge, client: GitHubClient
) -> None:
    body = (text_of(entry) if {"text", "repeat"} & entry.keys() else "{}").replace("TOKEN", TOKEN)
    headers = {k: v.encode().decode("latin-1") for k, v in entry.get("headers", {}).items()}
    liar.script = [Reply(entry["status"], headers=headers, body=body.encode())] * 40
    with bounded(10):
        try:
            said = str(forge.repository())
        except RepowrightError as error:
            said = error.sentence
    assert TOKEN not in said
    assert "\x1b" not in said
    assert all("169.254" not in seen.headers.get("Host", "") for seen in liar.seen)


@pytest.mark.parametrize("entry", entries("addresses"))
def test_an_attachment_elsewhere_is_not_asked_for(
    entry: Entry, liar: Scripted, forge: GitHubForge
) -> None:
    url = text_of(entry, "url").replace("HOST", liar.netloc)
    liar.script = [Reply(200, headers={"Content-Type": "text/plain"}, body=b"stolen")] * 3
    with pytest.raises(ForgeError) as refused:
        forge.download(url)
    assert liar.seen == []
    assert len(refused.value.sentence) < 1000
    assert refused.value.sentence.isprintable()


def _fits_a_header(parameters: Any) -> bool:
    target = text_of(parameters.values[0], "url")
    return target.isascii() and target.isprintable() and len(target) <= 5000


@pytest.mark.parametrize("entry", list(filter(_fits_a_header, entries("addresses"))))
def test_nor_where_a_redirect_leads_there(entry: Entry, liar: Scripted, forge: GitHubForge) -> None:
    target = text_of(entry, "url").replace("HOST", liar.netloc)
    liar.script = [Reply(302, headers={"Location": target}, body=b"")] * 9
    with pytest.raises(ForgeError):
        forge.download(f"{liar.url}/user-attachments/files/1/a.md")
    assert len(liar.seen) == 1


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "::1", "0.0.0.0", "10.0.0.1", "192.168.1.1", "169.254.169.254",
     "fe80::1", "fd00:ec2::254", "100.64.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "224.0.0.1"],
)  # fmt: skip
def test_a_name_that_leads_into_a_private_network_is_not_connected_to(host: str) -> None:
    with pytest.raises(Unreachable):
        public_address(host, 80)


@pytest.mark.parametrize("host", ["169.254.169.254", "fd00:ec2::254", "fe80::1", "0.0.0.0"])
def test_the_machines_metadata_is_not_asked_even_in_a_private_network(host: str) -> None:
    assert public_address("127.0.0.1", 80, private=True) == "127.0.0.1"
    with pytest.raises(Unreachable):
        public_address(host, 80, private=True)


def test_what_is_checked_is_what_is_connected_to(liar: Scripted) -> None:
    liar.script = [Reply(200, {"a": 1})] * 2
    session = requests.Session()
    url = liar.url.replace("127.0.0.1", "localhost")
    session.mount("http://", GuardedAdapter(lambda host: False))
    with pytest.raises(Unreachable):
        session.get(url, timeout=5)
    assert liar.seen == []
    session.mount("http://", GuardedAdapter(lambda host: host == "localhost"))
    assert session.get(url, timeout=5).json() == {"a": 1}
    assert liar.seen[0].headers["Host"].startswith("localhost:")


@pytest.mark.parametrize(
    ("url", "is_its_own"),
    [
        ("https://github.com/a/b.git", True),
        ("https://api.github.com/x", True),
        ("https://evil.example/a/b.git", False),
        ("https://github.com.evil.example/a/b.git", False),
        ("http://github.com/a/b.git", False),
        ("https://x@github.com/a/b.git", False),
        ("ssh://github.com/a/b.git", False),
        ("ext::sh -c evil", False),
    ],
)
def test_the_token_goes_to_the_configured_github_alone(url: str, is_its_own: bool) -> None:
    assert is_of_api(url, "https://api.github.com") is is_its_own


def test_a_clone_address_of_another_host_gets_no_token(
    liar: Scripted, client: GitHubClient
) -> None:
    found = {"url": f"{liar.url}/api/v3/repos/ann/lamp", "clone_url": "http://evil.example/x.git"}
    liar.script = [Reply(200, found)] * 3
    with pytest.raises(ForgeError, match="another host"):
        client.address()


PAYLOAD: dict[str, Any] = {
    "action": "created",
    "repository": {"full_name": "ann/lamp"},
    "sender": {"login": "ann", "type": "User"},
    "issue": {"number": 7, "updated_at": "2026-01-01T00:00:00Z"},
    "comment": {"id": 1, "body": "/repowright run", "user": {"login": "ann", "type": "User"}},
}


def _with(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    out = deepcopy(base)
    for name, value in over.items():
        nested = isinstance(value, dict) and isinstance(out.get(name), dict)
        out[name] = _with(out[name], value) if nested else value
    return out


@pytest.mark.parametrize("entry", entries("payloads"))
def test_a_payload_is_passed_over_or_can_be_kept(entry: Entry) -> None:
    name = entry.get("event") or "x" * entry["event_repeat"]
    body = json.dumps(_with(PAYLOAD, entry["over"])) if "over" in entry else text_of(entry)
    with bounded(5):
        event = event_of({"x-github-event": name}, body.encode(), Settings())
    if isinstance(event, Ignored):
        assert len(event.why) < 500
    else:
        assert EVENT.validate_json(EVENT.dump_json(event)) == event
        assert entry["name"] == "a comment without an author"


@pytest.mark.parametrize("entry", entries("settings"))
def test_a_repository_cannot_take_more_than_it_may(entry: Entry) -> None:
    with bounded(5), pytest.raises(Wrong) as refused:
        apply_file(text_of(entry).encode(), Settings())
    assert all(problem.line > 0 and len(problem.text) < 600 for problem in refused.value.problems)
