"""What a result is, and where results are kept: one declaration per field, journal, table."""
