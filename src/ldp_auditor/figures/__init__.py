"""Figures: data first (`data.py`), drawn once by matplotlib (`drawing.py`) and once by a page."""
