"""Writing: from a turn to a durable job, and from the job to records."""
