"""Resolves requirements to wheels and unpacks them.

Runs in a worker without permissions: `Host.fetch` is its only way out, and
nothing of a package is executed here.
"""

import asyncio
import hashlib
import json
import re
from urllib.parse import urlparse

import unpack
from micropip import package_index
from micropip._compat import CompatibilityLayer
from micropip._vendored.packaging.src.packaging.markers import default_environment
from micropip._vendored.packaging.src.packaging.requirements import InvalidRequirement, Requirement
from micropip._vendored.packaging.src.packaging.utils import canonicalize_name
from micropip.transaction import Transaction, find_wheel
from micropip.wheelinfo import WheelInfo
from pyodide.ffi import to_js
from pyodide_js._api import config
from unpack import Refused

ACCEPT = "application/vnd.pypi.simple.v1+json, text/html;q=0.1"
DISTRIBUTION_PATIENCE = 10  # seconds


class Host(CompatibilityLayer):
    """micropip's way to the world; asks for each address once."""

    loadedPackages = None
    lockfile_info = {}
    lockfile_packages = {}
    lockfile_base_url = None
    install = loadPackage = to_js = fetch_string_and_headers = None

    fetch = None
    answers = {}

    @classmethod
    async def get(cls, url, headers=None):
        if url not in cls.answers:
            cls.answers[url] = asyncio.ensure_future(cls.fetch(url, json.dumps(headers or {})))
        return (await asyncio.shield(cls.answers[url])).to_py()

    @classmethod
    async def fetch_bytes(cls, url, kwargs):
        answer = await cls.get(url, kwargs.get("headers"))
        if answer.get("status") != 200:
            raise Refused(
                f"Cannot download {_filename(url)} from {_host(url)}: {_trouble(answer)}. "
                "Try again, or name another index with --index-url."
            )
        return bytes(answer["body"])


class Distribution:
    """The Pyodide distribution of this version: its lock file, and where its files are."""

    url = config.cdnUrl
    packages = {}

    @classmethod
    def lock_url(cls):
        return cls.url + "pyodide-lock.json"

    @classmethod
    async def get_lock(cls):
        try:
            return await asyncio.wait_for(Host.get(cls.lock_url()), DISTRIBUTION_PATIENCE)
        except TimeoutError:
            return {"error": f"no answer within {DISTRIBUTION_PATIENCE} seconds"}


class Clash(Exception):
    """A requirement that the version chosen earlier does not meet."""

    def __init__(self, requirement):
        super().__init__(str(requirement))
        self.requirement = requirement


class Plan(Transaction):
    """micropip's choice of wheels, for an interpreter that has nothing installed."""

    def __post_init__(self):
        super().__post_init__()
        self.chosen = {}  # Each (wheel, extras), by name.

    async def add_requirement(self, req):
        # A copy, as micropip narrows the requirement that it is given.
        await self.add_requirement_inner(Requirement(str(req)))

    def check_version_satisfied(self, req, *, allow_reinstall=False):
        wheel, extras = self.chosen.get(req.name, (None, set()))
        if wheel and not req.specifier.contains(wheel.version, prereleases=True):
            raise Clash(req)
        return bool(wheel) and req.extras <= extras, wheel and str(wheel.version)

    async def _add_requirement_from_package_index(self, req):
        wheel = find_wheel(await _read_project(req.name), req)
        # Another may have been chosen while the index was asked, or be there without these extras.
        if not self.check_version_satisfied(req)[0]:
            wheel, _ = self.chosen.get(req.name, (wheel, None))
            await self.add_wheel(wheel, req.extras)

    async def add_wheel(self, wheel, extras, *, specifier=""):
        name = canonicalize_name(wheel.name)
        _, before = self.chosen.get(name, (None, set()))
        self.chosen[name] = wheel, before | extras
        await super().add_wheel(wheel, extras)


async def _fetch_verified(wheel, url, fetch_kwargs, host):
    """Checks a wheel before anything in it is read."""
    try:
        data = await host.fetch_bytes(url, fetch_kwargs)
    except Refused as error:
        if url == wheel.metadata_url:
            raise OSError from error  # Has micropip read the wheel itself.
        raise
    if url == wheel.url:
        in_url = re.search(r"sha256=([0-9a-f]{64})", wheel.parsed_url.fragment)
        _verify(wheel.filename, data, wheel.sha256 or (in_url and in_url[1]))
    return data


WheelInfo._fetch_bytes = _fetch_verified


def connect(fetch, lock_json, index_url):
    Host.fetch = fetch
    Distribution.packages = json.loads(lock_json)["packages"]
    if index_url:
        package_index.DEFAULT_INDEX_URLS[:] = [index_url.rstrip("/")]


async def probe():
    """Whether each source answers, a line each."""
    page, lock = _page("pip"), Distribution.lock_url()
    sources = {
        f"package index ({_host(page)})": await Host.get(page, {"accept": ACCEPT}),
        f"Pyodide distribution ({_host(lock)})": await Distribution.get_lock(),
    }
    return to_js(
        [
            f"{name} answers" if answer.get("status") == 200 else f"{name} cannot be used: {_trouble(answer)}"
            for name, answer in sources.items()
        ]
    )


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
    wanted = [_parse(text) for text in sorted(requirements)]
    plan = await _plan(wanted, Distribution.packages)
    # Asked only if it has something to give.
    if plan.pyodide_packages and (await Distribution.get_lock()).get("status") != 200:
        plan = await _plan(wanted, {})
    if plan.failed:
        reasons = [await _reason(plan, wanted, requirement) for requirement in plan.failed]
        raise Refused("\n".join(dict.fromkeys(reasons)))
    found = [
        (wheel.name, str(wheel.version), wheel.filename, wheel.url, wheel._data) for wheel, _ in plan.chosen.values()
    ]
    for name in _closure([package.name for package in plan.pyodide_packages]):
        found.append(await _from_distribution(Distribution.packages[name]))
    return sorted(found)


def _parse(text):
    try:
        return Requirement(text)
    except InvalidRequirement as error:
        raise Refused(
            f'Cannot read requirement "{text}": {_first_sentence(error)}. Write it like "name" or "name>=1.0".', 2
        ) from error


async def _plan(wanted, distribution):
    """Plans; after a clash anew, with what clashed as a constraint from the start."""
    Host.lockfile_packages = distribution
    constraints = []
    while True:
        plan = Plan(
            _compat_layer=Host,
            ctx=dict(default_environment()),
            ctx_extras=[],
            keep_going=True,
            deps=True,
            pre=False,
            fetch_kwargs={},
            index_urls=package_index.DEFAULT_INDEX_URLS,
            constraints=constraints,
        )
        try:
            await plan.gather_requirements(wanted)
            return plan
        except Clash as clash:
            constraints.append(f"{clash.requirement.name}{clash.requirement.specifier}")
        except Refused:
            raise
        except Exception as error:  # What a wheel says of itself can be anything.
            names = ", ".join(map(str, wanted))
            raise Refused(
                f"Cannot install {names}: {_first_sentence(error)}. Choose another version or package."
            ) from error


async def _read_project(name):
    """What the index has of a project; raises ValueError if it does not know it."""
    url = _page(name)
    answer = await Host.get(url, {"accept": ACCEPT})
    if answer.get("status") in (404, 410):
        raise ValueError(f"No project {name}")
    if answer.get("status") != 200:
        raise Refused(
            f"Cannot use the package index at {_host(url)}: {_trouble(answer)}. "
            "Check the network, or name another index with --index-url."
        )
    try:
        text, kind = bytes(answer["body"]).decode(), answer["contentType"].lower()
        if "html" in kind and not re.search(r"\.(whl|zip|tar\.\w+|tgz)\b", text):
            raise ValueError("a page without files")
        return package_index._select_parser(kind, name, url)(text)
    except Exception as error:  # An index can answer anything.
        raise Refused(
            f'Cannot use the package index at {_host(url)}: what it answered for "{name}" is no list of files. '
            "Check the network (is it a login page?), or name another index with --index-url."
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


async def _reason(plan, wanted, requirement):
    """Why a requirement cannot be had, in a sentence or two."""
    name = requirement.name
    demands = _demands(plan, wanted, name)
    needing = [who for _, who in demands if who != "you"]
    needed = f" (needed by {', '.join(needing)})" if needing else ""
    try:
        versions = list((await _read_project(name)).releases)
    except ValueError:
        return f'Cannot find a package named "{name}" on the index{needed}. Check its spelling.'
    if versions and not _satisfies(requirement, versions):
        if all(_satisfies(demand, versions) for demand, _ in demands):
            asked = " and ".join(f'"{demand}" by {who}' for demand, who in demands)
            return f"Cannot find one version of {name} for all: it is wanted as {asked}. Change or leave out one of them."
        return f'Cannot find a version of {name} that satisfies "{requirement}"{needed}: the newest is {max(versions)}.'
    known = Distribution.packages.get(name)
    elsewhere = (
        f" The Pyodide distribution has {name} {known['version']}, but {_host(Distribution.url)} does not answer."
        if known and not Host.lockfile_packages
        else ""
    )
    return (
        f'Cannot install "{requirement}": the index has no wheel of it that runs in WebAssembly{needed}.{elsewhere} '
        "Choose another version or package, or leave it out."
    )


def _satisfies(requirement, versions):
    return any(requirement.specifier.contains(version, prereleases=True) for version in versions)


def _demands(plan, wanted, name):
    """All that asks for a package, each (requirement, who)."""
    asked = [(requirement, "you") for requirement in wanted]
    for wheel, _ in plan.chosen.values():
        asked += [(requirement, f"{wheel.name} {wheel.version}") for requirement in wheel._requires or []]
    return [(requirement, who) for requirement, who in asked if canonicalize_name(requirement.name) == name]


def _trouble(answer):
    return answer["error"] if "error" in answer else f"it answered with status {answer['status']}"


def _page(name):
    """Where the index lists a project's files."""
    index_url = package_index.DEFAULT_INDEX_URLS[0]
    return index_url.format(package_name=name) if "{" in index_url else f"{index_url}/{name}/"


def _filename(url):
    return urlparse(url).path.rsplit("/", 1)[-1]


def _host(url):
    return urlparse(url).netloc.rpartition("@")[2] or url


def _first_sentence(error):
    text = str(error.args[0]) if error.args else type(error).__name__
    return text.split("\n")[0].split(". ")[0].rstrip(".")
