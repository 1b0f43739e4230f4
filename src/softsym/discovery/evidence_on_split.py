"""The first look before anything else is imported: it takes neither torch nor scikit-learn, which take longer than it does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softsym.data.split import HELD_OUT, Parts, split_rows
from softsym.data.table import Table
from softsym.errors import InputError
from softsym.groups import Group, read_groups
from softsym.inference.evidence import evidence
from softsym.inference.evidence_table import EvidenceTable
from softsym.inference.shape import seed_of
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.reps.affine import has_points
from softsym.typing import Array, Index


def early_look(
    table: Table,
    rep_in: Rep | str,
    rep_out: Rep | str,
    groups: Sequence[Group | str],
    *,
    seed: int,
    n_jobs: int = 2,
) -> EvidenceTable | None:
    """What the first look of a discovery will say; None where that begins with other steps.

    Args:
        table: Inputs and outputs.
        rep_in: How inputs transform.
        rep_out: How outputs transform.
        groups: The candidates.
        seed: The discovery's ``random_state``.
        n_jobs: How many groups are looked at at once.
    """
    inputs, outputs = read_rep(rep_in), read_rep(rep_out)
    if table.Y is None or not groups or has_points(inputs, outputs):
        return None
    number = seed_of(seed)
    parts = split_rows(table.X, HELD_OUT, number, duplicates=table.duplicates, row_groups=table.row_groups)
    return look_at(
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


def look_at(
    X: Array,
    Y: Array,
    rep_in: Rep,
    rep_out: Rep,
    groups: Sequence[Group],
    parts: Parts,
    together: Index | None,
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
        together: Labels of rows that belong together.
        seed: Seed of rows and elements.
        n_jobs: How many groups are looked at at once.
        weights: How much every row counts (n,).

    Returns:
        A row for every group; empty where there is nothing to look at: the notes of verdicts then say so.
    """
    rows = parts.train if parts.val is parts.train else np.concatenate([parts.train, parts.val])
    labels = None if together is None else together[rows]
    try:
        return evidence(
            X[rows], Y[rows], rep_in, rep_out, groups, row_groups=labels, n_jobs=n_jobs, seed=seed,
            sample_weight=None if weights is None else weights[rows],
        )  # fmt: skip
    except InputError:  # too few rows, constant outputs
        return EvidenceTable()
