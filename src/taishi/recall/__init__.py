"""From a question to the few records that matter, inside a deadline."""
