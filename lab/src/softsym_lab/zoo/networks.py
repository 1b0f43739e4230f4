"""The paper's model and its baselines that differ by their networks: how each is built, and which numbers of a preset it takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torch import nn

from softsym.groups import Group
from softsym.nn import EMLP, MLP, RPP, FrameAveraged, MixedEMLP, ScaleCanonical, SoftMLP, soft_network
from softsym.regularize import EquivarianceRegularizer
from softsym.reps import Rep, Scalar
from softsym_lab.zoo.model import Blueprint, Built, Model

MakeNetwork = Callable[[Rep, Rep, Sequence[Rep] | None], nn.Module]
"""From representations of input, output and hidden layers (None: the network's own proposal) to a network."""


def make_network(plan: Blueprint, make: MakeNetwork) -> nn.Module:
    """A network of inputs as they are, or of canonicalised ones, where all models are to see inputs as PER does.

    Inputs are then brought to one size by the very module that PER has, with the other network inside.
    """
    preset = plan.preset
    if preset.equal_inputs and preset.canonical_scale:
        outer = soft_network(*plan.reps, plan.candidates, plan.width, preset.layers, largest=plan.task.largest)
        if isinstance(outer, ScaleCanonical):
            inner = outer.network
            outer.add_module("network", make(inner.rep_in, inner.rep_out, inner.hidden))
            return outer
    return make(*plan.reps, None)


def plain(plan: Blueprint) -> nn.Module:
    """The network that knows no symmetry; other models teach it one from outside."""
    return make_network(plan, lambda rep_in, rep_out, hidden: _mlp(plan, rep_in, rep_out))


def _mlp(plan: Blueprint, rep_in: Rep, rep_out: Rep) -> MLP:
    return MLP(rep_in, rep_out, plan.group, plan.width, plan.preset.layers, seed=plan.seed)


def _emlp(plan: Blueprint) -> Built:
    def make(rep_in: Rep, rep_out: Rep, hidden: Sequence[Rep] | None) -> EMLP:
        return EMLP(rep_in, rep_out, plan.group, plan.width, plan.preset.layers, hidden=hidden, seed=plan.seed)

    return Built(make_network(plan, make))


def _frame_averaged(plan: Blueprint) -> Built:
    def make(rep_in: Rep, rep_out: Rep, hidden: Sequence[Rep] | None) -> FrameAveraged:
        # Rotations and reflections act on canonicalised vectors as on others, and on the size as on a scalar.
        source = plan.reps[0] if hidden is None else Scalar + plan.reps[0]
        return FrameAveraged(_mlp(plan, rep_in, rep_out), source, plan.reps[1], plan.group)

    return Built(make_network(plan, make))


def _rpp(plan: Blueprint) -> Built:
    preset = plan.preset

    def make(rep_in: Rep, rep_out: Rep, hidden: Sequence[Rep] | None) -> RPP:
        return RPP(
            rep_in,
            rep_out,
            plan.group,
            plan.width,
            preset.layers,
            hidden=hidden,
            round_up=preset.round_up,
            seed=plan.seed,
            equivariant_decay=preset.equivariant_decay,
            residual_decay=preset.residual_decay,
        )

    return Built(make_network(plan, make))


def _mixed(plan: Blueprint) -> Built:
    preset = plan.preset
    exact, soft = exact_and_soft(plan)

    def make(rep_in: Rep, rep_out: Rep, hidden: Sequence[Rep] | None) -> MixedEMLP:
        return MixedEMLP(
            rep_in,
            rep_out,
            exact,
            soft,
            plan.width,
            preset.layers,
            hidden=hidden,
            largest=plan.task.largest,
            round_up=preset.round_up,
            seed=plan.seed,
            joint_decay=preset.equivariant_decay,
            exact_decay=preset.residual_decay,
        )

    return Built(make_network(plan, make))


def exact_and_soft(plan: Blueprint) -> tuple[list[Group], list[Group]]:
    """The group that is said to be exact, or what a person who knows the task would call so; if nothing is, the whole is only soft."""
    groups = plan.candidates
    if plan.given is not None:
        return [plan.given], [group for group in groups if group != plan.given]
    exact = [group for group in groups if plan.task.expected.get(group) == "exact"]
    return exact or list(groups), [group for group in groups if group not in exact]


def _per(plan: Blueprint) -> Built:
    preset = plan.preset
    net = (soft_network if preset.canonical_scale else SoftMLP)(
        *plan.reps,
        plan.candidates,
        plan.width,
        preset.layers,
        largest=plan.task.largest,
        init=preset.init,
        round_up=preset.round_up,
        seed=plan.seed,
    )
    return Built(net, EquivarianceRegularizer(net, plan.candidates, strength=preset.lambda0))


mlp = Model("mlp", lambda plan: Built(plain(plan)))
emlp = Model("emlp", _emlp, takes_group=True)
fa = Model("fa", _frame_averaged, takes_group=True)
rpp = Model("rpp", _rpp, takes_group=True, is_free=True, width=lambda preset: preset.rpp_width)
mixed = Model("mixed", _mixed, takes_group=True, takes_candidates=True, width=lambda preset: preset.rpp_width)
per = Model(
    "per",
    _per,
    takes_candidates=True,
    is_free=True,
    is_regularized=True,
    batch=lambda preset: preset.per_batch or preset.batch,
    epochs=lambda preset: preset.per_max_epochs or preset.max_epochs,
)
