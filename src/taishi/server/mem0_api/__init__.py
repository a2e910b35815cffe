"""mem0's REST API, so that its own clients work with a memory of ours."""
