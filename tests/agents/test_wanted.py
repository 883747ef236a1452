"""Which packages an agent may add."""

import time

import pytest
from packaging.utils import canonicalize_name

from bot.agents.wanted import known_packages, named_packages, new_objection, wanted
from bot.spec.folder import spec_from_files


@pytest.mark.parametrize("line", ["requests", "wrapt<2", "pydantic[email]>=2,<3", "PyYAML == 6.*"])
def test_known_packages_may_be_added(line: str) -> None:
    assert wanted([line, f" {line} "]).kept == (line,)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("pytest", "how the check tests run"),
        ("Pytest_Cov", "how the check tests run"),
        ("pytest.timeout>=2", "how the check tests run"),
        ("anyio-pytest", "how the check tests run"),
        ("coverage[toml]", "how the check tests run"),
        ("pip", "how the check tests run"),
        ("-r other.txt", "no plain package"),
        ("--index-url=http://example.org", "no plain package"),
        ("git+https://example.org/a", "no plain package"),
        ("./local", "no plain package"),
        ("requests @ file:///tmp/a", "no plain package"),
        ("requests; os_name=='nt'", "no plain package"),
        ("requests\n--index-url=http://example.org", "no plain package"),
        ("rеquests", "no plain package"),
        ("", "no plain package"),
        ("reqeusts", "nearly that of `requests`"),
        ("request", "nearly that of `requests`"),
        ("requestss", "nearly that of `requests`"),
        ("beautiful-soup4", "nearly that of `beautifulsoup4`"),
        ("python-dateutils", "nearly that of `python-dateutil`"),
        ("left-pad-for-python", "names it"),
    ],
)
def test_others_may_not_and_it_is_said_why(line: str, why: str) -> None:
    chosen = wanted([line, "requests"])
    assert chosen.kept == ("requests",)
    assert why in chosen.refused[0].why


def test_what_a_document_or_a_person_or_the_settings_name_may_be_added() -> None:
    prd = b"# Tool\n\nIt says things.\n\n## Dependencies\n\n- `cowsay>=6`\n"
    spec = spec_from_files({"PRD.md": prd})
    named = named_packages(spec, ("left-pad",), "- ann: use `reqeusts`, not evil-package")
    assert named == {"cowsay", "left-pad", "reqeusts"}
    lines = ["cowsay", "Left_Pad", "reqeusts", "evil-package"]
    assert wanted(lines, named).kept == ("cowsay", "Left_Pad", "reqeusts")


def test_a_file_asks_for_no_package_behind_the_list() -> None:
    text = '[project]\nname = "x"\ndependencies = ["requests", "evil-thing"]\n'
    assert "evil-thing" in new_objection("pyproject.toml", text, "", ())
    assert new_objection("pyproject.toml", text, text, ()) == ""
    assert new_objection("pyproject.toml", text, "", {"evil-thing"}) == ""
    extra = '[project]\nname = "x"\noptional-dependencies = {t = ["evil-thing"]}\n'
    assert "evil-thing" in new_objection("pkg/pyproject.toml", extra, "", ())
    assert "pytest-evil" in new_objection("requirements.txt", "requests\npytest-evil\n", "", ())
    assert "-r" in new_objection("requirements-dev.txt", "-r evil.txt\n", "", ())
    assert new_objection("requirements.txt", "# a comment\nrequests>=2 # fine\n\n", "", ()) == ""
    assert new_objection("notes.txt", "evil-thing\n", "", ()) == ""


BEFORE = "requests>=2\nsecret-tool @ https://host.example/a.whl\n"


@pytest.mark.parametrize(
    "line",
    [
        "requests @ https://evil.example/x.whl",
        "requests --index-url https://evil.example",
        "requests --hash=sha256:00",
        "Requests@git+https://evil.example/x",
        "secret-tool @ https://evil.example/a.whl",
        "secret-tool",
        "-c other.txt",
        "-e git+https://evil.example/x#egg=requests",
        "# -*- coding: utf-7 -*-",
    ],
)
def test_a_package_that_is_there_opens_no_other_way_in(line: str) -> None:
    assert "asks for" in new_objection("requirements.txt", f"{line}\n{BEFORE}", BEFORE, ())
    moved = f"requests[socks] >= 2.31\n{BEFORE}"
    assert new_objection("requirements.txt", moved, BEFORE, ()) == ""


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pyproject.toml", '[build-system]\nrequires = ["setuptools", "evil-thing"]'),
        ("pyproject.toml", '[dependency-groups]\ndev = ["evil-thing", {include-group = "x"}]'),
        ("pyproject.toml", '[tool.poetry.dependencies]\npython = "^3.11"\nevil-thing = "^1"'),
        ("pyproject.toml", '[tool.poetry.group.dev.dependencies]\nevil-thing = "*"'),
        ("pyproject.toml", '[tool.poetry.dependencies]\nrequests = {git = "https://evil.example"}'),
        ("pyproject.toml", '[[tool.poetry.source]]\nname = "x"\nurl = "https://evil.example"'),
        ("pyproject.toml", '[[tool.uv.index]]\nurl = "https://evil.example"'),
        ("pyproject.toml", '[tool.uv.sources]\nrequests = {url = "https://evil.example/x.whl"}'),
        ("pyproject.toml", '[tool.uv]\ndev-dependencies = ["evil-thing"]'),
        ("pyproject.toml", '[tool.uv.pip]\nextra-index-url = ["https://evil.example"]'),
        ("pyproject.toml", '[tool.pdm.dev-dependencies]\nt = ["evil-thing"]'),
        ("pyproject.toml", '[tool.hatch.envs.default]\ndependencies = ["evil-thing"]'),
        ("pyproject.toml", '[tool.hatch.envs.x]\nextra-dependencies = ["evil-thing"]'),
        ("pyproject.toml", '[tool.setuptools.dynamic]\ndependencies = {file = ["evil.md"]}'),
        ("setup.py", 'from setuptools import setup\nsetup(install_requires=["evil-thing"])'),
        ("setup.py", 'R = ["requests"]\nsetup(extras_require={"x": R + ["evil-thing"]})'),
        ("setup.py", 'setup(dependency_links=["https://evil.example"])'),
        ("tools/run.py", '# /// script\n# dependencies = ["evil-thing"]\n# ///\nprint(1)\n'),
        ("Pipfile", '[packages]\nevil-thing = "*"'),
        ("Pipfile", '[[source]]\nurl = "https://evil.example"\nname = "x"'),
        ("requirements/dev.txt", "evil-thing"),
        ("dev-requirements.txt", "evil-thing"),
        ("constraints.txt", "requests @ https://evil.example/x.whl"),
        ("uv.lock", "version = 1"),
        ("uv.toml", 'index-url = "https://evil.example"'),
        ("environment.yml", "channels: [evil]"),
    ],
)
def test_no_file_has_an_installer_fetch_what_nobody_named(path: str, text: str) -> None:
    assert new_objection(path, text, "", ()) != ""
    assert new_objection(path, text, text, ()) == ""


def test_honest_project_files_are_taken() -> None:
    pyproject = """
[build-system]
requires = ["setuptools>=61", "wheel"]
build-backend = "setuptools.build_meta"

[project]
name = "lamp"
dynamic = ["dependencies", "version"]
urls = {Homepage = "https://lamp.example"}

[tool.setuptools.dynamic]
dependencies = {file = ["requirements.txt"]}
version = {attr = "lamp.__version__"}

[tool.hatch.version]
source = "vcs"

[tool.poetry.dependencies]
python = ">=3.11"
requests = {version = "^2.31", optional = true}
"""
    setup = """
from setuptools import find_packages, setup

setup(
    name="lamp",
    url="https://lamp.example",
    packages=find_packages(),
    install_requires=["requests>=2", "rich"],
    long_description=open("README.md").read(),
)
"""
    assert new_objection("pyproject.toml", pyproject, "", ()) == ""
    assert new_objection("setup.py", setup, "", ()) == ""
    assert new_objection("setup.py", "setup(install_requires=open('r.txt').read())", "", ()) == ""
    assert new_objection("lamp/script.py", "# /// script\n# of a play\n# ///\n", "", ()) == ""


def test_a_line_of_any_length_takes_no_time() -> None:
    began = time.monotonic()
    assert wanted(["a<1" + " " * 200_000 + "@", "a" * 1_000_000]).kept == ()
    assert time.monotonic() - began < 2


def test_the_list_holds_normalised_names_none_of_which_looks_like_another_to_be_refused() -> None:
    known = known_packages()
    assert all(canonicalize_name(name) == name for name in known)
    assert wanted(sorted(known)).refused == ()
