"""What earlier programs kept: reading it, answering from it, bringing it in."""
