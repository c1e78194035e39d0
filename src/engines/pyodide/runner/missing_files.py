"""Says where a file may be that was not found: the nearest names, and the folders of the user."""

import os
import re
from itertools import islice

MOST_READ = 1000  # names of a folder, which may have any number
MOST_NAMED = 5
LONGEST_NAME = 60  # characters of a name that are shown, and compared
LONGEST_PATH = 4096
WORKSPACE = "/workspace"
# How libraries word it that raise the error themselves: numpy, pandas, pyarrow, HDF5.
WORDINGS = re.compile(
    r"(?:File )?(?P<first>\S.*?) (?:not found\.?|does not exist)|[^']*(?:file|name =) '(?P<quoted>[^']+)'.*|(?P<whole>[^\s'\"]+)",
    re.DOTALL,
)


def missing_path(error):
    """The path that a FileNotFoundError is about; None if it names none."""
    path = error.filename
    if path is None and len(error.args) == 1 and len(text := str(error)) <= LONGEST_PATH:
        found = WORDINGS.fullmatch(text)
        path = found and (found["first"] or found["quoted"] or found["whole"])
    if isinstance(path, (str, bytes, os.PathLike)):
        path = os.fsdecode(path)
        return path if 0 < len(path) <= LONGEST_PATH else None
    return None


def where_it_may_be(path, mounts):
    """Sentences on the names that are there; empty if there are none. `mounts` are folders of the user."""
    whole = os.path.abspath(path)
    if os.path.islink(whole):
        return f"{_shown(whole)} is a link, and leads to no file that is here."
    missing, name = folder, _ = os.path.split(whole)
    while not os.path.isdir(folder):
        folder, name = os.path.split(folder)
    known = [place for place in _same_names(path, mounts) if os.path.lexists(place)]
    there = [] if folder == "/" else [f"{folder}/{one}" for one in _nearest(name, _names(folder))]
    told = [] if folder == missing else [f"There is no folder {_shown(missing)}."]
    if places := list(dict.fromkeys([*known, *there]))[:MOST_NAMED]:
        told.append(f"The nearest are {_listed(places)}.")
    elif names := _names(WORKSPACE):
        told.append(f"{WORKSPACE} has {_listed(names[:MOST_NAMED])}{_rest(len(names))}.")
    if mounts:
        told.append(f"Folders of the user: {_listed(mounts[:MOST_NAMED])}{_rest(len(mounts))}.")
    return " ".join(told)


def _same_names(path, mounts):
    """Where a file of this name, or the end of its path, would be."""
    parts = [part for part in re.split(r"[/\\]", path) if part not in ("", ".", "..", "~")]
    ends = ["/".join(parts[at:]) for at in range(max(0, len(parts) - MOST_NAMED), len(parts))]
    return [f"{folder}/{end}" for folder in (WORKSPACE, *mounts[:MOST_NAMED]) for end in ends]


def _names(folder):
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in islice(entries, MOST_READ))
            return [name for name in names if not name.startswith(".")]
    except OSError:
        return []


def _nearest(name, names):
    import difflib  # code that finds its files does not pay for it

    by_key = {}
    for one in names:
        by_key.setdefault(_key(one), one)
    stem = _key(name).rpartition(".")[0]
    same = [key for key in by_key if stem and key.rpartition(".")[0] == stem]
    close = difflib.get_close_matches(_key(name), by_key, n=MOST_NAMED, cutoff=0.6)
    return [by_key[key] for key in dict.fromkeys([*close, *same])][:MOST_NAMED]


def _key(name):
    return name.lower()[:LONGEST_NAME]


def _listed(names):
    return ", ".join(_shown(name) for name in names)


def _shown(name):
    text = name if name.isprintable() else ascii(name)
    return text if len(text) <= 2 * LONGEST_NAME else f"{text[:LONGEST_NAME]}…{text[-LONGEST_NAME:]}"


def _rest(count):
    if count <= MOST_NAMED:
        return ""
    return f" and {count - MOST_NAMED}{' or' if count == MOST_READ else ''} more"
