"""GitHub's own descriptions of its API: fetched with npm, checked by hash, kept in a cache."""

import base64
import hashlib
import os
import shutil
import subprocess
import tarfile
import tempfile
from functools import cache
from importlib import resources
from pathlib import Path

import yaml

from bot.base import Data, RepowrightError

_PATIENCE = 300
_INSIDE = "package/"


class Package(Data):
    """A published package: name and version as npm knows them, the hash of its archive as npm
    writes it, and the files that are read of it."""

    package: str
    version: str
    integrity: str
    files: tuple[str, ...]


@cache
def packages() -> dict[str, Package]:
    text = resources.files("bot.bench.api").joinpath("packages.yaml").read_text("utf-8")
    return {key: Package.model_validate(told) for key, told in yaml.safe_load(text).items()}


def cache_folder() -> Path:
    """Where programs of this user keep what they can fetch again.
    https://specifications.freedesktop.org/basedir-spec/latest/
    """
    told = os.environ.get("XDG_CACHE_HOME", "")
    root = Path(told) if Path(told).is_absolute() else Path.home() / ".cache"
    return root / "repowright" / "packages"


def published(key: str, cache_in: Path | None = None) -> Path:
    """The folder that holds the files of a package, fetched where it is not there yet. Raise
    RepowrightError where npm is missing or does not get it."""
    package = packages()[key]
    folder = (cache_in or cache_folder()) / f"{key}-{package.version}"
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as aside:
            archive = _fetched(package, Path(aside))
            _check(package, archive)
            _unpack(package, archive, Path(aside) / "files")
            _keep(Path(aside) / "files", folder)
    return folder


def _keep(files: Path, folder: Path) -> None:
    try:
        files.replace(folder)
    except OSError:
        # Another process has fetched the same meanwhile.
        if not folder.is_dir():
            raise


def _fetched(package: Package, aside: Path) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        raise RepowrightError("npm is not installed", hint="install Node.js, which brings npm")
    named = f"{package.package}@{package.version}"
    command = [npm, "pack", "--silent", "--ignore-scripts", f"--pack-destination={aside}", named]
    try:
        done = subprocess.run(
            command, cwd=aside, capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise _unreachable(named, "npm did not end") from error
    if done.returncode != 0:
        raise _unreachable(named, done.stderr.strip()[-300:] or f"npm ended {done.returncode}")
    return next(aside.glob("*.tgz"))


def _unreachable(named: str, why: str) -> RepowrightError:
    return RepowrightError(
        f"npm does not get the package: {why}",
        where=named,
        hint="look whether `npm ping` reaches the registry",
    )


def _check(package: Package, archive: Path) -> None:
    kind, _, right = package.integrity.partition("-")
    found = hashlib.new(kind, archive.read_bytes()).digest()
    if base64.b64encode(found).decode() != right:
        raise RepowrightError(
            "the package is not the one that was published",
            where=f"{package.package}@{package.version}",
            hint="compare its hash with bot/bench/api/packages.yaml",
        )


def _unpack(package: Package, archive: Path, folder: Path) -> None:
    """The named files alone; an archive's own paths are never written to."""
    wanted = {f"{_INSIDE}{name}": name for name in package.files}
    with tarfile.open(archive) as packed:
        for member in packed:
            name = wanted.pop(member.name, None)
            source = packed.extractfile(member) if name else None
            if name is None or source is None:
                continue
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as file:
                shutil.copyfileobj(source, file)
            if not wanted:
                return
    raise RepowrightError(f"the package holds no {', '.join(wanted)}", where=package.package)
