"""Hints on functions that need an operating system, which WebAssembly and this sandbox do not have."""

import errno
import os
import traceback

PROCESSES = "There are no other processes here: no shell, no commands, no multiprocessing. Do it in Python, in one process."
THREADS = "There are no threads here. Do the work in a loop; what waits can be awaited together by asyncio.gather()."
INPUT = "There is no input here: nobody can type. Put values into the code, or pass them in global_variables."
FILES = "The user's files are not here. They can be sent with the call (files), or the user can start the server with --mount FOLDER."
FUNCTION = "WebAssembly has no operating system for this function. Do it another way, in Python."

OWN_FOLDERS = ("/workspace/", "/tmp/", "/mnt/", "/lib/")

# Modules of Python's library whose errors mean that there are no processes.
PROCESS_PLACES = ("subprocess", "/multiprocessing/", "/concurrent/futures/process.py")


def system_hint(error):
    """Gives the hint that names the missing function and an alternative; None for any other error."""
    if isinstance(error, EOFError):
        return INPUT if str(error) == "EOF when reading a line" else None
    if isinstance(error, RuntimeError) and str(error) == "can't start new thread":
        return THREADS
    if isinstance(error, (OSError, ImportError, NotImplementedError)):
        place = _raised_in(error)
        if any(part in place for part in PROCESS_PLACES):
            return PROCESSES
    if isinstance(error, OSError) and error.errno == errno.ENOSYS:
        return FUNCTION
    if isinstance(error, FileNotFoundError) and _is_elsewhere(error.filename):
        return FILES
    return None


def _is_elsewhere(path):
    """Whether a path belongs to a machine outside the sandbox."""
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    if not isinstance(path, str):
        return False
    return path.startswith("~") or path[1:3] == ":\\" or path.startswith("/") and not path.startswith(OWN_FOLDERS)


def _raised_in(error):
    """The file and function of Python's library that raised an error; empty for other code."""
    frames = list(traceback.walk_tb(error.__traceback__))
    code = frames[-1][0].f_code if frames else None
    return f"{code.co_filename}:{code.co_name}" if code and code.co_filename.startswith("/lib/python") else ""
