"""Certificates of a bot, and where it may do without."""

import ssl
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

import grpc


@dataclass(frozen=True, slots=True)
class Tls:
    """Files in PEM. A bot that serves shows ``certificate``; one that dials in may need to."""

    ca: Path | None = None  # who signed the other side's; dialling in, None: those whom this machine trusts
    certificate: Path | None = None  # the bot's own, with its chain
    key: Path | None = None  # to it
    insecure: bool = False  # no TLS, though others may listen

    def channel(self, host: str) -> grpc.ChannelCredentials | None:
        """To dial in to a host with; None: without TLS, as to this machine where no file is given."""
        if self.insecure or (is_loopback(host) and self.ca is None and self.certificate is None):
            return None
        own = self._own()
        ca = self.ca
        if ca is None:
            file = ssl.get_default_verify_paths().cafile
            ca = Path(file) if file else None
        roots = None if ca is None else _roots(ca)
        return grpc.ssl_channel_credentials(roots, *(own or (None, None)))

    def server(self, host: str) -> grpc.ServerCredentials | None:
        """To serve at a host with; None: without TLS. OSError where others reach it and there is no certificate."""
        own = self._own()
        if own is not None and not self.insecure:
            roots = None if self.ca is None else _roots(self.ca)
            return grpc.ssl_server_credentials([own], root_certificates=roots, require_client_auth=roots is not None)
        if self.insecure or is_loopback(host):
            return None
        raise OSError(
            f"cannot serve at {host}: other machines reach it; give certificate and key, or allow it with insecure"
        )

    def _own(self) -> tuple[bytes, bytes] | None:
        if self.certificate is None or self.key is None:
            return None
        pair = self.key.read_bytes(), self.certificate.read_bytes()
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.certificate, self.key, password=_no_password)
        except (ssl.SSLError, ValueError) as error:
            said = error.reason if isinstance(error, ssl.SSLError) and error.reason else str(error)
            raise OSError(f"{self.certificate} and {self.key} are no certificate and its key in PEM: {said}") from None
        return pair


def _roots(path: Path) -> bytes:
    """What gRPC takes; it would only say that it could not connect."""
    data = path.read_bytes()
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=data.decode("ascii"))
    except (ssl.SSLError, ValueError):
        raise OSError(f"{path}: no certificates in PEM") from None
    return data


def _no_password() -> str:
    raise ValueError("the key is encrypted")


def host_of(address: str) -> str:
    """The host of "HOST:PORT", without brackets."""
    return address.rpartition(":")[0].removeprefix("[").removesuffix("]")


def is_loopback(host: str) -> bool:
    """Whether a host, as it is written, is this machine and nothing else."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
