"""Resolves requirements to wheels and unpacks them.

Runs in a worker without permissions: `Host.fetch` is its only way out, and
nothing of a package is executed here.
"""

import hashlib
import json
import zipfile
from urllib.parse import urlparse

import unpack
from micropip import package_index
from micropip._compat import CompatibilityLayer
from micropip._vendored.packaging.src.packaging.markers import default_environment
from micropip._vendored.packaging.src.packaging.requirements import InvalidRequirement, Requirement
from micropip.transaction import Transaction
from pyodide.ffi import to_js
from pyodide_js._api import config
from unpack import Refused


class Host(CompatibilityLayer):
    """micropip's way to the world, and a record of what it met there."""

    loadedPackages = None
    lockfile_info = {}
    lockfile_packages = {}
    lockfile_base_url = None
    install = loadPackage = to_js = None

    fetch = None
    answers = {}

    @classmethod
    async def get(cls, url, headers=None):
        if url not in cls.answers:
            cls.answers[url] = (await cls.fetch(url, json.dumps(headers or {}))).to_py()
        return cls.answers[url]

    @classmethod
    async def fetch_bytes(cls, url, kwargs):
        answer = await cls.get(url, kwargs.get("headers"))
        if answer.get("status") != 200:
            raise Refused(f"Cannot download {_filename(url)}: {_trouble(answer)}.")
        return bytes(answer["body"])

    @classmethod
    async def fetch_string_and_headers(cls, url, kwargs):
        answer = await cls.get(url, kwargs.get("headers"))
        if answer.get("status") != 200:
            raise OSError(_trouble(answer))
        return bytes(answer["body"]).decode(), {"content-type": answer["contentType"]}


class Distribution:
    """The Pyodide distribution of this version: its lock file, and where its files are."""

    url = config.cdnUrl
    packages = {}


def connect(fetch, lock_json, index_url):
    Host.fetch = fetch
    Distribution.packages = json.loads(lock_json)["packages"]
    if index_url:
        package_index.DEFAULT_INDEX_URLS[:] = [index_url.rstrip("/")]


async def probe():
    """Whether each source answers, a line each."""
    index_url = package_index.DEFAULT_INDEX_URLS[0]
    page = index_url.format(package_name="pip") if "{" in index_url else f"{index_url}/pip/"
    lines = []
    for name, url in ("package index", page), ("Pyodide distribution", _distribution_lock()):
        answer = await Host.get(url)
        state = "answers" if answer.get("status") == 200 else f"cannot be used: {_trouble(answer)}"
        lines.append(f"{name} ({urlparse(url).netloc}) {state}")
    return to_js(lines)


async def install(requirements_json):
    """Resolves, downloads, verifies and unpacks; returns (report JSON, wheels, files)."""
    try:
        wheels = await _resolve(json.loads(requirements_json))
        packages = [unpack.unpack(*wheel) for wheel in wheels]
        unpack.compile_all()
        contents = [[filename, data] for _, _, filename, _, data in wheels]
        return to_js([json.dumps({"packages": packages}), contents, list(unpack.files())])
    except Refused as error:
        return to_js([json.dumps({"error": str(error), "exitCode": error.exit_code}), [], []])


async def _resolve(requirements):
    """Wheels to install, each (name, version, filename, url, data)."""
    wanted = [_parse(text) for text in requirements]
    if (await Host.get(_distribution_lock())).get("status") == 200:
        Host.lockfile_packages = Distribution.packages
    transaction = Transaction(
        _compat_layer=Host,
        ctx=dict(default_environment()),
        ctx_extras=[],
        keep_going=True,
        deps=True,
        pre=False,
        fetch_kwargs={},
        index_urls=package_index.DEFAULT_INDEX_URLS,
    )
    try:
        await transaction.gather_requirements(wanted)
    except (ValueError, RuntimeError, OSError, zipfile.BadZipFile) as error:
        raise Refused(f"Cannot install {', '.join(requirements)} together: {_first_sentence(error)}.") from error
    if transaction.failed:
        reasons = [await _reason(requirement) for requirement in transaction.failed]
        raise Refused("\n".join(dict.fromkeys(reasons)))
    found = []
    for wheel in transaction.wheels:
        _verify(wheel.filename, wheel._data, wheel.sha256)
        found.append((wheel.name, str(wheel.version), wheel.filename, wheel.url, wheel._data))
    for name in _closure([package.name for package in transaction.pyodide_packages]):
        found.append(await _from_distribution(Distribution.packages[name]))
    return sorted(found)


def _parse(text):
    try:
        return Requirement(text)
    except InvalidRequirement as error:
        raise Refused(
            f'Cannot read requirement "{text}": {_first_sentence(error)}. Write it like "name" or "name>=1.0".', 2
        ) from error


def _closure(names):
    """The distribution's packages of these names, and all they depend on."""
    seen = {}
    while names:
        name = names.pop()
        if name not in seen:
            seen[name] = True
            names.extend(Distribution.packages[name]["depends"])
    return seen


async def _from_distribution(package):
    url = Distribution.url + package["file_name"]
    data = await Host.fetch_bytes(url, {})
    _verify(package["file_name"], data, package["sha256"])
    return package["name"], package["version"], package["file_name"], url, data


def _verify(filename, data, expected):
    actual = hashlib.sha256(data).hexdigest()
    if expected and actual != expected:
        raise Refused(
            f"Cannot trust {filename}: its sha256 is {actual}, and should be {expected}. Try again, or another index."
        )


async def _reason(requirement):
    """Why a requirement cannot be had, in a sentence or two."""
    name = requirement.name
    if trouble := next((answer for answer in Host.answers.values() if _at_index(answer)), None):
        return f"Cannot reach the package index: {_trouble(trouble)}. Check the network, or name another with --index-url."
    try:
        project = await package_index.query_package(name, package_index.DEFAULT_INDEX_URLS, compat_layer=Host)
    except ValueError:
        return f'Cannot find a package named "{name}" on the index. Check its spelling.'
    versions = list(project.releases)
    if versions and not any(requirement.specifier.contains(version, prereleases=True) for version in versions):
        return f'Cannot find a version of {name} that satisfies "{requirement}": the newest is {max(versions)}.'
    known = Distribution.packages.get(name)
    elsewhere = (
        f" The Pyodide distribution has {name} {known['version']}, but {urlparse(Distribution.url).netloc} does not answer."
        if known and not Host.lockfile_packages
        else ""
    )
    return (
        f'Cannot install "{requirement}": the index has no wheel of it that runs in WebAssembly.{elsewhere} '
        "Choose another version or package, or leave it out."
    )


def _at_index(answer):
    return "error" in answer and answer["host"] != urlparse(Distribution.url).netloc


def _trouble(answer):
    return f"{answer['host']}: {answer['error']}" if "error" in answer else f"it answered with status {answer['status']}"


def _distribution_lock():
    return Distribution.url + "pyodide-lock.json"


def _filename(url):
    return urlparse(url).path.rsplit("/", 1)[-1]


def _first_sentence(error):
    return str(error).split("\n")[0].split(". ")[0].rstrip(".")
