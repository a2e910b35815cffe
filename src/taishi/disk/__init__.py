"""Files that a crash does not damage: durable writes, locks, permissions, process marks."""
