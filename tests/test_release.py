"""What a release is made with: dependencies with hashes, and the bill of materials."""

import json
import re
import runpy
from importlib import metadata
from pathlib import Path

import pytest

CI = Path(__file__).parent.parent / ".ci"
LOCK, SBOM = (runpy.run_path(str(CI / name)) for name in ("lock", "sbom"))


def test_the_lock_has_a_hash_for_everything():
    entries = (CI.parent / "requirements.lock").read_text(encoding="utf-8").splitlines()[1:]
    assert all(re.fullmatch(r"[a-z0-9.-]+==\S+ --hash=sha256:[0-9a-f]{64}", line) for line in entries)
    locked = {line.split("==")[0] for line in entries}
    required = {re.match(r"[A-Za-z0-9_.-]+", text)[0].lower().replace("_", "-") for text in LOCK["requirements"]()}
    assert required <= locked


def test_the_lock_agrees_with_the_constraints():
    text = (CI.parent / "requirements.lock").read_text(encoding="utf-8")
    locked = {SBOM["normalized"](name): version for name, version in re.findall(r"^(\S+)==(\S+) ", text, re.M)}
    pinned = re.findall(r"^([\w-]+)==(\S+)$", (CI.parent / "constraints.txt").read_text(encoding="utf-8"), re.M)
    for name, version in pinned:
        if SBOM["normalized"](name) in locked:
            assert locked[SBOM["normalized"](name)].split("+")[0] == version


def test_a_report_without_a_hash_is_refused():
    item = {
        "metadata": {"name": "A_b", "version": "1"},
        "download_info": {"archive_info": {"hashes": {"sha256": "ab"}}},
    }
    assert LOCK["lines"]({"install": [item]}) == ["a-b==1 --hash=sha256:ab"]
    with pytest.raises(SystemExit, match="no hash for A_b 1"):
        LOCK["lines"]({"install": [item | {"download_info": {}}]})


def test_the_bill_of_materials_lists_what_runs(tmp_path):
    lock = tmp_path / "lock"
    lock.write_text(f"numpy=={metadata.version('numpy')} --hash=sha256:{'0' * 64}\n")
    bill = json.loads(json.dumps(SBOM["bill"](lock=lock)))
    names = {component["name"]: component for component in bill["components"]}
    assert (bill["bomFormat"], bill["metadata"]["component"]["name"]) == ("CycloneDX", "softsym")
    assert {"torch", "numpy", "polars"} <= set(names)
    assert "pytest" not in names
    assert names["numpy"]["hashes"] == [{"alg": "SHA-256", "content": "0" * 64}]
    references = {component["bom-ref"] for component in [bill["metadata"]["component"], *bill["components"]]}
    assert all(set(entry["dependsOn"]) <= references for entry in bill["dependencies"])
