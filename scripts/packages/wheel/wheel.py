"""Writes a wheel for PyPI with the program as its only file.

usage: wheel.py VERSION TARGET BINARY LICENSES FOLDER

The same input gives the same bytes: names are in order, times are those of SOURCE_DATE_EPOCH.
"""

import base64
import hashlib
import os
import struct
import sys
import time
import zlib
from pathlib import Path

import deflate

# A static program runs with every C library; macOS names its oldest version.
TAGS = {
    "x86_64-unknown-linux-musl": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "aarch64-unknown-linux-musl": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "x86_64-apple-darwin": "macosx_11_0_x86_64",
    "aarch64-apple-darwin": "macosx_11_0_arm64",
}


def main(version: str, target: str, binary: Path, licenses: Path, folder: Path) -> None:
    tag = f"py3-none-{TAGS[target]}"
    info = f"aide_decide-{version}.dist-info"
    metadata = f"""\
Metadata-Version: 2.4
Name: aide-decide
Version: {version}
Summary: AI agents ask open questions, people decide on one clear page
License-Expression: MIT OR Apache-2.0
License-File: LICENSE-APACHE
License-File: LICENSE-MIT
License-File: LICENSES-OF-DEPENDENCIES.html
Requires-Python: >=3.8
"""
    wheel = "Wheel-Version: 1.0\nGenerator: aide\nRoot-Is-Purelib: false\n"
    wheel += "".join(f"Tag: py3-none-{platform}\n" for platform in TAGS[target].split("."))
    files = {f"aide_decide-{version}.data/scripts/aide": (binary.read_bytes(), 0o755)}
    for name in ["LICENSE-APACHE", "LICENSE-MIT", "LICENSES-OF-DEPENDENCIES.html"]:
        files[f"{info}/licenses/{name}"] = ((licenses / name).read_bytes(), 0o644)
    files[f"{info}/METADATA"] = (metadata.encode(), 0o644)
    files[f"{info}/WHEEL"] = (wheel.encode(), 0o644)
    record = "".join(f"{name},sha256={digest(content)},{len(content)}\n" for name, (content, _) in files.items())
    files[f"{info}/RECORD"] = (f"{record}{info}/RECORD,,\n".encode(), 0o644)

    moment = time.gmtime(max(int(os.environ["SOURCE_DATE_EPOCH"]), 315_532_800))
    (folder / f"aide_decide-{version}-{tag}.whl").write_bytes(zipped(files, moment))


def zipped(files: dict[str, tuple[bytes, int]], moment: time.struct_time) -> bytes:
    """A ZIP file of these files, each with its permissions. Written here, because `zipfile` knows only the compressor of zlib,
    which needs 4 % more."""
    clock = moment.tm_hour << 11 | moment.tm_min << 5 | moment.tm_sec // 2
    day = moment.tm_year - 1980 << 9 | moment.tm_mon << 5 | moment.tm_mday
    archive, directory = bytearray(), bytearray()
    for name, (content, mode) in files.items():
        packed, path = deflate.deflate_compress(content, 12), name.encode()
        # Version 2.0 of the format, no flags, deflated.
        common = struct.pack("<5H3L2H", 20, 0, 8, clock, day, zlib.crc32(content), len(packed), len(content), len(path), 0)
        # Made on Unix, whose permissions follow.
        directory += struct.pack("<4s2B", b"PK\1\2", 20, 3) + common
        directory += struct.pack("<3H2L", 0, 0, 0, (0o100000 | mode) << 16, len(archive)) + path
        archive += b"PK\3\4" + common + path + packed
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, len(files), len(files), len(directory), len(archive), 0)
    return bytes(archive + directory + end)


def digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    version, target, *paths = sys.argv[1:]
    main(version, target, *map(Path, paths))
