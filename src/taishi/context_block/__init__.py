"""Hits and profile pages as a fenced block for a prompt, within a budget of tokens."""
