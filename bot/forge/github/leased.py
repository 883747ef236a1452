"""A run's ref with a lease in it: of the jobs that share nothing but the repository one works.

While a job works, the ref's tip is a commit on top of the last leg's that holds the lease, and the
model calls made since that leg. It is replaced by compare-and-swap, so the ref's history stays one
commit a leg, and a job that dies leaves what it paid for to the next.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from threading import RLock

from pydantic import ValidationError

from bot.forge.github.git_command import Remote, no_access, unreached
from bot.forge.github.gitstore import ATTEMPTS, RUN_REFS, GitHubGitStore, Identity, rejected
from bot.ports.git import GitError
from bot.ports.lease import LEASE, Lease, LeaseLost
from bot.redaction import Redactor

_NOBODY = ""
_BELLS = "bells"
_LOST = "another job has taken the run over"
_WORKING = "A job works on the run"


class LeasedGitStore(GitHubGitStore):
    """The git store of a job that works on the run of one `ref` as `holder`, which people can watch
    at `place`. A lease holds for `span` after the last push. Implements RunLease, and CallKeeper
    by keeping calls beside the lease. Safe across threads."""

    def __init__(
        self,
        directory: Path,
        remote: Remote,
        *,
        ref: str,
        holder: str,
        place: str,
        span: timedelta,
        identity: Identity,
        now: Callable[[], datetime],
        redactor: Redactor | None = None,
    ) -> None:
        super().__init__(directory, remote, identity=identity, now=now, redactor=redactor)
        self._check_run_ref(ref)
        self._ref = ref
        self._holder = holder
        self._place = place
        self._span = span
        self._lock = RLock()
        self._base: str | None = None
        self._tip: str | None = None
        self._kept: dict[str, bytes] = {}
        self._pushed: frozenset[str] = frozenset()
        self._held = False
        self._lost = False

    def take(self, is_over: Callable[[Lease], bool]) -> Lease | None:
        for _ in range(ATTEMPTS):
            self.fetch()
            with self._lock:
                other = self._read_tip(is_over)
                if other is not None:
                    return other
                with suppress(LeaseLost):
                    self._hold()
                    return None
        raise GitError("other jobs change the run faster than this one can", where=self._ref)

    def renew(self) -> None:
        with self._lock:
            self._refuse_when_lost()
            if self._held:
                self._hold()

    def release(self) -> None:
        with self._lock, suppress(LeaseLost):
            if self._held:
                kept = dict(self._kept)
                self._swap(self._working_commit(_NOBODY, kept) if kept else self._base)
        self._held = False

    def ring(self) -> None:
        """The bell is a ref of its own, or the ring would take the lease away."""
        self.fetch()
        tip, bell = self._resolve(self._ref), self._bell()
        if tip and not self._resolve(bell):
            self._push(tip, bell, None, again=False)

    def answer(self) -> bool:
        self.fetch()
        rung = self._resolve(self._bell())
        if rung:
            self._push("", self._bell(), rung, again=False)
            self._git.run("update-ref", "-d", self._bell())
        return rung is not None

    def keep(self, name: str, content: bytes) -> None:
        """Push a call, or that one is about to be made; calls of several threads go together."""
        self._kept[name] = self._redactor.kept(content)
        with self._lock:
            self._refuse_when_lost()
            if name not in self._pushed and self._held:
                self._hold()

    def kept(self) -> Mapping[str, bytes]:
        return dict(self._kept)

    def drop(self, names: Iterable[str]) -> None:
        """The commit of a leg has taken them over already."""

    def save_ref(self, ref: str, files: Mapping[str, bytes], *, message: str, mark: str) -> str:
        if ref != self._ref:
            return super().save_ref(ref, files, message=message, mark=mark)
        with self._lock:
            self._refuse_when_lost()
            if self._base and (found := self._find(mark, self._base)):
                return found
            made = self._write_commit(self._run_tree(files), self._base, message, mark)
            before, kept = self._base, self._kept
            self._base, self._kept = made, {}
            try:
                self._hold()
            except GitError:
                self._base, self._kept = before, kept
                raise
            return made

    def load_ref(self, ref: str) -> Mapping[str, bytes] | None:
        if ref != self._ref or not self._held:
            return super().load_ref(ref)
        return {**self._objects.read(self._base), **self._kept} if self._base else None

    def _bell(self) -> str:
        return f"{RUN_REFS}{_BELLS}/{self._ref.removeprefix(RUN_REFS)}"

    def _refuse_when_lost(self) -> None:
        if self._lost:
            raise LeaseLost(_LOST, where=self._ref)

    def _read_tip(self, is_over: Callable[[Lease], bool]) -> Lease | None:
        """Take the ref's tip for ours to replace, or return the lease of who works on it."""
        self._tip = self._resolve(self._ref)
        files = self._objects.read(self._tip) if self._tip else {}
        if LEASE not in files:
            self._base, self._kept = self._tip, {}
            return None
        lease = _lease_of(files[LEASE])
        if lease is not None and lease.holder not in (_NOBODY, self._holder) and not is_over(lease):
            return lease
        self._base = self._resolve(f"{self._tip}^")
        saved = self._objects.read(self._base) if self._base else {}
        self._kept = {p: c for p, c in files.items() if p != LEASE and saved.get(p) != c}
        return None

    def _hold(self) -> None:
        """Push the lease, with what is kept beside it."""
        kept = dict(self._kept)
        self._swap(self._working_commit(self._holder, kept))
        self._held, self._pushed = True, frozenset(kept)

    def _working_commit(self, holder: str, kept: Mapping[str, bytes]) -> str:
        lease = Lease(holder=holder, place=self._place, until=self._now() + self._span)
        saved = self._objects.read(self._base) if self._base else {}
        files = {**saved, **kept, LEASE: lease.model_dump_json(indent=1).encode()}
        return self._write_commit(self._objects.tree(files), self._base, _WORKING, "lease")

    def _swap(self, new: str | None) -> None:
        """Have the ref at `new`, or nowhere, where it is at our tip; raise LeaseLost where it is
        not. After a failure look whether the push arrived before trying again."""
        if new == self._tip:
            return
        for attempt in range(ATTEMPTS):
            result = self._push(new or "", self._ref, self._tip, again=attempt > 0)
            if result.status == 0:
                break
            if no_access(result):
                raise unreached("push", result)
            self._pause(attempt)
            self.fetch()
            seen = self._resolve(self._ref)
            if seen == new:
                break
            if seen != self._tip:
                self._lost, self._held = self._held, False
                raise LeaseLost(_LOST, where=self._ref)
            if "remote rejected" in result.text:
                raise rejected(result)
        else:
            raise unreached("push", result)
        self._git.run("update-ref", *((self._ref, new) if new else ("-d", self._ref)))
        self._tip = new


def _lease_of(content: bytes) -> Lease | None:
    """None where anybody else wrote the file."""
    try:
        return Lease.model_validate_json(content)
    except ValidationError:
        return None
