"""The extension module's stub says what the module has: names, parameters, whether they may be None."""
import ast
import pathlib
import re

import mantissa
from mantissa import _core

STUB = ast.parse(pathlib.Path(mantissa.__file__).with_name("_core.pyi").read_text())
#: What Python gives every class, and what the stub leaves to `object`.
INHERITED = {"__repr__", "__str__", "__module__", "__doc__", "__new__"}


def parameters(node):
    given = [*node.args.posonlyargs, *node.args.args]
    return [(a.arg, "Optional" in ast.unparse(a.annotation)) for a in given if a.arg != "self"]


def signature(function):
    """Names of the parameters with whether None is taken, as nanobind has them."""
    text = function.__nb_signature__[0][0]
    parsed = ast.parse(re.sub(r"ndarray\[[^]]*\]", "ndarray", text) + ": ...").body[0]
    return [(a.arg, "None" in ast.unparse(a.annotation)) for a in [*parsed.args.posonlyargs, *parsed.args.args]
            if a.arg != "self"]


def test_functions_have_the_modules_parameters():
    stubbed = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}
    there = {name for name in dir(_core) if callable(getattr(_core, name)) and not isinstance(getattr(_core, name), type)}
    assert set(stubbed) == {name for name in there if not name.startswith("__")}
    for name, node in stubbed.items():
        assert parameters(node) == signature(getattr(_core, name)), name


def test_classes_have_the_modules_members():
    stubbed = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}
    assert set(stubbed) == {name for name in dir(_core) if isinstance(getattr(_core, name), type)}
    for name, node in stubbed.items():
        cls = getattr(_core, name)
        members = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
        assert set(members) - {"__init__"} == set(vars(cls)) - INHERITED - {"__init__"}, name
        for member, stub in members.items():
            is_property = any(ast.unparse(d) == "property" for d in stub.decorator_list)
            assert is_property == isinstance(vars(cls).get(member), property), (name, member)
            if not is_property and not member.startswith("__"):
                assert parameters(stub) == signature(getattr(cls, member)), (name, member)
