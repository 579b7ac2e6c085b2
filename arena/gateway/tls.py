"""Certificates, and where a connection may do without."""

import ssl
from dataclasses import dataclass
from pathlib import Path

import grpc

from arena.gateway import pem


@dataclass(frozen=True, slots=True)
class ServerTls:
    """What bots that dial in are shown, and what they must show. Files in PEM."""

    certificate: Path  # with its chain
    key: Path
    client_ca: Path | None = None  # bots must have a certificate that it signed

    def credentials(self) -> grpc.ServerCredentials:
        """For a server; OSError in one line where a file cannot be used."""
        pair = pem.own(self.certificate, self.key)
        ca = None if self.client_ca is None else pem.roots(self.client_ca)
        return grpc.ssl_server_credentials([pair], root_certificates=ca, require_client_auth=ca is not None)


@dataclass(frozen=True, slots=True)
class ClientTls:
    """What bots that are dialled must show, and what they are shown. Files in PEM."""

    ca: Path | None = None  # who signed the bots' certificates; None: those whom this machine trusts
    certificate: Path | None = None  # ours, for a bot that wants one
    key: Path | None = None

    def credentials(self) -> grpc.ChannelCredentials:
        """For a channel; OSError in one line where a file cannot be used."""
        ca = self.ca or pem.trusted()
        key = certificate = None
        if self.certificate is not None and self.key is not None:
            key, certificate = pem.own(self.certificate, self.key)
        return grpc.ssl_channel_credentials(None if ca is None else pem.roots(ca), key, certificate)

    def checked(self) -> "ClientTls":
        """The same; OSError in one line where its CA cannot be used: no bot is dialled to find that out."""
        if self.ca is not None:
            pem.roots(self.ca)
        return self

    def context(self) -> ssl.SSLContext:
        """The same for a plain socket, which tells what gRPC does not: why a certificate is refused."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.set_alpn_protocols(["h2"])
        ca = self.ca or pem.trusted()
        if ca is None:
            context.load_default_certs()
        else:
            pem.roots(ca)
            context.load_verify_locations(ca)
        if self.certificate is not None and self.key is not None:
            pem.own(self.certificate, self.key)
            context.load_cert_chain(self.certificate, self.key)
        return context
