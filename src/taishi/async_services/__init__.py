"""Further nouns of `AsyncMemory`, awaited."""
