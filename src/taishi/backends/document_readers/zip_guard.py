"""Opens a ZIP file that may be hostile: sizes are checked before anything is unpacked."""

from __future__ import annotations

import io
import struct
import zipfile

from ...errors import DocumentError
from .limits import MAX_DOCX_XML_BYTES, MAX_ZIP_DIRECTORY_BYTES

_END = b"PK\x05\x06"
_END_SIZE = 22
_LONGEST_COMMENT = 65_535


def opened_zip(name: str, data: bytes) -> zipfile.ZipFile:
    """Raises DocumentError if it is damaged, or lists more files than a document has."""
    tail = data[-(_END_SIZE + _LONGEST_COMMENT) :]
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < _END_SIZE:
        raise _damaged(name)
    (directory_bytes,) = struct.unpack_from("<I", tail, at + 12)
    if directory_bytes > MAX_ZIP_DIRECTORY_BYTES:
        raise DocumentError(f"{name!r:.120} lists more files than any document has; not opened.")
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except Exception as error:  # zipfile raises a dozen kinds for damaged files
        raise _damaged(name) from error


def checked_member(archive: zipfile.ZipFile, name: str, member: str) -> zipfile.ZipInfo | None:
    """The file inside, if it is there and unpacks to a bounded size. Python's zipfile never unpacks
    more than the size that is checked here."""
    try:
        info = archive.getinfo(member)
    except KeyError:
        return None
    if info.flag_bits & 0x1:
        raise DocumentError(f"{name!r:.120} is encrypted. Save a copy without a password.")
    if info.file_size > MAX_DOCX_XML_BYTES:
        raise DocumentError(
            f"{name!r:.120} unpacks to {info.file_size:,} bytes; the most is "
            f"{MAX_DOCX_XML_BYTES:,}. It was not opened."
        )
    return info


def _damaged(name: str) -> DocumentError:
    return DocumentError(
        f"{name!r:.120} is a damaged ZIP or DOCX file. Save it again and try again."
    )
