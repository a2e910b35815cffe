"""`taishi doctor`: health checks of a data folder, its settings and its models."""
