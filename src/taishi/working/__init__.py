"""Working memory: the messages of a session, what to send of them, and its scratchpad (M1–M3)."""
