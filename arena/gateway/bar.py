"""Linux only: new connections from some addresses do not even begin.

A filter on the listening socket lets the kernel drop the first segment of a connection (SYN) by where it comes from.
No privilege is needed, and nothing of it is seen here; whoever is dropped tries again by itself. Connections that are
there are let pass, though those that began meanwhile have inherited the filter. It is a program of the classic BPF:
Documentation/networking/filter.rst of Linux.
"""

import ctypes
import socket
import struct
import sys
from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network
from typing import Final

from arena.gateway.addresses import Origin

MOST: Final = 64  # addresses in a filter
_ATTACH, _DETACH = 26, 27  # SO_ATTACH_FILTER, SO_DETACH_FILTER
_NETWORK: Final = -0x100000  # offsets from here are in the header of IP; others are in TCP's
_BYTE, _WORD, _AND, _RIGHT, _IF, _TO, _RETURN = 0x30, 0x20, 0x54, 0x74, 0x15, 0x05, 0x06
_DROP: Final = (_RETURN, 0, 0, 0)
_PASS: Final = (_RETURN, 0, 0, 0xFFFFFFFF)


def bar(listener: socket.socket, origins: Iterable[Origin]) -> bool:
    """Drop new connections from there, and only from there, from now on; whether this system can do that."""
    if sys.platform != "linux":
        return False
    these = tuple(origins)[:MOST]
    try:
        if not these:
            listener.setsockopt(socket.SOL_SOCKET, _DETACH, 0)
        else:
            code = program(these)
            kept = ctypes.create_string_buffer(code, len(code))
            listener.setsockopt(socket.SOL_SOCKET, _ATTACH, struct.pack("@HP", len(code) // 8, ctypes.addressof(kept)))
    except OSError:
        return False
    return True


def program(origins: Iterable[Origin]) -> bytes:
    """The filter, as the kernel takes it: operation, the lines to skip if true and if false, operand."""
    old = [one for one in origins if isinstance(one, IPv4Network)]
    new = [one for one in origins if isinstance(one, IPv6Network)]
    of_old = [(_WORD, 0, 0, _NETWORK + 12)]
    for one in old:
        of_old += [(_IF, 0, 1, int(one.network_address)), _DROP]
    of_new = []
    for network in new:
        high, low = divmod(int(network.network_address) >> 64, 1 << 32)
        of_new += [
            (_WORD, 0, 0, _NETWORK + 8),
            (_IF, 0, 3, high),
            (_WORD, 0, 0, _NETWORK + 12),
            (_IF, 0, 1, low),
            _DROP,
        ]
    lines = [
        (_BYTE, 0, 0, 13),  # TCP's flags
        (_AND, 0, 0, 0x12),  # SYN, ACK
        (_IF, 1, 0, 0x02),
        _PASS,
        (_BYTE, 0, 0, _NETWORK),  # IP's version
        (_RIGHT, 0, 0, 4),
        (_IF, 1, 0, 4),
        (_TO, 0, 0, len(of_old) + 1),
        *of_old,
        _PASS,
        *of_new,
        _PASS,
    ]
    return b"".join(struct.pack("=HBBI", *line[:3], line[3] & 0xFFFFFFFF) for line in lines)
