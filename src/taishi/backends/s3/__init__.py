"""Files in an S3 bucket: originals of documents, archives, exports."""
