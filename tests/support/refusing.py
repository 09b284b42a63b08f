"""A system that lacks a system call: `python -m tests.support.refusing NAME … -- MODULE ARGS` runs a module on it.

Linux itself refuses the calls (ENOSYS, as an older one would), by a filter that the process puts on itself.
"""

from __future__ import annotations

import ctypes
import errno
import os
import runpy
import struct
import sys

# Name → number on x86-64 and on 64-bit ARM.
_NUMBERS = {"renameat2": (316, 276), "linkat": (265, 37), "link": (86, -1)}
_MACHINES = ("x86_64", "aarch64")
_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_SECCOMP = 22
_MODE_FILTER = 2
# Classic BPF: load the call's number; jump if equal; return.
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def refuse(*names: str, error: int = errno.ENOSYS) -> None:
    """From now on these calls fail with `error`, in this process and in all that come from it.

    Raises:
        OSError: the system does not let itself be filtered.
        ValueError: the numbers of this machine's calls are not known here.
    """
    machine = os.uname().machine
    if machine not in _MACHINES:
        raise ValueError(f"no numbers for {machine}")
    steps = [struct.pack("HBBI", _LOAD, 0, 0, 0)]
    for name in names:
        number = _NUMBERS[name][_MACHINES.index(machine)]
        if number >= 0:
            steps += [struct.pack("HBBI", _JUMP_IF_EQUAL, 0, 1, number), struct.pack("HBBI", _RETURN, 0, 0, _ERRNO | error)]
    steps.append(struct.pack("HBBI", _RETURN, 0, 0, _ALLOW))
    code = ctypes.create_string_buffer(b"".join(steps))
    program = _Program(len(steps), ctypes.cast(code, ctypes.c_void_p))
    libc = ctypes.CDLL(None, use_errno=True)
    if (
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
        or libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program)) != 0
    ):
        raise OSError(ctypes.get_errno(), "no system call filter")


if __name__ == "__main__":
    middle = sys.argv.index("--")
    calls, (module, *words) = sys.argv[1:middle], sys.argv[middle + 1 :]
    refuse(*calls)
    sys.argv = [module, *words]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
