# SPDX-License-Identifier: BSD-3-Clause
"""The best case of a study: SciPy's methods for bounds and limits, with the kernel's derivatives."""

from __future__ import annotations

import math
import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._library import AncoraError, ModelError, NumericalError, UsageError
from ._model import Model, PathLike

_METHODS = {"auto": None, "lbfgsb": "L-BFGS-B", "slsqp": "SLSQP", "trust": "trust-constr"}
_AT_BOUND = 1e-6  # of the range


class Variable(NamedTuple):
    """A key that is varied within bounds."""

    key: str
    lower: float
    upper: float
    is_logarithmic: bool = False

    def value(self, u: float) -> float:
        if self.is_logarithmic:
            return self.lower * (self.upper / self.lower) ** u
        return self.lower + (self.upper - self.lower) * u

    def slope(self, u: float) -> float:
        if self.is_logarithmic:
            return self.value(u) * math.log(self.upper / self.lower)
        return self.upper - self.lower

    def inverse(self, value: float) -> float:
        """In [0, 1]; a value beyond a bound is taken there."""
        if self.is_logarithmic:
            u = math.log(value / self.lower) / math.log(self.upper / self.lower) if value * self.lower > 0 else 0.0
        else:
            u = (value - self.lower) / (self.upper - self.lower)
        return min(max(u, 0.0), 1.0)


class Limit(NamedTuple):
    """A number of the run that stays within bounds."""

    of: str
    at_least: Optional[float] = None
    at_most: Optional[float] = None


class Optimum(NamedTuple):
    """The best case that was found."""

    by: List[str]  #: keys of the model
    start: np.ndarray  #: (by,) of the model as it stands, within the bounds
    values: np.ndarray  #: (by,)
    at_bound: List[bool]
    of: str  #: the number that is made small or large
    value_start: float
    value: float
    limits: Dict[str, float]  #: numbers of the run that are limited, there
    is_within: bool  #: all of them within their bounds
    has_converged: bool
    remark: str  #: empty, or what to know
    runs: int  #: values with derivatives that were computed
    course: List[Tuple[np.ndarray, float]]  #: of each of these, in turn

    def parameters(self) -> Dict[str, float]:
        """As ``Model.simulate`` and ``model.update`` take them."""
        return dict(zip(self.by, self.values.tolist()))


def _scipy():
    try:
        from scipy import optimize
    except ImportError:
        raise UsageError("optimise: SciPy is not there; on Debian it is the package python3-scipy, elsewhere "
                         "\"pip install scipy\"") from None
    return optimize


def _set(model: Model, key: str, value: float) -> None:
    """Likewise an entry of an array, "body.ball.velocity[2]"."""
    base, bracket, index = key.partition("[")
    if not bracket:
        model[key] = value
        return
    entries = list(model[base])
    entries[int(index.rstrip("]"))] = value
    model[base] = entries


class _Runs:
    """Numbers of the run with their derivatives at points of the unit cube."""

    def __init__(self, model: Model, of: Sequence[str], variables: Sequence[Variable], sign: float, workers: int):
        self.model, self.of, self.variables, self.sign, self.workers = model, list(of), variables, sign, workers
        self.known: Dict[bytes, Tuple[np.ndarray, np.ndarray]] = {}
        self.course: List[Tuple[np.ndarray, float]] = []
        self.failure = ""
        self.worst = 0.0
        self.scale = 1.0

    def values(self, u) -> np.ndarray:
        return np.array([variable.value(x) for variable, x in zip(self.variables, u)])

    def at(self, u) -> Tuple[np.ndarray, np.ndarray]:
        """(of,) values, (of, by) derivatives by u."""
        u = np.clip(np.asarray(u, dtype=float), 0.0, 1.0)
        key = u.tobytes()
        if key in self.known:
            return self.known[key]
        values = self.values(u)
        try:
            for variable, value in zip(self.variables, values):
                _set(self.model, variable.key, float(value))
            found = self.model.gradient(self.of, [variable.key for variable in self.variables], self.workers)
            f, J = np.array(found.values), np.array(found.derivatives)
            for (of, by), remark in found.remarks.items():
                if not np.isfinite(J[self.of.index(of), [v.key for v in self.variables].index(by)]):
                    raise NumericalError(f"d {of} / d {by}: there is none: {remark}")
            if not np.all(np.isfinite(f)):
                raise NumericalError("a number of the run is not finite")
        except (NumericalError, ModelError) as error:
            if not self.course:
                raise
            # No run there: so bad that the step is taken back.
            self.failure = str(error)
            f, J = np.zeros(len(self.of)), np.zeros((len(self.of), len(self.variables)))
            f[0] = self.sign * (self.worst + 10.0 * self.scale)
            return f, J
        J = J * np.array([variable.slope(x) for variable, x in zip(self.variables, u)])
        self.known[key] = f, J
        self.course.append((values, float(f[0])))
        self.worst = max(self.worst, self.sign * f[0]) if len(self.course) > 1 else self.sign * f[0]
        return f, J


def minimise(model: Model, of: str, by: Union[Sequence[Variable], Mapping[str, Tuple[float, float]]],
             limits: Sequence[Limit] = (), *, maximise: bool = False, method: str = "auto", tolerance: float = 1e-9,
             most: int = 200, workers: int = 0) -> Optimum:
    """Makes a number of a run as small (or large) as it gets. The model stays as it is.

    of : as for :meth:`Model.gradient`, "max(elbow.effort)"
    by : bounds by key, or Variables
    limits : numbers of the run that stay within bounds
    method : "auto", "lbfgsb" (no limits), "slsqp", "trust"; see scipy.optimize.minimize
    tolerance : of the number, relative
    most : iterations
    """
    import copy
    optimize = _scipy()
    if method not in _METHODS:
        raise UsageError(f"optimise: there is no method {method!r}; there are {', '.join(_METHODS)}")
    if isinstance(by, Mapping):
        by = [Variable(key, float(bounds[0]), float(bounds[1])) for key, bounds in by.items()]
    for variable in by:
        if not (math.isfinite(variable.lower) and math.isfinite(variable.upper) and variable.lower < variable.upper):
            raise UsageError(f"optimise: the bounds of {variable.key} are two numbers, the smaller first")
    if not by:
        raise UsageError("optimise: there is nothing to vary")
    for limit in limits:
        if limit.at_least is None and limit.at_most is None:
            raise UsageError(f"optimise: the limit of {limit.of} has neither at_least nor at_most")
    numbers = [of] + [limit.of for limit in limits if limit.of != of]
    numbers = list(dict.fromkeys(numbers))
    with copy.copy(model) as own:
        given = own.gradient(numbers, [variable.key for variable in by], workers)
        sign = -1.0 if maximise else 1.0
        runs = _Runs(own, numbers, by, sign, workers)
        u0 = np.array([variable.inverse(x) for variable, x in zip(by, given.parameters)])
        f0, J0 = runs.at(u0)
        runs.scale = scale = max(abs(f0[0]), float(np.abs(J0[0]).max(initial=0.0)), 1e-300)
        constraints = []
        for limit in limits:
            row = numbers.index(limit.of)
            for bound, side in ((limit.at_least, 1.0), (limit.at_most, -1.0)):
                if bound is None:
                    continue
                unit = max(abs(bound), abs(f0[row]), float(np.abs(J0[row]).max(initial=0.0)), 1e-300)
                constraints.append({
                    "type": "ineq",
                    "fun": lambda u, row=row, bound=bound, side=side, unit=unit:
                        side * (runs.at(u)[0][row] - bound) / unit,
                    "jac": lambda u, row=row, side=side, unit=unit: side * runs.at(u)[1][row] / unit})
        name = _METHODS[method] or ("SLSQP" if constraints else "L-BFGS-B")
        if constraints and name == "L-BFGS-B":
            raise UsageError("optimise: lbfgsb takes no limits; take slsqp or trust")
        if name == "L-BFGS-B":
            options = {"maxiter": most, "ftol": tolerance, "gtol": tolerance}
        elif name == "SLSQP":
            options = {"maxiter": most, "ftol": tolerance}
        else:
            options = {"maxiter": most, "gtol": tolerance, "xtol": tolerance}
        result = optimize.minimize(lambda u: sign * runs.at(u)[0][0] / scale, u0,
                                   jac=lambda u: sign * runs.at(u)[1][0] / scale, method=name,
                                   bounds=[(0.0, 1.0)] * len(by), constraints=constraints, options=options)

        def excess(f):
            """How far limits are passed, relative."""
            worst = 0.0
            for limit in limits:
                x = f[numbers.index(limit.of)]
                unit = max(abs(limit.at_least or 0.0), abs(limit.at_most or 0.0), 1e-12)
                worst = max(worst, ((limit.at_least - x) if limit.at_least is not None else 0.0) / unit,
                            ((x - limit.at_most) if limit.at_most is not None else 0.0) / unit)
            return worst

        allowed = max(1e-6, 100.0 * tolerance)
        u = np.clip(result.x, 0.0, 1.0)
        f, _ = runs.at(u)
        is_within = bool(excess(f) <= allowed)
        # A search that ends worse than where it has been gives that back.
        best = min((key for key in runs.known if excess(runs.known[key][0]) <= allowed),
                   key=lambda key: sign * runs.known[key][0][0], default=None)
        if best is not None and (not is_within or sign * (f[0] - runs.known[best][0][0]) > tolerance * scale):
            u, is_within = np.frombuffer(best), True
            f = runs.known[best][0]
        remarks = [] if result.success else [str(result.message)]
        if runs.failure:
            remarks.append(f"some cases have no run: {runs.failure}")
        if not is_within:
            remarks.append("no case that was tried keeps all limits")
        return Optimum([variable.key for variable in by], runs.values(u0), runs.values(u),
                       [bool(x < _AT_BOUND or x > 1.0 - _AT_BOUND) for x in u], of, float(f0[0]), float(f[0]),
                       {limit.of: float(f[numbers.index(limit.of)]) for limit in limits}, is_within,
                       bool(result.success), "; ".join(remarks), len(runs.course), runs.course)


# --- studies

def _number(table: Mapping[str, Any], key: str, where: str) -> float:
    value = table.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ModelError(f"{where}: {key}: expected a number" + ("" if value is not None else ", which is missing"))
    return float(value)


def _variable(table: Mapping[str, Any], where: str) -> Variable:
    key = table.get("key")
    if not isinstance(key, str):
        raise ModelError(f"{where}: the key \"key\" is missing, or no text")
    lower, upper = _number(table, "from", where), _number(table, "to", where)
    scale = table.get("scale", "linear")
    if scale not in ("linear", "log"):
        raise ModelError(f"{where}: scale is \"linear\" or \"log\", not {scale!r}")
    if scale == "log" and not lower * upper > 0.0:
        raise ModelError(f"{where}: a logarithmic scale needs ends of one sign, and not 0")
    if lower == upper:
        raise ModelError(f"{where}: from and to are the same, so that {key} is not varied")
    return Variable(key, min(lower, upper), max(lower, upper), scale == "log")


def _variables(tables: Sequence[Mapping[str, Any]]) -> List[Variable]:
    out: List[Variable] = []
    for number, table in enumerate(tables, 1):
        where = f"[[vary]] {number}"
        if "ranges" in table:
            out += [_variable(one, f"{where}: ranges") for one in table["ranges"]]
        elif any(key in table for key in ("values", "rows", "file")):
            raise ModelError(f"{where}: a list of values has nothing between them, which \"ancora sweep\" is for; "
                             "an optimum needs key, from and to")
        else:
            out.append(_variable(table, where))
    if not out:
        raise ModelError("the study varies nothing; it needs [[vary]] with key, from and to")
    twice = [variable.key for variable in out]
    for key in twice:
        if twice.count(key) > 1:
            raise ModelError(f"[[vary]]: {key} is varied twice")
    return out


def _change(text: str) -> Tuple[str, Any]:
    """"TABLE.KEY=VALUE"; a value that is none of TOML is a text."""
    from . import _toml
    key, equal, value = text.partition("=")
    if not equal:
        raise UsageError(f"set: \"{text}\" is no TABLE.KEY=VALUE")
    try:
        return key.strip(), _toml.read(f"x = {value}")["x"]
    except ValueError:
        return key.strip(), value.strip()


_KEYS = {"minimise", "maximise", "limit", "method", "tolerance", "most"}


def read_study(file: PathLike):
    """The model file, its changes, variables, and the table [optimise] of a study."""
    import tomllib
    try:
        with open(file, "rb") as text:
            study = tomllib.load(text)
    except OSError as error:
        from ._library import FileError
        raise FileError(f"\"{os.fspath(file)}\" cannot be read: {error.strerror}") from None
    except tomllib.TOMLDecodeError as error:
        raise ModelError(f"{os.fspath(file)}: {error}") from None
    head = study.get("study", {})
    if not isinstance(head.get("model"), str):
        raise ModelError(f"{os.fspath(file)}: [study]: the key \"model\" is missing, or no text")
    table = study.get("optimise")
    if not isinstance(table, dict):
        raise ModelError(f"{os.fspath(file)}: there is no table [optimise]; it says what is best, as in minimise = "
                         "\"max(elbow.effort)\"")
    for key in table:
        if key not in _KEYS:
            from difflib import get_close_matches
            near = get_close_matches(key, sorted(_KEYS), 1)
            raise ModelError(f"{os.fspath(file)}: [optimise]: unknown key \"{key}\"" +
                             (f"; did you mean \"{near[0]}\"?" if near else f"; there are {', '.join(sorted(_KEYS))}"))
    if ("minimise" in table) == ("maximise" in table):
        raise ModelError(f"{os.fspath(file)}: [optimise]: it takes one of minimise and maximise, a number of the run")
    limits = []
    for number, one in enumerate(table.get("limit", []), 1):
        where = f"[[optimise.limit]] {number}"
        if not isinstance(one.get("of"), str):
            raise ModelError(f"{where}: the key \"of\" is missing, or no text")
        for key in one:
            if key not in ("of", "at_least", "at_most"):
                raise ModelError(f"{where}: unknown key \"{key}\"; there are of, at_least, at_most")
        bounds = {key: _number(one, key, where) for key in ("at_least", "at_most") if key in one}
        if not bounds:
            raise ModelError(f"{where}: it takes at_least, at_most or both")
        limits.append(Limit(one["of"], **bounds))
    return os.path.join(os.path.dirname(file), head["model"]), head.get("set", []), _variables(
        study.get("vary", [])), table, limits


def optimise(study: PathLike, set: Optional[Mapping[str, Any]] = None, *, workers: int = 0, plugin_dirs=()) -> Optimum:
    """The best case of a study, the file of `ancora sweep` with a table ``[optimise]``.

    set : changes values of the model, as ``--set`` does
    """
    model_file, changes, variables, table, limits = read_study(study)
    with Model.load(model_file, plugin_dirs=plugin_dirs) as model:
        for key, value in {**dict(map(_change, changes)), **(set or {})}.items():
            model[key] = value
        return minimise(model, table.get("minimise", table.get("maximise")), variables, limits,
                        maximise="maximise" in table, method=table.get("method", "auto"),
                        tolerance=_number({"tolerance": table.get("tolerance", 1e-9)}, "tolerance", "[optimise]"),
                        most=int(_number({"most": table.get("most", 200)}, "most", "[optimise]")), workers=workers)


# --- what people see

def table_of(found: Optimum, variables: Sequence[Variable]) -> str:
    rows = [["parameter", "start", "best", "between", ""]]
    for variable, start, value, is_at_bound in zip(variables, found.start, found.values, found.at_bound):
        rows.append([variable.key, f"{start:.6g}", f"{value:.10g}", f"{variable.lower:g} and {variable.upper:g}",
                     "at its bound" if is_at_bound else ""])
    rows.append([])
    rows.append([found.of, f"{found.value_start:.6g}", f"{found.value:.10g}", "", ""])
    for name, value in found.limits.items():
        rows.append([name, "", f"{value:.10g}", "", ""])
    widths = [max(len(row[c]) for row in rows if row) for c in range(5)]
    out = "\n".join(("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths))).rstrip()
                    for row in rows) + "\n"
    if found.remark:
        out += f"\n{found.remark}\n"
    return out + f"\n{found.runs} runs with derivatives\n"


_MARK = "<!-- ancora optimise -->"


def picture_of(found: Optimum, variables: Sequence[Variable]) -> str:
    """The number over the runs, and where in their bounds the parameters went."""
    from xml.sax.saxutils import escape
    width, left, top, high, gap = 720, 230, 34, 150, 22
    rows = len(variables)
    height = top + high + 48 + gap * rows + 24
    values = [value for _, value in found.course]
    low, up = min(values), max(values)
    span = up - low or abs(up) or 1.0
    right = width - 30

    def x(i):
        return left + (right - left) * (i / max(len(values) - 1, 1))

    def y(value):
        return top + high - high * (value - low) / span

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
           f'height="{height}" font-family="sans-serif" font-size="12">{_MARK}',
           f'<rect width="{width}" height="{height}" fill="#fff"/>',
           f'<text x="{left}" y="20" fill="#222">{escape(found.of)} over {len(values)} runs</text>',
           f'<path d="M{left} {top}V{top + high}H{right}" fill="none" stroke="#888"/>',
           f'<text x="{left - 6}" y="{top + 10}" text-anchor="end" fill="#222">{up:.5g}</text>',
           f'<text x="{left - 6}" y="{top + high}" text-anchor="end" fill="#222">{low:.5g}</text>',
           '<polyline fill="none" stroke="#2a6fb0" stroke-width="1.5" points="' +
           " ".join(f"{x(i):.1f},{y(value):.1f}" for i, value in enumerate(values)) + '"/>']
    out += [f'<circle cx="{x(i):.1f}" cy="{y(value):.1f}" r="2.5" fill="#2a6fb0"/>' for i, value in enumerate(values)]
    base = top + high + 40
    for k, variable in enumerate(variables):
        at = base + gap * k
        start, best = variable.inverse(found.start[k]), variable.inverse(found.values[k])
        out += [f'<text x="{left - 6}" y="{at + 4}" text-anchor="end" fill="#222">{escape(variable.key)}</text>',
                f'<path d="M{left} {at}H{right}" stroke="#ccc" stroke-width="3"/>',
                f'<circle cx="{left + (right - left) * start:.1f}" cy="{at}" r="4" fill="#fff" stroke="#888"/>',
                f'<circle cx="{left + (right - left) * best:.1f}" cy="{at}" r="4" fill="#c0392b"/>']
    out.append(f'<text x="{left}" y="{height - 10}" fill="#666">between its bounds: the start open, the best '
               'filled</text></svg>')
    return "\n".join(out) + "\n"


def main(arguments: Sequence[str]) -> int:
    """`python3 -m ancora optimise STUDY.toml`, which `ancora optimise` calls."""
    import argparse
    import json
    import sys
    parser = argparse.ArgumentParser(prog="ancora optimise", description="the best case of a study, the file of "
                                     "ancora sweep with a table [optimise]")
    parser.add_argument("study")
    parser.add_argument("--set", action="append", default=[], metavar="TABLE.KEY=VALUE")
    parser.add_argument("--plugin-dir", action="append", default=[], metavar="DIR")
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--out", metavar="FILE", help="a picture, ending in .svg")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    options = parser.parse_args(arguments)
    try:
        if options.out:
            if not options.out.endswith(".svg"):
                raise UsageError(f"\"{options.out}\": a picture of an optimum ends in .svg")
            if os.path.exists(options.out):
                with open(options.out, encoding="utf-8", errors="replace") as old:
                    if _MARK not in old.read():
                        raise UsageError(f"\"{options.out}\" is there and is no picture of this kind")
        changes = dict(map(_change, options.set))
        variables = read_study(options.study)[2]
        found = optimise(options.study, changes, workers=options.workers, plugin_dirs=options.plugin_dir)
        if options.out:
            with open(options.out, "w", encoding="utf-8") as to:
                to.write(picture_of(found, variables))
        if options.json:
            print(json.dumps({
                "of": found.of, "start": found.value_start, "value": found.value, "converged": found.has_converged,
                "within_limits": found.is_within, "runs": found.runs, "remark": found.remark,
                "limits": found.limits,
                "by": [{"key": key, "start": start, "value": value, "at_bound": at_bound}
                       for key, start, value, at_bound in zip(found.by, found.start.tolist(), found.values.tolist(),
                                                              found.at_bound)]}, indent=2))
        elif not options.quiet:
            print(table_of(found, variables), end="")
        if not found.has_converged or not found.is_within:
            raise NumericalError(f"the search did not come to its end: {found.remark}")
        return 0
    except AncoraError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.status
