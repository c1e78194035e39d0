"""Unpacks wheels below one folder, and nowhere else; executes nothing of them."""

import compileall
import hashlib
import io
import os
import py_compile
import sys
import zipfile
import zlib

from micropip._vendored.packaging.src.packaging.utils import canonicalize_name

TARGET = "/installed"
SITE = "lib/python{}.{}/site-packages".format(*sys.version_info)
LARGEST_UNPACKED = 2 << 30


class Refused(Exception):
    """An error for the user: a sentence with the remedy, and an exit code."""

    def __init__(self, message, exit_code=1):
        super().__init__(message)
        self.exit_code = exit_code


def unpack(name, version, filename, url, data):
    """Unpacks one wheel; returns what the lock says of it."""
    imports = set()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > LARGEST_UNPACKED:
                raise Refused(f"Cannot unpack {filename}: it holds more than 2 GiB.")
            for member in members:
                path = _place(filename, member.filename)
                if path and not member.is_dir():
                    _write(path, archive.read(member))
                    imports.add(_import_name(path))
    except (zipfile.BadZipFile, zlib.error, OSError, RuntimeError) as error:
        raise Refused(f"Cannot unpack {filename}: {error}. Choose another version or package.") from error
    return {
        "name": canonicalize_name(name),
        "version": version,
        "imports": sorted(imports - {None}),
        "file": filename,
        "url": url,
        "sha256": hashlib.sha256(data).hexdigest(),
    }


def compile_all():
    """Compiles all modules, so that no start has to."""
    os.makedirs(TARGET, exist_ok=True)
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    compileall.compile_dir(TARGET, ddir=f"/{SITE}", quiet=2, invalidation_mode=mode)


def files():
    """All that was unpacked, each [path below /, contents]."""
    for folder, _, names in sorted(os.walk(TARGET)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                yield [f"{SITE}/{os.path.relpath(path, TARGET)}", file.read()]


def _place(filename, member):
    """Where a member of a wheel goes below site-packages, if it does."""
    parts = member.split("/")
    if member.startswith("/") or ".." in parts or "\\" in member or "\0" in member:
        raise Refused(f'Cannot unpack {filename}: it would write to "{member}", outside its place.')
    if parts[0].endswith(".data"):
        return "/".join(parts[2:]) if parts[1:2] in (["purelib"], ["platlib"]) else None
    return member


def _write(path, data):
    target = os.path.join(TARGET, path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "wb") as file:
        file.write(data)


def _import_name(path):
    top, _, rest = path.partition("/")
    if rest:
        return top if top.isidentifier() and rest.endswith((".py", ".so")) else None
    stem = top.split(".")[0]
    return stem if top.endswith((".py", ".so")) and stem.isidentifier() else None
