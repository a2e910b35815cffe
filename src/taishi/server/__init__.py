"""The door for programs: REST under /v1, and whatever else is mounted beside it."""
