"""Which packages an agent may add."""

import pytest

from bot.agents.wanted import wanted


@pytest.mark.parametrize("line", ["requests", "wrapt<2", "pydantic[email]>=2,<3", "PyYAML == 6.*"])
def test_plain_packages_may_be_added(line: str) -> None:
    assert wanted([line, f" {line} "]) == ((line,), ())


@pytest.mark.parametrize(
    "line",
    [
        "pytest",
        "Pytest_Cov",
        "pytest.timeout>=2",
        "anyio-pytest",
        "coverage[toml]",
        "pip",
        "-r other.txt",
        "--index-url=http://example.org",
        "git+https://example.org/a",
        "./local",
        "a @ file:///tmp/a",
        "a; os_name=='nt'",
        "",
    ],
)
def test_test_tools_addresses_and_options_may_not(line: str) -> None:
    assert wanted([line, "requests"]) == (("requests",), (line,))
