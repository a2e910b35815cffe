"""What several kinds of test stand on."""
