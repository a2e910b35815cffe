"""Export files: the format of their lines, and how they are read back (O2)."""
