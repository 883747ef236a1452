"""Lists the licences of all that the image holds, and fails on one that is not allowed."""

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined

_HERE = Path(__file__).resolve().parent
_LOCK = _HERE.parent / "deploy/requirements.txt"
_TOOLS = Path(sys.executable).parent
_PAGE = _HERE.parent / "docs/licences.md"


@dataclass(frozen=True)
class Package:
    name: str
    licence: str
    weak: bool


def main() -> int:
    """Compare docs/licences.md with what is installed, or with `--write` write it."""
    lists = rules()
    said = _licences()
    names = locked(_LOCK.read_text("utf-8"))
    missing = [name for name in names if name not in said]
    if missing:
        return _fail(f"not installed, so nobody knows their licence: {', '.join(missing)}")
    refused = [f"{n}: {said[n]}" for n in names if not allowed(said[n], lists)]
    if refused:
        return _fail("no allowed licence (scripts/licences.yaml): " + "; ".join(refused))
    weak = set(lists["weak copyleft"])
    packages = [Package(n, said[n], bool(weak & set(_required(said[n])))) for n in names]
    page = _page(packages)
    if "--write" in sys.argv:
        _PAGE.write_text(page, "utf-8")
    elif not _PAGE.exists() or _PAGE.read_text("utf-8") != page:
        return _fail("docs/licences.md is out of date: `make licences` writes it anew")
    print(f"licences: {len(packages)} packages, all allowed")
    return 0


def locked(lock: str) -> list[str]:
    """The names in a requirements file, normalised."""
    found = re.findall(r"^([A-Za-z0-9][\w.-]*)==", lock, re.MULTILINE)
    return sorted(_normal(name) for name in found)


def rules() -> dict[str, list[str]]:
    """The lists of licences.yaml."""
    lists: dict[str, list[str]] = yaml.safe_load((_HERE / "licences.yaml").read_text("utf-8"))
    return lists


def allowed(licence: str, lists: dict[str, list[str]]) -> bool:
    """Whether every part of an expression is allowed; of `A OR B` one must be."""
    good = {*lists["permissive"], *lists["weak copyleft"]}
    required = [part for part in _required(licence) if part not in lists["ignored"]]
    return bool(required) and all(good & set(part.split(" OR ")) for part in required)


def _required(licence: str) -> list[str]:
    return [part.strip() for part in re.split(r";| AND ", licence)]


def _licences() -> dict[str, str]:
    """What each installed package says; without `--with-system` some are left out."""
    done = subprocess.run(
        [_TOOLS / "pip-licenses", "--from=mixed", "--format=json", "--with-system"],
        capture_output=True,
        text=True,
        check=True,
    )
    return {_normal(row["Name"]): row["License"] for row in json.loads(done.stdout)}


def _page(packages: list[Package]) -> str:
    templates = Environment(  # noqa: S701 - Markdown, of texts that packages in the lock file hold
        loader=FileSystemLoader(_HERE), undefined=StrictUndefined, trim_blocks=False
    )
    return templates.get_template("licences.md.j2").render(packages=packages).rstrip() + "\n"


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _fail(problem: str) -> int:
    print(f"licences: {problem}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
