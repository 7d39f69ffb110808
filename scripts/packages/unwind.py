"""Puts the entries by which a panic unwinds a program (`.eh_frame`) in the order of its code, with the table that finds them.

usage: unwind.py PROGRAM

The linker lays functions that are alike beside each other, and leaves the entries in the order of the compiler. In the same order,
numbers that follow each other differ little: compressed, the program is 2 % smaller. Nothing else changes, not even its length.
"""

import struct
import sys
from pathlib import Path
from typing import NamedTuple

# Encodings of addresses: the low half says how long one is, the high half what it is relative to.
FORMATS = {0x0: "<q", 0x3: "<I", 0xB: "<i", 0xC: "<q"}
RELATIVE = 0x10
ABSENT = 0xFF


class Section(NamedTuple):
    address: int
    offset: int
    size: int


class Entry(NamedTuple):
    offset: int
    size: int
    # Where the entry is that this one continues; none for those that are continued.
    common: "int | None"


class Common(NamedTuple):
    code: int
    handlers: int


def main(file: Path) -> None:
    program = bytearray(file.read_bytes())
    sections = read_sections(program)
    frames, table = sections[".eh_frame"], sections[".eh_frame_hdr"]
    entries = read_entries(program, frames)
    commons = {entry.offset: read_common(program, frames, entry) for entry in entries if entry.common is None and entry.size > 4}
    # What is read must be what is there: written in its own order, it is the same.
    unchanged, found = written(program, frames, table, entries, commons)
    old = part(program, frames.offset, len(unchanged)), part(program, table.offset, table.size)
    if (unchanged, found) != old:
        sys.exit(f"unwind: {file} has tables of another form")

    def place(entry: Entry) -> "tuple[int, int]":
        if entry.common is None:
            return entry.offset, -1
        return entry.common, code_of(program, frames, entry, commons)

    ordered, found = written(program, frames, table, sorted(entries, key=place), commons)
    program[frames.offset : frames.offset + len(ordered)] = ordered
    program[table.offset : table.offset + len(found)] = found
    file.write_bytes(program)


def part(program: bytearray, offset: int, size: int) -> bytearray:
    return program[offset : offset + size]


def read_sections(program: bytearray) -> "dict[str, Section]":
    if program[:6] != b"\x7fELF\x02\x01":
        sys.exit("unwind: this is no program of 64 bits for Linux")
    (start,) = struct.unpack_from("<Q", program, 40)
    size, count, names = struct.unpack_from("<3H", program, 58)
    headers = [struct.unpack_from("<2I4Q", program, start + number * size) for number in range(count)]
    texts = headers[names][4]
    name = lambda header: program[texts + header[0] : program.index(0, texts + header[0])].decode()
    return {name(header): Section(*header[3:6]) for header in headers}


def read_entries(program: bytearray, frames: Section) -> "list[Entry]":
    entries, at = [], 0
    while at < frames.size:
        (length,) = struct.unpack_from("<I", program, frames.offset + at)
        if length == 0:
            # The end; it is not smaller than the others.
            entries.append(Entry(at, 4, None))
            break
        (back,) = struct.unpack_from("<I", program, frames.offset + at + 4)
        entries.append(Entry(at, length + 4, at + 4 - back if back else None))
        at += length + 4
    return entries


def read_common(program: bytearray, frames: Section, entry: Entry) -> Common:
    at = frames.offset + entry.offset + 9
    letters = program[at : program.index(0, at)].decode()
    at += len(letters) + 1
    # Alignments of code and data, the register that is returned to, the length of what follows.
    for _ in range(4):
        while program[at] & 0x80:
            at += 1
        at += 1
    code, handlers = 0, ABSENT
    for letter in letters[1:]:
        if letter == "R":
            code = program[at]
        elif letter == "L":
            handlers = program[at]
        elif letter == "P":
            at += struct.calcsize(FORMATS[program[at] & 0xF])
        at += 1
    return Common(code, handlers)


def code_of(program: bytearray, frames: Section, entry: Entry, commons: "dict[int, Common]") -> int:
    """The address of the function that an entry is about."""
    encoding = commons[entry.common].code
    (value,) = struct.unpack_from(FORMATS[encoding & 0xF], program, frames.offset + entry.offset + 8)
    return value + frames.address + entry.offset + 8 if encoding & RELATIVE else value


def written(program, frames, table, entries, commons) -> "tuple[bytearray, bytearray]":
    """The entries in this order, and the table that finds them."""
    new, places, found = bytearray(), {}, []
    for entry in entries:
        places[entry.offset] = len(new)
        new += part(program, frames.offset + entry.offset, entry.size)
    for entry in entries:
        if entry.common is None:
            continue
        at = places[entry.offset]
        moved = entry.offset - at
        common = commons[entry.common]
        struct.pack_into("<I", new, at + 4, at + 4 - places[entry.common])
        fields = [(8, common.code)]
        if common.handlers != ABSENT:
            # Behind the code, its length, and the length of this.
            fields.append((9 + 2 * struct.calcsize(FORMATS[common.code & 0xF]), common.handlers))
        for field, encoding in fields:
            form = FORMATS[encoding & 0xF]
            (value,) = struct.unpack_from(form, new, at + field)
            if encoding & RELATIVE and value:
                struct.pack_into(form, new, at + field, value + moved)
        found.append((code_of(program, frames, entry, commons) - table.address, frames.address + at - table.address))
    # Its version, its three encodings, where the entries are, and how many.
    head = part(program, table.offset, 12)
    return new, head + b"".join(struct.pack("<2i", *pair) for pair in sorted(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
