"""Reads the exports of other programs: one module a format, each a generator of messages."""
