"""What the person who looks after a memory does: decide on facts, edit records, change settings."""
