"""Redis or Valkey: a cache and a small state that several servers of one memory share."""
