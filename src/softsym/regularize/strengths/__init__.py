"""Strengths: from the evidence of data, by held-out rows, or by controllers that change them during a training."""

from softsym.regularize.strengths.choose import Choice, Trial, choose
from softsym.regularize.strengths.controllers import (
    CONTROLLERS,
    ByData,
    Continuous,
    Controller,
    Fixed,
    OneShot,
    Schedule,
)
from softsym.regularize.strengths.from_evidence import Supported, from_evidence

__all__ = [
    "CONTROLLERS",
    "ByData",
    "Choice",
    "Continuous",
    "Controller",
    "Fixed",
    "OneShot",
    "Schedule",
    "Supported",
    "Trial",
    "choose",
    "from_evidence",
]
