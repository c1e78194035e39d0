"""Reads stubs from stdin, as a list of pairs of alias and source, and fails
with the source of the first that is more than a stub."""

import ast
import json
import sys
import types
import typing

NAMES = {"Any", "Literal", "NotRequired", "Result", "TypedDict"}
T = typing.TypeVar("T")


class Result(dict, typing.Generic[T]):
    data: T


def check(alias: str, source: str) -> None:
    *classes, function = ast.parse(source).body
    # Functions of components are called without await, too.
    assert isinstance(function, ast.AsyncFunctionDef | ast.FunctionDef), function
    assert function.name == alias, function.name
    check_function(function)
    for each in classes:
        check_class(each)
    module = sys.modules["stub"] = types.ModuleType("stub")
    names = vars(module)
    names.update({name: getattr(typing, name, Result) for name in NAMES})
    exec(compile("from __future__ import annotations\n" + source, "stub", "exec"), names)
    # Each name that an annotation has is there.
    for each in classes:
        name = each.name if isinstance(each, ast.ClassDef) else each.targets[0].id
        assert name not in NAMES
        typing.get_type_hints(names[name], names)
    typing.get_type_hints(names[alias], names)


def check_function(function: ast.AsyncFunctionDef | ast.FunctionDef) -> None:
    (body,) = function.body
    assert isinstance(body, ast.Expr) and isinstance(body.value, ast.Constant)
    assert body.value.value is ... or isinstance(body.value.value, str)
    assert not function.decorator_list
    arguments = function.args
    assert not arguments.vararg
    assert not arguments.args or isinstance(function, ast.FunctionDef)
    for argument in [*arguments.args, *arguments.kwonlyargs]:
        check_annotation(argument.annotation)
    for default in [*arguments.defaults, *arguments.kw_defaults]:
        assert default is None or default_of(default)
    assert function.returns or isinstance(function, ast.FunctionDef)
    if function.returns:
        check_annotation(function.returns)


def check_class(node: ast.stmt) -> None:
    if isinstance(node, ast.ClassDef):
        assert [base.id for base in node.bases] == ["TypedDict"]
        assert not node.decorator_list and not node.keywords
        for field in node.body:
            if isinstance(field, ast.Pass):
                continue
            assert isinstance(field, ast.AnnAssign) and field.value is None
            assert isinstance(field.target, ast.Name)
            check_annotation(field.annotation)
        return
    assert isinstance(node, ast.Assign), node
    ((target,), call) = (node.targets, node.value)
    assert isinstance(call, ast.Call) and call.func.id == "TypedDict"
    name, fields = call.args
    assert isinstance(target, ast.Name) and name.value == target.id
    assert all(isinstance(key.value, str) for key in fields.keys)
    for value in fields.values:
        check_annotation(value)


def check_annotation(node: ast.expr) -> None:
    allowed = (
        ast.Name, ast.Subscript, ast.BinOp, ast.BitOr, ast.Constant, ast.Load,
        ast.Tuple, ast.UnaryOp, ast.USub,
    )
    for child in ast.walk(node):
        assert isinstance(child, allowed), ast.dump(child)


def default_of(node: ast.expr) -> bool:
    return ast.literal_eval(node) is not NotImplemented


for alias, source in json.load(sys.stdin):
    try:
        check(alias, source)
    except Exception as error:
        sys.exit(f"{error!r} in {source[:5000]}")
