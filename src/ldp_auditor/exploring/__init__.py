"""A page of this machine only: exact curves at once, measured audits when they are asked for."""
