"""Strengths: from the evidence of data, by held-out rows, or by controllers that change them during a training."""

from softsym.regularize.strengths.choose import Choice as Choice
from softsym.regularize.strengths.choose import Trial as Trial
from softsym.regularize.strengths.choose import choose as choose
from softsym.regularize.strengths.controllers import CONTROLLERS as CONTROLLERS
from softsym.regularize.strengths.controllers import ByData as ByData
from softsym.regularize.strengths.controllers import Continuous as Continuous
from softsym.regularize.strengths.controllers import Controller as Controller
from softsym.regularize.strengths.controllers import Fixed as Fixed
from softsym.regularize.strengths.controllers import OneShot as OneShot
from softsym.regularize.strengths.controllers import Schedule as Schedule
from softsym.regularize.strengths.from_evidence import Supported as Supported
from softsym.regularize.strengths.from_evidence import from_evidence as from_evidence
