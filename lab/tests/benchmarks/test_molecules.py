import numpy as np
import pytest

from softsym.errors import InputError
from softsym_lab.benchmarks.molecules import SETS, read, run


@pytest.fixture
def folder(tmp_path):
    """Files as the recorded ones: dipoles and polarizabilities of charges 6 and 1, energies of springs."""
    rng, charges = np.random.default_rng(0), np.array([6, 1, 6, 1, 8, 1, 1, 1, 1])
    (tmp_path / "zundel").mkdir()
    (tmp_path / "rmd17").mkdir()
    r = rng.standard_normal((80, 7, 3))
    own = (r - r.mean(axis=1, keepdims=True)) * np.array([6, 6, 1, 1, 1, 1, 1])[:, None]
    tensors = np.einsum("nia,nib->nab", own, own)
    np.savez(tmp_path / "zundel" / "zundel.npz", positions=r, dipole=own.sum(axis=1), polarizability=tensors)
    for part in ("train", "test"):
        r = rng.standard_normal((60, 9, 3))
        energies = ((r[:, :, None] - r[:, None]) ** 2).sum(axis=(1, 2, 3))
        np.savez(tmp_path / "rmd17" / f"ethanol_{part}.npz", positions=r, energies=energies, charges=charges)
    return tmp_path


def test_dipoles_of_point_charges(folder):
    (found,) = run(folder, ["dipole"], 40)["sets"]
    assert found["verdicts"] == {"O(3)": "exact", "S(2) * S(5)": "exact"}
    assert set(found["evidence"]) == {"O(3)", "S(2) * S(5)"}
    assert found["error"] < 1e-6 < found["kernel_ridge"]
    assert (found["rows"], found["test_rows"]) == (40, 40)
    assert {"error", "what", "source"} == set(found["elsewhere"])


def test_rows_are_read(folder):
    """Equal atoms are together, single ones last; six columns of a tensor have its norm; rows of the test are others."""
    energies = read(folder, "ethanol", 10)
    atoms = np.load(folder / "rmd17" / "ethanol_test.npz")["positions"][:, [0, 2, 1, 3, 5, 6, 7, 8, 4]]
    assert np.allclose(energies.X_test, (atoms - atoms.mean(axis=1, keepdims=True)).reshape(60, 27))
    assert energies.X.shape == (10, 27)
    tensors, own = read(folder, "polarizability", 20), np.load(folder / "zundel" / "zundel.npz")["polarizability"]
    norms = np.concatenate([(part**2).sum(axis=1) for part in (tensors.Y, tensors.Y_test)])
    assert np.allclose(np.sort(norms), np.sort((own**2).sum(axis=(1, 2))))
    assert not set(tensors.X[:, 0]) & set(tensors.X_test[:, 0])


def test_what_is_missing_is_named(folder):
    with pytest.raises(InputError, match="name their folder"):
        run()
    with pytest.raises(InputError, match=r"there is no file benzene_train\.npz in"):
        run(folder, list(SETS)[1:2])
