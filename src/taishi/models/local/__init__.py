"""The local embedder: two small encoders that run here, without a network."""
