"""Find out whether a cluster is lost: Ray would wait for it, or end this process."""

import math
import socket
import time
from dataclasses import dataclass
from typing import Any

from ldp_auditor.errors import AuditError, require

REACH_SECONDS = 3.0
"""How long to wait for an address."""

LOOK_SECONDS, AGAIN_SECONDS = 2.0, 1.0
"""How often to look at a cluster, and how soon again if something was missing."""

HEAD_SECONDS, HOST_SECONDS = 20.0, 5.0
"""How long the head of a cluster may be gone, and this host's part of it. Ray itself ends the
process after 60 and about 15 seconds, without saying why, and with the code of a violation."""

STALLED_SECONDS = 60.0
"""How long to wait for a cluster that has no core left."""

GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + b"\x04" + bytes(5)
"""By which a client of gRPC, which Ray speaks, opens a connection: preface and empty settings."""

SETTINGS = 4
"""Kind of the frame by which a server answers that."""


class ClusterWatch:
    """Looks every few seconds whether the parts that Ray needs are there, and how many cores."""

    def __init__(self, ray: Any) -> None:
        context = ray.get_runtime_context()
        here = next(node for node in ray.nodes() if node["NodeID"] == context.get_node_id())
        host = f"{here['NodeManagerAddress']}:{here['NodeManagerPort']}"
        self.ray = ray
        self.cores = 0
        self._parts = (
            _Since(f"the head of the cluster, {context.gcs_address}, has been gone", HEAD_SECONDS),
            _Since(f"the Ray of this host, {host}, has been gone", HOST_SECONDS),
        )
        self._addresses = (context.gcs_address, host)
        self._idle = _Since("the cluster has had no core", STALLED_SECONDS)
        self._next_look = -math.inf

    @property
    def is_whole(self) -> bool:
        """Whether Ray can be asked something; else it would wait without end, deaf to Ctrl-C."""
        return not any(part.began is not None for part in self._parts)

    def look(self) -> None:
        """Look at the cluster, if that was a while ago; raise if it is lost."""
        if time.monotonic() < self._next_look:
            return
        for part, address in zip(self._parts, self._addresses, strict=True):
            part.note(why_unreachable(address))
        if self.is_whole:
            self.cores = int(self.ray.cluster_resources().get("CPU", 0))
            self._idle.note(None if self.cores else "all its hosts are lost or have none")
        self._next_look = time.monotonic() + (LOOK_SECONDS if self.is_whole else AGAIN_SECONDS)

    def wait_until_whole(self) -> None:
        """Look now; wait for what is missing, and raise if it stays away."""
        self._next_look = -math.inf
        self.look()
        while not self.is_whole:
            time.sleep(AGAIN_SECONDS)
            self.look()


@dataclass
class _Since:
    """A part of a cluster, which is lost once it has been missing for `seconds`."""

    what: str
    seconds: float
    began: float | None = None

    def note(self, reason: str | None) -> None:
        """Note why it is missing, or None if it is there; raise if it has been missing too long."""
        now = time.monotonic()
        if reason is None:
            self.began = None
            return
        self.began = now if self.began is None else self.began
        require(
            now - self.began < self.seconds, f"{self.what} for {self.seconds:g} seconds: {reason}"
        )


def why_unreachable(address: str) -> str | None:
    """Return why there is no Ray at `address`, in words; None if there is."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal() or not 0 < int(port) < 2**16:
        raise AuditError(f"an address is written host:port, or auto, got {address!r}")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), REACH_SECONDS) as link:
            link.settimeout(REACH_SECONDS)
            link.sendall(GREETING)
            answer = link.recv(9)
    except (OSError, UnicodeError) as error:  # the latter for names that cannot be one
        return str(error)
    is_ray = len(answer) >= 4 and answer[3] == SETTINGS
    return None if is_ray else "what answers there is not Ray"
