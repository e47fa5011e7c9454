"""Compiled building blocks of the mechanisms.

Every kernel is a plain module-level function that releases the GIL and is cached on disk; Python
composes them batch by batch.
"""
