"""How a request arrives: as a whole within a time."""

import io
import socket
import time
from typing import Any


class TimedReader(io.RawIOBase):
    """Reads a connection for `seconds` in all, however slowly its bytes come.

    A limit for each byte alone would let a sender of one byte every few seconds stay for ever.
    """

    def __init__(self, connection: socket.socket, seconds: float) -> None:
        self._connection = connection
        self._until = time.monotonic() + seconds

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Take what is there, or raise `TimeoutError` when the time is over."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the request took too long to arrive")
        before = self._connection.gettimeout()
        self._connection.settimeout(left)
        try:
            return self._connection.recv_into(buffer)
        finally:
            self._connection.settimeout(before)
