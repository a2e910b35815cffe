"""Measures: recall and language figures on case files."""
