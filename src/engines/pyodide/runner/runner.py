"""Runs the code of a call. The snapshot holds this module."""

import ast
import asyncio
import builtins
import importlib
import inspect
import json
import math
import os
import sys

from . import between_runs, chart_shows, code_mode, components, displays, figures, fonts, host_calls, http_client, httpx_patch, mcp_run_python, near_zones
from . import look as looks
from . import network, notebook, pyodide_http, quiet_calls, reserve, shell, sources, thread_pools, tqdm_bars, tracebacks, unawaited, urllib3_patch, waiting
from .code_mode import enter_code_mode
from .hints import add_hint, for_shell
from .import_hooks import when_imported
from .installs import without_installs
from .preload import try_import
from .reseed import reseed
from .rest import note_timers, rest, restored, wake
from .shell import enter_shell, is_interrupt
from .summaries import summary_text
from .values import table_text, to_json_text
from .waiting import run_sync

MAX_MESSAGE = 4000

sys.modules["mcp_run_python"] = mcp_run_python
builtins.notify_progress = mcp_run_python.notify_progress
builtins.display = mcp_run_python.display
for name, patch in {
    "tqdm.std": tqdm_bars.patch,
    "tqdm.notebook": tqdm_bars.patch_notebook,
    "PIL.Image": displays.patch_image,
    "IPython.core.display_functions": displays.patch_ipython,
    "matplotlib._text_helpers": fonts.patch_helpers,
    "matplotlib.font_manager": fonts.patch_manager,
    "matplotlib.backends.backend_agg": figures.patch,
    "matplotlib.pyplot": quiet_calls.patch_pyplot,
    "plotly.io._renderers": chart_shows.patch_plotly,
    "altair.vegalite": chart_shows.patch_altair,
    "bokeh.io.showing": chart_shows.patch_bokeh,
    "bokeh.io.output": chart_shows.patch_bokeh_output,
    "great_tables.gt": chart_shows.patch_great_tables,
    "pyecharts.render.engine": chart_shows.patch_pyecharts,
    "threadpoolctl": thread_pools.patch,
    "zoneinfo._common": near_zones.patch,
    "urllib3": urllib3_patch.patch,
    "httpx": httpx_patch.patch,
    **dict.fromkeys(pyodide_http.MODULES, pyodide_http.patch),
}.items():
    when_imported(name, patch)
http_client.patch()
quiet_calls.patch_os()
note_timers()
connect_host = host_calls.connect
connect_interrupts = waiting.connect
connect_displays = displays.connect
connect_network = network.connect

guard_stack = None  # the worker sets it
begin_output = has_printed = None  # the worker sets them
kept_output = "[]"  # of the time between two runs, while this is saved; the worker sets it
files_limit = ""  # the worker sets it
mounts = "[]"  # their paths as JSON; the worker sets it
read_only_mounts = "[]"  # the same
denied_paths = "[]"  # the same


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
    _execute("print(end='')\nNone", {}, sources.FIRST)
    between_runs.flush()


def renew():
    """Turns a rewound interpreter into a fresh interpreter."""
    reseed()


def put_variables(variables_json):
    os.environ.update(json.loads(variables_json))


def interrupt():
    """Cancels code that waits, by time.sleep() too; code that computes gets KeyboardInterrupt.

    Tasks of earlier runs go on.
    """
    try:
        for task in between_runs.own_tasks():
            task.cancel()
    except KeyboardInterrupt:  # the error was meant for the code, which is waiting
        interrupt()


def run(code, globals_json, max_chars, installable_json, shows_json, code_mode_json=None, reserve_unit=0):
    """Runs code and gives its outcome as JSON text; never raises."""
    try:
        guard_stack()
        if reserve_unit:
            reserve.keep(reserve_unit)
        return _run(code, globals_json, max_chars, installable_json, shows_json, code_mode_json)
    except MemoryError as error:
        reserve.release()
        sys.last_exc = error  # freeing a very deep traceback can end the interpreter
        told = _described(error)
    except BaseException as error:  # the code has broken the functions that report its error
        return json.dumps(_failed(f"{type(error).__name__}: the code has an error that cannot be shown.", 1))
    # Here nothing refers to the error and its frames but `sys.last_exc`.
    goes_on = reserve_unit > 0 and reserve.recover(reserve_unit)
    return json.dumps({"status": "memory-limit", "error": "", "goesOn": goes_on} | told)


def look(name, argument_json):
    """Answers a question about the session as run() answers; the event loop stands still."""
    guard_stack()
    try:
        return looks.look(name, argument_json)
    finally:
        guard_stack(False)


def _run(code, globals_json, max_chars, installable_json, shows_json, code_mode_json):
    between_runs.flush()
    begin_output()
    between_runs.begin()
    shows = json.loads(shows_json)
    displays.forget_figures()
    displays.limit(**shows)
    try:
        return json.dumps(_outcome(code, globals_json, max_chars, json.loads(installable_json), code_mode_json))
    finally:
        between_runs.end()
        # The worker counts them, and drops them.
        displays.limit(**{kind: limits | {"count": math.inf} for kind, limits in shows.items()})


def _outcome(code, globals_json, max_chars, installable, code_mode_json):
    namespace = sys.modules["__main__"].__dict__
    try:
        namespace.update(json.loads(globals_json), __name__="__main__", __file__=sources.FIRST)
        facts = json.loads(code_mode_json) if code_mode_json else {"components": []}
        components.begin(facts["components"])
        if "configured" in facts:
            code_mode.begin(namespace, facts)
        value = displays.finish(_execute(code, namespace, sources.add(code), installable))
        unawaited.end(value, _has_shown)
        if max_chars is None:
            return {"status": "success", "value": "null"}
        notes = []
        text = to_json_text(value, max_chars, notes.append)
        more = {"isCut": bool(notes) or None, "shown": table_text(value, max_chars), "summary": summary_text(value, text)}
        return {"status": "success", "value": text, **more}
    except SystemExit as stop:
        displays.finish(None)
        return _exited(stop.code) | _described(stop)
    except MemoryError:
        reserve.release()  # all that follows needs memory
        raise
    except BaseException as error:
        sys.last_exc = error
        add_hint(error, installable, files_limit, *map(json.loads, (mounts, read_only_mounts, denied_paths)))
        if not isinstance(error, KeyboardInterrupt):
            displays.finish(None)
        unawaited.end_failed(error)
        return _failed(tracebacks.show(error), 130 if is_interrupt(error) else 1) | _described(error)


def _has_shown():
    between_runs.flush()
    return displays.have_shown() or has_printed()


def _execute(code, namespace, file, installable=()):
    tree = _parse(code, file, installable)
    if shell.is_prompt:
        shell.displayed = None
        _evaluate(ast.Interactive(tree.body), file, "single", namespace)
        return shell.displayed
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    if tree.body:
        _evaluate(tree, file, "exec", namespace)
    return _evaluate(last, file, "eval", namespace) if last else None


def _parse(code, file, installable):
    try:
        return ast.parse(code, file)
    except SyntaxError:
        python = notebook.maybe_python(code, installable)
        if python is None:
            raise
    return ast.parse(python, file)


def _evaluate(tree, file, mode, namespace):
    code = compile(tree, file, mode, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    value = eval(code, namespace)
    if not code.co_flags & inspect.CO_COROUTINE:
        return value
    # JavaScript would await a value that can be awaited: within a list it comes as it is.
    return run_sync(asyncio.ensure_future(_boxed(value)))[0]


async def _boxed(coroutine):
    return [await coroutine]


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


def _described(error):
    """The class and the message of an exception, for programs."""
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}.{kind.__qualname__}"
    try:
        message = str(error)
    except Exception:  # its own __str__() fails
        message = ""
    return {"errorType": name, "errorMessage": without_installs(message)[:MAX_MESSAGE]}
