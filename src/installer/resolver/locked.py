"""Reads a lock file (PEP 751), which names every file to install."""

import tomllib

from packaging.pylock import PackageWheel, Pylock, PylockSelectError, PylockValidationError
from packaging.version import Version

from . import this_python
from .demands import read_demands
from .refused import Refused
from .sources import Index
from .wheels import FILE, Wheel, shorten


def read_lock(path, text, sources):
    """The wheels by name, and the names that the lock was made for: all, if another program wrote it."""
    try:
        content = tomllib.loads(text)
        lock = Pylock.from_dict(content)
        chosen = list(lock.select(tags=this_python.TAGS))
    except (tomllib.TOMLDecodeError, PylockValidationError) as error:
        raise Refused(f"Cannot read the lock file {path}: {error}. Make it anew with `mcp-run-python lock`.", 2) from error
    # A marker that cannot be evaluated raises ValueError.
    except (PylockSelectError, ValueError) as error:
        raise Refused(
            f"Cannot use the lock file {path} for this Python: {str(error).rstrip('.')}. "
            "Make one with `mcp-run-python lock`."
        ) from error
    wheels = [_read_package(path, package, wheel, sources) for package, wheel in chosen]
    try:
        ours = content.get("tool", {}).get("mcp-run-python", {})
        wheels += [_read_library(one) for one in ours.get("libraries", [])]
        requested = {demand.name for demand in read_demands(ours.get("requirements", []))}
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise Refused(f"Cannot read [tool.mcp-run-python] in the lock file {path}. Make it anew with `mcp-run-python lock`.", 2) from error
    locked = {wheel.name: wheel for wheel in wheels}
    return locked, requested or locked.keys()


def _read_package(path, package, wheel, sources):
    if not isinstance(wheel, PackageWheel):
        raise Refused(
            f"Cannot install {package.name} from the lock file {path} as it names no wheel that runs in WebAssembly. "
            "Make one with `mcp-run-python lock`."
        )
    if not FILE.fullmatch(wheel.filename):
        raise Refused(
            f"Cannot read the lock file {path}: {wheel.filename!r} is not a name of a wheel. "
            "Make it anew with `mcp-run-python lock`.",
            2,
        )
    sha256 = wheel.hashes.get("sha256")
    if sha256 is None:
        raise Refused(f"Cannot install {package.name} from the lock file {path} as it has no sha256 there.")
    url = wheel.url or _find_in_folders(path, package.name, wheel.filename, sources)
    return Wheel(
        name=package.name,
        version=package.version or Version(wheel.filename.split("-")[1]),
        file=wheel.filename,
        url=url,
        source=shorten(url),
        sha256=sha256.lower(),
        size=wheel.size,
    )


def _find_in_folders(path, name, filename, sources):
    for source in sources:
        if isinstance(source, Index):
            continue
        for wheel in source.list(name).wheels:
            if wheel.file == filename and wheel.url.startswith("file:"):
                return wheel.url
    raise Refused(
        f"Cannot find {filename}, which the lock file {path} names without an address. "
        "Name its folder with --find-links."
    )


def _read_library(one):
    if not FILE.fullmatch(one["file"]):
        raise ValueError("a file name that could be a path")
    given = {key: one[key] for key in ("name", "file", "url", "sha256", "place")}
    return Wheel(**given, version=Version(one["version"]), source=shorten(one["url"]), depends=[])
