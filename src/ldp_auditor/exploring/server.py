"""The server of the page: loopback only, standard library only."""

import json
import sys
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from ldp_auditor.errors import AuditError
from ldp_auditor.exploring.access import (
    HEADERS,
    LOOPBACK,
    MOST_BYTES,
    Guard,
    RefusedError,
    check_headers,
    failure_in_words,
    read_body,
)
from ldp_auditor.exploring.choices import answer
from ldp_auditor.exploring.curves import curves
from ldp_auditor.exploring.document import (
    CHOOSE_SCRIPTS,
    SCRIPTS,
    START,
    STYLES,
    choose_page,
    explore_page,
)
from ldp_auditor.exploring.measurements import Bench
from ldp_auditor.exploring.settings import read_axis, read_setting
from ldp_auditor.page.markup import shown
from ldp_auditor.page.rendering import assets, plotting_library

LONGEST_ERROR = 400
"""Characters of an error that are shown."""

Plain = dict[str, Any]


class ExploreServer(ThreadingHTTPServer):
    """Serves one page and what it asks for."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        library, _ = plotting_library()
        self.files = {
            "": ("text/html", explore_page().encode(errors="replace")),
            "choose": ("text/html", choose_page().encode(errors="replace")),
            "choose.js": ("text/javascript", assets(CHOOSE_SCRIPTS).encode()),
            "style.css": ("text/css", assets(STYLES).encode()),
            "script.js": ("text/javascript", assets(SCRIPTS).encode()),
            "plotly.js": ("text/javascript", library.encode()),
        }
        self.bench = Bench()
        self.actions: dict[str, Callable[[Plain], Plain]] = {
            "curves": self._curves,
            "answer": self._choice,
            "measure": lambda given: self.bench.start(read_setting(given)),
            "cancel": lambda given: self.bench.cancel(),
        }
        self._one_at_a_time = threading.Lock()
        try:
            super().__init__((LOOPBACK, port), Handler)
        except OSError as error:
            raise AuditError(f"cannot listen on port {port}: {error}") from None
        self.guard = Guard(self.server_address[1])
        self.address = self.guard.address

    def warm_up(self) -> None:
        """Work out the first curves before anybody asks; the first call of everything is slow."""
        threading.Thread(target=self._curves, args=[dict(START)], daemon=True).start()

    def _curves(self, given: Plain) -> Plain:
        axis = read_axis(given.pop("axis", None))
        setting = read_setting(given)
        with self._one_at_a_time:
            return curves(setting, axis).to_plain()

    def _choice(self, given: Plain) -> Plain:
        with self._one_at_a_time:
            return answer(given)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that has gone away is no error."""
        error = sys.exception()
        if not isinstance(error, ConnectionError | TimeoutError):
            print(f"ldp-auditor: {type(error).__name__}: {error}", file=sys.stderr)


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: ExploreServer
    server_version = "ldp-auditor"
    sys_version = ""
    timeout: ClassVar[float] = 10.0
    """Seconds that a request may take to arrive."""

    def do_GET(self) -> None:
        """Send the page, a part of it, or how far a measurement is."""
        self._guarded(b"")

    def do_POST(self) -> None:
        """Work out curves, start a measurement or cancel it."""
        length = self.headers.get("Content-Length", "")
        taken = length.isascii() and length.isdigit() and len(length) < 9
        # Taken in first: a sender who is cut off would not hear the answer.
        self._guarded(self.rfile.read(min(int(length), 10 * MOST_BYTES)) if taken else b"")

    def _guarded(self, body: bytes) -> None:
        """Answer what is allowed; whatever goes wrong is one line."""
        try:
            self._answer(self.server.guard.place(self.path, self.headers), body)
        except (ConnectionError, TimeoutError):
            raise
        except Exception as error:
            status = HTTPStatus.INTERNAL_SERVER_ERROR
            if isinstance(error, AuditError):  # asked as the page may, but it cannot be done
                status = error.status if isinstance(error, RefusedError) else HTTPStatus.OK
            self._send_failure(status, failure_in_words(error), getattr(error, "argument", None))

    def _answer(self, place: str, body: bytes) -> None:
        files, actions = self.server.files, self.server.actions
        if place not in (*files, *actions, "progress"):
            raise RefusedError(HTTPStatus.NOT_FOUND, "there is nothing at this address")
        method = "POST" if place in actions else "GET"
        if self.command != method:
            words = f"{place or 'the page'} is asked for by {method}"
            raise RefusedError(HTTPStatus.METHOD_NOT_ALLOWED, words)
        if place in actions:
            check_headers(self.headers)
            self._send_json(HTTPStatus.OK, actions[place](read_body(body)))
        elif place in files:
            self._send(HTTPStatus.OK, *files[place])
        else:
            self._send_json(HTTPStatus.OK, self.server.bench.progress())

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Say in one line what is refused, here or by the standard library."""
        self._send_failure(code, message or HTTPStatus(code).phrase, None)

    def _send_failure(self, code: int, message: str, argument: str | None) -> None:
        words = shown(" ".join(message.split()), LONGEST_ERROR)
        self._send_json(code, {"error": words, **({"argument": argument} if argument else {})})

    def _send_json(self, status: int, value: Plain) -> None:
        self._send(status, "application/json", json.dumps(value, allow_nan=False).encode())

    def _send(self, status: int, kind: str, content: bytes) -> None:
        self.send_response(status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Keep quiet; the page says what happens."""
