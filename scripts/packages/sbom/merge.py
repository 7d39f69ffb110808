"""Prints one SBOM for the program and the page that is embedded in it.

usage: merge.py FOLDER TARGET VERSION PROGRAM PAGE

FOLDER is the work tree, whose path stays out of it. What two lists name is named once, in order, so that the same input gives
the same bytes; a serial number, which must be another one each time, is left out.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote


def main(folder: str, target: str, version: str, *lists: str) -> None:
    program, page = (read(Path(name), folder) for name in lists)
    root = program["metadata"]["component"]
    root.pop("components", None)
    root.update(version=version, purl=f"pkg:generic/aide-decide@{version}")
    page_root = page["metadata"]["component"]
    page_root.pop("components", None)
    page_root["type"] = "library"

    components = {component["bom-ref"]: component for component in [*program["components"], *page["components"], page_root]}
    depends: dict[str, set[str]] = {}
    for entry in [*program["dependencies"], *page["dependencies"]]:
        depends.setdefault(entry["ref"], set()).update(entry.get("dependsOn", []))
    depends[root["bom-ref"]].add(page_root["bom-ref"])

    # The crate is a wrapper; what is compiled into the program is the library of C in its folder.
    (wrapper,) = (component for component in components.values() if component["name"] == "libsqlite3-sys")
    sqlite = {
        "type": "library",
        "bom-ref": "sqlite",
        "name": "sqlite",
        "version": sqlite_version(folder, wrapper["version"]),
        "scope": "required",
        "licenses": [{"license": {"id": "blessing"}}],
    }
    sqlite["purl"] = f"pkg:generic/sqlite@{sqlite['version']}"
    components["sqlite"] = sqlite
    depends.setdefault(wrapper["bom-ref"], set()).add("sqlite")

    program["components"] = [components[ref] for ref in sorted(components)]
    program["dependencies"] = [
        {"ref": ref, "dependsOn": sorted(depends[ref])} if depends[ref] else {"ref": ref} for ref in sorted(depends)
    ]
    program["metadata"]["properties"] = [{"name": "cdx:rustc:sbom:target:triple", "value": target}]
    json.dump(program, sys.stdout, indent=1, ensure_ascii=False)
    print()


def read(file: Path, folder: str) -> dict:
    """An SBOM without the path of the work tree; crates of the workspace have no address to download them from."""
    text = file.read_text().replace(f"path+file://{quote(folder)}/", "workspace:")
    document = json.loads(re.sub(r"\?download_url=file://[^\"#]*", "", text))
    document.pop("serialNumber", None)
    return document


def sqlite_version(folder: str, crate: str) -> str:
    metadata = json.loads(
        subprocess.check_output(["cargo", "metadata", "--offline", "--locked", "--format-version=1"], cwd=folder)
    )
    (manifest,) = (
        Path(package["manifest_path"])
        for package in metadata["packages"]
        if (package["name"], package["version"]) == ("libsqlite3-sys", crate)
    )
    header = (manifest.parent / "sqlite3" / "sqlite3.h").read_text()
    return re.search(r'#define SQLITE_VERSION +"([^"]+)"', header)[1]


if __name__ == "__main__":
    main(*sys.argv[1:])
