"""Engines that run the pieces of an audit; nothing else knows threads, processes or clusters."""
