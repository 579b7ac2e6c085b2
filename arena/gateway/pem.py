"""Certificates and keys in PEM, looked at before gRPC gets them: it would only say that it failed."""

import ssl
from pathlib import Path


def trusted() -> Path | None:
    """The file of whom this machine trusts; None where it has none, and gRPC's own list is taken."""
    file = ssl.get_default_verify_paths().cafile
    return Path(file) if file else None


def own(certificate: Path, key: Path) -> tuple[bytes, bytes]:
    """The key and the certificate, once they are known to fit; OSError in one line."""
    pair = key.read_bytes(), certificate.read_bytes()
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password=_no_password)
    except (ssl.SSLError, ValueError) as error:
        said = error.reason if isinstance(error, ssl.SSLError) and error.reason else str(error)
        raise OSError(f"{certificate} and {key} are no certificate and its key in PEM: {said}") from None
    return pair


def _no_password() -> str:
    raise ValueError("the key is encrypted")


def roots(path: Path) -> bytes:
    """Certificates of who is trusted; OSError in one line."""
    data = path.read_bytes()
    try:
        # From the file: between its certificates there may be names in UTF-8, which are nothing to TLS.
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
    except ssl.SSLError:
        raise OSError(f"{path}: no certificates in PEM") from None
    return data
