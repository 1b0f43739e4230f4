"""What can be refused at once: texts, files and names, before torch is imported, which takes seconds."""

from __future__ import annotations

from collections.abc import Sequence


def check_texts(reps: Sequence[str | None] = (), groups: Sequence[str | None] = ()) -> None:
    """Refuses representations and groups that cannot be read; None stands for one that was not given.

    Example:
        >>> check_texts(["5S + 5V", None], ["Q(9)"])  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        softsym.errors.InputError: group 'Q(9)': unknown group (known: O, SO, SL, ...
    """
    from softsym.groups import group as read_group
    from softsym.reps import rep as read_rep

    for rep in reps:
        if rep is not None:
            read_rep(rep)
    for group in groups:
        if group is not None:
            read_group(group)
