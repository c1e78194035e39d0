"""Adds a hint to an error: how its reader can fix it."""

import errno
import json
import os
import re
import sys
import traceback

from types import ModuleType

from .cannot_run import MODULES, PLACES, SAYS
from .catalog import PACKAGES
from .installs import named_packages
from .missing_files import missing_path, where_it_may_be
from .near_columns import near_columns
from .near_zones import nearest_zones

# Projects outside the distribution whose modules have another name.
OTHERS = {
    "Crypto": "pycryptodome",
    "docx": "python-docx",
    "dotenv": "python-dotenv",
    "fake_useragent": "fake-useragent",
    "jose": "python-jose",
    "jwt": "pyjwt",
    "multipart": "python-multipart",
    "pptx": "python-pptx",
    "slugify": "python-slugify",
}
PROCESSES, THREADS, INPUT, FILES = SAYS["processes"], SAYS["threads"], SAYS["input"], SAYS["files"]
FUNCTION, SOCKETS, INSTALLS = SAYS["functions"], SAYS["sockets"], SAYS["installs"]
DISPLAY = "display(object) needs no import here, and HTML(text) is in mcp_run_python."
FENCES = "Leave the lines with ``` out: they are Markdown."

in_shell = False  # shell.py sets it
others = []  # functions that give the hint for an error, or None; code_mode.py adds its own
# The texts for a user in the place of those for a model.
FOR_SHELL = {
    INPUT: "Standard input has no more lines.",
    FILES: "The files of this machine are not here: --mount FOLDER shows a folder to the code, as /mnt/<its name>.",
    SOCKETS: (
        "There are no raw sockets here. Use HTTP: urllib.request, requests, httpx and pyodide.http "
        "reach the hosts of --allow-net."
    ),
}

OWN_FOLDERS = ("/workspace/", "/tmp/", "/mnt/", "/lib/")
# Modules of Python's library whose errors mean that there are no processes.
PROCESS_PLACES = ("subprocess", "/multiprocessing/", "/concurrent/futures/process.py", "/mcp_runner/quiet_calls.py")
# Event loops; they have no connections, servers or pipes here.
LOOPS = ("/asyncio/events.py", "/pyodide/webloop.py")


def add_hint(error, installable, files_limit, mounts, read_only, denied=()):
    """`installable` are the packages that a call may ask for; `files_limit` describes the limit of its files."""
    try:
        hint = _hint(error, installable, files_limit, mounts) or _denied_hint(error, denied) or _mount_hint(error, read_only)
        if hint := hint or next(filter(None, (other(error) for other in others)), None):
            error.add_note(for_shell(hint, FOR_SHELL.get(hint)))
    except BaseException:  # the error's class is the code's own, and may fail
        pass


def for_shell(text, instead=None):
    """A text for a model, or in a shell for the user."""
    if not in_shell:
        return text
    if instead is not None:
        return instead
    return text.replace("ask the user to start the server with", "run it with").replace("ask the user to ", "")


def _hint(error, installable, files_limit, mounts):
    if isinstance(error, EOFError):
        is_input = str(error) == "EOF when reading a line" or _raised_in(error)[0].endswith("/getpass.py")
        return INPUT if is_input else None
    if isinstance(error, RuntimeError) and str(error) == "can't start new thread":
        return THREADS
    if isinstance(error, SyntaxError):
        return FENCES if (error.text or "").lstrip().startswith("```") else None
    file, function = _raised_in(error)
    if isinstance(error, (OSError, ImportError, NotImplementedError)):
        if any(part in f"{file}:{function}" for part in PROCESS_PLACES):
            return PROCESSES
    if isinstance(error, NotImplementedError) and file.endswith(LOOPS):
        return SOCKETS if "connect" in function or "create_" in function else None
    if isinstance(error, ModuleNotFoundError):
        return _missing_module(str(error.name or ""), installable)
    if passed := _passed_through(error):
        return passed
    for name in named_packages(str(error), isinstance(error, ImportError)):
        if hint := _missing_module(name, installable):
            return hint
    if isinstance(error, FileNotFoundError):
        return _missing_file(missing_path(error), mounts)
    if isinstance(error, AttributeError) and isinstance(error.obj, ModuleType):
        return cannot_run(f"{error.obj.__name__}.{error.name}")
    if isinstance(error, KeyError) and type(error).__name__ in ("ZoneInfoNotFoundError", "UnknownTimeZoneError"):
        error.__suppress_context__ = True  # that there is no package tzdata, whose zones are here
        return _missing_zone(str(error))
    if isinstance(error, NameError) and error.name == "HTML":
        return DISPLAY
    if isinstance(error, (KeyError, NameError, ValueError)):
        return near_columns(error)
    if not isinstance(error, OSError):
        return None
    if error.errno == errno.ENOSPC:
        return (
            f"The files of a run may hold {files_limit}. "
            "Delete some, or allow more with --max-files-size."
        )
    return {
        errno.ENOSYS: FUNCTION,
        errno.ENOEXEC: PROCESSES,
        errno.EHOSTUNREACH: SOCKETS,
        errno.EOPNOTSUPP: SOCKETS,
    }.get(error.errno)


def _refused_paths(error):
    if not isinstance(error, OSError) or error.errno not in (errno.EACCES, errno.EROFS):
        return []
    return [os.fsdecode(it) for it in (error.filename, error.filename2) if isinstance(it, (str, bytes))]


def _is_below(path, folder):
    return f"{os.path.abspath(path)}/".startswith(f"{folder}/")


def _denied_hint(error, denied):
    for path in _refused_paths(error):
        for folder in denied:
            # Behind a link, the target is denied; and no folder around it moves.
            if any(_is_below(it, folder) for it in (path, os.path.realpath(path))) or _is_below(folder, path):
                return (
                    f"The policy of this server denies {folder}: ask the user to take its entry out of "
                    "permissions.storage.deny."
                )
    return None


def _mount_hint(error, read_only):
    for path in _refused_paths(error):
        for folder in read_only:
            is_below = _is_below(path, folder)
            # The error may be of reading, such as through a link that leads elsewhere.
            if is_below and (os.access(path, os.R_OK) or not os.path.lexists(path)):
                return (
                    f"{folder} is mounted read-only. Write to /workspace, or ask the user to mount the folder "
                    f"as writable: --mount FOLDER:{folder}:rw"
                )
    return None


def _raised_in(error):
    """The file and function of Python's library that raised an error; both empty for other code."""
    frames = list(traceback.walk_tb(error.__traceback__))
    code = frames[-1][0].f_code if frames else None
    return (code.co_filename, code.co_name) if code and code.co_filename.startswith("/lib/python") else ("", "")


def _passed_through(error):
    """What is said of an error of a file that has its own words."""
    files = {frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)}
    return next((SAYS[key] for part, key in PLACES if any(part in file for file in files)), None)


def _missing_file(path, mounts):
    if path is None:
        return None
    where = where_it_may_be(path, mounts)
    if where and (mounts or not _is_elsewhere(path)):
        return where
    return f"{for_shell(FILES, FOR_SHELL[FILES])} {where}".rstrip()


def _missing_zone(message):
    found = re.search(r"(?:key |')([\w+-]+(?:/[\w+-]+)*)[.']", message)
    near = nearest_zones(found[1]) if found else []
    return f"The nearest are {', '.join(near)}." if near else "All zones of the IANA are here: zoneinfo.available_timezones()."


def _is_elsewhere(path):
    """Whether a path belongs to a machine outside the sandbox."""
    if not path.startswith("/"):
        # A shell's user expects the folder in which the command was typed.
        return in_shell or path.startswith("~") or path[1:3] == ":\\"
    return not path.startswith(OWN_FOLDERS)


def _missing_module(name, installable):
    top = name.partition(".")[0]
    if not top or top in sys.modules:
        return None
    if said := cannot_run(name):
        return said
    # Some of it, such as sqlite3 of Pyodide 0.27, are packages.
    if (top in sys.stdlib_module_names or top == "test") and top not in PACKAGES:
        return f'"{top}" is a part of the standard library that WebAssembly does not have.'
    if top in ("pip", "micropip"):
        return INSTALLS
    package = PACKAGES.get(top) or OTHERS.get(top) or top.replace("_", "-")
    known = top in PACKAGES or top in OTHERS or package in PACKAGES.values()
    there = f"It is in the package {package}" if known else f"If it is in a package {package}"
    first = f"{DISPLAY} " if top == "IPython" else ""
    return f"{first}{there}, {way_to_have([package], installable)}"


def cannot_run(name):
    """What is said of a module or package that cannot run here; None for others."""
    key = MODULES.get(_module_key(name)) or MODULES.get(_module_key(name.partition(".")[0]))
    if key is None or name in PACKAGES or name in PACKAGES.values():
        return None
    return f"{name} cannot run here: {SAYS[key][0].lower()}{SAYS[key][1:]}"


def _module_key(name):
    return name.lower().replace("-", "_")


def way_to_have(packages, installable):
    """The way for code, or for its user, to have packages: the end of a sentence."""
    canonical = {re.sub(r"[-_.]+", "-", name).lower() for name in packages}
    if "*" in installable or canonical.issubset(installable):
        return f"begin the code with these three lines:\n# /// script\n# dependencies = {json.dumps(packages)}\n# ///"
    return for_shell(f"ask the user to start the server with --deps {','.join(packages)}.")
