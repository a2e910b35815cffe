"""Builds the files of the local embedder; only `taishi models` loads it."""
