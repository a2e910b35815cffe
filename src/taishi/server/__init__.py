"""The HTTP server: REST under /v1, the OpenAI proxy, MCP over HTTP, health and metrics."""
