"""A durable job queue in a folder: one file a job."""
