"""Documents: taken in, kept in step with folders, searched; notes that agents keep."""
