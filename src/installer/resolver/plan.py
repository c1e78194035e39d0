"""Turns an order into the list of wheels to install; executes no code of a package."""

import json

from packaging.specifiers import SpecifierSet

from . import host
from .demands import Demand, read_demands
from .locked import read_lock
from .refused import Refused, answering
from .resolve import resolve
from .sources import open_sources


chosen = {}  # By file.


@answering
def plan(functions, order_json):
    host.connect(functions)
    wheels, requested = _choose(json.loads(order_json))
    chosen.update({wheel.file: wheel for wheel in wheels.values()})
    return {"packages": [{**_describe(wheel), "requested": name in requested} for name, wheel in sorted(wheels.items())]}


@answering
def probe(functions, order_json):
    """Returns `sources`: of each its label, and why it cannot be used; None if it answers."""
    host.connect(functions)
    order = json.loads(order_json)
    read_demands([*order["requirements"], *order["constraints"]])
    sources = open_sources(order)
    # All at the same time.
    for source in sources:
        source.ask()
    return {"sources": [{"label": source.label, "trouble": source.trouble()} for source in sources]}


def _choose(order):
    """The wheels by name, and the names that the order asks for; others are there as such wheels need them."""
    sources = open_sources(order)
    demands = read_demands(order["requirements"])
    requested = {demand.name for demand in demands}
    if order["locked"]:
        locked, its_own = read_lock(order["locked"]["path"], order["locked"]["text"], sources)
        return _add(locked, demands, order, sources), requested | its_own
    wheels = resolve(demands, read_demands(order["constraints"]), sources, order["offline"])
    for wheel in wheels.values():
        if wheel.yanked:
            host.warn(f"{wheel.name} {wheel.version} was yanked from {wheel.source}: {wheel.yanked}")
    if any(" --hash=" in line for line in order["requirements"]):
        _check_hashes(demands, wheels)
    return wheels, requested


def _add(locked, demands, order, sources):
    """The wheels of a lock file, and beside them those that a request's code asks for."""
    if not demands:
        return locked
    fixed = [Demand(name, frozenset(), SpecifierSet(), f"{name}=={wheel.version}", wheel=wheel) for name, wheel in locked.items()]
    return resolve([*fixed, *demands], [], sources, order["offline"])


def _check_hashes(demands, wheels):
    """As in pip, if one requirement has hashes, every package must have them."""
    allowed = {demand.name for demand in demands if demand.hashes}
    missing = sorted(wheels.keys() - allowed)
    if missing:
        raise Refused(
            f"Cannot install {', '.join(missing)} without a hash as other requirements have one. "
            "Add --hash=sha256:… for each of them, or use --locked."
        )


def _describe(wheel):
    always = {key: getattr(wheel, key) for key in ("name", "file", "url", "source", "place")}
    known = {key: value for key in ("sha256", "size", "origin") if (value := getattr(wheel, key))}
    return {**always, "version": str(wheel.version), **known}
