"""The system call filter of the sandbox: refuses what would hide memory from the limits or open
kernel surface that no test needs."""

import errno
import platform
import struct

# Calls of seccomp(2) and classic BPF, see the kernel's userspace-api/seccomp_filter.
_LOAD, _JUMP_EQUAL, _JUMP_GREATER, _JUMP_BITS, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_CLONE_NEWUSER = 0x10000000
_X32 = 0x3FFFFFFF

# name: (x86_64, aarch64); numbers from the kernel's system call tables.
_ABSENT = {
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "io_uring_setup": (425, 425),
    "clone3": (435, 435),
    "userfaultfd": (323, 282),
}
_FORBIDDEN = {
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "ptrace": (101, 117),
    "process_vm_writev": (311, 271),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "fsopen": (430, 430),
    "move_mount": (429, 429),
    "unshare": (272, 97),
    "setns": (308, 268),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "open_by_handle_at": (304, 265),
    "kexec_load": (246, 104),
    "init_module": (175, 105),
    "finit_module": (313, 273),
}
_CLONE = (56, 220)
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}


def syscall_filter(machine: str | None = None) -> bytes | None:
    """The compiled filter for `bwrap --seccomp`; None on a machine whose calls are not known.

    Calls in `_ABSENT` answer ENOSYS, so that libraries fall back (glibc from clone3 to clone);
    those in `_FORBIDDEN`, and a clone that asks for a user namespace, answer EPERM. System calls
    of another architecture kill the process.
    """
    known = _MACHINES.get(machine or platform.machine())
    if known is None:
        return None
    column, architecture = known
    program = [
        _instruction(_LOAD, _ARCHITECTURE),
        _instruction(_JUMP_EQUAL, architecture, 1, 0),
        _instruction(_RETURN, _KILL),
        _instruction(_LOAD, _NUMBER),
    ]
    if column == 0:
        program += [_instruction(_JUMP_GREATER, _X32, 0, 1), _instruction(_RETURN, _KILL)]
    for calls, error in ((_ABSENT, errno.ENOSYS), (_FORBIDDEN, errno.EPERM)):
        for numbers in calls.values():
            program += [
                _instruction(_JUMP_EQUAL, numbers[column], 0, 1),
                _instruction(_RETURN, _ERRNO | error),
            ]
    program += [
        _instruction(_JUMP_EQUAL, _CLONE[column], 0, 3),
        _instruction(_LOAD, _FIRST_ARGUMENT),
        _instruction(_JUMP_BITS, _CLONE_NEWUSER, 0, 1),
        _instruction(_RETURN, _ERRNO | errno.EPERM),
        _instruction(_RETURN, _ALLOW),
    ]
    return b"".join(program)


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)
