"""How strengths change during training: one controller per file, all behind one small interface."""

from softsym.regularize.strengths.by_data import ByData
from softsym.regularize.strengths.continuous import Continuous
from softsym.regularize.strengths.controller import Controller, Schedule
from softsym.regularize.strengths.fixed import Fixed
from softsym.regularize.strengths.one_shot import OneShot
from softsym.regularize.strengths.rules import CONTROLLERS

__all__ = ["CONTROLLERS", "ByData", "Continuous", "Controller", "Fixed", "OneShot", "Schedule"]
