"""How strengths are found: by the evidence of rows, by held-out rows, or by controllers that change them during a training."""

from softsym.regularize.strengths.by_data import ByData
from softsym.regularize.strengths.choose import Choice, Trial, choose
from softsym.regularize.strengths.continuous import Continuous
from softsym.regularize.strengths.controller import Controller, Schedule
from softsym.regularize.strengths.fixed import Fixed
from softsym.regularize.strengths.from_evidence import Supported, from_evidence
from softsym.regularize.strengths.one_shot import OneShot
from softsym.regularize.strengths.rules import CONTROLLERS

__all__ = [
    "CONTROLLERS", "ByData", "Choice", "Continuous", "Controller", "Fixed", "OneShot", "Schedule", "Supported", "Trial", "choose",
    "from_evidence",
]  # fmt: skip
