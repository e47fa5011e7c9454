"""Who may ask: only the page that the command itself opened, on this machine."""

import hmac
import json
import secrets
from dataclasses import dataclass, field
from email.message import Message
from http import HTTPStatus
from typing import Any

from ldp_auditor.errors import AuditError, describe

LOOPBACK = "127.0.0.1"

MOST_BYTES = 10_000
"""Bytes of a request's body at most."""

OWN_SITE = ("same-origin", "none")
"""What a browser says of the page's own requests, and of an address that was typed."""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
"""Go with every answer: nothing is loaded from elsewhere, framed or kept."""


class RefusedError(AuditError):
    """A request that is not answered, and the code that says why."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


def failure_in_words(error: Exception) -> str:
    """Why something that the page asked for was not done."""
    if isinstance(error, AuditError):
        return str(error)
    if isinstance(error, MemoryError):
        return "out of memory: choose a smaller domain or fewer reports"
    return f"internal error, please report it: {describe(error)}"


@dataclass(frozen=True)
class Guard:
    """Lets in what comes from this machine, from the page itself, with the key in its address."""

    port: int
    key: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{LOOPBACK}:{self.port}/{self.key}/"

    def place(self, path: str, headers: Message) -> str:
        """Return what is asked for below the key, or raise if the request is somebody else's."""
        if len(headers.get_all("Host", [])) > 1:  # whoever reads the other one is deceived
            raise RefusedError(HTTPStatus.BAD_REQUEST, "a request must have one Host header")
        names = [f"{name}:{self.port}" for name in (LOOPBACK, "localhost")]
        origin = headers.get("Origin")
        given, slash, place = path.removeprefix("/").partition("/")
        reasons = {
            # Another name that leads here is that of a foreign page (DNS rebinding).
            "this page answers to its own address only": headers.get("Host") not in names,
            "other origins are refused": origin not in (None, *(f"http://{n}" for n in names)),
            "other sites are refused": headers.get("Sec-Fetch-Site", "none") not in OWN_SITE,
            "the key is missing; open the address that 'ldp-auditor explore' printed": not slash
            or not hmac.compare_digest(given.encode(), self.key.encode()),
        }
        for reason, is_refused in reasons.items():
            if is_refused:
                raise RefusedError(HTTPStatus.FORBIDDEN, reason)
        return place


def check_headers(headers: Message) -> None:
    """Raise unless a request says that it is short JSON."""
    kind = headers.get("Content-Type", "").partition(";")[0].strip()
    if kind != "application/json":
        raise RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a request must be application/json")
    length = headers.get("Content-Length", "")
    if "Transfer-Encoding" in headers or not (length.isascii() and length.isdigit()):
        raise RefusedError(HTTPStatus.LENGTH_REQUIRED, "a request must say how long it is")
    if len(length) > 9 or int(length) > MOST_BYTES:
        raise RefusedError(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request has at most {MOST_BYTES:,} bytes"
        )


def read_body(body: bytes) -> dict[str, Any]:
    """Read a request's body: one JSON object of finite numbers."""
    try:
        given = json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise RefusedError(HTTPStatus.BAD_REQUEST, "a request must be valid JSON") from None
    if not isinstance(given, dict):
        raise RefusedError(HTTPStatus.BAD_REQUEST, "a request must be a JSON object")
    return given


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
