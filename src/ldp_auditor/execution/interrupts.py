"""Delay Ctrl-C while a worker or a cluster starts; set its variables of the environment."""

import contextlib
import os
import signal
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def interrupt_later() -> Iterator[None]:
    """Delay Ctrl-C until the block has ended: half of it would leave processes behind."""
    if threading.current_thread() is not threading.main_thread():
        yield  # handlers run in the main thread, which is not in the block
        return
    heard: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if heard:
            signal.raise_signal(signal.SIGINT)


@contextlib.contextmanager
def environment_with(**variables: str) -> Iterator[None]:
    """Set variables of the environment, and put back what was there."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
