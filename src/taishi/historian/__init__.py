"""The historian: turns a finished conversation turn into statements worth keeping. No storage
inside."""
