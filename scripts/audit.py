"""Asks a vulnerability service about every package of the image, and tells a clean answer from
none: pip-audit itself calls it clean where it could ask about nothing."""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

_LOCK = Path(__file__).resolve().parents[1] / "deploy/requirements.txt"
_TOOLS = Path(sys.executable).parent
_CLEAN, _VULNERABLE, _NOT_ASKED = 0, 1, 3


def main() -> int:
    """0 where no package has a known vulnerability, 1 where one has. Where the service gave no
    answer: 3 with `--must-answer`, else 0 and a word on it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--must-answer", action="store_true", help="fail where nobody answers")
    parser.add_argument("--requirement", type=Path, default=_LOCK)
    parser.add_argument("--osv-url", help="a service that speaks OSV, in place of PyPI's")
    options = parser.parse_args()
    packages, why = _ask(options.requirement, options.osv_url)
    found = [(package, vuln) for package in packages for vuln in package.get("vulns", ())]
    for package, vuln in found:
        fixed = ", ".join(vuln["fix_versions"]) or "no version"
        print(f"{package['name']} {package['version']}: {vuln['id']}, fixed in {fixed}")
    if found:
        return _VULNERABLE
    skipped = [package["skip_reason"] for package in packages if "skip_reason" in package]
    if skipped or not packages:
        why = (
            f"{len(skipped)} of {len(packages)} packages, such as: {skipped[0]}" if skipped else why
        )
        print(f"audit: COULD NOT ASK the vulnerability service ({why})", file=sys.stderr)
        return _NOT_ASKED if options.must_answer else _CLEAN
    print(f"audit: {len(packages)} packages, no known vulnerability")
    return _CLEAN


def _ask(requirement: Path, osv: str | None) -> tuple[list[dict[str, Any]], str]:
    """What pip-audit says of each package, or none and its last word."""
    command = [
        str(_TOOLS / "pip-audit"),
        "--requirement",
        str(requirement),
        "--disable-pip",
        "--require-hashes",
    ]
    command += ["--format", "json", "--progress-spinner", "off"]
    command += ["--vulnerability-service", "osv", "--osv-url", osv] if osv else []
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        return json.loads(done.stdout)["dependencies"], "it saw no package"
    except (ValueError, KeyError):
        said = done.stderr.strip().splitlines() or ["it said nothing"]
        return [], f"pip-audit ended with {done.returncode}: {said[-1]}"


if __name__ == "__main__":
    sys.exit(main())
