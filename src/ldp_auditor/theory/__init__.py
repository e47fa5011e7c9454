"""Exact numbers that stand beside every measured one."""
