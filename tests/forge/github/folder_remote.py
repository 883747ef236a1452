"""A remote that is a folder on this machine, and people who push to it."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Folder:
    """A remote that is a folder."""

    path: Path

    def address(self, *, again: bool = False) -> str:
        return str(self.path)

    def token(self) -> str:
        return ""


def git(folder: Path, *arguments: str, stdin: str | None = None) -> str:
    person = {f"GIT_{who}_{what}": "Ann" for who in ("AUTHOR", "COMMITTER") for what in ("NAME",)}
    mail = {f"GIT_{who}_EMAIL": "ann@example.invalid" for who in ("AUTHOR", "COMMITTER")}
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        input=stdin,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **person, **mail, "GIT_CONFIG_GLOBAL": "/dev/null"},
    )
    return done.stdout.strip()


def push_by_hand(remote: Path, branch: str, path: str, text: str, message: str = "By hand") -> str:
    """A commit that a person pushes from elsewhere."""
    blob = git(remote, "hash-object", "-w", "--stdin", stdin=text)
    exists = git(remote, "for-each-ref", f"refs/heads/{branch}")
    listing = git(remote, "ls-tree", branch) if exists else ""
    lines = [line for line in listing.splitlines() if not line.endswith(f"\t{path}")]
    tree = git(remote, "mktree", stdin="\n".join([*lines, f"100644 blob {blob}\t{path}\n"]))
    parent = ("-p", branch) if exists else ()
    commit = git(remote, "commit-tree", tree, *parent, "-m", message)
    git(remote, "update-ref", f"refs/heads/{branch}", commit)
    return commit
