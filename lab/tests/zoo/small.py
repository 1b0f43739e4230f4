"""Models of the zoo on the small task."""

from lab.tests.runs.small import TASK, preset

from softsym.datasets import task
from softsym.groups import group as read_group
from softsym_lab.zoo import build


def made(name, group=None, groups=None, **numbers):
    chosen = preset().model_copy(update=numbers)
    given = None if group is None else read_group(group)
    return build(name, task(TASK), chosen, 0, given, groups and [read_group(text) for text in groups])


def error_of(model, group, n=4):
    """How far a model breaks a group."""
    from softsym.metrics import equivariance_error

    x = task(TASK).sample(50, 0)[0].double()
    inertia = task(TASK)
    return equivariance_error(model.double(), x, inertia.rep_in, inertia.rep_out, group, n_transforms=n)
