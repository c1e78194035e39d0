"""Sources of wheels: folders, a Pyodide distribution, package indexes."""

import json
import re
from functools import cache
from urllib.parse import urldefrag, urljoin, urlparse

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import InvalidSdistFilename, InvalidWheelFilename, canonicalize_name, parse_sdist_filename
from packaging.version import InvalidVersion, Version

from . import host, this_python
from .distribution import PATIENCE, Distribution
from .index_pages import DEFAULT_INDEX_URL, read_html
from .wheels import Listing, Wheel, parse_filename

SHA256 = re.compile(r"[0-9a-f]{64}")
ACCEPT = "application/vnd.pypi.simple.v1+json, text/html;q=0.1"


class Folder:
    """Wheels on this machine: those of a user's folder, or some of the cache."""

    has_last_word = False  # Whether the search for a project ends at a source that knows it.

    def __init__(self, label, files):
        self.label = label
        self._files = files

    def list(self, name):
        own = [file for file in self._files if canonicalize_name(file["filename"].split("-")[0]) == name]
        for file in own:
            if file["filename"].endswith(".whl") and not _is_wheel_name(file["filename"]):
                host.warn(f"Skipping {file['filename']} in {self.label}: a wheel is named like name-1.0-py3-none-any.whl")
        listing = _to_listing(self.label, own)
        for wheel in listing.wheels:
            wheel.local = True
        return listing

    def ask(self):
        """Starts to ask whether it answers."""

    def trouble(self):
        """Why it cannot be asked; None if it can."""
        return None


class Index:
    """A package index (PEP 503, PEP 691)."""

    has_last_word = True

    def __init__(self, url, origin):
        self._url = (url or DEFAULT_INDEX_URL).rstrip("/")
        self._origin = origin
        self.label = f"the package index at {urlparse(self._url).netloc}"
        self._error = None

    def page(self, name):
        return self._url.format(package_name=name) if "{" in self._url else f"{self._url}/{name}/"

    def prefetch(self, name):
        """Starts to fetch a project's page."""
        host.prefetch(self.page(name), {"accept": ACCEPT})
        return True

    def list(self, name):
        if self._error:
            return Listing(self.label, error=self._error)
        answer = host.fetch(self.page(name), {"accept": ACCEPT})
        if answer.get("status") in (404, 410):
            return Listing(self.label, known=False)
        try:
            if answer.get("status") != 200:
                raise ConnectionError(host.trouble(answer))
            listing = _to_listing(self.label, _read_page(answer), base_url=answer["url"])
            for wheel in listing.wheels:
                wheel.origin = self._origin
            return listing
        except ConnectionError as error:
            self._error = str(error)
        except Exception:  # An index can answer anything.
            self._error = f'its answer for "{name}" is not a list of files (is it a login page?)'
        return Listing(self.label, error=self._error)

    def ask(self):
        self.prefetch("pip")

    def trouble(self):
        answer = host.fetch(self.page("pip"), {"accept": ACCEPT}, patience=PATIENCE)
        return answer.get("error") or self.list("pip").error


class CachedIndex(Folder):
    """The wheels of a package index in the cache; stands for the index offline."""

    has_last_word = True

    def list(self, name):
        listing = super().list(name)
        listing.known = bool(listing.wheels or listing.rejected)
        return listing


def _read_page(answer):
    text = bytes(answer["body"]).decode()
    if "json" in answer["contentType"].lower():
        return json.loads(text)["files"]
    if not re.search(r"\.(whl|zip|egg|tar\.\w+|tgz)\b", text):
        raise ValueError("a page without files")
    return read_html(text, answer["url"])


def _is_wheel_name(filename):
    try:
        return bool(parse_filename(filename))
    except InvalidWheelFilename:
        return False


def _to_listing(source, files, base_url=""):
    listing = Listing(source)
    for file in files:
        name = file["filename"]
        if name.endswith(".whl"):
            _add_wheel(listing, file, base_url)
        elif name.endswith((".tar.gz", ".zip")):
            try:
                _, version = parse_sdist_filename(name)
            except (InvalidSdistFilename, InvalidVersion):
                continue
            listing.rejected.setdefault(version, "only its source")
    listing.wheels.sort(key=lambda wheel: wheel.rank)
    for wheel in listing.wheels:
        listing.rejected.pop(wheel.version, None)
    return listing


def _add_wheel(listing, file, base_url):
    filename = file["filename"]
    try:
        name, version, rank = parse_filename(filename)
    except ValueError:  # The name is not of a wheel.
        return
    needs = file.get("requires-python")
    if rank is None:
        listing.rejected[version] = "no wheel that runs in WebAssembly"
        return
    if needs and not runs_python(needs):
        listing.rejected[version] = f"only for Python {needs}"
        return
    try:
        url, fragment = urldefrag(urljoin(base_url, file["url"]))
    except ValueError:  # The address is malformed.
        return
    sha256 = ((file.get("hashes") or {}).get("sha256") or "").lower() or _hash_of(fragment)
    size = file.get("size")
    if sha256 and not SHA256.fullmatch(sha256) or not (size is None or type(size) is int and size >= 0):
        raise ValueError(f"no hash or size of {filename}")
    yanked = file.get("yanked", False)
    wheel = Wheel(
        name=name,
        version=version,
        file=filename,
        url=url,
        source=listing.source,
        sha256=sha256,
        size=size,
        yanked=None if yanked is False else (yanked if isinstance(yanked, str) else "") or "no reason given",
        metadata_sha256=_metadata_hash_of(file),
        rank=rank,
    )
    listing.wheels.append(wheel)


@cache
def runs_python(needs):
    """Whether a package runs on this Python; a malformed specifier bounds nothing."""
    try:
        return SpecifierSet(needs).contains(this_python.VERSION, prereleases=True)
    except InvalidSpecifier:
        return True


def _hash_of(fragment):
    found = re.fullmatch(r"sha256=([0-9a-fA-F]{64})", fragment)
    return found and found[1].lower()


def _metadata_hash_of(file):
    """The hash of the metadata that is served beside a file; None if there is none (PEP 658, PEP 714)."""
    # PyPI gives the last name, too.
    names = "core-metadata", "dist-info-metadata", "data-dist-info-metadata"
    said = next((file[name] for name in names if name in file), False)
    if isinstance(said, dict):
        return str(said.get("sha256") or "").lower()
    return "" if said else None


def open_sources(order):
    """The sources of an order, in the sequence in which they are asked."""
    folders = [Folder(f"the wheels in {one['label']}", one["files"]) for one in order["folders"]]
    offline, dist = order["offline"], order["dist"]
    distribution = Distribution(dist["url"], dist["lock"], dist["origin"], set(order["stored"]), offline)
    indexes = [Index(one["url"], one["origin"]) for one in order["indexes"]]
    if not offline:
        return [*folders, distribution, *indexes]
    # Without its lock file, cached wheels stand for the distribution.
    cached = [Folder("the wheels in the cache", order["pinned"])]
    if dist["lock"] is None:
        cached.append(Folder(f"the cached wheels of {distribution.label}", dist["cached"]))
    for index, one in zip(indexes, order["indexes"]):
        cached.append(CachedIndex(f"the cached wheels of {index.label}", one["cached"]))
    return [*folders, distribution, *cached]
