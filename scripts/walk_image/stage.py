"""One build stage: a root folder, what its instructions have set, and commands run in it."""

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

_SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# How this machine's pip reaches its registry; no image keeps these.
_PASSED_ON = re.compile(r"(?i)(pip_.*|https?_proxy|no_proxy)")


@dataclass
class Stage:
    """What Docker would keep of a stage; `user` is numbers, `UID:GID`."""

    root: Path
    name: str
    env: dict[str, str] = field(default_factory=lambda: {"PATH": _SYSTEM_PATH})
    arguments: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    workdir: str = "/"
    user: str = "0:0"
    volumes: tuple[str, ...] = ()
    stop: str = "SIGTERM"
    health: tuple[str, ...] = ()
    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()

    def expanded(self, text: str) -> str:
        """`$NAME` and `${NAME}` as Docker replaces them."""
        known = {**self.arguments, **self.env}
        return re.sub(r"\$\{?(\w+)\}?", lambda found: known.get(found[1], ""), text)

    def path(self, inside: str) -> Path:
        """Where a path in the image, taken from its WORKDIR, is on this machine."""
        return self.root / Path(self.workdir, self.expanded(inside)).relative_to("/")

    def build(self, command: tuple[str, ...]) -> "subprocess.CompletedProcess[str]":
        """Run a step of the build, with the network of this machine."""
        outside = {n: v for n, v in os.environ.items() if _PASSED_ON.fullmatch(n)}
        return subprocess.run(
            self.words(command, {**outside, **self.arguments}, ("--bind", str(self.root), "/")),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def words(
        self, command: tuple[str, ...], more: dict[str, str], root: tuple[str, ...]
    ) -> list[str]:
        """The command line that runs `command` as the stage's user; `root` says how bubblewrap
        shall mount the root and what else."""
        words = ["bwrap", *root, "--proc", "/proc", "--dev", "/dev"]
        words += ["--die-with-parent", "--cap-add", "ALL", "--clearenv", "--chdir", self.workdir]
        for name, value in {**self.env, **more}.items():
            words += ["--setenv", name, value]
        user, _, group = self.user.partition(":")
        if user != "0":
            words += ["--", "/usr/bin/setpriv", f"--reuid={user}", f"--regid={group}"]
            words += ["--clear-groups", "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"]
        return [*words, "--", *command]
