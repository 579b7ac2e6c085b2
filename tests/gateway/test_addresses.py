"""Where the arena may be sent by an address, and where not."""

from ipaddress import ip_address

import pytest
import trio

from arena.gateway.addresses import AddressError, Place, far_of, forbidden, is_loopback, look_up, origin, parse


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("bots.example:7071", Place("bots.example", 7071)),
        ("203.0.113.9:1", Place("203.0.113.9", 1)),
        ("[2001:db8::1]:65535", Place("2001:db8::1", 65535)),
    ],
)
def test_an_address_is_host_and_port(address: str, place: Place) -> None:
    assert parse(address) == place
    assert str(place) == address


@pytest.mark.parametrize(
    "address",
    [
        "", ":1", "host", "host:", "host:0", "host:65536", "host:99999999999", "host:0655359", "host:¹", "host:+1",
        "::1:80", "[::1:", "a b:1", "http://host:1", "user@host:1", "host/path:1",
        "ho\nst:1", "hőst:1", "fe80::1%eth0:1",
        "x" * 300 + ":1",
    ],
)  # fmt: skip
def test_what_is_no_address_is_shown(address: str) -> None:
    with pytest.raises(AddressError) as error:
        parse(address)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("peer", "address", "whose"),
    [
        ("ipv4:192.0.2.1:4711", "192.0.2.1", "192.0.2.1/32"),
        ("ipv6:%5B2001:db8::1%5D:4711", "2001:db8::1", "2001:db8::/64"),
        ("ipv6:[2001:db8::1]:4711", "2001:db8::1", "2001:db8::/64"),
        ("ipv6:%5Bfe80::1%25eth0%5D:4711", "fe80::1", "fe80::/64"),
        ("ipv6:%5B::ffff:192.0.2.1%5D:4711", "192.0.2.1", "192.0.2.1/32"),
    ],
)
def test_a_peer_is_an_address_and_a_port_and_counted_by_whose_it_is(peer: str, address: str, whose: str) -> None:
    assert far_of(peer) == (ip_address(address), 4711)
    assert str(origin(far_of(peer)[0])) == whose


MACHINE, PRIVATE, LINK = "an address of this machine", "an address of a private network", "a link-local address"
METADATA, GROUP, NOBODY = "an address of cloud metadata", "a multicast address", "no address of a host"


@pytest.mark.parametrize(
    ("number", "wrong", "wrong_if_private_is_allowed"),
    [
        ("1.1.1.1", "", ""),
        ("2606:4700::1111", "", ""),
        ("64:ff9b::101:101", "", ""),
        ("127.0.0.1", MACHINE, ""),
        ("127.255.0.9", MACHINE, ""),
        ("::1", MACHINE, ""),
        ("::ffff:127.0.0.1", MACHINE, ""),
        ("64:ff9b::7f00:1", MACHINE, ""),
        ("2002:7f00:1::", MACHINE, ""),
        ("10.0.0.1", PRIVATE, ""),
        ("172.16.0.1", PRIVATE, ""),
        ("192.168.1.1", PRIVATE, ""),
        ("100.64.0.1", PRIVATE, ""),
        ("::ffff:10.0.0.1", PRIVATE, ""),
        ("fd00::1", PRIVATE, ""),
        ("fec0::1", PRIVATE, ""),
        ("169.254.1.1", LINK, LINK),
        ("fe80::1", LINK, LINK),
        ("::ffff:169.254.1.1", LINK, LINK),
        ("169.254.169.254", METADATA, METADATA),
        ("fd00:ec2::254", METADATA, METADATA),
        ("100.100.100.200", METADATA, METADATA),
        ("168.63.129.16", METADATA, METADATA),
        ("224.0.0.1", GROUP, GROUP),
        ("ff02::1", GROUP, GROUP),
        ("0.0.0.0", NOBODY, NOBODY),
        ("::", NOBODY, NOBODY),
        ("255.255.255.255", NOBODY, NOBODY),
        ("240.0.0.1", NOBODY, NOBODY),
    ],
)
def test_where_the_arena_does_not_dial(number: str, wrong: str, wrong_if_private_is_allowed: str) -> None:
    assert forbidden(ip_address(number), allow_private=False) == wrong
    assert forbidden(ip_address(number), allow_private=True) == wrong_if_private_is_allowed


class Resolver(trio.abc.HostnameResolver):
    """Knows one host."""

    def __init__(self, *numbers: str) -> None:
        self.numbers = numbers
        self.asked = 0

    async def getaddrinfo(self, host, port, family=0, type=0, proto=0, flags=0):  # type: ignore[no-untyped-def]  # noqa: A002
        """All of its addresses."""
        self.asked += 1
        return [(2, 1, 6, "", (number, port)) for number in self.numbers]

    async def getnameinfo(self, sockaddr, flags):  # type: ignore[no-untyped-def]
        """Not asked for."""
        raise NotImplementedError


async def test_one_bad_address_of_a_name_spoils_all() -> None:
    trio.socket.set_custom_hostname_resolver(Resolver("1.1.1.1", "10.0.0.1"))
    with pytest.raises(AddressError, match=r"'both\.example' is an address of a private network \(10\.0\.0\.1\)"):
        await look_up(Place("both.example", 1), allow_private=False)


async def test_an_address_is_looked_up_once_and_tried_a_few_times() -> None:
    resolver = Resolver(*(f"1.1.1.{number}" for number in range(9)), "1.1.1.0")
    trio.socket.set_custom_hostname_resolver(resolver)
    found = await look_up(Place("many.example", 1), allow_private=False)
    assert [str(one) for one in found] == ["1.1.1.0", "1.1.1.1", "1.1.1.2", "1.1.1.3"]
    assert resolver.asked == 1


@pytest.mark.parametrize("host", ["127.1", "0x7f.1", "2130706433", "localhost"])
async def test_this_machine_is_known_however_it_is_written(host: str) -> None:
    with pytest.raises(AddressError, match="this machine"):
        await look_up(parse(f"{host}:1"), allow_private=False)


def test_only_this_machine_is_loopback() -> None:
    assert all(is_loopback(host) for host in ("localhost", "127.0.0.2", "::1"))
    assert not any(is_loopback(host) for host in ("0.0.0.0", "::", "10.0.0.1", "localhost.example"))
