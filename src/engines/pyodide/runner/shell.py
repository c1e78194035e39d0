"""A run for a shell: its arguments, its standard input, and modules beside its script."""

import _sitebuiltins
import asyncio
import base64
import builtins
import functools
import io
import json
import sys
import time
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location

from . import between_runs, hints
from .host_calls import call_sync

# The folder of the script, of which Python sees modules alone.
SCRIPT = "/script"

is_prompt = False  # whether each run is a piece of code that was typed at a prompt
displayed = None  # the last value that a run at a prompt has shown


def is_interrupt(error):
    """Whether an error that the code did not catch comes from Ctrl-C."""
    if isinstance(error, KeyboardInterrupt) or isinstance(error.__cause__, KeyboardInterrupt):
        return True
    return hints.in_shell and isinstance(error, asyncio.CancelledError)


def _interrupt_waiting():
    """Interrupts the code, which has not noticed a KeyboardInterrupt and waits."""
    for task in between_runs.own_tasks():
        task.cancel()


def _on_interrupted_callback():
    """Called by the event loop. What ended a task is raised where the code waits; an error beside a task is not."""
    task = getattr(sys._getframe(1).f_locals["h"]._callback, "__self__", None)
    is_over = isinstance(task, asyncio.Task) and task.done() and not task.cancelled()
    if not is_over or not isinstance(task.exception(), KeyboardInterrupt):
        _interrupt_waiting()


def _on_dropped(unraisable, show=sys.unraisablehook):
    """Python drops errors of __del__ and of callbacks of weak references."""
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        asyncio.get_running_loop().call_soon(_interrupt_waiting)
    else:
        show(unraisable)


def show_value(value):
    """Python's own sys.displayhook, of which the last value is kept."""
    global displayed
    sys.__displayhook__(value)
    displayed = value


def exit_at_prompt(code):
    """The exit code of a SystemExit, told as a prompt tells it."""
    if code is None or isinstance(code, int):
        return (code or 0) & 0xFF
    print(code, file=sys.stderr)
    return 1


def enter_shell(shell_json):
    global is_prompt
    shell = json.loads(shell_json)
    sys.argv = shell["argv"]
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(io.BufferedReader(_Input(shell["isTerminal"]), 1 << 16), "utf-8")
    time.sleep = _sleep
    asyncio.get_running_loop()._keyboard_interrupt_handler = _on_interrupted_callback
    sys.unraisablehook = _on_dropped
    hints.in_shell = True
    if shell["isPrompt"]:
        is_prompt = True
        sys.displayhook = show_value
        for name in ("exit", "quit"):
            setattr(builtins, name, _sitebuiltins.Quitter(name, "Ctrl-D"))
    if modules := shell.get("modules"):
        folder = _Folder(SCRIPT, modules)
        sys.path_hooks.insert(0, lambda path: folder.below(path))
        sys.path.insert(0, SCRIPT)


_wait_asleep = time.sleep


@functools.wraps(_wait_asleep)
def _sleep(seconds, /):
    try:
        _wait_asleep(seconds)
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


class _Input(io.RawIOBase):
    """Standard input, which the shell reads when the code does."""

    name = "<stdin>"
    mode = "rb"

    def __init__(self, is_terminal):
        self._is_terminal = is_terminal

    def readable(self):
        return True

    def isatty(self):
        return self._is_terminal

    def readinto(self, buffer):
        data = base64.b64decode(call_sync("read_input", len(buffer)))
        buffer[: len(data)] = data
        return len(data)


class _Folder:
    """Finds the modules of a folder, as `FileFinder` does."""

    def __init__(self, path, names):
        self._path = path
        self._files = set(names["files"])
        self._folders = dict.fromkeys(names["folders"])

    def below(self, path):
        """The finder of a folder below this folder; an `ImportError` for other folders."""
        if path == self._path:
            return self
        inner = path.removeprefix(f"{self._path}/").partition("/")[0]
        if not path.startswith(f"{self._path}/") or inner not in self._folders:
            raise ImportError(f"{path} is not below {SCRIPT}", path=path)
        return self._open(inner).below(path)

    def find_spec(self, name, target=None):
        short = name.rpartition(".")[2]
        place = f"{self._path}/{short}"
        if short in self._folders and "__init__" in self._open(short)._files:
            file = f"{place}/__init__.py"
            return spec_from_file_location(name, file, loader=_Loader(name, file), submodule_search_locations=[place])
        if short in self._files:
            return spec_from_file_location(name, f"{place}.py", loader=_Loader(name, f"{place}.py"))
        if short not in self._folders:
            return None
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [place]
        return spec

    def _open(self, name):
        folder = self._folders[name]
        if folder is None:
            path = f"{self._path}/{name}"
            names = call_sync("list_modules", path.removeprefix(f"{SCRIPT}/"))
            folder = self._folders[name] = _Folder(path, names)
        return folder


class _Loader(SourceFileLoader):
    def get_data(self, path):
        return base64.b64decode(call_sync("read_module", path.removeprefix(f"{SCRIPT}/")))
