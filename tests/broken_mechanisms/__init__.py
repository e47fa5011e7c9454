"""Deliberately wrong mechanisms, each beside its correct twin."""
