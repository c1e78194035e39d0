"""The columns of a table of pandas that lacks a column, and the labels of an index that lacks a label."""

import re
import sys
import traceback
from itertools import islice, takewhile

from .nearest import nearest

MOST_READ = 1000
MOST_NAMED = 20
MOST_NEAR = 3
LONGEST_NAME = 60
# The name within the message of pandas, such as "['a', 'b'] not in index".
WITHIN = re.compile(r"\['([^']*)'|^Column not found: (.*)|^name '(.*)' is not defined")
OTHERS = ("name '", "Usecols do not match columns")  # starts of messages that are not of a KeyError


def near_columns(error):
    """A hint, for the error of a table or of an index; None for another."""
    if not isinstance(error, KeyError) and not str(error).startswith(OTHERS):
        return None
    labels, of_columns = _searched([frame for frame, _ in traceback.walk_tb(error.__traceback__)])
    key = error.args[0] if error.args else None
    if labels is None or type(key).__name__ not in ("str", "list", "Index"):
        return None
    found = WITHIN.search(str(key))
    wanted = next(filter(None, found.groups()), "") if found else key
    names = [it[:LONGEST_NAME] if type(it) is str else it for it in islice(labels, MOST_READ) if type(it) in (str, int)]
    if wanted in names:  # pandas has looked elsewhere
        return None
    near = nearest(wanted, [it for it in names if type(it) is str], key=str.lower, most=MOST_NEAR)
    listed = ", ".join(map(repr, near))
    if not of_columns:
        return f"The nearest labels of the index are {listed}." if near else None
    more = f" and {len(labels) - MOST_NAMED} more" if len(labels) > MOST_NAMED else ""
    told = [f"The nearest are {listed}."] if near else []
    return " ".join([*told, f"The columns are {', '.join(map(repr, names[:MOST_NAMED]))}{more}."])


def _searched(frames):
    """The labels in which pandas itself has searched last, and whether they are columns."""
    pandas = sys.modules.get("pandas")
    selves = [frame.f_locals.get("self") for frame in frames] if pandas else []
    columns = [it.columns for it in selves if isinstance(it, pandas.DataFrame)]
    for frame in takewhile(_is_of_pandas, reversed(frames)):
        name, own = frame.f_code.co_name, frame.f_locals.get("self")
        if name == "_validate_usecols_names":  # of read_csv()
            return frame.f_locals["names"], True
        if isinstance(own, pandas.Index):
            return own, any(own.equals(it) for it in columns)
        table = own if isinstance(own, pandas.DataFrame) else getattr(own, "__dict__", {}).get("obj")  # of a group
        if isinstance(table, pandas.DataFrame):
            return (table.index, False) if name == "_get_value" else (table.columns, True)
    return None, False


def _is_of_pandas(frame):
    return str(frame.f_globals.get("__name__")).startswith("pandas.")
