"""Environments for a project's requirements: hostile lines are refused, only wheels installed."""

import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from textwrap import dedent

import pytest

from bot.base import RepowrightError
from bot.checks.environment import Environment, EnvironmentFailed, Environments
from bot.checks.project import find_tests, read_requirements
from bot.checks.requirements import (
    RequirementRefused,
    clean_requirements,
    project_requirements,
)
from bot.ports.sandbox import Sandbox, SandboxJob

INI = "[tool.pytest.ini_options]\ntestpaths = {}\n"


def test_requirements_come_in_one_spelling() -> None:
    lines = [
        "# tools",
        "",
        "requests >= 2.31  # http",
        "Attrs",
        "requests>=2.31",
        "x[b,a]; python_version>'3'",
    ]
    assert clean_requirements(lines) == (
        "Attrs",
        "requests>=2.31",
        'x[a,b]; python_version > "3"',
    )


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("-e .", "is an option of pip"),
        ("--index-url https://example.org", "is an option of pip"),
        ("-r other.txt", "is an option of pip"),
        ("--find-links=/tmp", "is an option of pip"),
        ("six --global-option=x", "is not a requirement"),
        ("six --hash=sha256:00", "is not a requirement"),
        ("six @ https://example.org/six.whl", "names an address"),
        ("six @ file:///etc/passwd", "names an address"),
        ("git+https://example.org/six", "is not a requirement"),
        ("https://example.org/six.whl", "is not a requirement"),
        ("./six", "is not a requirement"),
        ("/tmp/six.whl", "is not a requirement"),
        ("../six", "is not a requirement"),
        ("six; rm -rf /", "is not a requirement"),
        ("$(reboot)", "is not a requirement"),
        ("six \\", "is not a requirement"),
        ("a" * 400, "is longer than 300 characters"),
    ],
)
def test_what_is_not_a_package_and_its_versions_is_refused(line: str, why: str) -> None:
    with pytest.raises(RequirementRefused, match=why) as caught:
        clean_requirements(["six", line], where="requirements.txt")
    assert caught.value.where == "requirements.txt:2"


def test_too_many_requirements_are_refused() -> None:
    with pytest.raises(RequirementRefused, match="more than 100 requirements"):
        clean_requirements(f"package{n}" for n in range(101))


def test_requirements_of_a_project_add_up_without_its_own_name() -> None:
    files = {
        "requirements.txt": b"attrs\nMy_Shop\n",
        "pyproject.toml": b'[project]\nname = "my-shop"\ndependencies = ["wrapt<2"]\n',
    }
    assert project_requirements(files) == ("attrs", "wrapt<2")
    assert project_requirements({}) == ()
    with pytest.raises(RequirementRefused, match="it is not TOML"):
        project_requirements({"pyproject.toml": b"["})


def test_extras_and_groups_are_added_with_those_that_they_name() -> None:
    project = b"""
        [project]
        name = "my-shop"
        dependencies = ["attrs"]
        [project.optional-dependencies]
        Dev_Tools = ["my_shop[fast]", "six"]
        fast = ["wrapt<2"]
        docs = ["sphinx"]
        [dependency-groups]
        test = ["idna", {include-group = "more"}]
        more = ["toolz"]
        """
    files = {"pyproject.toml": dedent(project.decode()).encode()}
    assert project_requirements(files, ["dev-tools", "test"]) == (
        *("attrs", "idna", "six", "toolz", "wrapt<2"),
    )
    with pytest.raises(RequirementRefused, match=r"there is no extra or group `tests` \(there is"):
        project_requirements(files, ["tests"])


def test_requirements_files_may_name_others_of_the_repository(tmp_path: Path) -> None:
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements" / "base.txt").write_text("attrs\n-r base.txt\n")
    (tmp_path / "dev.txt").write_text("-r requirements/base.txt  # all\n-e .[test]\n.\nsix\n")
    assert read_requirements(tmp_path, "dev.txt") == ("attrs", "six")
    (tmp_path / "dev.txt").write_text("-r ../elsewhere.txt\n")
    with pytest.raises(RepowrightError, match="this requirements file is not read"):
        read_requirements(tmp_path, "dev.txt")
    with pytest.raises(RepowrightError, match="there is no such requirements file"):
        read_requirements(tmp_path, "missing.txt")


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"check_tests/a": "", "tests/a": ""}, ("check_tests",)),
        ({"test/a": ""}, ("test",)),
        ({"unit/a": "", "tests/a": "", "pyproject.toml": INI.format('["unit", "no"]')}, ("unit",)),
        ({"unit/a": "", "pyproject.toml": INI.format('"unit"')}, ("unit",)),
        ({"tests/a": "", "pyproject.toml": INI.format("3")}, ("tests",)),
        ({"tests/a": "", "pyproject.toml": "["}, ("tests",)),
        ({"app.py": ""}, ()),
    ],
)
def test_tests_are_found_where_projects_keep_them(
    tmp_path: Path, files: dict[str, str], found: tuple[str, ...]
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert find_tests(tmp_path) == found


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels as the only place that packages come from; the tools that are always
    installed are stood in for by empty wheels of the same names."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    for name in ("coverage", "pip", "pytest", "pytest_timeout", "good"):
        make_wheel(wheels, name, {f"{name}_content.py": "x = 1\n"})
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    return wheels


def make_wheel(folder: Path, name: str, files: dict[str, str]) -> None:
    metadata = f"{name}-99.0.dist-info"
    files = {
        **files,
        f"{metadata}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 99.0\n"
        "Provides-Extra: toml\n",
        f"{metadata}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},,\n" for path in (*files, f"{metadata}/RECORD"))
    with zipfile.ZipFile(folder / f"{name}-99.0-py3-none-any.whl", "w") as wheel:
        for path, text in {**files, f"{metadata}/RECORD": record}.items():
            wheel.writestr(path, text)


def test_an_environment_is_made_once_and_seen_in_the_sandbox(
    offline: Path, tmp_path: Path, sandbox: Sandbox
) -> None:
    environments = Environments(tmp_path / "environments")
    made = environments.prepare(["good"])
    for wheel in offline.iterdir():
        wheel.unlink()
    assert environments.prepare(["good  # again"]) == made
    result = sandbox.run(
        SandboxJob(
            argv=(str(made.python), "-c", "import good_content, sys; print(sys.prefix)"),
            workdir=made.readable[0],
            readable=made.readable,
        )
    )
    assert result.output == f"{made.readable[0]}\n"


def test_several_processes_share_one_environment(offline: Path, tmp_path: Path) -> None:
    folder = tmp_path / "environments"
    source = (
        "import sys; from pathlib import Path; from bot.checks.environment import Environments;"
        "print(Environments(Path(sys.argv[1])).prepare(['good']).python)"
    )

    def make(_: int) -> str:
        return subprocess.check_output([sys.executable, "-c", source, str(folder)], text=True)

    with ThreadPoolExecutor(3) as pool:
        said = set(pool.map(make, range(3)))
    assert len(said) == 1
    assert [path.suffix for path in folder.iterdir() if path.is_dir()] == [""]


def test_nothing_of_a_package_runs_at_its_installation(offline: Path, tmp_path: Path) -> None:
    trace = tmp_path / "it-ran"
    code = f"open({str(trace)!r}, 'w')"
    make_wheel(
        offline, "hostile", {"hostile.pth": f"import builtins; {code}\n", "hostile.py": f"{code}\n"}
    )
    source = tmp_path / "wheels" / "source-1.0.tar.gz"
    source.write_bytes(b"not even looked at")
    environments = Environments(tmp_path / "environments")
    environments.prepare(["hostile"])
    with pytest.raises(EnvironmentFailed):
        environments.prepare(["hostile", "source"])
    assert not trace.exists()


def test_a_package_without_a_wheel_is_named(offline: Path, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailed) as caught:
        Environments(tmp_path / "environments").prepare(["no-such-package>=3"])
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert caught.value.sentence == (
        f"requirements: there is no wheel of no-such-package>=3 for Python {version} on this"
        " machine, or no such package or version (only wheels are installed; choose a version"
        " that has one, or another package)"
    )
    assert not [path for path in (tmp_path / "environments").iterdir() if path.is_dir()]


def test_versions_that_exclude_each_other_are_said(offline: Path, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailed, match=r"exclude each other|no wheel of good"):
        Environments(tmp_path / "environments").prepare(["good==99.0", "good==98.0"])


def test_a_folder_that_is_no_environment_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailed, match="there is no Python environment"):
        Environment.at(tmp_path)
