"""Files that a crash does not damage: durable writes, locks, permissions, process
marks; and where Taishi itself was installed from."""
