"""Finding secrets and personal numbers in text and taking them out."""
