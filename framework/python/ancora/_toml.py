# SPDX-License-Identifier: BSD-3-Clause
"""Values of Python as TOML: what a model file would hold."""

import math
import numbers
import re

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _text(value):
    out = []
    for character in value:
        if character in _ESCAPES:
            out.append(_ESCAPES[character])
        elif ord(character) < 0x20 or ord(character) == 0x7F:
            out.append(f"\\u{ord(character):04x}")
        else:
            out.append(character)
    return '"' + "".join(out) + '"'


def key(name):
    """A key, bare or in quotes."""
    return name if _BARE.match(name) else _text(name)


def value(x):
    """One value; tables are written inline, floating-point numbers without loss."""
    if hasattr(x, "tolist"):  # of NumPy
        x = x.tolist()
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, numbers.Integral):
        return str(int(x))
    if isinstance(x, numbers.Real):
        x = float(x)
        if math.isnan(x):
            return "nan"
        if math.isinf(x):
            return "inf" if x > 0 else "-inf"
        return repr(x)
    if isinstance(x, str):
        return _text(x)
    if isinstance(x, dict):
        return "{" + ", ".join(f"{key(str(k))} = {value(v)}" for k, v in x.items()) + "}"
    if isinstance(x, (list, tuple)) or hasattr(x, "__iter__"):
        return "[" + ", ".join(value(v) for v in x) + "]"
    raise TypeError(f"a model cannot hold {x!r}; it takes numbers, texts, lists, tables and arrays")


def document(tables):
    """A whole file from a dictionary of tables and of lists of tables."""
    lines = [f"{key(name)} = {value(x)}" for name, x in tables.items()
             if not isinstance(x, dict) and not _is_list_of_tables(x)]
    for name, x in tables.items():
        if isinstance(x, dict):
            lines.append(f"\n[{key(name)}]")
            lines += [f"{key(str(k))} = {value(v)}" for k, v in x.items() if v is not None]
        elif _is_list_of_tables(x):
            for table in x:
                lines.append(f"\n[[{key(name)}]]")
                lines += [f"{key(str(k))} = {value(v)}" for k, v in table.items() if v is not None]
    return "\n".join(lines) + "\n"


def _is_list_of_tables(x):
    return isinstance(x, (list, tuple)) and len(x) > 0 and all(isinstance(item, dict) for item in x)


def read(text):
    """A file as a dictionary of tables and of lists of tables."""
    try:
        import tomllib
    except ImportError:  # before Python 3.11
        try:
            import tomli as tomllib
        except ImportError:
            raise ImportError("to read a model's values Python before 3.11 needs the package tomli") from None
    return tomllib.loads(text)


# Both are constraints to the kernel.
_KINDS = {"joint": ("joint", "constraint"), "constraint": ("constraint", "joint")}


def entry(tables, name):
    """The value "TABLE.KEY", or "KIND.OBJECT.KEY" of an object by its name."""
    missing = KeyError(f"the model says nothing of {name!r}")
    kind, _, rest = name.partition(".")
    for kind in _KINDS.get(kind, (kind,)):
        found = tables.get(kind)
        if not rest and found is not None:
            return found
        if isinstance(found, dict):
            return _within(found, rest, missing)
        name, _, key = rest.partition(".")
        for item in found or ():
            if item["name"] == name:
                return _within(item, key, missing) if key else item
    raise missing


def _within(table, path, missing):
    for part in path.split("."):
        if not isinstance(table, dict) or part not in table:
            raise missing
        table = table[part]
    return table
