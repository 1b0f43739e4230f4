"""Evidence on the rows that a fit does not hold out, without importing torch or scikit-learn, which takes longer than the evidence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softsym.data.split import HELD_OUT, Parts, split_rows
from softsym.data.table import Table
from softsym.errors import InputError
from softsym.groups import Group, read_groups
from softsym.inference.evidence import evidence
from softsym.inference.evidence_table import EvidenceTable
from softsym.data.checks import seed_of
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.reps.affine import has_points
from softsym.typing import Array, Index


def evidence_on_split(
    table: Table,
    rep_in: Rep | str,
    rep_out: Rep | str,
    groups: Sequence[Group | str],
    *,
    seed: int,
    n_jobs: int = 2,
) -> EvidenceTable | None:
    """The evidence that a discovery on this table computes; None where other steps precede it (proposals, points).

    Args:
        table: Inputs and outputs.
        rep_in: How inputs transform.
        rep_out: How outputs transform.
        groups: The candidates.
        seed: The discovery's ``random_state``.
        n_jobs: Number of groups that are tested in parallel.
    """
    inputs, outputs = read_rep(rep_in), read_rep(rep_out)
    if table.Y is None or not groups or has_points(inputs, outputs):
        return None
    number = seed_of(seed)
    parts = split_rows(table.X, HELD_OUT, number, duplicates=table.duplicates, row_groups=table.row_groups)
    return evidence_on_parts(
        table.X,
        table.Y,
        inputs,
        outputs,
        read_groups(groups),
        parts,
        table.row_groups,
        number,
        n_jobs,
    )


def evidence_on_parts(
    X: Array,
    Y: Array,
    rep_in: Rep,
    rep_out: Rep,
    groups: Sequence[Group],
    parts: Parts,
    row_groups: Index | None,
    seed: int,
    n_jobs: int,
    weights: Array | None = None,
) -> EvidenceTable:
    """The evidence of training and validation rows; test rows decide nothing.

    Args:
        X: Inputs of all rows.
        Y: Outputs of all rows.
        rep_in: How inputs transform.
        rep_out: How outputs transform.
        groups: The candidates.
        parts: Which rows are in which part.
        row_groups: Row groups (n,).
        seed: Seed of rows and elements.
        n_jobs: Number of groups that are tested in parallel.
        weights: Sample weights (n,).

    Returns:
        A row for every group; empty where rows are too few or outputs constant.
    """
    rows = parts.train if parts.val is parts.train else np.concatenate([parts.train, parts.val])
    labels = None if row_groups is None else row_groups[rows]
    try:
        return evidence(
            X[rows], Y[rows], rep_in, rep_out, groups, row_groups=labels, n_jobs=n_jobs, seed=seed,
            sample_weight=None if weights is None else weights[rows],
        )  # fmt: skip
    except InputError:  # too few rows, constant outputs
        return EvidenceTable()
