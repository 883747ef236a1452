"""What the zips of GitHub Actions may be, and how reading a hostile one can fail."""

import struct
import zipfile
import zlib

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""GitHub's own; others are slower to undo, or need much memory.
https://docs.github.com/en/rest/actions/artifacts"""

BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
)
"""What zipfile raises for a zip that is none, or not whole."""
