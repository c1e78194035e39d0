"""Wheels that could be installed, and their metadata."""

import hashlib
import io
import re
import zipfile
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import PurePosixPath
from urllib.parse import unquote, urldefrag, urlparse

from . import host, this_python
from packaging.metadata import parse_email
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import InvalidWheelFilename, NormalizedName, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version
from .refused import Refused

LARGEST_METADATA = 16 << 20
MOST_REQUIREMENTS = 5000  # Apache Airflow has 1,500.
LONGEST_REQUIREMENT = 4000  # Characters.
REQUIRING = "requires_dist", "requires_python", "provides_extra"
METADATA = re.compile(r"[^/]+\.dist-info/METADATA")
FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+!-]*")  # The name becomes a path.
ARCHIVE = re.compile(r"\.(zip|tgz|tbz|txz|tar(\.\w+)?)$", re.IGNORECASE)
RANKS = {tag: rank for rank, tag in reversed(list(enumerate(this_python.TAGS)))}


class Unusable(Exception):
    """Why a wheel cannot be used, for a sentence."""


class Unreachable(Unusable):
    """Why a wheel cannot be had, in a whole sentence."""


@dataclass(eq=False)
class Wheel:
    """A wheel, or a library of the Pyodide distribution, at an address."""

    name: NormalizedName
    version: Version
    file: str
    url: str
    source: str  # For messages.
    sha256: str | None = None
    size: int | None = None
    yanked: str | None = None  # The reason.
    metadata_sha256: str | None = None  # Of the metadata that its source serves alone (PEP 658); empty if not said.
    depends: list[str] | None = None  # Requirements that are known without metadata.
    place: str = "wheel"  # Else a zip of the Pyodide distribution: site, dynlib or stdlib.
    broken: str | None = None  # Why it cannot be used after all.
    origin: str | None = None  # Id of its source, which the host notes.
    local: bool = False  # From a folder: no index has described it.
    rank: tuple = ()  # Lower is better; among the wheels of a listing.

    def to_fetch(self):
        """For the host: its address, and the hash and the size that it must have."""
        return {"url": self.url, "file": self.file, "sha256": self.sha256, "size": self.size, "origin": self.origin}

    @cached_property
    def metadata(self):
        """Its METADATA (PEP 566), unchecked; raises Unusable."""
        return self.metadata_alone or _parse(_read_metadata(self, self._download()))

    @cached_property
    def metadata_alone(self):
        """Its metadata as its source serves it without the wheel; None if the source does not; raises Unusable."""
        if self.metadata_sha256 is None:
            return None
        answer = host.fetch(f"{self.url}.metadata", most=LARGEST_METADATA)
        if answer.get("status") != 200:
            return None
        data = bytes(answer["body"])
        if self.metadata_sha256 not in ("", found := hashlib.sha256(data).hexdigest()):
            raise Unusable(f"the sha256 of its metadata is {found}, and should be {self.metadata_sha256}")
        return _parse(data)

    def agrees_with(self, metadata):
        """Whether the metadata inside has the requirements that it was chosen by."""
        return all(_sorted(self.metadata.get(key)) == _sorted(metadata.get(key)) for key in REQUIRING)

    def check_name(self):
        """Checks that its metadata has its name and version; raises Unusable."""
        name, version = self.metadata.get("name", ""), self.metadata.get("version", "")
        try:
            if canonicalize_name(name) == self.name and Version(version) == self.version:
                return
        except InvalidVersion:
            pass
        raise Unusable(f"inside it says that it is {name} {version}")

    def has_one_of(self, hashes):
        """Whether it has a hash of these, each "sha256:…"; raises Unusable."""
        return any(self._hash(*one.split(":")) == one for one in sorted(hashes))

    def _hash(self, algorithm, _digest):
        if algorithm != "sha256":
            return f"{algorithm}:{hashlib.new(algorithm, self._download()).hexdigest()}"
        if self.sha256 is None:
            self._download()
        return f"sha256:{self.sha256}"

    def _download(self):
        answer = host.fetch_wheel(self)
        if "error" in answer:
            raise Unreachable(answer["error"])
        self.sha256 = answer["sha256"]
        return bytes(answer["body"])

    @cached_property
    def requirements(self):
        """Its requirements, under all markers; raises Unusable."""
        if self.depends is not None:
            return [Requirement(name) for name in self.depends]
        return self.requirements_of_extras

    @cached_property
    def requirements_of_extras(self):
        """The requirements of its metadata, also of extras, which a distribution leaves out; raises Unusable."""
        if self.place != "wheel":
            return []
        texts = self.metadata.get("requires_dist", [])
        if len(texts) > MOST_REQUIREMENTS:
            raise Unusable(f"it has {len(texts)} requirements, and may have {MOST_REQUIREMENTS}")
        if any(len(text) > LONGEST_REQUIREMENT for text in texts):
            raise Unusable(f"it has a requirement of more than {LONGEST_REQUIREMENT} characters")
        try:
            return [Requirement(text) for text in texts]
        except InvalidRequirement as error:
            raise Unusable(f"it has a malformed requirement: {str(error).splitlines()[0]}") from error

    @cached_property
    def requires_python(self):
        """Versions of Python that it is for; empty for all; raises Unusable."""
        return "" if self.depends is not None else self.metadata.get("requires_python", "")

    @cached_property
    def extras(self):
        """Raises Unusable."""
        if self.place != "wheel":
            return set()
        return {canonicalize_name(extra) for extra in self.metadata.get("provides_extra", [])}

    def prefetch(self):
        """Starts to fetch the file that `metadata` reads; returns itself."""
        if self.depends is None and self.metadata_sha256 is not None:
            host.prefetch(f"{self.url}.metadata", most=LARGEST_METADATA)
        elif self.depends is None:
            host.prefetch_wheel(self)
        return self


@dataclass
class Listing:
    """The wheels that a source has of a project."""

    source: str
    known: bool = True
    error: str | None = None  # Why the source cannot be asked.
    missed: Wheel | None = None  # Its wheel, which cannot be had for that reason.
    wheels: list[Wheel] = field(default_factory=list)  # Those that run here; the best of a version first.
    rejected: dict[Version, str] = field(default_factory=dict)  # Why no wheel of a version runs here.


def parse_filename(file):
    """Name, version and rank of a wheel's filename; the rank is None for another platform."""
    if not FILE.fullmatch(file):
        raise InvalidWheelFilename(f"Invalid wheel filename: {file!r}")
    # A page can name ten thousand files, of a hundred versions and a hundred platforms.
    name, _, rest = file.partition("-")
    version, _, tags = rest.partition("-")
    return *_parse_project(name, version), _parse_rank(tags)


@cache
def _parse_project(name, version):
    return parse_wheel_filename(f"{name}-{version}-py3-none-any.whl")[:2]


@cache
def _parse_rank(tags):
    _, _, build, found = parse_wheel_filename(f"x-0-{tags}")
    ranks = [RANKS[tag] for tag in found if tag in RANKS]
    # Of wheels of equal rank, the latest build counts.
    return (min(ranks), -build[0] if build else 0) if ranks else None


def direct_wheel(url, name=None):
    address, fragment = urldefrag(url)
    file = PurePosixPath(unquote(urlparse(address).path)).name
    try:
        found, version, rank = parse_filename(file)
    except InvalidWheelFilename as error:
        raise Refused(f'Cannot install "{shorten(url)}": {_not_a_wheel(address, file)}', 2) from error
    if name and found != canonicalize_name(name):
        raise Refused(f'Cannot install {name} from "{shorten(url)}" as that is a wheel of {found}.', 2)
    if urlparse(address).scheme not in ("https", "http", "file"):
        raise Refused(f'Cannot install "{shorten(url)}": its URL must start with https:, http: or file:.', 2)
    if rank is None:
        raise Refused(
            f'Cannot install "{shorten(url)}" as this wheel is for another Python or system. '
            "Name one that is for any, or for this Pyodide."
        )
    sha256 = re.search(r"sha256=([0-9a-fA-F]{64})", fragment)
    return Wheel(found, version, file, address, shorten(address), sha256 and sha256[1].lower())


def _not_a_wheel(address, file):
    if file.endswith(".whl"):
        return f'"{file}" is not a name of a wheel. It must be like name-1.0-py3-none-any.whl.'
    reason = "it is not a wheel"
    if re.match(r"(git|hg|svn|bzr)\b", address):
        reason = "it is source code in a repository"
    elif ARCHIVE.search(file):
        reason = "it is an archive that would have to be built"
    return f"{reason}. Only wheels run in WebAssembly: name a wheel (.whl), or a package of an index."


def shorten(url):
    """An address without credentials, for messages."""
    parts = urlparse(url)
    return parts.path if parts.scheme == "file" else parts.netloc.rpartition("@")[2] + parts.path


def _parse(data):
    if len(data) > LARGEST_METADATA:
        raise Unusable(f"its METADATA is larger than {LARGEST_METADATA >> 20} MiB")
    metadata, unparsed = parse_email(data)
    if "requires-dist" in unparsed:
        raise Unusable("its list of requirements is not UTF-8 text")
    return metadata


def _sorted(value):
    return sorted(value) if isinstance(value, list) else value


def _read_metadata(wheel, data):
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            paths = [path for path in archive.namelist() if METADATA.fullmatch(path)]
            if len(paths) != 1:
                raise Unusable(f"{wheel.file} has no METADATA, or more than one")
            with archive.open(paths[0]) as file:
                return file.read(LARGEST_METADATA + 1)
    except Unusable:
        raise
    except Exception as error:  # An archive can hold anything.
        raise Unusable(f"{wheel.file} cannot be read: {error}") from error
