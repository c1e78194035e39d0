"""Unpacks verified files below one folder, and nowhere else; executes none of them."""

import compileall
import io
import os
import py_compile
import site
import sysconfig
import zipfile

from packaging.metadata import parse_email
from packaging.tags import parse_tag
from packaging.utils import canonicalize_name, parse_wheel_filename
from pyodide.ffi import to_js

from .plan import chosen
from .refused import Refused, answering
from .wheels import LARGEST_METADATA

ROOT = "/installed"
LARGEST = 2 << 30
DENSEST = 200  # Bytes of a byte of the archive, beyond SPARSE; text has ten.
SPARSE = 64 << 20
MOST_MEMBERS = 200_000
LONGEST_NAME = 255  # In bytes, of a file or folder: longer names cannot be listed.
PLACES = {
    "wheel": site.getsitepackages()[0],
    "site": site.getsitepackages()[0],
    "stdlib": sysconfig.get_path("stdlib"),
    "dynlib": "/usr/lib",
}


@answering
def unpack(file, place, data):
    """Unpacks a file; returns `imports`: the names that `import` will find in it."""
    imports = set()
    try:
        with zipfile.ZipFile(io.BytesIO(data.to_bytes())) as archive:
            members = archive.infolist()
            size = sum(member.file_size for member in members)
            if len(members) > MOST_MEMBERS or size > LARGEST:
                raise Refused(f"Cannot unpack {file}: it holds more than 2 GiB, or than {MOST_MEMBERS} files.")
            if size > SPARSE + DENSEST * len(data):
                raise Refused(f"Cannot unpack {file}: its {len(data):,} bytes would become {size:,}, which is a trap.")
            if place == "wheel":
                _check_wheel(file, archive)
            for member in members:
                path = _inside(file, member.orig_filename, place)
                if path and not member.is_dir():
                    _write(f"{ROOT}{PLACES[place]}/{path}", archive.read(member))
                    imports.add(_import_name(path))
    except Refused:
        raise
    except Exception as error:  # An archive can hold anything.
        reason = str(error) or type(error).__name__
        raise Refused(f"Cannot unpack {file}: {reason}. Choose another version or package.") from error
    return {"imports": sorted(imports - {None}) if place in ("wheel", "site") else []}


def collect():
    """All unpacked files, each [path from the root, contents]; compiles modules, so that no start has to."""
    folder = f"{ROOT}{PLACES['site']}"
    os.makedirs(folder, exist_ok=True)
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    compileall.compile_dir(folder, ddir=PLACES["site"], quiet=2, invalidation_mode=mode)
    return to_js(list(_files()))


def _files():
    for folder, _, names in sorted(os.walk(ROOT)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if not os.path.exists(path):
                continue  # A compiled module: a name beyond LONGEST_NAME is listed cut.
            with open(path, "rb") as file:
                yield [os.path.relpath(path, ROOT), file.read()]


def _check_wheel(file, archive):
    name, version, _, tags = parse_wheel_filename(file)
    folders = {path.split("/")[0] for path in archive.namelist() if path.split("/")[0].endswith(".dist-info")}
    if len(folders) != 1:
        raise Refused(f"Cannot unpack {file}: it has {len(folders)} .dist-info folders, and should have one.")
    (folder,) = folders
    metadata = parse_email(_read(file, archive, f"{folder}/METADATA"))[0]
    its = f"{canonicalize_name(metadata.get('name', ''))} {metadata.get('version', '')}"
    if its != f"{name} {version}" and (its.split(" ")[0] != name or not _same(its.split(" ")[1], version)):
        raise Refused(f"Cannot trust {file}: inside it says that it is {its}.")
    if file in chosen and chosen[file].metadata_alone and not chosen[file].agrees_with(metadata):
        raise Refused(
            f"Cannot trust {file}: inside it has other requirements than {chosen[file].source} tells. "
            "Try again, or name another source."
        )
    wheel = _read(file, archive, f"{folder}/WHEEL").decode(errors="replace")
    inside = [line.split(":", 1)[1].strip() for line in wheel.splitlines() if line.startswith("Tag:")]
    if not any(tag in tags for text in inside for tag in _tags(text)):
        raise Refused(f"Cannot trust {file}: inside it says that it is for {', '.join(inside) or 'nothing'}.")


def _tags(text):
    try:
        return parse_tag(text)
    except ValueError:
        return frozenset()


def _same(text, version):
    try:
        return type(version)(text) == version
    except ValueError:
        return False


def _read(file, archive, path):
    try:
        if archive.getinfo(path).file_size > LARGEST_METADATA:
            raise Refused(f"Cannot unpack {file}: its {path} is larger than {LARGEST_METADATA >> 20} MiB.")
        return archive.read(path)
    except KeyError as error:
        raise Refused(f"Cannot unpack {file}: it has no {path}.") from error


def _inside(file, member, place):
    """The path of a member below its place, None if it is left out; checks the whole name, which zipfile ends at a NUL."""
    parts = member.split("/")
    if member.startswith("/") or ".." in parts or "\\" in member or "\0" in member:
        raise Refused(f'Cannot unpack {file}: it would write to "{member}", outside its place.')
    if any(len(part.encode()) > LONGEST_NAME for part in parts):
        raise Refused(f'Cannot unpack {file}: a file name has more than {LONGEST_NAME} bytes, in "{member}".')
    if place == "wheel" and parts[0].endswith(".data"):
        return "/".join(parts[2:]) if parts[1:2] in (["purelib"], ["platlib"]) else None
    return member


def _write(target, data):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "wb") as file:
        file.write(data)


def _import_name(path):
    top, _, rest = path.partition("/")
    if rest:
        return top if top.isidentifier() and rest.endswith((".py", ".so")) else None
    stem = top.split(".")[0]
    return stem if top.endswith((".py", ".so")) and stem.isidentifier() else None
