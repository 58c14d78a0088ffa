"""Runs a program under the seccomp rules of a systemd unit: under-unit.py UNIT PROGRAM [ARGUMENT]...

systemd itself is not needed, only its `systemd-analyze`, which knows the groups of system calls, and libseccomp.
Reads SystemCallFilter, SystemCallErrorNumber and RestrictAddressFamilies as systemd.exec(5) describes them, and drops
all capabilities, as an empty CapabilityBoundingSet does.
"""

import ctypes
import errno
import os
import socket
import subprocess
import sys

ALLOW, ERRNO = 0x7FFF0000, 0x00050000
LESS, EQUAL, GREATER = 2, 4, 6
UNKNOWN_CALL = -1
PR_CAPBSET_DROP = 24


class Argument(ctypes.Structure):
    _fields_ = [
        ("arg", ctypes.c_uint),
        ("op", ctypes.c_int),
        ("a", ctypes.c_uint64),
        ("b", ctypes.c_uint64),
    ]


lib = ctypes.CDLL("libseccomp.so.2")
lib.seccomp_init.restype = ctypes.c_void_p
for name in ("seccomp_load", "seccomp_release"):
    getattr(lib, name).argtypes = [ctypes.c_void_p]
lib.seccomp_rule_add_array.argtypes = [
    ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint, ctypes.c_void_p,
]


def settings(unit):
    for line in open(unit, encoding="utf-8"):
        name, equals, value = line.strip().partition("=")
        if equals and not line.startswith("#"):
            yield name, value


def calls_of(name):
    """The system calls of a group such as @system-service, or the one of this name."""
    if not name.startswith("@"):
        return {name}
    listed = subprocess.run(
        ["systemd-analyze", "syscall-filter", name], check=True, capture_output=True, text=True
    ).stdout
    found = set()
    for line in listed.splitlines()[1:]:
        word = line.strip()
        if word and not word.startswith("#"):
            found |= calls_of(word)
    return found


def add(rules, action, call, *arguments):
    number = lib.seccomp_syscall_resolve_name(call.encode())
    if number == UNKNOWN_CALL:
        return
    array = (Argument * max(1, len(arguments)))(*arguments)
    added = lib.seccomp_rule_add_array(rules, action, number, len(arguments), array)
    if added not in (0, -errno.EDOM):  # EDOM: a call that this machine does not have
        raise OSError(-added, f"{call} cannot be filtered")


def load(rules):
    loaded = lib.seccomp_load(rules)
    if loaded != 0:
        raise OSError(-loaded, "the kernel takes no seccomp filter")
    lib.seccomp_release(rules)


def main(unit, program):
    allowed, families, refusal = set(), [], errno.EPERM
    for name, value in settings(unit):
        if name == "SystemCallErrorNumber":
            refusal = getattr(errno, value)
        elif name == "RestrictAddressFamilies":
            families += value.split()
        elif name == "SystemCallFilter":
            calls = set().union(*(calls_of(word) for word in value.lstrip("~").split()))
            allowed = allowed - calls if value.startswith("~") else allowed | calls
    if not families or not allowed:
        raise SystemExit(f"{unit} restricts no address families or no system calls")

    for capability in range(64):
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)  # fails where there is none to drop
    allowed |= calls_of("@default")  # as systemd does, which has to start the program itself
    numbers = sorted(getattr(socket, family).value for family in families)
    sockets = lib.seccomp_init(ALLOW)
    refuse = ERRNO | errno.EAFNOSUPPORT
    add(sockets, refuse, "socket", Argument(0, LESS, numbers[0], 0))
    add(sockets, refuse, "socket", Argument(0, GREATER, numbers[-1], 0))
    for number in range(numbers[0], numbers[-1]):
        if number not in numbers:
            add(sockets, refuse, "socket", Argument(0, EQUAL, number, 0))
    load(sockets)

    calls = lib.seccomp_init(ERRNO | refusal)
    for call in sorted(allowed):
        add(calls, ALLOW, call)
    load(calls)
    os.execvp(program[0], program)


main(sys.argv[1], sys.argv[2:])
