"""Compiled code under the address and undefined-behaviour sanitizers, with hostile sizes and 200 random networks (nightly).

Run as ``python -m tests.native.sanitize`` with libasan.so and libubsan.so in LD_PRELOAD and ASAN_OPTIONS=detect_leaks=0.
"""

import json
import tempfile
from pathlib import Path

import numpy as np
import torch

import softsym as ss
from softsym.native import build, status
from tests.fuzz.targets import attack, compiled, regularizers

FLAGS = ("-std=c11", "-O1", "-g", "-fPIC", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
WIDTHS, LAYERS, NETWORKS, CASES = (4, 70), (2, 6), 200, 3000


def network(rng: np.random.Generator) -> None:
    """One random network and its regularizer, forward and backward, with a batch of any size."""
    rep_in, rep_out = rng.choice(["V", "2S + 3V", "T(2)", "S"], size=2)
    group = str(rng.choice(["O(2)@z", "SO(3)", "O(3)"]))
    width, layers = int(rng.integers(*WIDTHS)), int(rng.integers(*LAYERS))
    net = ss.nn.SoftMLP(str(rep_in), str(rep_out), [group], width=width, layers=layers)
    net = net.to(torch.float64 if rng.random() < 0.5 else torch.float32)
    like = next(net.parameters())
    x = torch.randn(int(rng.integers(0, 200)), ss.rep(str(rep_in)).size(group), dtype=like.dtype)
    per = ss.EquivarianceRegularizer(net, [group, "O(2)@x"])
    (net(x).square().sum() + per()).backward()
    per.prox_(0.1)


def main() -> None:
    """Fails with the sanitizer's report at the first fault."""
    with tempfile.TemporaryDirectory() as folder:
        build.ATTEMPTS, build.cache_folder = (FLAGS,), lambda: Path(folder, "native")
        build.COMPILE_SECONDS = 300  # sanitized code takes long to compile
        assert status().compiled, status().reason
        rng = np.random.default_rng(0)
        for k in range(NETWORKS):
            torch.manual_seed(k)
            network(rng)
        for seed in range(CASES):
            attack(compiled, seed, Path(folder))
            attack(regularizers, seed, Path(folder))
    print(json.dumps({"networks": NETWORKS, "cases": 2 * CASES, "faults": 0}))


if __name__ == "__main__":
    main()
