"""Export and import: a memory as lines of JSON."""
