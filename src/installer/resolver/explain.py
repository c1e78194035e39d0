"""Explains in a sentence or two why demands cannot be met."""

from packaging.specifiers import SpecifierSet

from . import this_python
from .demands import PYTHON


def explain(information, provider):
    """Why no wheel meets the demands on one project; each demand comes with the candidate that makes it."""
    # A project with extras demands itself, which explains nothing.
    others = [one for one in information if one.parent is None or one.parent.name != one.requirement.name]
    information = others or information
    demands = [demand for demand, _ in information]
    name = demands[0].name
    if name == PYTHON:
        return _explain_python(*information[0])
    specifier = provider.constraints[name]
    if any(demand.wheel for demand in demands) and (specifier or len(information) > 1):
        return _explain_clash(information, specifier)
    wanted, needed = _words(information)
    if any(demand.wheel for demand in demands):
        return _explain_hashes(wanted)
    if missed := find_missed(information, provider):
        others = [f"; nor can {one.source}: {one.error}" for one in provider.listings(name) if one.error and one is not missed]
        return (
            f"Cannot install {wanted} as it is in {missed.source}, which cannot be reached: {missed.error}{''.join(others)}. "
            f"Make {'one of them' if others else 'its host'} reachable, or bring a copy with --dist or --pyodide."
        )
    listings = list(provider.listings(name))
    versions = {version for one in listings for version in [*one.rejected, *(wheel.version for wheel in one.wheels)]}
    if not versions and provider.offline:
        tried = "; ".join(one.source for one in listings)
        return (
            f'Cannot find a wheel of "{name}"{needed} offline. Tried {tried}. '
            "Run `mcp-run-python install` with the same options once without --offline, or name a folder that has it "
            "with --find-links."
        )
    if not versions:
        return _explain_absence(name, needed, listings)
    if not any(_meets(demands, version, specifier) for version in versions):
        return _explain_versions(information, specifier, versions)
    if any(demand.hashes for demand in demands):
        return _explain_hashes(wanted)
    return _explain_rejection(demands, specifier, listings, wanted)


def find_missed(information, provider):
    """The listing of a source that would meet the demands if it could be asked; else None."""
    demands = [demand for demand, _ in information]
    name = demands[0].name
    if name == PYTHON or any(demand.wheel for demand in demands):
        return None
    specifier = provider.constraints[name]
    return next((one for one in provider.listings(name) if one.missed and _meets(demands, one.missed.version, specifier)), None)


def _words(information):
    """The wanted requirement with the packages that need it, and the latter alone."""
    needing = sorted({_who(parent) for _, parent in information if parent})
    needed = f" (needed by {', '.join(needing)})" if needing else ""
    return f'"{information[0].requirement.text}"{needed}', needed


def _explain_python(demand, parent):
    return (
        f"Cannot install {_who(parent)} as it is only for {demand.text}, and this is {this_python.VERSION}. "
        "Choose another version or package, or leave it out."
    )


def _explain_hashes(wanted):
    return f"Cannot install {wanted} as no wheel of it has a hash that is allowed. Renew the hashes."


def _explain_absence(name, needed, listings):
    tried = "; ".join(f"{one.source}: {one.error or 'no such project'}" for one in listings)
    if any(one.error for one in listings):
        return (
            f'Cannot find "{name}"{needed}. Tried {tried}. '
            "Check the network, or name another index with --index-url."
        )
    return f'Cannot find a package named "{name}"{needed}. Tried {tried}. Check its spelling.'


def _explain_versions(information, specifier, versions):
    name = information[0].requirement.name
    impossible = [one for one in information if not any(_meets([one.requirement], each, SpecifierSet()) for each in versions)]
    if impossible or len(information) == 1 and not specifier:
        wanted, _ = _words(impossible or information)
        return f"Cannot find a version of {name} that satisfies {wanted}: the newest is {max(versions)}."
    return _explain_clash(information, specifier)


def _explain_clash(information, specifier):
    name = information[0].requirement.name
    asked = [f'"{demand.text}" by {_who(parent) if parent else "you"}' for demand, parent in information]
    if specifier:
        asked.append(f'"{name}{specifier}" by a constraint')
    return (
        f"Cannot find one version of {name} for all: it is wanted as {' and '.join(dict.fromkeys(asked))}. "
        "Change or leave out one of them."
    )


def _explain_rejection(demands, specifier, listings, wanted):
    reasons = []
    for one in listings:
        meeting = [version for version in one.rejected if _meets(demands, version, specifier)]
        yanked = [wheel for wheel in one.wheels if wheel.yanked and _meets(demands, wheel.version, specifier)]
        broken = [wheel for wheel in one.wheels if wheel.broken and _meets(demands, wheel.version, specifier)]
        if one.error:
            reasons.append(f"{one.source}: {one.error}")
        elif broken:
            reasons.append(f"{one.source}: {broken[0].broken}")
        elif yanked:
            newest = max(yanked, key=lambda wheel: wheel.version)
            reasons.append(f"{one.source}: {newest.version} was yanked ({newest.yanked})")
        elif meeting:
            reasons.append(f"{one.source}: {one.rejected[max(meeting)]} ({max(meeting)})")
        else:
            reasons.append(f"{one.source}: no such version" if one.known else f"{one.source}: no such project")
    first = "Mend the source with an error, choose" if any(one.error for one in listings) else "Choose"
    return (
        f"Cannot install {wanted} as no source has a wheel of it that can be used. Tried {'; '.join(reasons)}. "
        f"{first} another version or package, or leave it out."
    )


def _meets(demands, version, specifier):
    return all(one.contains(version, prereleases=True) for one in [specifier, *(demand.specifier for demand in demands)])


def _who(parent):
    return f"{parent.wheel.name} {parent.wheel.version}"
