"""Profile pages as Markdown files."""
