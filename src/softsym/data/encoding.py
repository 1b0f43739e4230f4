"""Whether a text file is UTF-8, and if not, where it stops being so."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import NoReturn

from softsym.errors import InputError

CHUNK = 1 << 20


def check_encoding(path: Path) -> None:
    """Refuses files that are not UTF-8 text, naming the first byte and line that are not.

    Args:
        path: The file.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset, line, held = 0, 1, 0  # held: bytes of an unfinished character at the end of the last chunk
    with path.open("rb") as file:
        while True:
            chunk = file.read(CHUNK)
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                start = max(error.start - held, 0)
                _refuse(
                    path,
                    error.object[error.start],
                    offset + error.start - held,
                    line + chunk[:start].count(b"\n"),
                )
            if not chunk:
                return
            if b"\0" in chunk:
                start = chunk.index(b"\0")
                _refuse(path, 0, offset + start, line + chunk[:start].count(b"\n"))
            held = len(decoder.getstate()[0])
            offset, line = offset + len(chunk), line + chunk.count(b"\n")


def _refuse(path: Path, byte: int, offset: int, line: int) -> NoReturn:
    raise InputError(
        f"{path} is not UTF-8 text: byte 0x{byte:02x} at position {offset}, line {line}; save it as UTF-8"
    )
