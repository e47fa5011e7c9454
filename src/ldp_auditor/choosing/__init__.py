"""Choosing a protocol: what is promised, what leaks, what is learned and what it costs."""
