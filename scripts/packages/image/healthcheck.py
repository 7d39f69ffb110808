"""Adds a health check to the image in an OCI layout.

usage: healthcheck.py LAYOUT COMMAND...

The format of OCI has no field for it, so buildah leaves it out. Docker reads it from where its own builder puts it:
`Healthcheck` in the configuration of the image.
"""

import hashlib
import json
import sys
from pathlib import Path

SECOND = 1_000_000_000


def main(layout: Path, command: list[str]) -> None:
    blobs = layout / "blobs" / "sha256"

    def read(digest: str) -> dict:
        return json.loads((blobs / digest.removeprefix("sha256:")).read_bytes())

    def replaced(descriptor: dict, document: dict) -> None:
        """Writes the document in place of the one that the descriptor names."""
        content = json.dumps(document, separators=(",", ":"), sort_keys=True).encode()
        (blobs / descriptor["digest"].removeprefix("sha256:")).unlink()
        name = hashlib.sha256(content).hexdigest()
        (blobs / name).write_bytes(content)
        descriptor.update(digest=f"sha256:{name}", size=len(content))

    index = json.loads((layout / "index.json").read_bytes())
    (entry,) = index["manifests"]
    manifest = read(entry["digest"])
    config = read(manifest["config"]["digest"])
    config["config"]["Healthcheck"] = {"Test": ["CMD", *command], "Interval": 30 * SECOND, "Timeout": 5 * SECOND}
    replaced(manifest["config"], config)
    replaced(entry, manifest)
    (layout / "index.json").write_text(json.dumps(index, separators=(",", ":"), sort_keys=True))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
