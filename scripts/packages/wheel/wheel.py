"""Writes a wheel for PyPI with the program as its only file.

usage: wheel.py VERSION TARGET BINARY LICENSES FOLDER

The same input gives the same bytes: names are in order, times are those of SOURCE_DATE_EPOCH.
"""

import base64
import hashlib
import os
import sys
import time
import zipfile
from pathlib import Path

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

    moment = time.gmtime(max(int(os.environ["SOURCE_DATE_EPOCH"]), 315_532_800))[:6]
    with zipfile.ZipFile(folder / f"aide_decide-{version}-{tag}.whl", "w") as archive:
        for name, (content, mode) in files.items():
            entry = zipfile.ZipInfo(name, moment)
            entry.create_system = 3
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content, compresslevel=9)


def digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    version, target, *paths = sys.argv[1:]
    main(version, target, *map(Path, paths))
