"""`taishi doctor`: what is wrong with a folder, its settings and its models, and what to do."""
