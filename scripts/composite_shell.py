"""Hands the shell steps of composite actions to shellcheck: actionlint reads workflows alone."""

import subprocess
import sys
from pathlib import Path

import yaml


def main() -> int:
    """0 where shellcheck is content with every `run` of the action files named as arguments."""
    code = 0
    for file in map(Path, sys.argv[1:]):
        steps = yaml.safe_load(file.read_text("utf-8"))["runs"]["steps"]
        for step in steps:
            if "run" not in step:
                continue
            done = subprocess.run(
                ["shellcheck", f"--shell={step['shell']}", "-"],
                input=_assigned(step.get("env", {})) + step["run"],
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                print(f"{file}, step {step['name']}:\n{done.stdout}{done.stderr}")
                code = 1
    return code


def _assigned(names: dict[str, str]) -> str:
    """What the runner sets before the step, so that shellcheck knows it too."""
    return "".join(f"export {name}=; " for name in names)


if __name__ == "__main__":
    sys.exit(main())
