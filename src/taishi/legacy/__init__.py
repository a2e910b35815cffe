"""Compatibility with earlier programs: reads, answers from and migrates their data."""
