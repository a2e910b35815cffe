"""The historian: from a turn that ended to what is worth keeping of it. No storage inside."""
