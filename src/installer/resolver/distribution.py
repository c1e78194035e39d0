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

    def __init__(self, url, lock, origin, cached):
        self._origin = origin
        self._url = url or pyodide_js._api.config.cdnUrl or None  # Early versions have no such address.
        self._lock = lock
        self._cached = cached  # Offline: hashes of the files in the cache; else None.
        self._is_local = bool(self._url) and self._url.startswith("file:")
        self.label = f"the Pyodide distribution {f'at {shorten(self._url)}' if self._url else ''}".rstrip()

    def list(self, name):
        """The listing of a project: one version, or none."""
        try:
            return self._list(name)
        except (AttributeError, LookupError, TypeError, ValueError) as error:  # The host can answer anything.
            raise Refused(
                f"Cannot use {self.label}: its {LOCK} is not a lock file (is it a login page?). Leave out --dist, or name another."
            ) from error

    def _list(self, name):
        if self._url is None:
            return Listing(self.label, known=False)
        if self._lock is None and self.trouble():
            return Listing(self.label, error=self.trouble())
        package = self._packages.get(name)
        offline = self._cached is not None and not self._is_local
        if package is None or offline and package["sha256"] not in self._cached:
            return Listing(self.label, known=False)
        if self.trouble():
            return Listing(self.label, error=self.trouble())
        return Listing(self.label, wheels=[self._to_wheel(name, package)])

    def ask(self):
        """Starts to ask whether its files can be had."""
        if self._url and not self._is_local and self._cached is None:
            host.prefetch(urljoin(self._url, LOCK))

    def trouble(self):
        """Why its files cannot be had; None if they can."""
        if self._url is None:
            return "it has no address"
        return None if self._is_local or self._cached is not None else self._answer.get("error")

    @cached_property
    def _answer(self):
        answer = host.fetch(urljoin(self._url, LOCK), patience=PATIENCE)
        return answer if answer.get("status") == 200 else {"error": host.trouble(answer)}

    @cached_property
    def _packages(self):
        if self._lock is None and self._cached is not None:
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
            sha256=package["sha256"],
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
