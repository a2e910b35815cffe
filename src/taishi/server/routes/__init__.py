"""The routes of /v1, a module for each part of the engine's door."""
