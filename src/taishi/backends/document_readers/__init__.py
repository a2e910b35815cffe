"""Readers of documents: text, Markdown, HTML, PDF, DOCX and program code, chosen by content."""

from .reader import Readers

__all__ = ["Readers"]
