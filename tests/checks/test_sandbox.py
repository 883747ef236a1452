"""Hostile programs in the sandbox: each is contained, and the machine around it is unaffected."""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.base import RepowrightError
from bot.checks.sandbox import Bubblewrap, NoSandbox, make_sandbox
from bot.checks.supervise import descendants
from bot.ports.sandbox import Limits, Sandbox, SandboxJob, SandboxMissing, SandboxResult

PYTHON = "/usr/bin/python3"

pytestmark = pytest.mark.skipif(not Path(PYTHON).exists(), reason=f"needs {PYTHON}")

Program = Callable[..., SandboxResult]


@pytest.fixture
def python(sandbox: Sandbox, tmp_path: Path) -> Program:
    """Run Python source in the sandbox, with one writable folder as its working directory."""

    def run(source: str, *, env: dict[str, str] | None = None, **limits: float) -> SandboxResult:
        return sandbox.run(
            SandboxJob(
                argv=(PYTHON, "-c", source),
                workdir=tmp_path,
                writable=(tmp_path,),
                env=env or {},
                limits=Limits.model_validate({"seconds": 20, **limits}),
            )
        )

    return run


def test_an_honest_program_runs_and_may_write_where_it_was_allowed(
    python: Program, tmp_path: Path
) -> None:
    result = python("open('made.txt', 'w').write('by the job'); print('done')")
    assert (result.returncode, result.output, result.stopped_by) == (0, "done\n", None)
    assert (tmp_path / "made.txt").read_text() == "by the job"


def test_the_exit_code_and_both_streams_come_back_in_order(python: Program) -> None:
    result = python(
        "import sys; print('one', flush=True); print('two', file=sys.stderr, flush=True);"
        "print('three', flush=True); sys.exit(7)"
    )
    assert (result.returncode, result.output) == (7, "one\ntwo\nthree\n")


def test_an_endless_loop_ends_at_its_time(python: Program) -> None:
    result = python("while True: pass", seconds=0.5)
    assert result.stopped_by == "time"
    assert 0.5 <= result.seconds < 5


def test_a_program_deaf_to_signals_ends_at_its_time_too(python: Program) -> None:
    result = python(
        "import signal, time\n"
        "for s in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:\n"
        "    signal.signal(s, signal.SIG_IGN)\n"
        "time.sleep(60)",
        seconds=0.5,
    )
    assert result.stopped_by == "time"
    assert result.seconds < 5


def test_a_fork_bomb_is_ended_and_leaves_no_process(python: Program) -> None:
    result = python(
        "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass", processes=64
    )
    assert result.stopped_by == "processes"
    assert list(descendants(os.getpid())) == []


def test_a_flood_of_threads_is_ended(python: Program) -> None:
    result = python(
        "import threading, time\n"
        "while True:\n"
        "    try: threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
        "    except RuntimeError: pass",
        processes=64,
    )
    assert result.stopped_by == "processes"


def test_one_process_that_takes_too_much_memory_gets_an_error(python: Program) -> None:
    result = python("held = bytearray(b'x') * (400 << 20)", memory=200)
    assert result.returncode != 0
    assert "MemoryError" in result.output


def test_many_processes_that_take_too_much_memory_together_are_ended(python: Program) -> None:
    result = python(
        "import os, time\nfor _ in range(3): os.fork()\nheld = bytearray(b'x') * (60 << 20)\n"
        "time.sleep(60)",
        memory=200,
    )
    assert result.stopped_by == "memory"


@pytest.mark.parametrize("call", ["os.memfd_create('hidden')", "sysv()"])
def test_memory_outside_the_processes_cannot_be_had(python: Program, call: str) -> None:
    result = python(
        "import ctypes, os\n"
        "def sysv():\n"
        "    libc = ctypes.CDLL(None, use_errno=True)\n"
        "    if libc.shmget(0, 1 << 20, 0o1600) < 0: raise OSError(ctypes.get_errno(), 'shmget')\n"
        f"{call}\nprint('got it')"
    )
    assert result.returncode != 0
    assert "got it" not in result.output


@pytest.mark.parametrize("place", ["/tmp", "/dev/shm"])
def test_temporary_folders_are_bounded(python: Program, place: str) -> None:
    result = python(
        "n = 0\n"
        "try:\n"
        "    while True:\n"
        f"        open(f'{place}/{{n}}', 'wb').write(bytes(1 << 20)); n += 1\n"
        "except OSError as error: print(n, error.strerror)",
        disk=16,
    )
    written, reason = result.output.split(" ", 1)
    assert int(written) <= 64
    assert reason == "No space left on device\n"


def test_filling_the_disk_in_many_files_is_ended(python: Program, tmp_path: Path) -> None:
    result = python(
        "n = 0\nwhile True:\n    open(f'{n}', 'wb').write(bytes(1 << 20)); n += 1", disk=32
    )
    assert result.stopped_by == "disk"


def test_filling_the_disk_in_deleted_files_is_ended(python: Program) -> None:
    result = python(
        "import os\nheld = []\n"
        "while True:\n"
        "    held.append(open('x', 'wb')); os.unlink('x')\n"
        "    held[-1].write(bytes(1 << 20)); held[-1].flush()",
        disk=32,
    )
    assert result.stopped_by == "disk"


def test_folders_too_deep_to_be_looked_into_are_no_way_around(python: Program) -> None:
    result = python(
        "import os, time\nfor n in range(30): os.mkdir('d' * 200); os.chdir('d' * 200)\n"
        "time.sleep(60)",
    )
    assert result.stopped_by == "disk"


def test_one_file_cannot_grow_beyond_the_limit(python: Program, tmp_path: Path) -> None:
    result = python("open('x', 'wb').truncate(1 << 40)", disk=16)
    assert "File too large" in result.output
    assert (tmp_path / "x").stat().st_size == 0


def test_a_flood_of_output_is_cut_and_ended(python: Program) -> None:
    result = python("while True: print('x' * 1000)", output=1)
    assert result.stopped_by == "output"
    assert len(result.output) == 1 << 20


def test_no_network(python: Program) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        result = python(
            "import socket\n"
            f"for address in (('127.0.0.1', {port}), ('192.0.2.1', 80)):\n"
            "    try: socket.create_connection(address, 2); print('connected')\n"
            "    except OSError as error: print(error.strerror)\n"
            "import os; print(sorted(os.listdir('/sys')) if os.path.exists('/sys') else 'no /sys')"
        )
    assert result.output == "Connection refused\nNetwork is unreachable\nno /sys\n"


def test_the_environment_holds_no_secret(python: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    result = python(
        "import os, glob\n"
        "print(dict(os.environ))\n"
        "for path in glob.glob('/proc/*/environ') + glob.glob('/proc/*/cmdline'):\n"
        "    print(open(path, 'rb').read())",
        env={"GIVEN": "on purpose"},
    )
    assert "'GIVEN': 'on purpose'" in result.output
    assert "sk-very-secret" not in result.output
    assert "OPENAI_API_KEY" not in result.output


def test_files_of_the_machine_are_not_there(python: Program) -> None:
    result = python(
        "import os\n"
        "for path in ('/root', '/home', '/var', '/opt', '/srv', '/etc/shadow', '/run', '/mnt'):\n"
        "    if os.path.exists(path): print('sees', path)\n"
        "print(os.listdir('/tmp') == [] or os.listdir('/tmp'))\n"
        "print(open('/etc/passwd').read().count(':x:'))"
    )
    assert "sees" not in result.output
    assert result.output.splitlines()[-1] == "2"


def test_a_neighbour_of_an_allowed_folder_is_not_there(
    python: Program, tmp_path_factory: pytest.TempPathFactory
) -> None:
    neighbour = tmp_path_factory.mktemp("neighbour") / "secret.txt"
    neighbour.write_text("token")
    result = python(f"print(open({str(neighbour)!r}).read())")
    assert "FileNotFoundError" in result.output


def test_a_link_out_of_the_writable_folder_leads_nowhere(python: Program, tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to(Path.home())
    result = python("import os; print(os.listdir('out'))")
    assert "FileNotFoundError" in result.output


@pytest.mark.parametrize("path", ["/usr/new", "/etc/new", "/new", "/dev/new", "/lib/new"])
def test_the_system_is_read_only(python: Program, path: str) -> None:
    result = python(f"open({path!r}, 'w')")
    assert "Read-only file system" in result.output
    assert not Path(path).exists()


def test_no_setting_of_the_kernel_can_be_written(python: Program) -> None:
    """Opening is the test: nothing is written, for a sandbox that leaks would change the host."""
    result = python(
        "import os\n"
        "for folder, _, names in os.walk('/proc'):\n"
        "    if '/fd' in folder: continue\n"
        "    for name in names:\n"
        "        try: os.close(os.open(os.path.join(folder, name), os.O_WRONLY | os.O_NONBLOCK))\n"
        "        except OSError: continue\n"
        "        print('may write', os.path.join(folder, name))\n"
        "print('looked')"
    )
    assert result.output == "looked\n"


@pytest.mark.parametrize(
    "call",
    ["unshare(0x10000000)", "mount(b'none', b'/tmp', b'tmpfs', 0, None)", "ptrace(16, 1, 0, 0)"],
)
def test_no_way_to_more_rights(python: Program, call: str) -> None:
    result = python(
        "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        f"print(libc.{call}, os.strerror(ctypes.get_errno()))\n"
        "print([l.split()[1] for l in open('/proc/self/status') if l.startswith('CapEff')])\n"
    )
    assert result.output == "-1 Operation not permitted\n['0000000000000000']\n"


def test_a_daemon_does_not_outlive_the_job(python: Program, tmp_path: Path) -> None:
    result = python(
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        n = os.open('beat', os.O_CREAT | os.O_WRONLY)\n"
        "        for f in (0, 1, 2): os.close(f)\n"
        "        while True: os.write(n, b'.'); time.sleep(0.01)\n"
        "    os._exit(0)\n"
        "while not os.path.exists('beat'): time.sleep(0.01)\n"
        "print('parent ends')"
    )
    assert result.output == "parent ends\n"
    assert list(descendants(os.getpid())) == []


def test_a_job_does_not_outlive_the_program_that_started_it(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    beat = tmp_path / "beat"
    source = (
        "import sys; from pathlib import Path; from bot.checks.sandbox import Bubblewrap;"
        "from bot.ports.sandbox import SandboxJob; folder = Path(sys.argv[1]);"
        "Bubblewrap().run(SandboxJob(argv=('/bin/sh', '-c', 'while :; do echo >> beat; done'),"
        " workdir=folder, writable=(folder,)))"
    )
    starter = subprocess.Popen([sys.executable, "-c", source, str(tmp_path)])
    wait_until(lambda: beat.exists() and beat.stat().st_size > 10)
    inside = list(descendants(starter.pid))
    assert inside
    starter.kill()
    starter.wait()
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in inside))


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_job_can_be_cancelled(sandbox: Sandbox) -> None:
    ready = threading.Event()
    result = sandbox.run(
        SandboxJob(
            argv=(PYTHON, "-c", "import time; print('up', flush=True); time.sleep(60)"),
            workdir=Path("/tmp"),
        ),
        on_output=lambda data: ready.set(),
        cancelled=ready.is_set,
    )
    assert result.stopped_by == "cancelled"
    assert result.output == "up\n"


@pytest.mark.parametrize("name", ["bubblewrap", "none"])
def test_a_listener_that_fails_leaves_no_process(sandbox: Sandbox, name: str) -> None:
    def fail(data: bytes) -> None:
        raise RuntimeError("the listener fails")

    job = SandboxJob(argv=("/bin/sh", "-c", "echo up; sleep 60"), workdir=Path("/tmp"))
    with pytest.raises(RuntimeError, match="the listener fails"):
        make_sandbox(name).run(job, on_output=fail)
    assert list(descendants(os.getpid())) == []


def test_readable_folders_cannot_be_written(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "given.txt").write_text("as given")
    result = sandbox.run(
        SandboxJob(
            argv=("/bin/sh", "-c", "cat given.txt && echo changed > given.txt"),
            workdir=tmp_path,
            readable=(tmp_path,),
        )
    )
    assert "as given" in result.output
    assert (tmp_path / "given.txt").read_text() == "as given"


def test_a_missing_bubblewrap_is_refused_with_the_way_to_get_it() -> None:
    with pytest.raises(SandboxMissing) as caught:
        Bubblewrap("no-such-bwrap").run(SandboxJob(argv=("/bin/true",), workdir=Path("/")))
    assert caught.value.sentence == (
        "generated code is not run without a sandbox, and bubblewrap is not installed"
        " (install it with `apt-get install bubblewrap`, or choose `--sandbox none` if you trust"
        " the code)"
    )


def test_a_sandbox_that_cannot_be_set_up_is_refused(sandbox: Sandbox, tmp_path: Path) -> None:
    with pytest.raises(SandboxMissing, match="absent"):
        sandbox.run(
            SandboxJob(argv=("/bin/true",), workdir=tmp_path, readable=(tmp_path / "absent",))
        )


@pytest.mark.parametrize("name", ["bubblewrap", "none"])
def test_a_program_that_does_not_exist_ends_with_127(sandbox: Sandbox, name: str) -> None:
    result = make_sandbox(name).run(SandboxJob(argv=("/no/such",), workdir=Path("/tmp")))
    assert (result.returncode, result.stopped_by) == (127, None)
    assert "No such file" in result.output


def test_no_sandbox_must_be_named() -> None:
    assert isinstance(make_sandbox("bubblewrap"), Bubblewrap)
    assert isinstance(make_sandbox("none"), NoSandbox)
    with pytest.raises(RepowrightError, match="there is no sandbox called 'docker'"):
        make_sandbox("docker")


def test_without_a_sandbox_environment_time_and_output_still_have_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    loop = SandboxJob(
        argv=("/bin/sh", "-c", "env; sleep 60 & wait"), workdir=tmp_path, limits=Limits(seconds=0.5)
    )
    result = NoSandbox().run(loop)
    assert result.stopped_by == "time"
    assert "sk-very-secret" not in result.output
    assert list(descendants(os.getpid())) == []
    flood = SandboxJob(argv=("/usr/bin/yes",), workdir=tmp_path, limits=Limits(output=1))
    started = time.monotonic()
    assert NoSandbox().run(flood).stopped_by == "output"
    assert time.monotonic() - started < 10


def test_a_job_that_fills_the_disk_and_ends_at_once_is_told(python: Program) -> None:
    result = python("for n in range(24): open(f'{n}', 'wb').write(bytes(1 << 20))", disk=16)
    assert result.stopped_by == "disk"
