"""Which ports processes have opened."""

from __future__ import annotations

import os
from pathlib import Path


def listening(processes: list[int]) -> list[str]:
    """Addresses, as the kernel writes them, on which processes listen."""
    sockets = set()
    for process in processes:
        for link in Path(f"/proc/{process}/fd").glob("*"):
            try:
                sockets.add(os.readlink(link))
            except OSError:  # it has just been closed
                continue
    rows = [
        row.split()
        for table in ("tcp", "tcp6")
        for row in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
    ]
    return [row[1] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in sockets]
