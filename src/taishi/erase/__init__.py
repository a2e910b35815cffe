"""Forgetting: deletion of what a user, a chat or a source left, and the proof that it is gone."""
