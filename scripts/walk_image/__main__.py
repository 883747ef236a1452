"""Walks deploy/Dockerfile where no base image can be pulled: `sudo make walk-image`. Needs root,
debootstrap and bubblewrap, takes some minutes and 2 GB in a temporary folder."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from base import WalkError
from steps import Build
from trial import try_alone, try_together

_REPOSITORY = Path(__file__).resolve().parents[2]
_TOOLS = ("debootstrap", "bwrap", "nsenter", "apt-get")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dockerfile", type=Path, default=_REPOSITORY / "deploy/Dockerfile")
    parser.add_argument("--work", type=Path, help="keep the roots in this folder")
    options = parser.parse_args()
    missing = [tool for tool in _TOOLS if shutil.which(tool) is None]
    if missing or os.geteuid():
        print(f"walk-image needs root and {', '.join(missing or _TOOLS)}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="walk-image-") as folder:
        work = options.work or Path(folder)
        work.mkdir(parents=True, exist_ok=True)
        try:
            stage = Build(options.dockerfile, _REPOSITORY, work).last()
            print(f"the image's root holds {_megabytes(stage.root)} MB")
            try_alone(stage, work)
            try_together(stage, work)
        except (WalkError, subprocess.SubprocessError) as error:
            print(f"walk-image: {error}", file=sys.stderr)
            return 1
    print("the Dockerfile holds")
    return 0


def _megabytes(root: Path) -> int:
    said = subprocess.run(["du", "-sm", str(root)], capture_output=True, text=True, check=True)
    return int(said.stdout.split()[0])


if __name__ == "__main__":
    sys.exit(main())
