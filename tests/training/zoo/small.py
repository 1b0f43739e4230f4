"""Models of the zoo on the small task."""

from softsym.groups import group as read_group
from softsym.tasks import task
from softsym.training import build
from tests.training.small import TASK, preset


def made(name, group=None, groups=None, **numbers):
    chosen = preset().model_copy(update=numbers)
    given = None if group is None else read_group(group)
    return build(name, task(TASK), chosen, 0, given, groups and [read_group(text) for text in groups])


def error_of(model, group, n=4):
    """How far a model breaks a group."""
    from softsym.measure import equivariance_error

    x = task(TASK).sample(50, 0)[0].double()
    inertia = task(TASK)
    return equivariance_error(model.double(), x, inertia.rep_in, inertia.rep_out, group, n_transforms=n)
