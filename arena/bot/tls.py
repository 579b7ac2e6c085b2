"""Certificates of a bot, and where it may do without."""

from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Final

import grpc

from arena.gateway import pem

UNMADE: Final = "failed to connect"
"""What gRPC begins with where no connection came about that a call could be made on."""
CLOSED: Final = ("Socket closed", "Connection reset")
"""What it says of one that the other side took, and shut without having said a thing."""


@dataclass(frozen=True, slots=True)
class Tls:
    """Files in PEM. A bot that serves shows ``certificate``; one that dials in may need to."""

    ca: Path | None = None  # who signed the other side's; dialling in, None: those whom this machine trusts
    certificate: Path | None = None  # the bot's own, with its chain
    key: Path | None = None  # to it
    insecure: bool = False  # no TLS, though others may listen

    def channel(self, host: str) -> grpc.ChannelCredentials | None:
        """To dial in to a host with; None: without TLS, as to this machine where no file is given."""
        if self._plain(host):
            return None
        own = self._own()
        ca = self.ca
        if ca is None:
            ca = pem.trusted()
        roots = None if ca is None else pem.roots(ca)
        return grpc.ssl_channel_credentials(roots, *(own or (None, None)))

    def server(self, host: str) -> grpc.ServerCredentials | None:
        """To serve at a host with; None: without TLS. OSError where others reach it and there is no certificate."""
        own = self._own()
        if own is not None and not self.insecure:
            roots = None if self.ca is None else pem.roots(self.ca)
            return grpc.ssl_server_credentials([own], root_certificates=roots, require_client_auth=roots is not None)
        if self.insecure or is_loopback(host):
            return None
        raise OSError(
            f"cannot serve at {host}: other machines reach it; give certificate and key, or allow it with insecure"
        )

    def hint(self, host: str, said: str) -> str:
        """What may be the cause, to be added to what gRPC says of a dial; "" where it came to a call, or none is known.

        A hint only: the other side, which would know, has said nothing.
        """
        if not said.startswith(UNMADE):
            return ""
        if "CERTIFICATE_VERIFY_FAILED" in said:
            return "; --ca FILE names who signed the arena's certificate"
        if "WRONG_VERSION_NUMBER" in said:
            drop = "leave out --ca and --certificate" if is_loopback(host) else "--insecure dials so, in the clear"
            return f"; perhaps the arena speaks without TLS: {drop}"
        if not any(word in said for word in CLOSED):
            return ""
        if self._plain(host):
            without = ", without --insecure" if self.insecure else ""
            return f"; perhaps the arena speaks TLS: give --ca FILE, with who signed its certificate{without}"
        if self.certificate is None:
            return "; perhaps the arena wants a certificate of the bot: give --certificate and --key"
        return ""

    def _plain(self, host: str) -> bool:
        return self.insecure or (is_loopback(host) and self.ca is None and self.certificate is None)

    def _own(self) -> tuple[bytes, bytes] | None:
        if self.certificate is None or self.key is None:
            return None
        return pem.own(self.certificate, self.key)


def host_of(address: str) -> str:
    """The host of "HOST:PORT", without brackets."""
    return address.rpartition(":")[0].removeprefix("[").removesuffix("]")


def is_loopback(host: str) -> bool:
    """Whether a host, as it is written, is this machine and nothing else."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
