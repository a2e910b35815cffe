"""Domain rules: how events, facts, profiles and the other kinds of memory become records."""
