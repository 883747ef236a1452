"""The checks of what the image is made of: known vulnerabilities and licences, each of which must
be able to fail."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from deployed import REPOSITORY

_SCRIPTS = REPOSITORY / "scripts"
_ADVISORY = {
    "id": "PYSEC-2026-1",
    "summary": "Flask serves what it should not",
    "affected": [
        {
            "package": {"name": "flask", "ecosystem": "PyPI"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "9.9.9"}]}],
        }
    ],
}


class _Osv(BaseHTTPRequestHandler):
    """https://google.github.io/osv.dev/post-v1-query/: flask is vulnerable, all else is not."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        known = asked["package"]["name"].lower() == "flask"
        body = json.dumps({"vulns": [_ADVISORY]} if known else {}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Osv) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1/query"
        server.shutdown()
        thread.join()


def test_a_known_vulnerability_fails(service: str, tmp_path: Path) -> None:
    done = _audit(tmp_path, "Flask==3.1.0", "--osv-url", service)
    assert done.returncode == 1
    assert "3.1.0: PYSEC-2026-1, fixed in 9.9.9" in done.stdout


def test_an_answer_without_one_is_clean(service: str, tmp_path: Path) -> None:
    done = _audit(tmp_path, "Jinja2==3.1.6", "--osv-url", service, "--must-answer")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "audit: 1 packages, no known vulnerability\n"


def test_no_answer_is_said_and_passes_only_where_it_may(tmp_path: Path) -> None:
    nobody = ("--osv-url", "http://127.0.0.1:9/v1/query")
    done = _audit(tmp_path, "Jinja2==3.1.6", *nobody)
    assert (done.returncode, done.stdout) == (0, "")
    assert "COULD NOT ASK" in done.stderr
    assert _audit(tmp_path, "Jinja2==3.1.6", *nobody, "--must-answer").returncode == 3


def test_licences_of_the_image_are_listed_and_allowed() -> None:
    done = _run("licences.py")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("licence", "fits"),
    [
        ("MIT License", True),
        ("Apache-2.0 OR GPL-3.0-only", True),
        ("MIT AND GPL-3.0-only", False),
        ("BSD License; GNU General Public License v3 (GPLv3)", False),
        ("DFSG approved; MIT License", True),
        ("DFSG approved", False),
        ("UNKNOWN", False),
        ("AGPL-3.0-or-later", False),
    ],
)
def test_which_licences_are_allowed(licence: str, fits: bool) -> None:
    sys.path.insert(0, str(_SCRIPTS))
    try:
        from licences import allowed, rules
    finally:
        sys.path.remove(str(_SCRIPTS))
    assert allowed(licence, rules()) is fits


def _audit(folder: Path, requirement: str, *options: str) -> "subprocess.CompletedProcess[str]":
    file = folder / "requirements.txt"
    file.write_text(f"{requirement} --hash=sha256:{'0' * 64}\n")
    return _run("audit.py", "--requirement", str(file), *options)


def _run(script: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, _SCRIPTS / script, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
