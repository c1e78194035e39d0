"""The time zones whose names are nearest to one that there is not."""

import functools
import os

from .nearest import nearest

FOLDER = "/usr/share/zoneinfo"
MOST_NAMED = 3


def patch(common):
    """Pyodide's own message of a zone that is not there speaks of a package to load."""
    load = common.load_tzdata

    @functools.wraps(load)
    def load_tzdata(key):
        try:
            return load(key)
        except common.ZoneInfoNotFoundError:
            raise common.ZoneInfoNotFoundError(f"No time zone found with key {key}.") from None

    common.load_tzdata = load_tzdata


def nearest_zones(name):
    """The nearest by the whole name, or else by the city; case does not count."""
    zones = [
        os.path.relpath(os.path.join(folder, file), FOLDER)
        for folder, _, files in os.walk(FOLDER)
        for file in files
        if file[:1].isupper() and "." not in file
    ]
    for key in (str.lower, lambda zone: zone.rpartition("/")[2].lower()):
        if near := nearest(name, zones, key=key, most=MOST_NAMED, cutoff=0.75):
            return near
    return []
