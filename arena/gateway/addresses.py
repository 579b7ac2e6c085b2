"""Where a submitted bot is: "HOST:PORT", looked up once, and what the arena will not be sent to."""

import socket
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, TypeAlias
from urllib.parse import unquote

import trio

IP: TypeAlias = IPv4Address | IPv6Address
Origin: TypeAlias = IPv4Network | IPv6Network
Far: TypeAlias = tuple[IP, int]  # the other end of a connection, its address and port

LOOKED_UP: Final = 4  # addresses of a host that are tried
PREFIX: Final = 64  # bits of an IPv6 address that say whose it is
_NAT64: Final = ip_network("64:ff9b::/96")
_METADATA: Final = {
    ip_address("168.63.129.16"),  # public by its number, and the host's own service in one large cloud
    ip_address("100.100.100.200"),
    ip_address("192.0.0.192"),
    ip_address("169.254.169.254"),
    ip_address("fd00:ec2::254"),
    ip_address("fd20:ce::254"),
}


class AddressError(ValueError):
    """Why there is nothing to dial, in one line."""


class ForbiddenError(AddressError):
    """There is, and the arena does not dial it."""


@dataclass(frozen=True, slots=True)
class Place:
    """A host and a port as they were written."""

    host: str  # a name or a number, without brackets
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse(address: str) -> Place:
    """The host and port of "HOST:PORT" or "[IPV6]:PORT"; AddressError shows what is neither."""
    host, _, port = address.rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    host = host[1:-1] if bracketed else host
    plain = host.isascii() and host.isprintable() and not set(host) & set(" /@?#%[]")
    if not plain or not host or (":" in host) != bracketed or len(address) > 255:
        raise AddressError(f"not HOST:PORT: {address[:80]!r}")
    if not port.isascii() or not port.isdigit() or not 1 <= int(port) <= 65535:
        raise AddressError(f"not a port from 1 to 65535: {address[:80]!r}")
    return Place(host, int(port))


def numbered(number: str) -> IP:
    """The address that is written so, without a scope; IPv4 where it has come over a socket for both."""
    address = ip_address(number.partition("%")[0])
    return address.ipv4_mapped or address if isinstance(address, IPv6Address) else address


def far_of(peer: str) -> Far:
    """The other end as gRPC writes it: "ipv4:192.0.2.1:4711", "ipv6:%5B2001:db8::1%5D:4711"."""
    host, _, port = unquote(peer.partition(":")[2]).rpartition(":")
    return numbered(host.strip("[]")), int(port)


def origin(address: IP) -> Origin:
    """Whose an address is, where they are counted: of IPv6 everybody has a whole network of them."""
    return IPv4Network(address) if isinstance(address, IPv4Address) else IPv6Network((address, PREFIX), strict=False)


def embedded(address: IP) -> IP:
    """The IPv4 address that an IPv6 address stands for, where it does, else itself."""
    if isinstance(address, IPv4Address):
        return address
    for inner in (address.ipv4_mapped, address.sixtofour):
        if inner is not None:
            return inner
    if address.teredo is not None:
        return address.teredo[1]
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def forbidden(address: IP, *, allow_private: bool) -> str:
    """What is wrong with dialling there, "" for nothing.

    The machine itself and private networks may be allowed. Links, metadata services, groups and what is no host never
    are: no bot lives there.
    """
    address = embedded(address)
    if address in _METADATA:
        return "an address of cloud metadata"
    if address.is_link_local:
        return "a link-local address"
    if address.is_multicast:
        return "a multicast address"
    if address.is_unspecified or (not address.is_loopback and address.is_reserved):
        return "no address of a host"
    if allow_private:
        return ""
    if address.is_loopback:
        return "an address of this machine"
    public = address.is_global and not (isinstance(address, IPv6Address) and address.is_site_local)
    return "" if public else "an address of a private network"


async def look_up(place: Place, *, allow_private: bool) -> tuple[IP, ...]:
    """The addresses of a place, the best first; AddressError where there are none or one must not be dialled.

    What is returned is what is to be dialled: a name that is looked up a second time may have become another.
    """
    try:
        found = await trio.socket.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise not_found(place, error) from None
    return allowed(place, [str(where[0]) for *_, where in found], allow_private=allow_private)


def not_found(place: Place, error: Exception) -> AddressError:
    """That a look-up has failed, in one line."""
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return AddressError(f"{place.host!r} is not found: {said}")


def allowed(place: Place, numbers: Iterable[str], *, allow_private: bool) -> tuple[IP, ...]:
    """What a look-up has found, as `look_up` returns it; ForbiddenError where one of them must not be dialled."""
    addresses = tuple(dict.fromkeys(ip_address(number.partition("%")[0]) for number in numbers))
    for address in addresses:
        wrong = forbidden(address, allow_private=allow_private)
        if wrong:
            raise ForbiddenError(f"{place.host!r} is {wrong} ({address}), which the arena does not dial")
    return addresses[:LOOKED_UP]


def is_loopback(host: str) -> bool:
    """Whether a host, as it is written, is this machine and nothing else."""
    if host == "localhost":
        return True
    try:
        return embedded(ip_address(host)).is_loopback
    except ValueError:
        return False
