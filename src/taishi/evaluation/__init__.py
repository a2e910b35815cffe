"""Evaluation: recall metrics and time-expression accuracy on case files."""
