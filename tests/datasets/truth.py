"""How much a task's truth breaks a group, measured here independently of the library's own measure."""

import torch


def data_error(task, group, n=400, seed=0):
    """Mean of |rho f(x) - f(rho x)| over the sum of both norms, in float64, at inputs as the data's."""
    x, g = task.inputs(n, torch.Generator().manual_seed(seed)), group.sample(n, seed + 1)
    rho_in, rho_out = (torch.from_numpy(rep.rho(group, g)) for rep in (task.rep_in, task.rep_out))
    moved = torch.einsum("nij,nj->ni", rho_out, task.target(x))
    after = task.target(torch.einsum("nij,nj->ni", rho_in, x))
    return ((moved - after).norm(dim=-1) / (moved.norm(dim=-1) + after.norm(dim=-1))).mean().item()


def check_expected(task):
    """Exact groups are exact, the others clearly broken."""
    for group, word in task.expected.items():
        error = data_error(task, group)
        assert error < 1e-12 if word == "exact" else error > 0.02, (task, group, error)
