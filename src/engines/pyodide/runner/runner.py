"""Runs the code of a call. The snapshot holds this module."""

import ast
import asyncio
import builtins
import importlib
import inspect
import json
import linecache
import os
import sys
import traceback

from pyodide.ffi import run_sync

from . import displays, figures, fonts, host_calls, http_client, httpx_patch, mcp_run_python, network, notebook
from . import look as looks
from . import pyodide_http, shell, tqdm_bars, urllib3_patch
from .hints import add_hint, for_shell
from .import_hooks import when_imported
from .preload import try_import
from .reseed import reseed
from .rest import fork, rest, wake
from .shell import enter_shell, is_interrupt
from .values import table_text, to_json_text

FILE = "main.py"
OURS = os.path.dirname(__file__)
MAX_FRAMES = 1000  # the last frames of a traceback; Python itself prints as many

sys.modules["mcp_run_python"] = mcp_run_python
builtins.notify_progress = mcp_run_python.notify_progress
builtins.display = mcp_run_python.display
for name, patch in {
    "tqdm.std": tqdm_bars.patch,
    "PIL.Image": displays.patch_image,
    "IPython.core.display_functions": displays.patch_ipython,
    "matplotlib._text_helpers": fonts.patch_helpers,
    "matplotlib.font_manager": fonts.patch_manager,
    "matplotlib.backends.backend_agg": figures.patch,
    "urllib3": urllib3_patch.patch,
    "httpx": httpx_patch.patch,
    **dict.fromkeys(pyodide_http.MODULES, pyodide_http.patch),
}.items():
    when_imported(name, patch)
http_client.patch()
connect_host = host_calls.connect
connect_displays = displays.connect
connect_network = network.connect

guard_stack = None  # the worker sets it
files_limit = ""  # the worker sets it
read_only_mounts = "[]"  # as JSON; the worker sets it


def after_restore(imports_json):
    """Turns a restored interpreter into a fresh interpreter."""
    importlib.invalidate_caches()
    for folder in ("/workspace", "/tmp"):
        os.makedirs(folder, exist_ok=True)
    os.chdir("/workspace")
    for name in json.loads(imports_json):
        try_import(name)
    looks.clear_names()
    reseed()
    warm_up()


def warm_up():
    """Executes code once, as the first execution is slow."""
    _execute("print(end='')\nNone", {})
    _flush()


def put_variables(variables_json):
    os.environ.update(json.loads(variables_json))


def interrupt():
    """Cancels code that waits, by time.sleep() too; code that computes gets KeyboardInterrupt."""
    try:
        for task in asyncio.all_tasks(asyncio.get_running_loop()):
            task.cancel()
    except KeyboardInterrupt:  # the error was meant for the code, which is waiting
        interrupt()


def run(code, globals_json, max_chars, installable_json, images_json):
    """Runs code and gives its outcome as JSON text; never raises."""
    try:
        displays.limit(**json.loads(images_json))
        return json.dumps(_outcome(code, globals_json, max_chars, json.loads(installable_json)))
    except MemoryError:
        return '{"status": "memory-limit", "error": ""}'
    except BaseException as error:  # the code has broken the functions that report its error
        return json.dumps(_failed(f"{type(error).__name__}: the code has an error that cannot be shown.", 1))


def look(name, argument_json):
    """Answers a question about the session as run() answers; the event loop stands still."""
    guard_stack()
    return looks.look(name, argument_json)


def _outcome(code, globals_json, max_chars, installable):
    namespace = sys.modules["__main__"].__dict__
    try:
        guard_stack()
        namespace.update(json.loads(globals_json), __name__="__main__", __file__=FILE)
        value = displays.finish(_execute(code, namespace, installable))
        if max_chars is None:
            return {"status": "success", "value": "null"}
        text = to_json_text(value, max_chars)
        return {"status": "success", "value": text, "shown": table_text(value, max_chars)}
    except SystemExit as stop:
        displays.finish(None)
        return _exited(stop.code)
    except MemoryError as error:
        sys.last_exc = error  # freeing a very deep traceback can end the interpreter
        return {"status": "memory-limit", "error": ""}
    except BaseException as error:
        sys.last_exc = error
        add_hint(error, installable, files_limit, json.loads(read_only_mounts))
        if not isinstance(error, KeyboardInterrupt):
            displays.finish(None)
        return _failed(_traceback(error), 130 if is_interrupt(error) else 1)
    finally:
        _flush()


def _execute(code, namespace, installable=()):
    # Python 3.12 misplaces the carets below a line without a line end.
    lines = [f"{line}\n" for line in code.splitlines()]
    linecache.cache[FILE] = len(code), None, lines, FILE
    tree = _parse(code, installable)
    if shell.is_prompt:
        shell.displayed = None
        _evaluate(ast.Interactive(tree.body), "single", namespace)
        return shell.displayed
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    _evaluate(tree, "exec", namespace)
    return _evaluate(last, "eval", namespace) if last else None


def _parse(code, installable):
    try:
        return ast.parse(code, FILE)
    except SyntaxError:
        python = notebook.maybe_python(code, installable)
        if python is None:
            raise
    return ast.parse(python, FILE)


def _evaluate(tree, mode, namespace):
    code = compile(tree, FILE, mode, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    value = eval(code, namespace)
    if not code.co_flags & inspect.CO_COROUTINE:
        return value
    return run_sync(asyncio.ensure_future(value))


def _exited(code):
    if shell.is_prompt:  # an exit without a word is told from an error by that
        return _failed("", shell.exit_at_prompt(code))
    if code is None or code == 0 and isinstance(code, int):
        return {"status": "success", "value": "null"}
    if isinstance(code, int):
        exit_code = code & 0xFF or 1
        shown = code if abs(code) < 2**63 else f"{exit_code} (modulo 256)"
        told = for_shell(f"SystemExit: {shown}\nThe code ended itself with exit code {shown}.", "")
        return _failed(told, exit_code)
    return _failed(for_shell(f"SystemExit: {code}\nThe code ended itself with exit code 1.", f"{code}"), 1)


def _failed(error, exit_code):
    return {"status": "run-error", "error": error, "exitCode": exit_code}


def _traceback(error):
    """The traceback as Python prints it, from main.py on, without frames of this package."""
    frames = error.__traceback__
    while frames and frames.tb_frame.f_code.co_filename != FILE:
        frames = frames.tb_next
    shown = traceback.TracebackException(type(error), error, frames, compact=True, limit=-MAX_FRAMES)
    chain = [shown]
    for one in chain:  # the list grows meanwhile
        one.stack[:] = [frame for frame in one.stack if not frame.filename.startswith(OURS)]
        chain += [before for before in (one.__cause__, one.__context__) if before]
    return "".join(shown.format()).rstrip("\n")


def _flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # the stream is the code's own, and may fail
            pass
