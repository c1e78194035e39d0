"""Demands: requirements of the user, of a constraint, or of a package."""

import re
from dataclasses import dataclass, replace

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import NormalizedName, canonicalize_name
from .refused import Refused
from .wheels import Wheel, direct_wheel

# A wheel for another Python demands this; no project can have the name.
PYTHON = "Python"
HASH = re.compile(r"\s--hash=(sha\d+:[0-9a-f]+)")
FRAGMENT = re.compile(r"#(?:.*&)?(md5|sha1|sha224|sha256|sha384|sha512)=([0-9a-fA-F]+)")


@dataclass(frozen=True, eq=False)
class Demand:
    """A requirement that holds in this Python."""

    name: NormalizedName
    extras: frozenset[str]
    specifier: SpecifierSet
    text: str  # For messages.
    hashes: frozenset[str] = frozenset()  # Allowed ones, each "sha256:…"; empty for any.
    wheel: Wheel | None = None  # The only allowed wheel.

    @property
    def key(self):
        """The unit of choice: a project with these extras."""
        return self.name, self.extras

    def all(self):
        """The demand without its extras, then with them."""
        return [replace(self, extras=frozenset()), self] if self.extras else [self]


def read_demands(lines):
    """The demands of the user's requirements; a requirement whose marker does not hold makes none."""
    demands = []
    for line in lines:
        text = HASH.sub("", line).strip()
        requirement = _read_requirement(text)
        if holds(requirement):
            demands.append(to_demand(requirement, text, frozenset(HASH.findall(line))))
    return demands


def _read_requirement(text):
    try:
        return Requirement(text)
    except InvalidRequirement as error:
        raise Refused(
            f'Cannot read requirement "{text}": {_reason(error, text)}. Write it like "name" or "name>=1.0".', 2
        ) from error


def _reason(error, text):
    """The part that packaging could not read, and what it should have been."""
    if not hasattr(error.__cause__, "span"):
        return str(error).splitlines()[0].rstrip(".")
    start, _ = error.__cause__.span
    before, part = text[:start], text[start:]
    if not before:
        return "expected a package name"
    if ";" in before:
        return f'"{text.partition(";")[2].strip()}" is not a marker'
    return f'"{part}" is not {"a list of extras" if part.startswith("[") else "a range of versions"}'


def holds(requirement, extras=("",)):
    """Whether a requirement's marker holds in this Python, with any of these extras."""
    try:
        return requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in extras)
    except ValueError as error:
        raise Refused(f'Cannot read the marker of "{requirement}": {error}') from error


def to_demand(requirement, text=None, hashes=frozenset()):
    return Demand(
        name=canonicalize_name(requirement.name),
        extras=frozenset(canonicalize_name(extra) for extra in requirement.extras),
        specifier=requirement.specifier,
        text=text or str(requirement),
        hashes=hashes or _hashes_in(requirement.url or ""),
        wheel=direct_wheel(requirement.url, requirement.name) if requirement.url else None,
    )


def _hashes_in(url):
    """The hash in the fragment of an address, as a set; empty without a hash."""
    found = FRAGMENT.search(url)
    return frozenset([f"{found[1]}:{found[2].lower()}"] if found else [])
