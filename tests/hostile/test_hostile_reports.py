"""What comes back from where generated code ran: artifacts, and words for GitHub's runner."""

import io
import re
import stat
import zipfile
from pathlib import Path

import pytest
from hostile_corpus import Entry, bounded, entries, text_of

from bot.checks.__main__ import main
from bot.checks.artifact import report_from_artifact
from bot.checks.report import Report
from bot.checks.summary import summary

ROUND = '{"rounds": [{"returncode": 1, "root": "/tmp/p"}], "tests": ["check_tests"]}'
METHODS = {"lzma": zipfile.ZIP_LZMA, "bzip2": zipfile.ZIP_BZIP2}


def archive_of(entry: Entry) -> bytes:
    kind = entry["zip"]
    if kind == "bytes":
        return text_of(entry).encode()
    files = dict(entry.get("files") or {entry["into"]: text_of(entry)})
    if kind == "round":
        files = {"run.json": ROUND, **files}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", METHODS.get(kind, zipfile.ZIP_DEFLATED)) as archive:
        for name, content in files.items():
            _put(archive, kind, name, content)
    return _damaged(kind, buffer.getvalue())


def _put(archive: zipfile.ZipFile, kind: str, name: str, content: str) -> None:
    if kind == "link":
        link = zipfile.ZipInfo(name)
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, content)
        return
    archive.writestr(name, content)
    if kind == "bomb":
        archive.writestr("output.txt", b"\0" * (200 << 20))
    if kind == "many":
        for number in range(5000):
            archive.writestr(f"{number}/junit.xml", "")
    if kind == "doubled":
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr(name, content)


def _damaged(kind: str, content: bytes) -> bytes:
    if kind == "cut":
        return content[:-30]
    if kind == "locked":
        central = content.rindex(b"PK\x01\x02")
        flags = bytearray(content)
        flags[6] |= 1
        flags[central + 8] |= 1
        return bytes(flags)
    if kind == "badname":
        central = content.rindex(b"PK\x01\x02")
        changed = bytearray(content.replace(b"run.json", b"\xff\xfe\xff\xfejson"[:8]))
        changed[7] |= 8
        changed[central + 9] |= 8
        return bytes(changed)
    return content


@pytest.mark.parametrize("entry", entries("artifacts"))
def test_an_artifact_is_read_without_harm(entry: Entry) -> None:
    content = archive_of(entry)
    with bounded(15):
        report = report_from_artifact(content)
    assert not report.green
    assert report.problem
    said = report.model_dump_json()
    assert Report.model_validate_json(said) == report
    assert len(said) < 1_000_000
    assert "root:x:" not in said
    assert len(summary(report)) < 1_000_000


@pytest.mark.parametrize("entry", entries("outputs"))
def test_no_output_speaks_to_the_runner(
    entry: Entry, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: object
) -> None:
    assert isinstance(monkeypatch, pytest.MonkeyPatch)
    out = tmp_path / "report"
    (out / "1").mkdir(parents=True)
    text = text_of(entry)
    (out / "run.json").write_text(ROUND)
    (out / "output.txt").write_text(text)
    escaped = re.sub(r"[^ -~\n\r\t\x85\u2028]", "", text).replace("&", "&amp;").replace("<", "&lt;")
    escaped = escaped.replace('"', "&quot;")
    (out / "1" / "junit.xml").write_text(
        "<testsuites><testsuite>"
        f'<testcase classname="check_tests.test_a" name="{escaped}">'
        f'<failure message="{escaped}">{escaped}</failure></testcase></testsuite></testsuites>'
    )
    for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
        monkeypatch.setenv(name, str(tmp_path / name))
    assert main(["summary", "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    commands = _heard(printed)
    assert {verb for verb, _ in commands} <= {"stop-commands", "error"}
    assert len(commands) <= 3
    assert all("::" not in rest.partition("::")[0] for verb, rest in commands)
    told = (tmp_path / "GITHUB_OUTPUT").read_text().splitlines()
    assert sorted(line.partition("=")[0] for line in told) == [
        "coverage",
        "failed",
        "green",
        "passed",
        "skipped",
        "total",
    ]
    assert "green=false" in told


def _heard(printed: str) -> list[tuple[str, str]]:
    """The commands that a runner would take from these lines.
    https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions"""
    commands = []
    stopped = ""
    for line in printed.splitlines():
        found = re.match(r"\s*::([A-Za-z-]+|[0-9a-f]{32})(?: [^:]*)?::(.*)", line)
        if stopped:
            stopped = "" if found and found[1] == stopped else stopped
        elif found:
            commands.append((found[1], line.strip()[2:]))
            stopped = found[2] if found[1] == "stop-commands" else ""
        elif line.startswith("##["):
            commands.append((line, line))
    return commands
