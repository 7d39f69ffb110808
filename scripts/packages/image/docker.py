"""Makes an OCI layout one that Docker loads as well, with a health check.

usage: docker.py LAYOUT NAME COMMAND...

The format of OCI has no field for the check, so buildah leaves it out. Docker reads it from where its own builder puts it:
`Healthcheck` in the configuration of the image. Docker loads layouts since version 25; older ones load what `manifest.json` lists,
as the newer ones write it beside a layout.
"""

import hashlib
import json
import sys
from pathlib import Path

SECOND = 1_000_000_000


def blob(digest: str) -> str:
    return f"blobs/sha256/{digest.removeprefix('sha256:')}"


def compact(document: dict | list) -> bytes:
    return json.dumps(document, separators=(",", ":"), sort_keys=True).encode()


def main(layout: Path, name: str, command: list[str]) -> None:
    def read(descriptor: dict) -> dict:
        return json.loads((layout / blob(descriptor["digest"])).read_bytes())

    def replace(descriptor: dict, document: dict) -> None:
        """Writes the document in place of the one that the descriptor names."""
        content = compact(document)
        (layout / blob(descriptor["digest"])).unlink()
        descriptor.update(digest=f"sha256:{hashlib.sha256(content).hexdigest()}", size=len(content))
        (layout / blob(descriptor["digest"])).write_bytes(content)

    index = json.loads((layout / "index.json").read_bytes())
    (entry,) = index["manifests"]
    manifest = read(entry)
    config = read(manifest["config"])
    config["config"]["Healthcheck"] = {"Test": ["CMD", *command], "Interval": 30 * SECOND, "Timeout": 5 * SECOND}
    replace(manifest["config"], config)
    replace(entry, manifest)
    (layout / "index.json").write_bytes(compact(index))
    layers = [blob(layer["digest"]) for layer in manifest["layers"]]
    listed = {"Config": blob(manifest["config"]["digest"]), "RepoTags": [name], "Layers": layers}
    (layout / "manifest.json").write_bytes(compact([listed]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
