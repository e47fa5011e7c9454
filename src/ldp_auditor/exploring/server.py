"""The server of the page: loopback only, standard library only."""

import io
import json
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, ClassVar
from urllib.parse import unquote

from ldp_auditor.attacks import ATTACKS
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
from ldp_auditor.exploring.arrival import TimedReader
from ldp_auditor.exploring.choices import answer, chosen
from ldp_auditor.exploring.curves import curves
from ldp_auditor.exploring.document import (
    CHOOSE_SCRIPTS,
    SCRIPTS,
    STYLES,
    choose_page,
    explore_page,
)
from ldp_auditor.exploring.exact import Later
from ldp_auditor.exploring.finding import limiting_epsilons, read_limit
from ldp_auditor.exploring.measurements import Bench
from ldp_auditor.exploring.protocols import offered
from ldp_auditor.exploring.settings import WrongSettingsError, read_axis, read_setting
from ldp_auditor.exploring.view import FIGURES, KINDS, START, View, drawn
from ldp_auditor.figures.results import figure_of
from ldp_auditor.figures.words import shown
from ldp_auditor.page.rendering import assets, plotting_library

LONGEST_ERROR = 400
"""Characters of an error that are shown."""

Plain = dict[str, Any]


CHOICE = "choice"
"""The figure of the page of choices."""

DRAWN = tuple(f"{of}.{kind}" for of in (*FIGURES, CHOICE) for kind in KINDS)
"""Names of figures that can be saved."""


def read_view(given: Plain) -> View:
    """Check a setting and an axis that the page sent."""
    axis = read_axis(given.pop("axis", None))
    return View(read_setting(given), axis)


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
        self.later = Later()
        self.actions: dict[str, Callable[[Plain], Plain]] = {
            "curves": self._curves,
            "answer": self._choice,
            "find": self._find,
            "export": self._export,
            "measure": lambda given: self.bench.start(read_setting(given)),
            "cancel": lambda given: self.bench.cancel(),
        }
        self._drawing, self._choosing = threading.Lock(), threading.Lock()
        try:
            super().__init__((LOOPBACK, port), Handler)
        except OSError as error:
            raise AuditError(f"cannot listen on port {port}: {error}") from None
        self.guard = Guard(self.server_address[1])
        self.address = self.guard.address

    def warm_up(self) -> None:
        """Work out a point of every protocol before anybody asks: the first one is slow."""
        first = read_setting(START)
        settings = [replace(first, attack=attack) for attack in ATTACKS]
        others = [name for name in offered() if name not in first.protocols]
        names = [*first.protocols, *others]
        self.later.prepare([(setting, name) for name in names for setting in settings])

    def _curves(self, given: Plain) -> Plain:
        asked = read_view(given)
        return curves(asked.setting, asked.axis, later=self.later).to_plain()

    def _find(self, given: Plain) -> Plain:
        limited, most = read_limit({name: given.pop(name, None) for name in ("limited", "most")})
        return limiting_epsilons(read_setting(given), limited, most)

    def _export(self, given: Plain) -> Plain:
        asked = read_view(given)
        return {"command": asked.command, "cell": asked.cell}

    def figure(self, name: str, query: str) -> tuple[str, bytes]:
        """The figure of a view as a file: what it is, and its content."""
        of, _, kind = name.partition(".")
        given = read_body(unquote(query).encode(errors="replace"))
        if of == CHOICE:
            with self._choosing:
                figure = figure_of(chosen(given)[0])
        else:
            figure = read_view(given).figure(of)  # all of its points, which may take a while
        with self._drawing:
            return KINDS[kind], drawn(figure, kind)

    def _choice(self, given: Plain) -> Plain:
        with self._choosing:
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
    """Seconds that a request may take to arrive, and an answer to leave."""

    def setup(self) -> None:
        """Give a request all of its time at once, not anew for every byte."""
        super().setup()
        self.rfile.close()
        self.rfile = io.BufferedReader(TimedReader(self.connection, self.timeout))

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
                # What is saved as a file must not be an error that looks like one.
                usual = HTTPStatus.OK if self.command == "POST" else HTTPStatus.BAD_REQUEST
                status = error.status if isinstance(error, RefusedError) else usual
            self._send_failure(status, failure_in_words(error), _wrong_fields(error))

    def _answer(self, place: str, body: bytes) -> None:
        files, actions = self.server.files, self.server.actions
        name, _, query = place.partition("?")
        is_figure = name in DRAWN and bool(query)
        if not is_figure and place not in (*files, *actions, "progress"):
            raise RefusedError(HTTPStatus.NOT_FOUND, "there is nothing at this address")
        method = "POST" if place in actions else "GET"
        if self.command != method:
            words = f"{name or 'the page'} is asked for by {method}"
            raise RefusedError(HTTPStatus.METHOD_NOT_ALLOWED, words)
        if place in actions:
            check_headers(self.headers)
            self._send_json(HTTPStatus.OK, actions[place](read_body(body)))
        elif place in files:
            self._send(HTTPStatus.OK, *files[place])
        elif is_figure:
            kind, content = self.server.figure(name, query)
            saved = {"Content-Disposition": f'attachment; filename="explore-{name}"'}
            self._send(HTTPStatus.OK, kind, content, saved)
        else:
            self._send_json(HTTPStatus.OK, self.server.bench.progress())

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Say in one line what is refused, here or by the standard library."""
        self._send_failure(code, message or HTTPStatus(code).phrase, {})

    def _send_failure(self, code: int, message: str, wrong: Mapping[str, str]) -> None:
        told = {name: _one_line(words) for name, words in wrong.items()}
        self._send_json(code, {"error": _one_line(message), **({"wrong": told} if told else {})})

    def _send_json(self, status: int, value: Plain) -> None:
        self._send(status, "application/json", json.dumps(value, allow_nan=False).encode())

    def _send(
        self, status: int, kind: str, content: bytes, more: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.send_response(status)
        for name, value in {**HEADERS, **more}.items():
            self.send_header(name, value)
        is_text = kind.startswith(("text/", "application/json"))
        self.send_header("Content-Type", f"{kind}; charset=utf-8" if is_text else kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Keep quiet; the page says what happens."""


def _one_line(message: str) -> str:
    return shown(" ".join(message.split()), LONGEST_ERROR)


def _wrong_fields(error: Exception) -> Mapping[str, str]:
    """What is wrong by the name of the field, if the page has such fields."""
    if isinstance(error, WrongSettingsError):
        return error.wrong
    argument = getattr(error, "argument", None)
    return {argument: str(error)} if argument else {}
