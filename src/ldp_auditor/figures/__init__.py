"""Figures: data first (`data.py`), drawn once by matplotlib (`drawing/`) and once by a page."""
