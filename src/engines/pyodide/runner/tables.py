"""Tables of pandas, polars and pyarrow as lists and dicts, and as text.

These packages are the guest's: nothing here imports them.
"""

import sys
from math import isnan

from .integers import SAFE_INTEGER, digits

MOST_ROWS = 1000
MOST_CELLS = 100_000
# Columns of a table's text, unless the code has set its own number: as in a notebook.
SHOWN_COLUMNS = 20
MOST_SHOWN_COLUMNS = 100
MOST_NUMBER = 2**32 - 1  # from here on JavaScript keeps the order of keys


def frame(value):
    head = value.iloc[: _most_rows(len(value.columns))]
    index = [] if is_default(head.index) else _index_names(head.index)
    names = [*index, *head.columns.tolist()]
    levels = _levels(head.index)
    columns = [_column(cells) for cells in head.to_numpy(object, na_value=None).T.tolist()]
    if _are_keys(names):
        return _records(names, [*(levels if index else []), *columns], len(value))
    rows = list(zip(*columns)) or [()] * len(head)
    return {
        "columns": _labels(_levels(head.columns)),
        "index": _noted(_labels(levels), len(value)),
        "data": _noted(rows, len(value)),
    }


def series(value):
    head = value.iloc[:MOST_ROWS]
    if is_default(head.index):
        return _noted(_cells(head), len(value))
    labels = _levels(head.index)[0]
    if head.index.nlevels > 1 or not head.index.is_unique or not _keep_order(labels):
        return frame(value.to_frame("value" if value.name is None else value.name))
    items = dict(zip(labels, _cells(head)))
    if len(value) > len(head):
        items["<cut>"] = _note(len(value) - len(head))
    return items


def sequence(value):
    """An index, or an array of pandas."""
    head = value[:MOST_ROWS]
    cells = _cells(head) if getattr(head, "nlevels", 1) == 1 else _labels(_levels(head))
    return _noted(cells, len(value))


def polars_frame(value):
    head = value.head(_most_rows(value.width))
    columns = [_column(_without_nan(it.to_list())) for it in head.get_columns()]
    return _records(head.columns, columns, value.height)


def polars_series(value):
    return _noted(_column(_without_nan(value.head(MOST_ROWS).to_list())), len(value))


def arrow_table(value):
    head = value.slice(0, _most_rows(value.num_columns))
    columns = [_column(_without_nan(it.to_pylist())) for it in head.columns]
    names = head.column_names
    if _are_keys(names):
        return _records(names, columns, value.num_rows)
    return {"columns": names, "data": _noted(list(zip(*columns)), value.num_rows)}


def arrow_array(value):
    return _noted(_column(_without_nan(value.slice(0, MOST_ROWS).to_pylist())), len(value))


def pandas_text(value):
    pandas = sys.modules["pandas"]
    rows, columns = pandas.get_option("display.max_rows"), pandas.get_option("display.max_columns")
    # None is any number; 0 is as many as a terminal has room for, and there is no terminal.
    rows = min(rows or MOST_ROWS, MOST_ROWS)
    columns = SHOWN_COLUMNS if columns == 0 else min(columns or MOST_SHOWN_COLUMNS, MOST_SHOWN_COLUMNS)
    with pandas.option_context(
        *("display.max_rows", rows),
        *("display.max_columns", columns),
        *("display.show_dimensions", True),
    ):
        return str(value)


def _most_rows(columns):
    return min(MOST_ROWS, max(1, MOST_CELLS // max(columns, 1)))


def is_default(index):
    """Whether an index only counts the rows."""
    return type(index).__name__ == "RangeIndex" and (index.name, index.start, index.step) == (None, 0, 1)


def _index_names(index):
    """As reset_index() names its columns."""
    unnamed = ["index"] if index.nlevels == 1 else [f"level_{at}" for at in range(index.nlevels)]
    return [other if name is None else name for name, other in zip(index.names, unnamed)]


def _levels(index):
    return [_cells(index.get_level_values(at)) for at in range(index.nlevels)]


def _keep_order(labels):
    """Whether keys of an object come in their order: JavaScript has whole numbers first, and sorts them."""
    numbers = [_whole_number(it) for it in labels]
    first = [it for it in numbers if it is not None]
    return numbers[: len(first)] == sorted(first)


def _whole_number(label):
    text = str(label) if type(label) in (int, str) else ""
    is_whole = text.isascii() and text.isdecimal() and len(text) <= 10
    number = int(text) if is_whole else MOST_NUMBER
    return number if number < MOST_NUMBER and str(number) == text else None


def _labels(levels):
    return levels[0] if len(levels) == 1 else list(zip(*levels))


def _cells(values):
    return _column(values.to_numpy(object, na_value=None).tolist())


def _column(cells):
    """Gives all integers of a column one form, that of the largest."""
    if all(-SAFE_INTEGER <= it <= SAFE_INTEGER for it in cells if type(it) is int):
        return cells
    return [digits(it) if type(it) is int else it for it in cells]


def _without_nan(cells):
    return [None if type(it) is float and isnan(it) else it for it in cells]


def _are_keys(names):
    return all(type(it) is str for it in names) and len(set(names)) == len(names)


def _records(names, columns, total):
    return _noted([dict(zip(names, row)) for row in zip(*columns)], total if names else 0)


def _noted(rows, total):
    """Rows, and a note in the place of those that are left out."""
    return [*rows, _note(total - len(rows))] if len(rows) < total else rows


class Note(str):
    """Stands in the place of rows."""


def _note(rows):
    return Note(f"<{rows:,} more rows>")


# By package and class.
RULES = {
    "pandas.DataFrame": frame,
    "pandas.Series": series,
    "pandas.Index": sequence,
    "pandas.ExtensionArray": sequence,
    "pandas.NAType": lambda value: None,
    "pandas.NaTType": lambda value: None,
    "pandas.Period": str,
    "pandas.Interval": str,
    "pandas.ExtensionDtype": str,
    "polars.DataFrame": polars_frame,
    "polars.Series": polars_series,
    "pyarrow.Table": arrow_table,
    "pyarrow.ChunkedArray": arrow_array,
    "pyarrow.Array": arrow_array,
}

# Of those that print as a table.
TEXTS = {frame: pandas_text, series: pandas_text, polars_frame: str}
