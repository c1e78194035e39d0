"""What is asked for: by the user, by a constraint, or by a package."""

import re
from dataclasses import dataclass, replace

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import NormalizedName, canonicalize_name
from .refused import Refused
from .wheels import Wheel, direct_wheel

# What a wheel asks for that is for another Python; no project can have this name.
PYTHON = "Python"
HASH = re.compile(r"\s--hash=(sha\d+:[0-9a-f]+)")
FRAGMENT = re.compile(r"#(?:.*&)?(md5|sha1|sha224|sha256|sha384|sha512)=([0-9a-fA-F]+)")
DIRECT = re.compile(r"(?P<url>(?:https?|file):\S+?\.whl(?:#\S*?)?)(?P<extras>\[[^\]]*\])?\s*(?:;(?P<marker>.*))?$")


@dataclass(frozen=True, eq=False)
class Demand:
    """A requirement that holds in this Python."""

    name: NormalizedName
    extras: frozenset[str]
    specifier: SpecifierSet
    text: str  # For messages.
    hashes: frozenset[str] = frozenset()  # Each "sha256:…"; one will do, none is any.
    wheel: Wheel | None = None  # The only one that will do.

    @property
    def key(self):
        """What is chosen as one: a project with these extras."""
        return self.name, self.extras

    def all(self):
        """What it comes to: the same of the project alone, then with its extras."""
        return [replace(self, extras=frozenset()), self] if self.extras else [self]


def read_demands(lines):
    """The demands of the user's requirements, without those whose marker does not hold."""
    return [demand for line in lines for demand in _read_line(line)]


def _read_line(line):
    hashes = frozenset(HASH.findall(line))
    text = HASH.sub("", line).strip()
    direct = DIRECT.fullmatch(text)
    if direct:
        name = direct_wheel(direct["url"]).name
        marker = f" ; {direct['marker']}" if direct["marker"] else ""
        requirement = read_requirement(f"{name}{direct['extras'] or ''} @ {direct['url']}{marker}")
    else:
        requirement = read_requirement(text)
    if holds(requirement):
        yield to_demand(requirement, text=text, hashes=hashes)


def read_requirement(text):
    """A requirement as the user wrote it."""
    try:
        return Requirement(text)
    except InvalidRequirement as error:
        reason = re.split(r"\n|\. ", str(error))[0].rstrip(".")
        raise Refused(
            f'Cannot read requirement "{text}": {reason}. Write it like "name" or "name>=1.0".', 2
        ) from error


def holds(requirement, extras=("",)):
    """Whether a requirement is one of this Python, with any of these extras."""
    try:
        return requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in extras)
    except ValueError as error:
        raise Refused(f'Cannot read the marker of "{requirement}": {error}') from error


def to_demand(requirement, text=None, hashes=frozenset()):
    """A requirement whose marker holds, as a demand."""
    return Demand(
        name=canonicalize_name(requirement.name),
        extras=frozenset(canonicalize_name(extra) for extra in requirement.extras),
        specifier=requirement.specifier,
        text=text or str(requirement),
        hashes=hashes or _hashes_in(requirement.url or ""),
        wheel=direct_wheel(requirement.url, requirement.name) if requirement.url else None,
    )


def _hashes_in(url):
    """The hash that an address has behind it, if it has one."""
    found = FRAGMENT.search(url)
    return frozenset([f"{found[1]}:{found[2].lower()}"] if found else [])
