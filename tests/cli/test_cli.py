"""The command line: one clear sentence for each mistake, JSON for programs, exit codes."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from bot import __version__

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def repowright(*arguments: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ)
    if path is not None:
        environment["PATH"] = path
    return subprocess.run(
        [sys.executable, "-m", "bot", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        timeout=100,
    )


def refused(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return done.stderr.strip().splitlines()[-1]


def test_the_version() -> None:
    assert repowright("--version").stdout == f"repowright {__version__}\n"


def test_lint_gives_the_documented_object() -> None:
    done = repowright("lint", str(EXAMPLES / "jiffy"), "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 0
    assert set(report) == {"problems", "files", "classes", "members", "relations", "messages"}
    assert report["files"] == 3
    assert report["messages"] == 13


def test_lint_fails_where_something_is_fatal(tmp_path: Path) -> None:
    (tmp_path / "UML.md").write_text("```mermaid\nclassDiagram\nclass A {\n+f(\n}\n```\n")
    done = repowright("lint", str(tmp_path), "--json")
    assert done.returncode == 1
    problems = {(p["severity"], p["message"]) for p in json.loads(done.stdout)["problems"]}
    assert ("fatal", "The spec has no product requirement document.") in problems
    assert any(p["line"] == 4 for p in json.loads(done.stdout)["problems"])


def test_wrong_use_is_exit_code_2() -> None:
    assert repowright("lint").returncode == 2
    assert repowright("nonsense").returncode == 2


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    assert refused(repowright("lint", str(missing))) == (
        f"repowright: {missing}: there is no such folder (give the folder that holds PRD.md)"
    )


def test_an_out_folder_with_something_in_it(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep")
    backend = ("--backend", f"mailbox:{tmp_path / 'mail'}")
    done = repowright("run", str(EXAMPLES / "jiffy"), "--out", str(tmp_path), *backend)
    assert refused(done) == (
        f"repowright: {tmp_path}: the folder is not empty "
        "(give an empty one, or `repowright resume` to go on with a run in it)"
    )
    assert (tmp_path / "mine.txt").read_text() == "keep"


def test_a_port_in_use(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = repowright("embedded", "--data", str(tmp_path / "data"), "--port", port)
    assert f"port {port} is in use" in refused(done)


def test_jobs_run_where_one_of_two_words_says(tmp_path: Path) -> None:
    done = repowright("embedded", "--data", str(tmp_path / "data"), "--jobs", "elsewhere")
    assert done.returncode == 1
    assert "jobs cannot run in `elsewhere` (use `sandbox`, or `machine`)" in done.stderr


def test_no_git(tmp_path: Path) -> None:
    done = repowright("embedded", "--data", str(tmp_path / "data"), path=str(tmp_path))
    assert refused(done) == "repowright: git is missing (install git 2.38 or newer)"


def test_an_unknown_backend(tmp_path: Path) -> None:
    done = repowright(
        "run", str(EXAMPLES / "jiffy"), "--out", str(tmp_path / "out"), "--backend", "oracle"
    )
    assert refused(done) == (
        "repowright: there is no model backend `oracle` "
        "(use `openai`, `mailbox:FOLDER` or `replay:FOLDER`)"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("modell: gpt-5\n", "there is no setting `modell`"),
        ("budget: {usd: lots}\n", "the setting `budget.usd` is wrong"),
    ],
)
def test_settings_that_are_wrong(tmp_path: Path, text: str, said: str) -> None:
    config = tmp_path / "settings.yaml"
    config.write_text(text)
    done = repowright(
        "run", str(EXAMPLES / "jiffy"), "--out", str(tmp_path / "out"), "--config", str(config)
    )
    assert said in refused(done)


def test_resume_without_a_run(tmp_path: Path) -> None:
    assert "there is no run in this folder" in refused(repowright("resume", str(tmp_path)))


def test_a_killed_run_is_resumed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    backend = f"replay:{EXAMPLES / 'jiffy' / 'recording'}"
    config = str(EXAMPLES / "jiffy" / "recording" / "settings.yaml")
    begun = subprocess.Popen(
        [
            *(sys.executable, "-m", "bot", "run", str(EXAMPLES / "jiffy"), "--out", str(out)),
            *("--backend", backend, "--config", config, "--json"),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert begun.stdout is not None
    for line in begun.stdout:
        if json.loads(line).get("phase") == "skeleton":
            break
    begun.kill()
    begun.wait()
    done = repowright("resume", str(out), "--backend", backend, "--json")
    result = json.loads(done.stdout.splitlines()[-1])
    assert (done.returncode, result["outcome"]) == (0, "passed"), done.stderr
    assert result["iterations"] == {"architecture": 1, "skeleton": 1, "code": 2}
    assert result["calls"] == 3


def test_a_folder_named_from_where_one_stands(tmp_path: Path) -> None:
    recording = EXAMPLES / "jiffy" / "recording"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "bot", "replay", str(recording)),
            *("--out", "here", "--json"),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        timeout=100,
    )
    result = json.loads(done.stdout.splitlines()[-1])
    assert (done.returncode, result["tests"]["passed"]) == (0, 149), done.stderr
    assert (tmp_path / "here" / "jiffy" / "durations.py").is_file()
