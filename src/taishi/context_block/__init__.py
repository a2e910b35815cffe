"""Formats hits and profiles as a fenced prompt block within a token budget."""
