"""What the page of `explore` asks for, and a client that asks like it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

from ldp_auditor.exploring.server import ExploreServer

ASKED: dict[str, Any] = {
    "protocols": ["GRR"],
    "epsilon": 1,
    "domain_size": 25,
    "delta": 1e-5,
    "reports": 1,
    "epsilon_infinity": 4.0,
    "attributes": 3,
    "dimension": 8,
    "users": 100_000,
    "attack": "paper",
    "bound": "clopper-pearson",
    "trials": 10_000,
    "alpha": 0.01,
    "seed": 42,
}
"""A setting as the page sends it."""


class Client:
    """Sends requests to the page's address, as the page does unless told otherwise."""

    def __init__(self, address: str) -> None:
        self.address = address
        parts = urlsplit(address)
        assert parts.port is not None
        self.port = parts.port
        self.root = parts.path

    def send(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Send a request with these headers; return the status, headers and body."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, body, given)
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()
        finally:
            connection.close()

    def ask(self, place: str, given: Any = None, **headers: str) -> tuple[int, Any]:
        """Ask for something below the key; return the status and the JSON of the answer."""
        body = None if given is None else json.dumps(given).encode()
        kind = {} if given is None else {"Content_Type": "application/json"}
        status, _, answer = self.send(
            "GET" if given is None else "POST", self.root + place, body, **{**kind, **headers}
        )
        return status, json.loads(answer)

    def refused(self, place: str, given: Any = None, **headers: str) -> tuple[int, str]:
        """Ask for something that is refused in one line; return the status and the line."""
        status, answer = self.ask(place, given, **headers)
        assert set(answer) <= {"error", "wrong"}
        assert "\n" not in answer["error"]
        assert "internal error" not in answer["error"]
        return status, answer["error"]

    def curves(self, axis: str = "epsilon", **changed: Any) -> dict[str, Any]:
        """Ask until the curves are complete."""
        while True:
            status, answer = self.ask("curves", {**ASKED, "axis": axis, **changed})
            assert status == 200
            assert "error" not in answer
            if answer["points"] == answer["places"]:
                return dict(answer)

    def measured(self) -> dict[str, Any]:
        """Wait for the end of the measurement that is running."""
        deadline = time.monotonic() + 60
        while True:
            status, answer = self.ask("progress")
            assert status == 200
            if answer["state"] != "running":
                return dict(answer)
            assert time.monotonic() < deadline, answer
            time.sleep(0.02)


@contextmanager
def served() -> Iterator[Client]:
    """Serve the page from a thread of the test."""
    with ExploreServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.05])
        thread.start()
        try:
            yield Client(server.address)
        finally:
            server.bench.cancel()
            server.shutdown()
            thread.join()
