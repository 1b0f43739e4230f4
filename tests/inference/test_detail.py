import json

import numpy as np

from softsym.inference.detail import EvidenceDetail


def test_through_json_and_back():
    full = EvidenceDetail(np.array([0.0, 0.1]), np.array([-3.0, 0.0]), np.arange(3.0), 0.5)
    for detail in (full, EvidenceDetail()):
        assert EvidenceDetail.from_dict(json.loads(json.dumps(detail.to_dict()))) == detail
    assert full != EvidenceDetail()
    assert hash(full) == hash(EvidenceDetail.from_dict(full.to_dict()))


def test_nothing_is_empty():
    nothing = EvidenceDetail()
    assert nothing.shares.shape == nothing.draws.shape == (0,)
    assert np.isnan(nothing.observed)
