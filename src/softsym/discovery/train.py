"""Networks of a fit: search of hyperparameters, the ensemble, its last stage with exact groups, and unconstrained networks.

With a folder every member writes checkpoints there, from which a stopped fit continues.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, mse_loss

from softsym.data import SymmetricScaler
from softsym.discovery.config import LAST_STAGE, PLAIN_WIDTH, Hyperparameters
from softsym.discovery.fit_data import FitData, Shape, Target, standard_errors
from softsym.discovery.models import NETWORK, ORDINARY, Curves, Member, Networks, predict_members, project_member
from softsym.discovery.parallel import Session, Start, TrainingData, TrainJob, Weighted, train_member
from softsym.errors import InputError, in_one_line
from softsym.io import dump_with_checksum, load_with_checksum, put_text, read_regular
from softsym.training import Criterion, Splits, mse
from softsym.typing import Array

CHOSEN = "hyperparameters.json"
SHORTER = 3  # A trial has this part of the epochs of a training
WEAKER = 30.0  # factor by which penalties start weaker where strong ones prevent learning
FEWEST_AFFORDABLE_EPOCHS, MOST_AFFORDABLE_EPOCHS = 12, 10_000
TIMED_EPOCHS = 4
EXACT_STRENGTH = 1e6
"""Strength of a group that holds: after a proximal step nothing is left outside its space in single precision."""


def train_networks(
    data: FitData, shape: Shape, verdicts: Mapping[str, str], session: Session
) -> tuple[Networks, list[Networks]]:
    """The ensemble that is regularised towards the candidates; and those that may be selected: its last stage or itself, unconstrained."""
    training_data, scalers = prepare(data, shape)
    chosen = _choose_hyperparameters(data, training_data, session)
    starts = {member.seed: Start(member.model.state_dict(), member.strengths) for member in data.earlier}
    jobs = [TrainJob(chosen, seed, session.subfolder(f"seed-{seed}"), starts.get(seed)) for seed in data.member_seeds]
    members = session.train_members(training_data, jobs)
    soft = Networks(NETWORK, members, shape, chosen, *scalers, data.target, (), tuple(map(Curves.of, members)))
    if not shape.groups:
        return soft, [soft]
    unconstrained = _train_unconstrained(data, training_data, soft, session)
    tuned = fine_tune(data, training_data, soft, verdicts, session)
    return soft, [soft if tuned is None else tuned, unconstrained]


def prepare(data: FitData, shape: Shape) -> tuple[TrainingData, tuple[SymmetricScaler, SymmetricScaler]]:
    """Standardised rows in three parts, and the scaling of inputs and outputs."""
    rows, parts = data.rows, data.parts
    X, Y = rows.X[parts.train], rows.Y[parts.train]
    scale_in = SymmetricScaler.fit(X, data.shape.rep_in, data.shape.groups)
    if data.target is Target.CLASSES:
        scale_out = SymmetricScaler(np.zeros(Y.shape[1]), np.ones(Y.shape[1]))
    else:
        scale_out = SymmetricScaler.fit(Y, data.shape.rep_out, data.shape.groups)
    x, y = _tensor(scale_in.transform(rows.X)), _tensor(scale_out.transform(rows.Y))
    train, val, test = (torch.from_numpy(part) for part in (parts.train, parts.val, parts.test))
    criterion: Criterion = cross_entropy if data.target is Target.CLASSES else mse_loss
    if rows.weights is not None:
        y, criterion = torch.cat([y, _tensor(rows.weights[:, None])], dim=1), Weighted(criterion)
    splits = Splits((x[train], y[train]), (x[val], y[val]), (x[test], y[test]), mse)
    return TrainingData(shape, splits, criterion, data.device), (scale_in, scale_out)


def _choose_hyperparameters(data: FitData, training_data: TrainingData, session: Session) -> Hyperparameters:
    """Those with epochs, batch and the outcome of trials; a resumed fit reads what was decided at its start."""
    file = session.subfolder(CHOSEN)
    if file is not None and file.exists():
        return read_chosen(file)
    chosen = data.hyperparameters.for_rows(len(training_data.data.train[0]))
    if data.budget is not None:
        chosen = set_epochs_by_budget(data, training_data, chosen, session.n_jobs)
    if data.search_space:
        chosen = search_hyperparameters(data, training_data, chosen, session)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        put_text(file, dump_with_checksum(chosen.model_dump(mode="json")))
    return chosen


def read_chosen(file: Path) -> Hyperparameters:
    """Hyperparameters that a stopped fit had chosen."""
    try:
        return Hyperparameters.model_validate(load_with_checksum(read_regular(file, 10**7).decode()))
    except (OSError, ValueError) as error:
        raise InputError(f"{file} is damaged ({in_one_line(error)}); pass --force to start again") from error


def search_hyperparameters(
    data: FitData, training_data: TrainingData, chosen: Hyperparameters, session: Session
) -> Hyperparameters:
    """Those given, or the alternative that predicts validation rows best after a short training, if that is clearly better.

    A strong penalty can keep a network from learning what breaks a symmetry, and then nothing shows that it is broken; a weak one that
    predicts better, by more than one standard error, reveals it.
    """
    alternatives = list_alternatives(data.search_space, chosen)
    epochs = max(1, (chosen.epochs or 0) // SHORTER)
    trials = [TrainJob(one.model_copy(update={"epochs": epochs}), data.seed, may_diverge=True) for one in alternatives]
    members = replace(session, folder=None).train(training_data, trials, "trials: ")
    losses = [trial_losses(training_data, member) for member in members]
    clearly = [k for k in range(1, len(alternatives)) if standard_errors(losses[0], losses[k]) > 1]
    return alternatives[min(clearly, key=lambda k: float(losses[k].mean()), default=0)]


def list_alternatives(names: Sequence[str], chosen: Hyperparameters) -> list[Hyperparameters]:
    """The hyperparameters, and what may take their place: weaker penalties at the start, a narrow network."""
    changes = {"strength": (chosen.strength or 0.0) / WEAKER, "width": PLAIN_WIDTH}
    others = [{name: changes[name]} for name in names if getattr(chosen, name) != changes[name]]
    return [chosen, *(chosen.model_copy(update=change) for change in others)]


def trial_losses(training_data: TrainingData, member: Member | None) -> Array:
    """The loss of every validation row; infinite if the training diverged."""
    x, y = training_data.data.val
    if member is None:
        return np.full(len(x), math.inf)
    prediction = predict_members([member], x.double())[0]
    pairs = zip(prediction.split(1), y.to(prediction).split(1), strict=True)
    losses = np.array([float(training_data.criterion(a, b)) for a, b in pairs])
    return np.where(np.isfinite(losses), losses, math.inf)


def set_epochs_by_budget(
    data: FitData, training_data: TrainingData, chosen: Hyperparameters, n_jobs: int
) -> Hyperparameters:
    """Those given with as many epochs as fit into the time for trials and members together."""
    assert data.budget is not None
    rounds = float(math.ceil(data.seeds / n_jobs))
    if training_data.shape.groups:
        rounds *= 1 + 1 / LAST_STAGE
    if data.search_space:
        rounds += math.ceil(len(list_alternatives(data.search_space, chosen)) / n_jobs) / SHORTER
    epochs = affordable_epochs(training_data, chosen, data.budget / rounds)
    return chosen.model_copy(update={"epochs": epochs})


def affordable_epochs(training_data: TrainingData, chosen: Hyperparameters, seconds: float) -> int:
    """How many epochs of one training fit into a time, by trying a few."""
    short = chosen.model_copy(update={"epochs": TIMED_EPOCHS})
    rows = train_member(training_data, TrainJob(short, seed=0)).history
    first, last = rows[0]["seconds"], rows[-1]["seconds"]  # the first also builds what is used later
    per_epoch = max((last - first) / (len(rows) - 1), 1e-6)
    return int(np.clip(seconds / per_epoch, FEWEST_AFFORDABLE_EPOCHS, MOST_AFFORDABLE_EPOCHS))


def _train_unconstrained(data: FitData, training_data: TrainingData, soft: Networks, session: Session) -> Networks:
    """Unconstrained networks of the same size."""
    shape = data.shape.without_groups()
    chosen = soft.hyperparameters.unconstrained(len(training_data.data.train[0]))
    jobs = [TrainJob(chosen, seed, session.subfolder(f"ordinary-{seed}")) for seed in data.member_seeds]
    members = session.train_members(replace(training_data, shape=shape), jobs, "ordinary networks: ")
    return replace(soft, title=ORDINARY, members=members, shape=shape, hyperparameters=chosen, curves=())


def fine_tune(
    data: FitData, training_data: TrainingData, soft: Networks, verdicts: Mapping[str, str], session: Session
) -> Networks | None:
    """The stage after the verdicts: exact groups become constraints, absent ones are dropped, soft ones keep their strengths.

    Members are trained for another third of their epochs and then projected onto the weights that are equivariant to every exact group, to
    rounding. They are taken unless their validation loss is larger by more than one standard error than that of the soft members; then
    the soft members are projected without further training, under the same condition. None if neither is as good.
    """
    known = {group.name for group in soft.shape.groups}
    exact = tuple(name for name, verdict in verdicts.items() if verdict == "exact" and name in known)
    fixed = {name: EXACT_STRENGTH if name in exact else 0.0 for name, verdict in verdicts.items() if verdict != "soft"}
    last, jobs = soft.hyperparameters.last_stage(), []
    for member in soft.members:
        strengths = {name: fixed.get(name, old) for name, old in member.strengths.items()}
        start = Start(member.model.state_dict(), strengths)
        jobs.append(TrainJob(last, member.seed, session.subfolder(f"seed-{member.seed}-last"), start))
    trained = session.train_members(training_data, jobs, "last stage: ")
    rows = data.development.take(data.is_validation)
    best, losses = None, rows.losses(soft.predict(rows.X))
    # Projected members replace the soft ones if they are no worse, and those of the last stage replace them if these are no worse.
    for members in (soft.members, trained):
        projected = tuple(project_member(member, soft.shape, exact) for member in members)
        networks = replace(soft, members=projected, exact=exact)
        now = rows.losses(networks.predict(rows.X))
        if standard_errors(now, losses) <= 1:
            best, losses = networks, now
    return best


def _tensor(values: Array) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values)).float()
