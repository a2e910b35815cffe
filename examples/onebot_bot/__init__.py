"""A small QQ bot over OneBot v11 with Taishi as its memory. See README.md."""
