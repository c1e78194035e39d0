"""The columns of a table of pandas that lacks the one that code names."""

import re
import traceback
from itertools import islice

from .nearest import nearest

MOST_READ = 1000
MOST_NAMED = 20
MOST_NEAR = 3
LONGEST_NAME = 60


def near_columns(error):
    """A hint, for the KeyError of a table; None for another."""
    key = error.args[0] if error.args else None
    table = next(filter(_is_table, (frame.f_locals.get("self") for frame, _ in traceback.walk_tb(error.__traceback__))), None)
    if table is None or type(key) is not str:
        return None
    names = [name[:LONGEST_NAME] for name in islice(table.columns, MOST_READ) if type(name) is str]
    listed = re.search(r"\['([^']*)'", key)
    near = nearest(listed[1] if listed else key, names, key=str.lower, most=MOST_NEAR)
    more = f" and {len(table.columns) - MOST_NAMED} more" if len(table.columns) > MOST_NAMED else ""
    told = [f"The nearest are {', '.join(map(repr, near))}."] if near else []
    return " ".join([*told, f"The columns are {', '.join(map(repr, names[:MOST_NAMED]))}{more}."])


def _is_table(value):
    return type(value).__name__ == "DataFrame" and type(value).__module__.startswith("pandas.")
