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


def test_a_line_of_any_length_takes_no_time() -> None:
    began = time.monotonic()
    assert wanted(["a<1" + " " * 200_000 + "@", "a" * 1_000_000]).kept == ()
    assert time.monotonic() - began < 2


def test_the_list_holds_normalised_names_none_of_which_looks_like_another_to_be_refused() -> None:
    known = known_packages()
    assert all(canonicalize_name(name) == name for name in known)
    assert wanted(sorted(known)).refused == ()
