"""Limits hold inside a block and are put back after it, whatever happens there."""

import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.limits import DEFAULT, ContextThreads, at_most, limit
from softsym.native import is_torch_only, torch_only
from softsym.progress import is_silent, silence
from softsym.spaces import cache, cache_folder


def test_a_limit_holds_inside_its_block_only():
    with at_most(gigabytes=1, minutes=2):
        assert (limit().gigabytes, limit().minutes) == (1, 2)
        with pytest.raises(InputError), at_most(gigabytes=1e-3):
            ss.O(300)
        assert limit().gigabytes == 1
    assert limit() == DEFAULT


def test_settings_hold_in_threads(tmp_path):
    def settings():
        return limit().gigabytes, cache.current_folder(), is_torch_only(), is_silent()

    def refused(n):
        with pytest.raises(InputError, match="is the largest"):
            ss.O(n)
        return settings()

    with at_most(gigabytes=1e-3), cache_folder(tmp_path), torch_only(), silence(), ContextThreads(2) as pool:
        expected = (1e-3, tmp_path, True, True)
        assert list(pool.map(refused, [50, 60])) == [expected] * 2
        assert pool.submit(settings).result() == expected
    assert settings()[0] == DEFAULT.gigabytes


@pytest.mark.parametrize("wrong", [{"gigabytes": 0}, {"minutes": -1}, {"gigabytes": float("nan")}])
def test_limits_are_positive(wrong):
    with pytest.raises(InputError, match="limits must be positive"), at_most(**wrong):
        pass


def test_generators_obey_it_and_the_refusal_says_how_to_raise_it():
    with pytest.raises(
        InputError, match=r"O\(292\) is the largest that is made, unless you .*at_most\(gigabytes=4\.3\)"
    ):
        ss.O(300)
    with at_most(gigabytes=4.4):
        assert ss.O(300).dim == 300
    with at_most(gigabytes=1e-3), pytest.raises(InputError, match=r"O\(18\) is the largest"):
        ss.group("O(40)")
