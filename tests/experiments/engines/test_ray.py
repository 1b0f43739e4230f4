"""The Ray engine: the same contract as the local one."""

import pytest

from softsym.errors import InputError
from softsym.experiments.engines.ray import Ray
from tests.experiments import engine_jobs as engines

ray = pytest.importorskip("ray")
# Ray opens sockets and files of its own and warns of its own plans.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.mark.slow
def test_same_bits_as_alone(tmp_path):
    engines.same_bits_as_alone(Ray(1), tmp_path)


@pytest.mark.slow
def test_failure_stops_nobody(tmp_path):
    engines.failure_stops_nobody(Ray(2), tmp_path)


@pytest.mark.slow
def test_killed_and_taken_up_again(tmp_path):
    engines.killed_and_taken_up_again(Ray(1), tmp_path)


def test_no_cluster_at_the_address(tmp_path):
    from softsym.experiments.engines.engine import Job

    with pytest.raises(InputError, match=r"no Ray cluster at 127\.0\.0\.1:9: .*refused; pass another"):
        list(Ray(1, "127.0.0.1:9").outcomes([Job(engines.spec(), tmp_path)]))


def test_nothing_to_do_starts_no_cluster():
    assert list(Ray(1).outcomes([])) == []
    assert not ray.is_initialized()
