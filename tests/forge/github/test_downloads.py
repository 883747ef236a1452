"""Attachments and archives: from which hosts, of which kind and size, and with which credential."""

import io
import zipfile

import pytest
from pydantic import SecretStr

from bot.forge.github.actions import LOG_LIMIT, joined_tail
from bot.forge.github.client import GitHubClient, GitHubSettings
from bot.forge.github.credentials import GivenToken
from bot.forge.github.downloads import ATTACHMENT_LIMIT
from bot.forge.github.errors import Refused
from bot.forge.github.forge import GitHubForge
from bot.forge.github.pace import Clock
from bot.ports.forge import ForgeError

TOKEN = "s3cret-token-of-the-test"


@pytest.fixture
def forge(scripted, reply) -> GitHubForge:
    """A forge whose repository has been looked at already."""
    settings = GitHubSettings(api_url=f"{scripted.url}/api/v3", repository="ann/lamp")
    clock = Clock(sleep=lambda _: None)
    client = GitHubClient(settings, GivenToken(token=SecretStr(TOKEN)), clock=clock)
    url = f"{scripted.url}/api/v3/repos/ann/lamp"
    scripted.script = [reply(200, {"url": url, "html_url": f"{scripted.url}/ann/lamp"})]
    assert client.repository.url == url
    scripted.seen.clear()
    return GitHubForge(client)


def text(reply, body: bytes, kind: str = "text/markdown; charset=utf-8"):
    return reply(200, headers={"Content-Type": kind}, body=body)


def packed(**files: bytes) -> bytes:
    folder = io.BytesIO()
    with zipfile.ZipFile(folder, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, data in files.items():
            bundle.writestr(name.replace("__", "/") + ".txt", data)
    return folder.getvalue()


def test_an_attachment_of_the_forge_is_read(scripted, reply, forge: GitHubForge) -> None:
    moved = {"Location": "/storage/1?sig=x"}
    scripted.script = [reply(502), reply(302, headers=moved), text(reply, b"# Lamp\n")]
    assert forge.download(f"{scripted.url}/user-attachments/files/1/prd.md") == b"# Lamp\n"
    assert scripted.calls[-1] == "GET /storage/1?sig=x"


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/prd.md",
        "https://githubusercontent.com.evil.example/x",
        "https://evilgithubusercontent.com/x",
        "http://raw.githubusercontent.com/o/r/main/x",
        "https://raw.githubusercontent.com:8443/x",
        "http://127.0.0.1:1/prd.md",
        "http://localhost/prd.md",
        "http://169.254.169.254/latest/meta-data/",
        "https://github.com@evil.example/x",
        "https://raw.githubusercontent.com\\@evil.example/x",
        "file:///etc/passwd",
        "//evil.example/x",
        "https://evil.example/\r\nHost: x",
        "",
    ],
)
def test_other_hosts_are_not_asked(scripted, forge: GitHubForge, url: str) -> None:
    with pytest.raises(ForgeError, match=r"not from|not a plain web address"):
        forge.download(url)
    assert scripted.seen == []


def test_the_credential_opens_attachments_and_this_repository_alone(
    scripted, reply, forge: GitHubForge
) -> None:
    """An issue may name any page of the forge; the bot must not fetch others' secrets for it."""

    def opened_with_credential(path: str) -> bool:
        scripted.script = [text(reply, b"x")]
        forge.download(f"{scripted.url}{path}")
        return "Authorization" in scripted.seen[-1].headers

    assert opened_with_credential("/user-attachments/files/1/a.md")
    assert opened_with_credential("/ann/lamp/files/1/a.md")
    assert not opened_with_credential("/ann/lampshade/raw/main/a.md")
    assert not opened_with_credential("/bob/private/raw/main/a.md")
    assert not opened_with_credential("/api/v3/user/emails")
    scripted.seen.clear()
    for path in ("/user-attachments/../api/v3/user", "/ann/lamp/%2e%2E/secret/raw/x", "/a/./b"):
        with pytest.raises(ForgeError, match="not a plain web address"):
            forge.download(f"{scripted.url}{path}")
    assert scripted.seen == []


def test_a_redirect_to_another_host_is_not_followed(scripted, reply, forge: GitHubForge) -> None:
    scripted.script = [reply(302, headers={"Location": "http://169.254.169.254/latest"})]
    with pytest.raises(ForgeError, match=r"not from 169\.254\.169\.254"):
        forge.download(f"{scripted.url}/files/1")


def test_a_sign_in_page_or_a_picture_is_not_a_specification(
    scripted, reply, forge: GitHubForge
) -> None:
    for kind in ("text/html; charset=utf-8", "image/png", "application/zip"):
        scripted.script = [text(reply, b"...", kind)]
        with pytest.raises(ForgeError, match="is not a text file"):
            forge.download(f"{scripted.url}/files/1")


def test_a_large_attachment_is_refused(scripted, reply, forge: GitHubForge) -> None:
    scripted.script = [text(reply, b"x" * ATTACHMENT_LIMIT), text(reply, b"x" * (1 << 21))]
    assert len(forge.download(f"{scripted.url}/files/1")) == ATTACHMENT_LIMIT
    with pytest.raises(ForgeError, match="larger than 1 MiB"):
        forge.download(f"{scripted.url}/files/2")


def test_a_missing_attachment_is_told_without_its_signature(
    scripted, reply, forge: GitHubForge
) -> None:
    scripted.script = [reply(404)]
    with pytest.raises(Refused) as caught:
        forge.download(f"{scripted.url}/files/1?jwt=abc")
    assert "jwt" not in str(caught.value)


def test_an_archive_is_fetched_where_the_api_says_without_the_token(
    scripted, other, reply, forge: GitHubForge
) -> None:
    listed = {
        "total_count": 2,
        "artifacts": [
            {"id": 5, "name": "report", "expired": False},
            {"id": 6, "name": "report", "expired": True},
            {"id": 7, "name": "else", "expired": False},
        ],
    }
    scripted.script = [reply(200, listed), reply(302, headers={"Location": f"{other.url}/blob"})]
    other.script = [text(reply, b"PK..", "application/zip")]
    assert forge.artifact(9, "report") == b"PK.."
    assert scripted.calls[-1] == "GET /api/v3/repos/ann/lamp/actions/artifacts/5/zip"
    assert scripted.seen[-1].headers["Authorization"] == f"token {TOKEN}"
    assert "Authorization" not in other.seen[0].headers


def test_expired_artifacts_and_logs_are_none(scripted, reply, forge: GitHubForge) -> None:
    scripted.script = [reply(200, {"total_count": 0, "artifacts": []}), reply(410)]
    assert forge.artifact(9, "report") is None
    assert forge.log(9) == ""


def test_the_end_of_the_jobs_logs_is_kept() -> None:
    archive = packed(**{"0_a": b"first\n", "1_b": b"second\n", "a__1_step": b"double\n"})
    assert joined_tail(archive) == "first\nsecond\n"
    assert joined_tail(packed(a__1_x=b"1\n", a__2_y=b"2\n")) == "1\n2\n"


def test_a_log_that_unpacks_to_a_gigabyte_keeps_its_end() -> None:
    archive = packed(**{"0_a": b"x" * (40 << 20) + b"end"})
    assert len(archive) < (1 << 20)
    tail = joined_tail(archive)
    assert len(tail) == LOG_LIMIT
    assert tail.endswith("xend")


def test_a_broken_archive_is_told() -> None:
    for archive in (b"not a zip", packed(a=b"x" * 5000)[:-40]):
        with pytest.raises(ForgeError, match="not a readable zip file"):
            joined_tail(archive)
