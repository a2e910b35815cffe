"""How much of a document is read. What is above a limit is refused, with a reason that says so."""

MAX_FILE_BYTES = 200_000_000
MAX_HTML_BYTES = 50_000_000  # its tree is in memory as a whole
MAX_PDF_PAGES = 20_000
MAX_DOCX_XML_BYTES = 200_000_000  # uncompressed
MAX_ZIP_DIRECTORY_BYTES = 4_000_000
# A paragraph without an end is handed on in blocks of this many characters.
MAX_BLOCK_CHARS = 100_000
MAX_TITLE_CHARS = 200
# Parsers of nested markup take time for each level; no page that people read has so many.
MAX_NESTING = 500
