"""Chooses wheels with resolvelib, the resolver of pip."""

import re
from collections import defaultdict
from dataclasses import dataclass

from packaging.specifiers import SpecifierSet
from resolvelib import AbstractProvider, BaseReporter, ResolutionImpossible, ResolutionTooDeep, Resolver
from resolvelib.structs import RequirementInformation

from . import host
from .demands import PYTHON, Demand, holds, to_demand
from .distribution import Distribution
from .explain import explain, find_missed
from .refused import Refused
from .sources import Folder, runs_python
from .wheels import Unreachable, Unusable, Wheel

MOST_ROUNDS = 2000
# Seconds of computing; a hundred packages take some two. Extras that ask for each other could take hours.
MOST_WORK = 60
# Versions of one project that are tried although their requirements cannot be met.
MOST_HOPELESS = 20


def resolve(demands, constraints, sources, offline):
    provider = Provider(sources, constraints, offline)
    roots = [one for demand in demands for one in demand.all()]
    dead_ends = DeadEnds(provider, roots)
    for demand in demands:
        provider.prefetch(demand)
    try:
        result = Resolver(provider, dead_ends).resolve(roots, max_rounds=MOST_ROUNDS)
    except ResolutionImpossible as error:
        raise Refused(explain(dead_ends.first or error.causes, provider)) from error
    except ResolutionTooDeep as error:
        names = ", ".join(demand.text for demand in demands)
        raise Refused(f"Cannot find versions that fit together for {names}. Ask for exact versions of some.") from error
    _check_extras(demands, result.mapping)
    dead_ends.warn(result.mapping.values())
    return {candidate.name: candidate.wheel for candidate in result.mapping.values()}


@dataclass(frozen=True)
class Candidate:
    wheel: Wheel
    extras: frozenset[str]

    @property
    def name(self):
        return self.wheel.name

    @property
    def key(self):
        return self.name, self.extras


class Provider(AbstractProvider):
    def __init__(self, sources, constraints, offline):
        self.sources = sources
        self.offline = offline
        self.constraints = defaultdict(SpecifierSet)
        for demand in constraints:
            self.constraints[demand.name] &= demand.specifier
        self._until = host.worked() + MOST_WORK
        self.hopeless = defaultdict(dict)  # By key: wheels that no solution has, with the demand that lacks a wheel.
        self._direct = {}
        self._listings = {}
        self._skipped = set()

    def identify(self, requirement_or_candidate):
        return requirement_or_candidate.key

    def _check_work(self, name):
        if host.worked() > self._until:
            raise Refused(
                f"Cannot find versions that fit together: after {MOST_WORK} s of computing, {name} asks for more. "
                "Ask for exact versions, for fewer extras, or leave it out."
            )

    def get_preference(self, identifier, resolutions, candidates, information, backtrack_causes):
        self._check_work(identifier[0])
        demands = [demand for demand, _ in information[identifier]]
        causes = {cause.requirement.name for cause in backtrack_causes}
        return (
            identifier[0] not in causes,
            not any(demand.wheel for demand in demands),
            not any(_is_exact(demand.specifier) for demand in demands),
            identifier[0],
            not identifier[1],
        )

    def find_matches(self, identifier, requirements, incompatibilities):
        name, extras = identifier
        demands = list(requirements[identifier])
        base = name, frozenset()
        if extras and base in requirements:
            demands += requirements[base]
        refused = {candidate.wheel for candidate in incompatibilities[identifier]}
        return lambda: (
            Candidate(wheel.prefetch(), extras) for wheel in self._wheels(identifier, demands) if wheel not in refused
        )

    def is_satisfied_by(self, requirement, candidate):
        if requirement.wheel:
            return requirement.wheel.url == candidate.wheel.url
        return requirement.specifier.contains(candidate.wheel.version, prereleases=True)

    def get_dependencies(self, candidate):
        demands = list(self._dependencies(candidate))
        for demand in demands:
            self.prefetch(demand)
        return demands

    def _dependencies(self, candidate):
        wheel, extras = candidate.wheel, candidate.extras
        if extras:
            text = f"{wheel.name}=={wheel.version}"
            yield Demand(wheel.name, frozenset(), SpecifierSet(), text, wheel=wheel)
        try:
            if not runs_python(wheel.requires_python):
                yield Demand(PYTHON, frozenset(), SpecifierSet(), f"Python {wheel.requires_python}")
            requirements = wheel.requirements_of_extras if extras else wheel.requirements
        except Unreachable as error:
            raise Refused(str(error)) from error
        except Unusable as error:
            raise Refused(
                f"Cannot install {wheel.name} {wheel.version} from {wheel.source}: {error}. "
                "Try again, or choose another version or source."
            ) from error
        for requirement in requirements:
            self._check_work(wheel.name)
            # The wheel without extras demands those that hold without them.
            if not holds(requirement, extras or ("",)) or extras and holds(requirement):
                continue
            if requirement.url and not re.match(r"https?:.*\.whl\b", requirement.url):
                raise Refused(f'Cannot install {wheel.name} as it asks for "{requirement}", which is not a wheel on the web.')
            yield from to_demand(requirement).all()

    def prefetch(self, demand):
        """Starts to fetch the pages or the wheel that the demand will need."""
        if demand.wheel:
            demand.wheel.prefetch()
        if demand.wheel or demand.name == PYTHON:
            return
        for source in self.sources:
            has_it = self.list(source, demand.name).wheels if isinstance(source, Folder) else source.prefetch(demand.name)
            if has_it:
                return

    def list(self, source, name):
        """The listing of a project by a source; warns once of a source that cannot be asked."""
        if (source, name) not in self._listings:
            listing = self._listings[source, name] = source.list(name)
            if listing.error and source not in self._skipped:
                self._skipped.add(source)
                host.warn(f"Skipping {source.label}: {listing.error}")
        return self._listings[source, name]

    def listings(self, name):
        """The listing of a project by each source; an index that knows the project is the last that is asked."""
        for source in self.sources:
            listing = self.list(source, name)
            if isinstance(source, Distribution) and not (listing.known or listing.error):
                continue  # It lists few projects.
            yield listing
            if source.has_last_word and listing.known and not listing.error:
                return

    def _wheels(self, key, demands):
        """Wheels that meet all demands, the preferred one first."""
        name, _ = key
        if name == PYTHON:
            return iter(())
        specifier = self.constraints[name]
        for demand in demands:
            specifier &= demand.specifier
        direct = {demand.wheel.url: demand.wheel for demand in demands if demand.wheel}
        if direct:
            # The same object each time, as wheels are compared by identity.
            found = [self._direct.setdefault(url, wheel) for url, wheel in direct.items() if len(direct) == 1]
            wheels = (wheel for wheel in found if specifier.contains(wheel.version, prereleases=True))
        else:
            wheels = (wheel for listing in self.listings(name) for wheel in _choose(listing.wheels, specifier))
        hashes = [demand.hashes for demand in demands if demand.hashes]
        return (wheel for wheel in wheels if self._can_be_used(wheel, key) and _is_allowed(wheel, hashes))

    def is_hopeless(self, demand):
        """Whether no wheel that meets a demand can be in a solution."""
        return next(iter(self._wheels(demand.key, [demand])), None) is None

    def _can_be_used(self, wheel, key):
        """Whether a solution may have a wheel; a wheel of a folder must be what its name says, and for this Python."""
        for hopeless in self.hopeless[key], self.hopeless[wheel.name, frozenset()]:
            if wheel in hopeless or len(hopeless) >= MOST_HOPELESS:
                return False
        if wheel.broken or not wheel.local:
            return not wheel.broken
        try:
            wheel.check_name()
            if not runs_python(wheel.requires_python):
                wheel.broken = f"only for Python {wheel.requires_python} ({wheel.version})"
            return not wheel.broken
        except Unusable as error:
            wheel.broken = str(error)
            host.warn(f"Skipping {wheel.file} in {wheel.source}: {error}")
            return False


class DeadEnds(BaseReporter):
    """Learns from demands that cannot be met: no wheel that makes such a demand is tried again."""

    def __init__(self, provider, demands):
        self._provider = provider
        self._demands = demands
        self._asking = defaultdict(list)  # By key: the demands, with their candidates.
        # The obstacle to the newest versions; older versions may fail for other reasons.
        self.first = None

    def adding_requirement(self, requirement, parent):
        if parent:
            self._asking[requirement.key].append(RequirementInformation(requirement, parent))

    def rejecting_candidate(self, criterion, candidate):
        information = list(criterion.information)
        self.first = self.first or information
        for one in information:
            # A demand that only clashes may not clash with other versions.
            if one.parent is candidate and self._provider.is_hopeless(one.requirement):
                return self._give_up(one)

    def _give_up(self, lacking):
        """Marks as hopeless the wheel that lacks something, then the wheels that depend on it alone."""
        key, wheel = lacking.parent.key, lacking.parent.wheel
        if wheel in self._provider.hopeless[key]:
            return
        if find_missed([lacking], self._provider):
            # An older version would be chosen only because a source is down.
            raise Refused(explain([lacking], self._provider))
        self._provider.hopeless[key][wheel] = lacking
        for root in self._demands:
            if root.key == key and self._provider.is_hopeless(root):
                raise Refused(explain([self._root_of(key)], self._provider))
        for one in self._asking[key]:
            if self._provider.is_hopeless(one.requirement):
                self._give_up(one)

    def _root_of(self, key):
        """The demand that the newest wheel of a project lacks; or that the lacking project lacks, and so on."""
        # Each reason was found before its consequence, so this loop ends.
        while known := self._provider.hopeless.get(key):
            lacking = next(iter(known.values()))
            key = lacking.requirement.key
        return lacking

    def warn(self, candidates):
        """Warns of projects whose newest version could not be chosen."""
        for candidate in candidates:
            wheel = candidate.wheel
            for newer, lacking in self._provider.hopeless[candidate.key].items():
                if newer.version > wheel.version:
                    needed = f"{newer.version} needs {lacking.requirement.text}, which cannot be had"
                    host.warn(f"Taking {wheel.name} {wheel.version}, as {needed}")
                    break


def _is_allowed(wheel, hashes):
    try:
        return all(wheel.has_one_of(allowed) for allowed in hashes)
    except Unusable as error:
        raise Refused(str(error)) from error


def _choose(wheels, specifier):
    """The best wheel of each version, newest first; yanked wheels only for an exact specifier."""
    best = {}
    for wheel in wheels:
        if wheel.yanked is None or _is_exact(specifier):
            best.setdefault(wheel.version, wheel)
    for version in sorted(specifier.filter(best), reverse=True):
        yield best[version]


def _is_exact(specifier):
    return any(one.operator in ("==", "===") and not one.version.endswith(".*") for one in specifier)


def _check_extras(demands, mapping):
    for demand in demands:
        if not demand.extras:
            continue  # A wheel of a distribution would be downloaded for its extras.
        wheel = mapping[demand.key].wheel
        for extra in demand.extras - wheel.extras:
            offers = ", ".join(sorted(wheel.extras)) or "none"
            raise Refused(
                f'Cannot install "{demand.text}" as {wheel.name} {wheel.version} has no extra "{extra}"; it has: {offers}.'
            )
