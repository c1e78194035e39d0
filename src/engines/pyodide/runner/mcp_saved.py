"""Saved tools of code mode: functions whose source outlives sessions."""

import __future__

import ast
import builtins
import dis
import inspect
import io
import keyword
import linecache
import sys
import tokenize
import types
import warnings

from . import host_calls

# Tokens of an expression: chains of some thousand calls or sums fill the stack of Python's parser, which ends the
# interpreter. That would be the end of each session.
MOST_TOKENS = 2000
MOST_ELIFS = 500
MOST_FINALLY = 3  # in each other: Python's compiler doubles the body of each
MOST_SOURCE = 64 * 1024  # characters; src/server/host_calls/save_function.ts has the same bound
# Annotations are not evaluated.
FLAGS = __future__.annotations.compiler_flag
LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
_bound = {}  # source and function of each tool that an earlier session has saved, by name
_own = {}  # the same of those that this session has defined
_skipped = {}  # source of each that is broken, by name
_names = set()  # of all that the host has
_ours = set()  # names of code mode itself, which every session has


def save_tool(func):
    """Keeps a function for all later sessions of this client, in which it is bound by its name.

    Also as a decorator: @save_tool. The function may use modules that the session has imported, other saved
    tools, and the names of code mode; it has no other decorators, and its default values are literals.
    """
    name, source = _to_source(func)
    host_calls.call_sync("save_function", {"name": name, "source": source})
    _names.add(name)
    if _function(_bound, name) is not func:
        _own[name] = source, func
    return func


def list_saved_tools():
    """Gives the names of the saved tools."""
    return sorted(_names)


def delete_saved_tool(name):
    """Removes a saved tool; gives whether there was one."""
    if not isinstance(name, str):
        name = getattr(name, "__name__", name)
    existed = host_calls.call_sync("save_function", {"name": name, "source": None})["existed"]
    _names.discard(name)
    _skipped.pop(name, None)
    if name in _session() and any(_session()[name] is _function(saved, name) for saved in (_own, _bound)):
        del _session()[name]
    _own.pop(name, None)
    _bound.pop(name, None)
    return existed


class _Saved:
    # A tool that an earlier session has saved. It is compiled when it is first used, as a line costs 2 ms; then its
    # function stands in its place.
    def __init__(self, name, source):
        self._name, self._source, self._function = name, source, None

    def __call__(self, *args, **kwargs):
        return self.__wrapped__(*args, **kwargs)

    def __getattr__(self, name):
        return getattr(self.__wrapped__, name)

    def __repr__(self):
        return repr(self.__wrapped__)

    @property
    def __wrapped__(self):
        if self._function is None:
            self._function = self._compiled()
        return self._function

    __doc__ = property(lambda self: self.__wrapped__.__doc__)

    def _compiled(self):
        try:
            function = _load(self._name, self._source)
        except Exception as error:
            reason = str(error) or type(error).__name__
            raise RuntimeError(
                f"the saved tool {self._name!r} cannot be used: {reason}. delete_saved_tool({self._name!r}) removes it"
            ) from None
        if _session().get(self._name) is self:
            _session()[self._name] = function
        if _function(_bound, self._name) is self:
            _bound[self._name] = self._source, function
        return function


def bind_saved(namespace, saved, ours=()):
    """Binds saved tools (name, source, maybe problem) by name, but for names that the session has defined itself.

    A tool that cannot be read is skipped, and stderr says so once.

    ours: the names of code mode itself.
    """
    _names.clear()
    _ours.update(ours)
    for one in saved:
        name, source = one["name"], one["source"]
        _names.add(name)
        known, function = _bound.get(name, (None, _bound))
        if name in namespace and namespace[name] is not function:
            continue  # the session's own
        if known != source:
            if _skipped.get(name) == source:
                continue
            if problem := one.get("problem") or _wrong_name(name):
                _skipped[name] = source
                print(f"Skipping the saved tool {name!r}: {problem}", file=sys.stderr)
                continue
            function = _Saved(name, source)
            _bound[name] = source, function
        namespace[name] = function


def _function(saved, name):
    """The function of a saved tool; of another name, an object that no name has."""
    return saved.get(name, (None, saved))[1]


class _Globals(dict):
    """The global names of a saved tool: its imports, once it uses them, and then the names of the session."""

    def __init__(self, file, imports, pinned):
        super().__init__(__builtins__=builtins, __name__="saved_tools")
        self._file, self._imports, self._pinned = file, imports, pinned

    def __missing__(self, name):
        statements = [one for one in self._imports if name in map(_bound_by, one.names)]
        if not statements:
            value = _session()[name]
            if name in self._pinned:
                self[name] = value
            return value
        exec(compile(ast.Module(statements, []), self._file, "exec"), self)
        return self[name]


def _session():
    return sys.modules["__main__"].__dict__


def _load(name, source):
    """Makes the function of a source; executes nothing but its def."""
    file = f"saved tool {name}"
    imports, function = _parse(name, source)
    pinned = _globals_of(_compile(function, file), ("LOAD_NAME",)) - vars(builtins).keys()
    if pinned:
        _load_first(function, sorted(pinned))
    code = _compile(function, file)
    names = _Globals(file, imports, pinned)
    imported = {_bound_by(alias) for one in imports for alias in one.names}
    for used in _globals_of(code) - imported:
        if hasattr(builtins, used):  # those of a session are looked up at each use
            names[used] = getattr(builtins, used)
    # Tracebacks and inspect.getsource() find the source by the name of its file.
    linecache.cache[file] = len(source), None, [f"{line}\n" for line in source.splitlines()], file
    exec(code, names)
    made = names[name]
    made.__module__ = "__main__"
    return made


def _load_first(function, names):
    """Has a function begin with the global names of its classes, whose bodies do not ask `_Globals` for them."""
    first = function.body[0]
    loads = ast.Expr(ast.Tuple([ast.Name(name, ast.Load()) for name in names], ast.Load()))
    for node in ast.walk(loads):
        ast.copy_location(node, first)
    function.body.insert(ast.get_docstring(function, False) is not None, loads)


def _compile(function, file):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(ast.Module([function], []), file, "exec", flags=FLAGS, dont_inherit=True)


def _wrong_name(name):
    if not name.isidentifier() or keyword.iskeyword(name):
        return "its name is not an identifier"
    return f"{name} is a name of Python itself" if hasattr(builtins, name) else None


def _parse(name, source):
    """Reads the source of a tool: imports, and then one function of the tool's name."""
    if problem := _wrong_name(name):
        raise ValueError(problem)
    if len(source) > MOST_SOURCE:
        raise ValueError(f"its source has {len(source):,} characters, and may have {MOST_SOURCE:,}")
    _refuse_long_chains(source)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        *imports, function = ast.parse(source).body or [None]
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) or function.name != name:
        raise ValueError(f"its source does not end with a function {name}")
    for one in imports:
        is_import = isinstance(one, ast.Import) or isinstance(one, ast.ImportFrom) and not one.level
        if not is_import or any(alias.name == "*" for alias in one.names) or _module_of(one) == "__future__":
            raise ValueError(f"line {one.lineno} of its source is not an import")
    _refuse_deep_finally(function)
    _check(function)
    return imports, function


def _refuse_long_chains(source):
    """Refuses a source that could end the interpreter while it is parsed."""
    open_parts, elifs = [0], 0  # tokens since the last comma, in each bracket that is open
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            open_parts[-1] += 1
            elifs += token.string == "elif"
            if token.string in ("(", "[", "{"):
                open_parts.append(0)
            elif token.string in (")", "]", "}") and len(open_parts) > 1:
                open_parts.pop()
            elif token.string == "," or token.type == tokenize.NEWLINE:
                open_parts[-1] = 0
            if sum(open_parts) > MOST_TOKENS or elifs > MOST_ELIFS:
                raise ValueError(f"line {token.start[0]} of its source is in too long a chain: split it")
    except (tokenize.TokenError, SyntaxError):
        return  # the parser says it better


def _refuse_deep_finally(function):
    """Refuses a function that takes hours to compile."""
    left = [(function, 0)]
    while left:
        node, depth = left.pop()
        if depth > MOST_FINALLY:
            raise ValueError(f"line {node.lineno} of its source is in more than {MOST_FINALLY} finally blocks")
        last = {id(one) for one in getattr(node, "finalbody", ())}
        left += [(one, depth + (id(one) in last)) for one in ast.iter_child_nodes(node)]


def _check(function):
    """Refuses a function whose def executes other code."""
    if function.decorator_list:
        raise ValueError(
            f"it has the decorator {ast.unparse(function.decorator_list[0])}: call that within the function"
        )
    arguments = function.args
    for default in (*arguments.defaults, *filter(None, arguments.kw_defaults)):
        if not _is_literal(default):
            raise ValueError(
                f"its default value {ast.unparse(default)} is not a literal: take None, and compute it in the function"
            )


def _module_of(statement):
    return getattr(statement, "module", None)


def _bound_by(alias):
    return alias.asname or alias.name.partition(".")[0]


def _is_literal(node):
    try:
        ast.literal_eval(node)
        return True
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False


def _globals_of(code, loads=LOADS):
    """The global names that code uses, with those of the functions and classes in it."""
    used, stored = set(), set()
    for step in dis.get_instructions(code):
        if step.opname in loads:
            used.add(step.argval)
        elif step.opname == "STORE_NAME":
            stored.add(step.argval)
    used -= stored  # by the body of a class
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            used |= _globals_of(constant, loads)
    return {name for name in used if not (name.startswith("__") and name.endswith("__"))}


def _to_source(func):
    """Name and source of a function, with the imports that it needs; raises ValueError if it cannot stand alone."""
    if isinstance(func, _Saved):
        func = func.__wrapped__
    if not isinstance(func, types.FunctionType):
        kind = "a class" if isinstance(func, type) else f"a {type(func).__name__}"
        raise TypeError(f"save_tool() takes a function that is made by def, not {kind}")
    name = func.__name__
    for source, known in (*_own.values(), *_bound.values()):
        if known is func:
            return name, source
    if name == "<lambda>":
        raise ValueError("Cannot save a lambda: give the function a name with def")
    try:
        node, text = _definition(func)
        _check(node)
        lines = _imports_for(func, node)
        source = "".join(f"{line}\n" for line in lines) + f"{text}\n"
        _parse(node.name, source)
        source.encode()
    except UnicodeEncodeError:
        raise ValueError(f"Cannot save {name}: its source has half of a surrogate pair") from None
    except ValueError as error:
        raise ValueError(f"Cannot save {name}: {error}") from None
    return node.name, source


def _definition(func):
    if hasattr(func, "__wrapped__"):
        raise ValueError("it is wrapped by a decorator: save the function without it")
    if func.__globals__ is not _session():
        raise ValueError(f"it is a function of the module {func.__module__}: import it where it is needed")
    if func.__code__.co_freevars:
        names = ", ".join(func.__code__.co_freevars)
        raise ValueError(f"it uses {names} of the function around it: pass that as an argument")
    try:
        text = inspect.getsource(func)
        # Within a block, lines are indented.
        is_inner = text[:1].isspace()
        tree = ast.parse(f"if 1:\n{text}" if is_inner else text)
    except (OSError, SyntaxError, IndentationError):
        raise ValueError("its source is not known: define it by def in the code of this call") from None
    node = tree.body[0].body[0] if is_inner else tree.body[0]
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or node.name != func.__code__.co_name:
        raise ValueError("its source is not known: define it by def in the code of this call")
    own = [one for one in node.decorator_list if ast.unparse(one).rpartition(".")[2] == "save_tool"]
    node.decorator_list = [one for one in node.decorator_list if one not in own]
    if node.decorator_list or is_inner:
        return node, ast.unparse(node)
    return node, "\n".join(text.split("\n")[node.lineno - 1 : node.end_lineno])


def _imports_for(func, node):
    """The lines that import the modules which a function uses."""
    code = _compile(node, "saved tool")
    lines, problems = [], []
    for name in sorted(_globals_of(code) - {node.name}):
        if name.startswith("mcp_") or name in _ours:
            continue
        if name not in func.__globals__:
            if not hasattr(builtins, name):
                problems.append(f"{name} is not defined")
            continue
        value = func.__globals__[name]
        if any(value is _function(saved, name) for saved in (_own, _bound)):
            continue
        if found := _import_lines(name, value, node):
            lines += found
        elif isinstance(value, types.FunctionType) and value.__globals__ is func.__globals__:
            problems.append(f"{name} is a function that is not saved: save_tool({name}) first")
        else:
            problems.append(
                f"{name} is a value of this session ({type(value).__name__}): "
                "put it into the function, or pass it as an argument"
            )
    if problems:
        raise ValueError("; ".join(problems))
    return lines


def _import_lines(name, value, node):
    if isinstance(value, types.ModuleType):
        module = value.__name__
        if sys.modules.get(module) is not value or module == "__main__":
            return []
        if name == module:
            return [f"import {one}" for one in sorted({module, *_modules_in(name, node)})]
        return [f"import {module} as {name}"]
    module, own = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(own, str) or module == "__main__" or not own.isidentifier():
        return []
    if getattr(sys.modules.get(module), own, None) is not value:
        return []
    return [f"from {module} import {own}" if own == name else f"from {module} import {own} as {name}"]


def _modules_in(name, node):
    """The modules below a module that a function names: `xml.dom` in `xml.dom.Node`."""
    for one in ast.walk(node):
        if isinstance(one, ast.Attribute):
            path = ast.unparse(one)
            if path.startswith(f"{name}.") and path in sys.modules:
                yield path
