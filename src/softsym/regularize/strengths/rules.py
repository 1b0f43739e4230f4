"""The rules by name: how specs, recipes and commands choose a controller. A new one is a file here and a line in this table."""

from __future__ import annotations

from softsym.registry import Registry
from softsym.regularize.strengths.controller import Controller

CONTROLLERS: Registry[type[Controller]] = Registry(
    "rule of strengths",
    {
        "one-shot": "softsym.regularize.strengths.one_shot:OneShot",
        "continuous": "softsym.regularize.strengths.continuous:Continuous",
        "by-data": "softsym.regularize.strengths.by_data:ByData",
        "fixed": "softsym.regularize.strengths.fixed:Fixed",
    },
)
