import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.inference.kernels import Kernel, equivariant_kernel

SMOOTH = Kernel("rbf", 1.4)


def test_methods_and_refusals():
    rep = ss.rep("2V")
    assert equivariant_kernel(ss.Scaling(3), ss.rep("S"), rep).method.startswith("polynomial")
    assert not equivariant_kernel(ss.SL(3), rep, rep).allows(SMOOTH)
    with pytest.raises(InputError, match="SU\\(3\\) has no known finite subgroup"):
        equivariant_kernel(ss.SU(3), ss.rep("V"), ss.rep("S"))
    with pytest.raises(InputError, match="too large for its polynomial maps"):
        equivariant_kernel(ss.SL(3), ss.rep("200V"), ss.rep("20T(3)"))
