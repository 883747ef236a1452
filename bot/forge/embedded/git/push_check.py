"""Git's proc-receive hook: lets each pushed ref through or refuses it in GitHub's words.

Runs as a script of its own inside `git receive-pack`, with the standard library alone. The
protocol is described in https://git-scm.com/docs/githooks#proc-receive
"""

import json
import os
import subprocess
import sys
from typing import Any, BinaryIO

ZERO = "0" * 40
WORKFLOWS = ".github/workflows"


def read_packets(stream: BinaryIO) -> list[str]:
    """The pkt-lines up to the next flush."""
    packets = []
    while (size := int(stream.read(4) or b"0000", 16)) > 4:
        packets.append(stream.read(size - 4).decode("utf-8", "surrogateescape").rstrip("\n"))
    return packets


def write_packets(stream: BinaryIO, packets: list[str]) -> None:
    for packet in packets:
        data = packet.encode("utf-8", "surrogateescape")
        stream.write(b"%04x" % (len(data) + 4) + data)
    stream.write(b"0000")
    stream.flush()


def git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)


def changed_workflow(new: str) -> str | None:
    """A workflow file that a commit touches which no ref has held so far."""
    done = git(
        "log", "-m", "--format=", "--name-only", "-z", new, "--not", "--all", "--", WORKFLOWS
    )
    return next(filter(None, done.stdout.strip("\n").split("\0")), None)


def protected(policy: dict[str, Any], old: str, new: str, ref: str) -> str | None:
    """What a protected branch objects to; None where it takes the push."""
    branch = policy["protected"].get(ref.removeprefix("refs/heads/"))
    if branch is None or not ref.startswith("refs/heads/"):
        return None
    if new == ZERO:
        return None if branch["delete"] else "Cannot delete this protected branch"
    moved_back = old != ZERO and git("merge-base", "--is-ancestor", old, new).returncode != 0
    if moved_back and not branch["force"]:
        return "Cannot force-push to this branch"
    refusal: str | None = branch["refuse"]
    return refusal


def judge(policy: dict[str, Any], old: str, new: str, ref: str) -> list[str]:
    """The hook's answer for one ref."""
    objection = protected(policy, old, new, ref)
    if objection is not None:
        sys.stderr.write(f"error: GH006: Protected branch update failed for {ref}.\n")
        sys.stderr.write(f"error: {objection}\n")
        return [f"ng {ref} protected branch hook declined"]
    if policy["workflow_refusal"] and new != ZERO:
        path = changed_workflow(new)
        if path is not None:
            return [f"ng {ref} {policy['workflow_refusal'].format(path=path)}"]
    return [f"ok {ref}", "option fall-through"]


def main() -> None:
    policy = json.loads(os.environ["EMBEDDED_GITHUB_POLICY"])
    read_packets(sys.stdin.buffer)
    write_packets(sys.stdout.buffer, ["version=1\0"])
    commands = [line.split(" ", 2) for line in read_packets(sys.stdin.buffer)]
    answers = [answer for old, new, ref in commands for answer in judge(policy, old, new, ref)]
    write_packets(sys.stdout.buffer, answers)


if __name__ == "__main__":
    main()
