"""How strengths change during training: one controller per file, all behind one small interface."""

from softsym.regularize.strengths.continuous import Continuous
from softsym.regularize.strengths.controller import Controller
from softsym.regularize.strengths.fixed import Fixed
from softsym.regularize.strengths.one_shot import OneShot

__all__ = ["Continuous", "Controller", "Fixed", "OneShot"]
