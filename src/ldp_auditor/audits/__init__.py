"""Audits: a plan, one way to run it, and what is asked for most often."""
