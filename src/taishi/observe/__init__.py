"""Observability: metrics, tracing, process status."""
