"""A Pyodide distribution as a source: its lock file, and the address of its files."""

import json
import sysconfig
from functools import cached_property
from urllib.parse import urljoin

import pyodide_js
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from . import host, this_python
from .refused import Refused
from .wheels import Listing, Wheel, shorten

LOCK = "pyodide-lock.json"
PATIENCE = 10  # Seconds that its host has to answer.


class Distribution:
    """Lists the packages of a lock file, which it fetches if the order has none."""

    has_last_word = False

    def __init__(self, url, lock, origin, stored, offline):
        self._origin = origin
        self._url = url or pyodide_js._api.config.cdnUrl or None  # Early versions have no such address.
        self._lock = lock
        self._stored = stored  # Hashes of the files in the cache.
        self._offline = offline
        self._is_local = bool(self._url) and self._url.startswith("file:")
        self.label = f"the Pyodide distribution {f'at {shorten(self._url)}' if self._url else ''}".rstrip()

    def list(self, name):
        """The listing of a project: one version, or none."""
        wheel = self._find(name)
        if wheel is None:
            return Listing(self.label, known=False, error=self.trouble() if self._url and self._lock is None else None)
        if not self._is_away(wheel):
            return Listing(self.label, wheels=[wheel])
        if self._offline:
            return Listing(self.label)
        if self.trouble():
            return Listing(self.label, error=self.trouble(), missed=wheel)
        return Listing(self.label, wheels=[wheel])

    def prefetch(self, name):
        """Starts to ask its host if it has a project; returns whether it has the project."""
        wheel = self._find(name)
        if wheel and self._url and self._is_away(wheel) and not self._offline:
            host.prefetch(urljoin(self._url, LOCK))
        return wheel is not None

    def _find(self, name):
        """The wheel of a project, which its host may not give; None if it is not in the lock file."""
        try:
            package = self._packages.get(name)
            return package and self._to_wheel(name, package)
        except (AttributeError, LookupError, TypeError, ValueError) as error:  # The host can answer anything.
            raise Refused(
                f"Cannot use {self.label}: its {LOCK} is not a lock file (is it a login page?). Leave out --dist, or name another."
            ) from error

    def _is_away(self, wheel):
        """Whether its host must be asked for a wheel."""
        return not (self._is_local or wheel.sha256 in self._stored)

    def ask(self):
        """Starts to ask whether its files can be had."""
        if self._url and not self._is_local and not self._offline:
            host.prefetch(urljoin(self._url, LOCK))

    def trouble(self):
        """Why its files cannot be had; None if they can."""
        if self._url is None:
            return "its folder has its lock file without its packages, and it has no address"
        return None if self._is_local or self._offline else self._answer.get("error")

    @cached_property
    def _answer(self):
        answer = host.fetch(urljoin(self._url, LOCK), patience=PATIENCE)
        return answer if answer.get("status") == 200 else {"error": host.trouble(answer)}

    @cached_property
    def _packages(self):
        if self._lock is None and (self._url is None or self._offline or self.trouble()):
            return {}
        lock = json.loads(self._lock or bytes(self._answer["body"]))
        self._check_abi(lock["info"])
        return {canonicalize_name(name): package for name, package in lock["packages"].items()}

    def _check_abi(self, info):
        its = info.get("abi_version")
        if its != this_python.ABI:
            raise Refused(
                f"Cannot use {self.label} as it is for Pyodide's ABI {its}, and this Pyodide has {this_python.ABI}. "
                "Leave out --dist, or use that Pyodide whole with --pyodide."
            )

    def _to_wheel(self, name, package):
        file = package["file_name"]
        return Wheel(
            name=name,
            version=_to_version(package["version"]),
            file=file,
            url=urljoin(self._url, file),
            source=self.label,
            sha256=package["sha256"].lower(),
            depends=package["depends"],
            origin=self._origin,
            place="wheel" if file.endswith(".whl") else package["install_dir"],
        )


def _to_version(text):
    """The version in a text; a library may have another kind, such as "1.1.1w"."""
    try:
        return Version(text)
    except InvalidVersion:
        return Version(f"0+{text}")
