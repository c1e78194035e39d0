"""The columns of a table of pandas that lacks the one that code names."""

import re
import traceback
from itertools import islice

MOST_READ = 1000
MOST_NAMED = 20
LONGEST_NAME = 60


def near_columns(error):
    """A hint, for the KeyError of a table; None for another."""
    key = error.args[0] if error.args else None
    table = next(filter(_is_table, (frame.f_locals.get("self") for frame, _ in traceback.walk_tb(error.__traceback__))), None)
    if table is None or type(key) is not str:
        return None
    import difflib  # code that finds its columns does not pay for it

    names = [name[:LONGEST_NAME] for name in islice(table.columns, MOST_READ) if type(name) is str]
    listed = re.search(r"\['([^']*)'", key)
    wanted = (listed[1] if listed else key).lower()
    by_key = {name.lower(): name for name in names}
    near = [by_key[each] for each in difflib.get_close_matches(wanted, by_key, n=3)]
    more = f" and {len(table.columns) - MOST_NAMED} more" if len(table.columns) > MOST_NAMED else ""
    told = [f"The nearest are {', '.join(map(repr, near))}."] if near else []
    return " ".join([*told, f"The columns are {', '.join(map(repr, names[:MOST_NAMED]))}{more}."])


def _is_table(value):
    return type(value).__name__ == "DataFrame" and type(value).__module__.startswith("pandas.")
