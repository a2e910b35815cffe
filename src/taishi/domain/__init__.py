"""What each kind of memory means: how it becomes a record."""
