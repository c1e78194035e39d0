"""Adds a hint to an error: how its reader can fix it."""

import errno
import sys

from .catalog import PACKAGES
from .network_hints import network_hint
from .system_hints import system_hint

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


def add_hint(error, installable, files_limit):
    """Adds a note to an error that says how to fix it.

    `installable` are the packages that a call may ask for; `files_limit` describes the limit of its files.
    """
    try:
        if hint := system_hint(error) or network_hint(error):
            error.add_note(hint)
        elif isinstance(error, ModuleNotFoundError):
            hint = _missing_module(str(error.name or ""), installable)
            if hint:
                error.add_note(hint)
        elif isinstance(error, OSError) and error.errno == errno.ENOSPC:
            error.add_note(
                f"The files of a run may hold {files_limit}. "
                "Delete some, or allow more with --max-files-size and --max-files."
            )
    except BaseException:  # the error's class is the code's own, and may fail
        pass


def _missing_module(name, installable):
    top = name.partition(".")[0]
    if not top or top in sys.modules:
        return None
    if top in sys.stdlib_module_names:
        return f'"{top}" is a part of the standard library that WebAssembly does not have.'
    package = PACKAGES.get(top) or OTHERS.get(top) or top.replace("_", "-")
    known = top in PACKAGES or top in OTHERS
    there = f"It is in the package {package}" if known else f"If it is in a package {package}"
    if "*" in installable or package in installable:
        return (
            f"{there}, {'which' if known else 'that'} this code may ask for. Begin it with these three lines:\n"
            f'# /// script\n# dependencies = ["{package}"]\n# ///'
        )
    return f"{there}, ask the user to start the server with --deps {package}."
