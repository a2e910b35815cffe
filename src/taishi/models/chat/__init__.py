"""Chat models behind an OpenAI-compatible endpoint, made to answer with structured data."""
