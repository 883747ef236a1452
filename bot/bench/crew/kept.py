"""A sandbox that runs each check once: fifty runs of one example check the same few trees, and the
machines of GitHub Actions are not what is measured."""

import shutil
import threading
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from bot.ports.sandbox import Sandbox, SandboxJob, SandboxResult


class KeptSandbox:
    """Implements Sandbox for jobs of act: what a job wrote and said is kept by the tree that it
    checked, and given again where the same tree is checked again."""

    def __init__(self, inner: Sandbox, folder: Path) -> None:
        self._inner = inner
        self._folder = folder
        self._results: dict[str, SandboxResult] = {}
        self._said: dict[str, list[bytes]] = {}
        self._lock = threading.Lock()

    @property
    def kept(self) -> int:
        """How many different trees were checked."""
        return len(self._results)

    def run(
        self,
        job: SandboxJob,
        *,
        on_output: Callable[[bytes], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> SandboxResult:
        checkout = Path(job.argv[job.argv.index("-C") + 1])
        key = _digest(checkout)
        place = job.writable[0]
        with self._lock:
            if key not in self._results:
                said = self._said[key] = list[bytes]()
                self._results[key] = self._inner.run(
                    job, on_output=said.append, cancelled=cancelled
                )
                shutil.copytree(place, self._folder / key)
        shutil.copytree(self._folder / key, place, dirs_exist_ok=True)
        if on_output is not None:
            for data in self._said[key]:
                on_output(data)
        return self._results[key]


def _digest(folder: Path) -> str:
    """Of all files of a work tree and their names; git's own are none."""
    digest = sha256()
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.is_file() and name.parts[0] != ".git":
            digest.update(f"{name}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()
