"""What operators look at: metrics, tracing, process status."""
