"""Says why demands cannot be met, in a sentence or two."""

from packaging.version import Version


def explain(information, provider):
    """Why there is no wheel for demands on one project, each with the candidate that makes it."""
    demands = [demand for demand, _ in information]
    name = demands[0].name
    listings = list(provider.listings(name))
    versions = [*{wheel.version for one in listings for wheel in one.wheels}, *_rejected(listings)]
    needing = sorted({_who(parent) for _, parent in information if parent})
    needed = f" (needed by {', '.join(needing)})" if needing else ""
    wanted = f'"{demands[0].text}"{needed}'
    specifier = provider.constraints[name]
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
        return _explain_versions(information, specifier, versions, wanted)
    if any(demand.hashes for demand in demands):
        return f"Cannot install {wanted} as no wheel of it has a hash that is allowed. Renew the hashes."
    return _explain_rejection(demands, specifier, listings, wanted)


def _explain_absence(name, needed, listings):
    tried = "; ".join(f"{one.source}: {one.error or 'no such project'}" for one in listings)
    if any(one.error for one in listings):
        return (
            f'Cannot find "{name}"{needed}. Tried {tried}. '
            "Check the network, or name another index with --index-url."
        )
    return f'Cannot find a package named "{name}"{needed}. Tried {tried}. Check its spelling.'


def _explain_versions(information, specifier, versions, wanted):
    name = information[0].requirement.name
    alone = all(
        any(demand.specifier.contains(version, prereleases=True) for version in versions)
        and not (demand.wheel and len(information) > 1)
        for demand, _ in information
    )
    if len(information) == 1 and not specifier:
        return f"Cannot find a version of {name} that satisfies {wanted}: the newest is {max(versions)}."
    asked = [f'"{demand.text}" by {_who(parent) if parent else "you"}' for demand, parent in information]
    if specifier:
        asked.append(f'"{name}{specifier}" by a constraint')
    if not alone and not any(demand.wheel for demand, _ in information):
        return f"Cannot find a version of {name} that satisfies {wanted}: the newest is {max(versions)}."
    return (
        f"Cannot find one version of {name} for all: it is wanted as {' and '.join(asked)}. "
        "Change or leave out one of them."
    )


def _explain_rejection(demands, specifier, listings, wanted):
    reasons = []
    for one in listings:
        meeting = [version for version in one.rejected if _meets(demands, version, specifier)]
        yanked = [wheel for wheel in one.wheels if wheel.yanked and _meets(demands, wheel.version, specifier)]
        broken = [wheel for wheel in one.wheels if wheel.broken]
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
    return (
        f"Cannot install {wanted} as no source has a wheel of it that can be used. Tried {'; '.join(reasons)}. "
        "Choose another version or package, or leave it out."
    )


def _meets(demands, version, specifier):
    return specifier.contains(version, prereleases=True) and all(
        demand.specifier.contains(version, prereleases=True) for demand in demands
    )


def _rejected(listings) -> set[Version]:
    return {version for one in listings for version in one.rejected}


def _who(parent):
    return f"{parent.wheel.name} {parent.wheel.version}"
