"""The REST routes of /v1, one module per area."""
