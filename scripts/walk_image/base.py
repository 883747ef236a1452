"""Stands in for `python:X.Y.Z-slim-RELEASE`: a debootstrap root with Debian's own Python X.Y."""

import re
import shutil
import subprocess
from pathlib import Path

# What the machine knows of its mirrors and proxies; without it a step would reach no package.
_OF_THE_MACHINE = (
    "etc/resolv.conf",
    "etc/hosts",
    "etc/pip.conf",
    "etc/apt/sources.list",
    "etc/apt/sources.list.d/debian.sources",
    "etc/ssl/certs/ca-certificates.crt",
)


class WalkError(Exception):
    """A step cannot be carried out, or the image does not do what it should."""


def base_root(image: str, work: Path) -> Path:
    """The root that stands for `image`, made once in `work`."""
    found = re.fullmatch(r"python:(\d+\.\d+)\.\d+-slim-(\w+)", image)
    if found is None:
        raise WalkError(f"{image} is no python:X.Y.Z-slim-RELEASE; nothing can stand in for it")
    python, release = found.groups()
    root = work / f"base-{release}"
    if root.exists():
        return root
    include = "--include=ca-certificates,python3,python3-venv"
    subprocess.run(
        ["debootstrap", "--variant=minbase", include, release, str(root), _mirror(release)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    if not (root / f"usr/bin/python{python}").exists():
        raise WalkError(f"Debian {release} has no Python {python}, which {image} promises")
    for name in ("python", "python3", f"python{python}"):
        (root / "usr/local/bin" / name).symlink_to(f"/usr/bin/python{python}")
    for path in _OF_THE_MACHINE:
        if (source := Path("/") / path).exists():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, root / path)
    if (root / "etc/apt/sources.list.d/debian.sources").exists():
        (root / "etc/apt/sources.list").unlink(missing_ok=True)
    return root


def _mirror(release: str) -> str:
    """The mirror of this machine's own package settings."""
    listed = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(SITE)", f"Codename: {release}"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    if not listed:
        raise WalkError(f"this machine's apt sources hold no Debian {release}")
    return listed[0]
