"""Sweeps: grids of audits that survive being killed, and their tidy table."""

from ldp_auditor.sweeps.grid import Grid
from ldp_auditor.sweeps.running import Sweep, sweep

__all__ = ["Grid", "Sweep", "sweep"]
