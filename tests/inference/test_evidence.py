import sys
from functools import partial

import numpy as np
import pytest

import softsym
import softsym as ss
from softsym.errors import InputError
from softsym.inference import evidence
from softsym.progress import progress


def draw(n=150, noise=0.05, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 6))
    return X, np.cross(X[:, :3], X[:, 3:]) + noise * rng.standard_normal((n, 3))


def rotated(text, M):
    G = ss.group(text)
    return ss.Group.from_generators(M @ G.lie_algebra @ M.T, M @ G.discrete_generators @ M.T, name="rotated")


def test_the_function_is_public():
    X, Y = draw(100)
    assert softsym.evidence(X, Y, "2V", "V", ["SO(3)"])["SO(3)"].verdict == "exact"


def test_exact_absent_and_where_the_numbers_stand():
    X, Y = draw()
    table = evidence(X, Y, "2V", "V", ["SO(3)", "O(3)"])
    exact, absent = table
    assert (exact.verdict, absent.verdict) == ("exact", "absent")
    assert exact.p_value > 0.01 > absent.p_value
    assert exact.log_evidence > 100 > 0 > absent.log_evidence
    assert exact.tolerance == exact.interval[1] < 0.05
    assert exact.overlap > 0.7
    assert exact.errors[0] < exact.errors[2]
    assert "polynomials" in exact.method
    assert exact.rows == 150
    assert exact.cost[1] < 0.0025 < absent.cost[0]
    assert exact.certified < 0.1 < absent.certified
    assert exact.seconds > 0


def test_a_rotated_frame():
    X, Y = draw()
    Y[:, :2] += 0.5 * X[:, :2]
    M = ss.SO(3).sample(1, seed=2)[0]
    X, Y = (X.reshape(-1, 2, 3) @ M.T).reshape(-1, 6), Y @ M.T
    table = evidence(X, Y, "2V", "V", [rotated("SO(2)@z", M), "SO(2)@x"])
    assert table[0].verdict == "exact"
    assert table[1].verdict != "exact"


def test_pure_noise_is_never_exact():
    rng = np.random.default_rng(0)
    for seed in range(4):
        X, Y = rng.standard_normal((60, 6)), rng.standard_normal((60, 3))
        assert evidence(X, Y, "2V", "V", ["SO(3)"], seed=seed)[0].verdict == "undecided"


def test_transformed_inputs_where_there_are_none():
    rng = np.random.default_rng(0)
    X = rng.normal([0.0, 0.0, 5.0], 0.3, size=(150, 3))
    row = evidence(X, X * [1.0, 1.0, 1.0], "V", "V", ["SO(2)@x"])[0]
    assert row.verdict == "undecided"
    assert "transformed inputs lie where there are no inputs" in row.note


def test_a_group_that_acts_trivially_says_so():
    X, _ = draw(60)
    row = evidence(X, X[:, :1] ** 2, "6S", "S", ["O(3)"])[0]
    assert row.verdict == "undecided"
    assert "acts trivially" in row.note


def test_groups_that_are_not_compact():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 8))
    metric = np.array([1.0, -1.0, -1.0, -1.0])
    Y = (X[:, :4] * metric * X[:, 4:]).sum(1, keepdims=True) + 0.05 * rng.standard_normal((150, 1))
    table = evidence(X, Y, "2V", "S", ["SO13p()", "SL(4)"])
    assert table["SO13p()"].violation < 0.05
    assert table["SL(4)"].interval[0] > 0.4


def test_row_groups_stay_together():
    X, Y = draw(40)
    X, Y, labels = np.repeat(X, 3, axis=0), np.repeat(Y, 3, axis=0), np.repeat(np.arange(40), 3)
    assert evidence(X, Y, "2V", "V", ["SO(3)"], row_groups=labels)[0].p_value > 0.01


def test_a_group_is_not_exact_if_a_subgroup_is_refuted():
    X, Y = draw()
    Y[:, 0] += 0.3 * X[:, 1]
    table = evidence(X, Y, "2V", "V", ["SO(3)", "SO(2)@z"])
    assert table["SO(2)@z"].verdict != "exact"
    assert table["SO(3)"].verdict != "exact"


def test_a_group_is_absent_if_a_subgroup_is():
    """Vectors near the plane z = 0 say nothing about rotations about x, but rotations about z are broken, which refutes SO(3), too."""
    X, Y = draw(300)
    X[:, 2::3] *= 1e-3
    Y = np.stack([X[:, 0] + 0.02 * Y[:, 0], 0.5 * X[:, 4], 0 * X[:, 0]], axis=1)
    alone = evidence(X, Y, "2V", "V", ["SO(3)"])[0]
    large, small = evidence(X, Y, "2V", "V", ["SO(3)", "SO(2)@z"])
    assert alone.verdict == small.verdict == large.verdict == "absent"
    assert large.interval[0] >= small.interval[0]
    assert large.violation >= small.interval[0]


def test_inputs_need_not_be_invariant():
    """Exact functions of inputs in an ellipsoid are not refuted, broken ones are."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 6)) * np.tile([1.0, 0.55, 1.0], 2)
    Y = np.cross(X[:, :3], X[:, 3:]) * np.exp(-np.sum(X**2, axis=1, keepdims=True) / 6)
    Y = Y + 0.01 * rng.standard_normal(Y.shape)
    row = evidence(X, Y, "2V", "V", ["SO(2)@z"])[0]
    assert row.p_value > 0.01
    assert row.verdict in ("exact", "undecided")
    broken = evidence(X, Y + 0.1 * X[:, :3] * [1, 0, 0], "2V", "V", ["SO(2)@z"])[0]
    assert broken.verdict in ("soft", "absent")


def test_a_polygon_is_no_circle():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((800, 2))
    angle, radius = np.arctan2(X[:, 1], X[:, 0]), np.hypot(X[:, 0], X[:, 1])
    Y = radius**2 + 0.5 * np.cos(8 * angle) + 0.1 * rng.standard_normal(800)
    circle, polygon = evidence(X, Y, "V", "S", ["SO(2)", "C(8)"])
    assert circle.verdict == "soft"
    assert circle.interval[0] < np.sqrt(0.125 / 4.125) < circle.interval[1]
    assert polygon.verdict in ("exact", "undecided")
    assert polygon.p_value > 0.01


def test_motion_does_not_hide_a_violation():
    """The next positions are mostly the positions, which every matrix respects; what is left breaks GL(3) wholly."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 6))
    gap = X[:, :3] - X[:, 3:]
    force = gap * (1 - 1 / np.linalg.norm(gap, axis=1, keepdims=True))
    Y = X[:, :3] + 0.05 * force + 0.001 * rng.standard_normal((300, 3))
    exact, broken = evidence(X, Y, "2V", "V", ["O(3)", "GL(3)"])
    assert exact.verdict == "exact"
    assert broken.verdict == "soft"
    assert broken.violation < 0.05


def test_noise_that_is_known_makes_the_certified_tolerance_smaller():
    X, Y = draw(200)
    unknown, known = (evidence(X, Y, "2V", "V", ["SO(3)"], noise=noise)[0] for noise in (None, 0.05))
    assert known.certified < unknown.certified
    X, Y = np.repeat(X[:100], 2, axis=0), np.repeat(Y[:100], 2, axis=0)
    Y = Y + 0.3 * np.random.default_rng(1).standard_normal(Y.shape)
    assert evidence(X, Y, "2V", "V", ["SO(3)"])[0].certified < 0.2
    with pytest.raises(InputError, match="`noise` must be a standard deviation, or one for each of 3 outputs"):
        evidence(X, Y, "2V", "V", ["SO(3)"], noise=[1.0, 2.0])


def test_progress_names_every_candidate():
    X, Y = draw(60)
    names = []
    evidence(X, Y, "2V", "V", ["SO(3)", "O(3)"], on_progress=names.append)
    assert sorted(names) == ["O(3)", "SO(3)"]


def test_the_number_of_threads_changes_nothing():
    X, Y = draw(60)
    first, second = (evidence(X, Y, "2V", "V", ["SO(3)", "O(3)"], n_jobs=k) for k in (1, 2))
    assert [(a.p_value, a.interval) for a in first] == [(a.p_value, a.interval) for a in second]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"X": np.ones((1, 6)), "Y": np.ones((1, 3))},
            "1 row\\(s\\) say nothing about symmetries; at least 10 are needed",
        ),
        ({"Y": np.zeros((60, 3))}, "the outputs do not vary"),
        ({"Y": np.ones((59, 3))}, "`X` has 60 rows and `Y` has 59"),
        ({"X": np.full((60, 6), np.nan)}, "`X` is nan in row 0, column 0"),
        ({"X": np.full((60, 6), "a")}, "`X` holds texts; pass numbers"),
        ({"rep_in": "V"}, "V under SO\\(3\\) has size 3, X has 6 columns"),
        ({"rep_in": None}, "`rep_in` is None"),
        ({"groups": []}, "pass at least one group"),
        ({"tolerance": 0.0}, "`tolerance` must be positive"),
        ({"row_groups": [0] * 60}, "all rows are of one row group"),
    ],
)
def test_refusals(change, message):
    X, Y = draw(60)
    arguments = {"X": X, "Y": Y, "rep_in": "2V", "rep_out": "V", "groups": ["SO(3)"], **change}
    with pytest.raises(InputError, match=message):
        evidence(**arguments)


def test_what_a_report_draws():
    X, Y = draw(60)
    table = evidence(X, Y, "2V", "V", ["SO(3)", "Scaling(3)"], invariant_inputs=True)
    assert set(table.details) == {"SO(3)", "Scaling(3)"}
    detail = table.details["SO(3)"]
    assert len(detail.shares) == len(detail.log_likelihoods) > 3
    assert detail.log_likelihoods.max() == 0.0
    assert len(detail.draws)
    assert not len(table.details["Scaling(3)"].draws)
    assert table.seconds >= max(row.seconds for row in table)


def test_all_rows_count():
    X = np.random.default_rng(0).standard_normal((30_000, 2))
    Y = np.sum(X**2, axis=1) + 0.1 * np.random.default_rng(1).standard_normal(30_000)
    (row,) = evidence(X, Y, "V", "S", ["O(2)"])
    assert row.rows == 30_000
    assert row.verdict == "exact"
    assert row.interval[1] < 0.005


def test_repeated_rows():
    X, Y = draw(20)
    (row,) = evidence(np.repeat(X, 5, axis=0), np.repeat(Y, 5, axis=0), "2V", "V", ["SO(3)"])
    assert 0.0 <= row.interval[0] <= row.interval[1] <= 1.0


def test_a_broken_symmetry_is_as_large_as_the_test_sees():
    """Gravity is a constant that a kernel may take for curvature of its inputs; the test, which moves them, sees its size."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((300, 3))
    Y = X + [0.0, 0.0, 1.0] + 0.05 * rng.standard_normal(X.shape)
    (row,) = evidence(X, Y, "V", "V", ["SO(2)@x"])
    assert row.verdict == "absent"
    truth = 1 / np.sqrt(np.mean(np.sum(Y**2, axis=1)))
    assert row.interval[0] <= truth <= row.interval[1]
    assert row.interval[0] > 0.8 * truth


def test_rows_count_by_their_weights():
    """Four rows in ten were measured with a device that knows where north is, and are hardly trusted."""
    X, Y = draw(200)
    doubted = np.arange(200) % 5 < 2
    Y[doubted] += [3.0, 0.0, 0.0] * X[doubted, :1]
    weights = np.where(doubted, 1e-6, 1.0)
    alike, weighted = (evidence(X, Y, "2V", "V", ["SO(3)"], sample_weight=w)[0] for w in (None, weights))
    assert alike.verdict != "exact"
    assert alike.p_value < 0.05 < weighted.p_value
    assert weighted.verdict == "exact"


def test_rows_of_weight_zero_take_no_part():
    X, Y = draw(60)
    weights = (np.arange(60) < 45).astype(float)
    labels = np.arange(60) // 3
    options = {"n_jobs": 1}
    weighted = evidence(X, Y, "2V", "V", ["SO(3)"], sample_weight=7 * weights, row_groups=labels, **options)[0]
    kept = evidence(X[:45], Y[:45], "2V", "V", ["SO(3)"], row_groups=labels[:45], **options)[0]
    assert {**weighted.to_dict(), "seconds": 0} == {**kept.to_dict(), "seconds": 0}
    with pytest.raises(InputError, match=r"5 row\(s\) say nothing"):
        evidence(X, Y, "2V", "V", ["SO(3)"], sample_weight=np.arange(60) < 5)
    with pytest.raises(InputError, match="`sample_weight` has shape"):
        evidence(X, Y, "2V", "V", ["SO(3)"], sample_weight=[1.0, 2.0])


def test_the_former_name_of_row_groups_warns():
    X = np.random.default_rng(0).standard_normal((60, 3))
    labels = np.arange(60) // 2
    new = evidence(X, X, "V", "V", ["O(3)"], row_groups=labels)[0]
    with pytest.warns(DeprecationWarning, match="`sources` is now `row_groups`") as caught:
        old = evidence(X, X, "V", "V", ["O(3)"], sources=labels)[0]
    assert caught[0].filename == __file__
    assert (old.p_value, old.interval) == (new.p_value, new.interval)
    with pytest.warns(DeprecationWarning, match="is now"), pytest.raises(InputError, match="pass one of them"):
        evidence(X, X, "V", "V", ["O(3)"], row_groups=labels, sources=labels)


def test_products_of_three_factors_are_followed():
    """Some equivariant tensors and normals in homogeneous coordinates are of degree three; without them exact symmetries look broken."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 6))
    Y = (np.cross(X[:, :3], X[:, 3:])[:, :, None] * X[:, None, :3]).reshape(200, 9)
    Y = Y + 0.05 * Y.std() * rng.standard_normal(Y.shape)
    assert ss.evidence(X, Y, "2V", "T(2)", ["SO(3)"])[0].verdict == "exact"


def test_a_candidate_is_not_withdrawn_because_another_one_helps_more():
    """Both hold; exchanges help a model of few rows much more than rotations about one axis."""
    X, Y = (np.asarray(each) for each in ss.task("inertia:Oz(2)").sample(200, seed=0))
    table = ss.evidence(X, Y, "5x(S + V)", "T(2)", ["O(2)@z", "S(5)"])
    assert [row.verdict for row in table] == ["exact", "exact"]


def test_long_work_is_not_silent(monkeypatch, capsys, caplog):
    monkeypatch.setattr(sys.modules[evidence.__module__], "progress", partial(progress, patience=0.0))
    X, Y = draw(60)
    with caplog.at_level("INFO", logger="softsym"):
        evidence(X, Y, "2V", "V", ["SO(3)", "O(3)"])
        ss.SoftEquivariantGP("2V", "V", ["SO(3)"]).fit(X, Y)
    assert "evidence: group 2/" in capsys.readouterr().err
    assert "evidence on 2 candidates" in caplog.text
    assert "Gaussian process on 60 rows with 1 candidates" in caplog.text
