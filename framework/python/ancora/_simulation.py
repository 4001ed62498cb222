# SPDX-License-Identifier: BSD-3-Clause
"""A model in motion."""

from __future__ import annotations

import ctypes
import operator
import os
import time
import warnings
from ctypes import byref, c_double, c_int32, c_size_t, c_void_p
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence

import numpy as np

from . import _library
from ._library import Info, Ledger, Session, Statistics, StepCallback, STOPPED, UsageError, library
from ._model import Model, PathLike
from ._results import History

_ACCELERATION, _IMPRESSED, _FORCES, _IDEAL, _NONIDEAL, _RIGHT_SIDE = range(6)
_MASS, _JACOBIAN = range(2)
# What would change the state under the run that calls back.
_NOT_IN_CALLBACKS = frozenset(("step", "run", "set_state", "set_state_at", "restore", "reset", "record",
                               "record_finish", "find_equilibrium", "find_modes", "linearize",
                               "inverse_kinematics"))


def _names(of: Sequence[str], what: str, call: str = "linearize") -> List[str]:
    names = [of] if isinstance(of, str) else list(of)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{call}: {what} are texts, such as \"bar.x\", not {name!r}")
    return names


class Pose(NamedTuple):
    """Of a body: where its frame lies and how it moves."""

    position: np.ndarray  #: (3,) m, inertial axes
    quaternion: np.ndarray  #: (4,) w, x, y, z; maps body to inertial axes
    velocity: np.ndarray  #: (3,) m/s, inertial axes
    angular_velocity: np.ndarray  #: (3,) rad/s, body axes


class PointState(NamedTuple):
    """Of a material point, inertial axes."""

    position: np.ndarray  #: (3,) m
    velocity: np.ndarray  #: (3,) m/s


class Equilibrium(NamedTuple):
    """A position of rest."""

    stability: str  #: "stable", "neutral" or "unstable"
    degrees_of_freedom: int
    num_unstable: int  #: independent displacements that lower the energy
    num_neutral: int  #: that change nothing
    is_counted: bool  #: False: the model is large, and the lowest were looked at
    unstable_part: str  #: what moves away first; empty if nothing does
    num_left: int  #: unstable positions of rest that were left on the way
    descent_steps: int
    newton_steps: int
    residual: float  #: largest force that is left over the largest one
    moved: float  #: largest displacement of matter [m]
    acceleration: float  #: of matter from rest there [m/s^2]: a drive or load changes with time
    lasts: bool  #: nothing accelerates there
    spin: np.ndarray  #: (3,) rad/s


class Mode(NamedTuple):
    """A motion q = Re(shape exp(eigenvalue t))."""

    eigenvalue: complex  #: 1/s
    frequency: float  #: Hz, of |eigenvalue|
    damping: float  #: ratio
    shape: np.ndarray  #: (n,) complex; the largest displacement of matter is 1 m
    energies: Dict[str, float]  #: shares of the kinetic energy, by body


class Modes(List[Mode]):
    """Modes by frequency, of a conjugate pair one; ``modes.frequencies`` are all of them [Hz]."""

    degrees_of_freedom: int
    is_complete: bool  #: all of them, not only the lowest
    spin: Optional[np.ndarray]  #: (3,) rad/s about which they are, or None about rest

    @property
    def frequencies(self) -> np.ndarray:
        return np.array([mode.frequency for mode in self])


class LinearModel(NamedTuple):
    """x' = A x + B u, y = C x + D u about rest; ``scipy.signal.StateSpace(*linear[:4])``."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    T: np.ndarray  #: (n, states / 2): how coordinates move with the displacements in x
    rest: np.ndarray  #: values of the outputs at rest
    inputs: List[str]
    outputs: List[str]


class JointSpace(NamedTuple):
    """A mechanism in the coordinates of its joints, M p'' + bias = tau."""

    coordinates: List[str]  #: r of them
    values: np.ndarray  #: (r,) p; NaN of "BODY.wx", which has a rate alone
    rates: np.ndarray  #: (r,) p'
    M: np.ndarray  #: (r, r)
    C: np.ndarray  #: (r, r): M' - 2 C is skew where all coordinates have values
    bias: np.ndarray  #: (r,) C p' and what else acts: the efforts at which p'' = 0
    T: np.ndarray  #: (n, r): how the model's coordinates move with p
    J: np.ndarray  #: (rows, r) of all points, frames and measures asked for, one behind the other
    J_bias: np.ndarray  #: (rows,) their accelerations at p'' = 0
    remarks: List[str]  #: what follows or does not move, redundant conditions, what the bias leaves out


class Placement(NamedTuple):
    """What placing a mechanism has come to."""

    is_reached: bool  #: False: it is the nearest place that was found
    distance: float  #: largest that is left of points [m]
    angle: float  #: and of angles [rad]
    iterations: int
    num_free: int  #: degrees of freedom that the targets leave
    num_at_limits: int  #: stops and contacts that hold it


class _Handle:
    """Keeps a simulation of the kernel alive, for arrays that show its memory."""

    def __init__(self, session: Session, make: Callable[[Any], Any]):
        self.session = session
        handle = c_void_p()
        make(byref(handle))
        self.value = handle.value

    def __del__(self):
        if getattr(self, "value", None):
            library.ancora_simulation_free(self.value)
            self.value = None


class _View:
    """Memory of the kernel as NumPy takes it over, read-only."""

    def __init__(self, handle: _Handle, address: int, count: int):
        self._handle = handle
        self.__array_interface__ = {"shape": (count,), "typestr": "<f8", "data": (address, True),
                                    "version": 3}


def _array(*shape):
    return np.zeros(shape, dtype=np.float64)


def _pointer(array):
    return array.ctypes.data_as(c_void_p)


def _simulation_from(source: Dict[str, Any], saved: bytes) -> "Simulation":
    """A copy, see Simulation.__reduce__."""
    model = Model.__new__(Model)
    model.__setstate__(source)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they were given where the simulation was made
        out = Simulation(model)
    out.restore(saved)
    return out


class Simulation:
    """A model in motion; made by :meth:`Model.simulate`.

    >>> sim = model.simulate()
    >>> for _ in sim.steps():
    ...     sim.inputs["motor.voltage"] = -50 * sim["elbow.angle"]

    One simulation is used by one thread at a time; calls of another at once are refused. Ctrl-C ends
    :meth:`run` and its like between two steps. A simulation can be copied (:mod:`copy`) and pickled: the
    model and :meth:`save`. ``with model.simulate() as sim:`` closes it at the end.
    """

    def __init__(self, model: Model):
        model._warnings.clear()
        self._begin(model, _Handle(
            model._session, lambda to: model._session.call("simulation_new", model._ready(), to)))

    def _begin(self, model: Model, handle: _Handle) -> None:
        self._model = model
        self._session = model._session
        self._is_in_callback = False
        self._handle: Optional[_Handle] = handle
        self._source = model._source()
        for text in model._warnings:
            warnings.warn(text, stacklevel=4)
        self._columns = [self._session.text("column_name", self._open.value, i)
                         for i in range(self._session.count("num_columns", self._open.value))]
        self._found: Dict[str, int] = {}
        self._recorded: Optional[str] = None
        self._is_recording = False
        #: Inputs of objects by name, such as ``sim.inputs["motor.voltage"] = 12.0``.
        self.inputs = Inputs(self)

    def _call(self, name, *arguments):
        if self._is_in_callback and name in _NOT_IN_CALLBACKS:
            raise UsageError(f"{name}: not inside a callback of the same simulation")
        handle = self._open  # which lives as long as the call, though another thread may close
        return self._session.call(name, handle.value, *arguments)

    @property
    def _open(self) -> _Handle:
        if self._handle is None:
            raise UsageError("the simulation is closed")
        return self._handle

    def close(self) -> None:
        """Ends a record, and frees the memory: once arrays that show it, as :attr:`q`, are gone too."""
        if self._handle is None:
            return
        try:
            if self._is_recording:
                self.finish()
        except UsageError:
            pass  # a step that failed has ended the record
        finally:
            self._handle = None

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __reduce__(self):
        return _simulation_from, (self._source, self.save())

    def _info(self) -> Info:
        info = Info(size=ctypes.sizeof(Info))
        self._call("simulation_info", byref(info))
        return info

    # --- where it is

    @property
    def name(self) -> str:
        """The model's name."""
        return self._session.text("simulation_name", self._open.value)

    @property
    def time(self) -> float:
        """The present time [s]."""
        return self._info().time

    @property
    def step_size(self) -> float:
        """Length of the steps of the grid [s]."""
        return self._info().step_size

    @property
    def begin_time(self) -> float:
        """Begin of the run [s]."""
        return self._info().begin_time

    @property
    def end_time(self) -> float:
        """End of the run [s]."""
        return self._info().end_time

    @property
    def steps_done(self) -> int:
        return self._info().steps_done

    @property
    def is_adaptive(self) -> bool:
        """Whether the integrator chooses its steps."""
        return bool(self._info().is_adaptive)

    @property
    def done(self) -> bool:
        """Whether the end is reached."""
        return bool(self._info().is_done)

    # --- steps

    def step(self) -> None:
        """One step of the grid, or of the integrator's choice. One that fails leaves the state of the
        last that was accepted."""
        self._call("step")

    def set_threads(self, num_threads: int) -> None:
        """How many threads may work on large matrices, 1 at first. It changes no number."""
        self._call("set_threads", operator.index(num_threads))

    def steps(self, until: float = np.inf) -> Iterator[float]:
        """Steps to the end, or until `until` [s], and yields the time [s] after each."""
        while True:
            info = self._info()
            slack = 0.0 if info.is_adaptive else 0.5 * info.step_size
            if info.is_done or info.time + slack >= until:
                return
            self.step()
            yield self.time

    def run(self, until: float = np.inf,
            after_step: Optional[Callable[["Simulation"], Any]] = None) -> "Simulation":
        """Steps to the end, or until `until` [s]. `after_step(sim)` is called after each step; a result
        that is true stops the run. Returns the simulation."""
        until = float(until)
        if until != until:
            raise UsageError("run: the time is not a number")
        if after_step is None:
            self._run_in_pieces(until)
            return self
        for _ in self.steps(until):
            self._is_in_callback = True
            try:
                if after_step(self):
                    break
            finally:
                self._is_in_callback = False
        return self

    def _run_in_pieces(self, until: float) -> None:
        """So many steps at once that Python can look for Ctrl-C some twenty times a second."""
        steps = 1
        while True:
            info = self._info()
            slack = 0.0 if info.is_adaptive else 0.5 * info.step_size
            if info.is_done or info.time + slack >= until:
                return
            begin = time.monotonic()
            self._call("run", min(until, info.time + steps * info.step_size), StepCallback(0), None)
            taken = time.monotonic() - begin
            steps = max(1, steps // 2 if taken > 0.05 else steps * 2 if taken < 0.02 else steps)

    def restart(self, set: Optional[Mapping[str, Any]] = None) -> "Simulation":
        """A new simulation of the same model from its start, with values changed; this one stays."""
        return self._model.simulate(set)

    # --- results

    def record(self, folder: PathLike) -> "Simulation":
        """Records every step from here on into a folder, as `ancora run` does. Before the first step."""
        self._call("record", os.fsencode(folder))
        self._recorded = os.fspath(folder)
        self._is_recording = True
        return self

    def finish(self) -> "Simulation":
        """Ends the record: the rest of history.csv, and summary.json."""
        self._is_recording = False
        self._call("record_finish")
        return self

    def report(self, file: Optional[PathLike] = None) -> "Report":
        """The page of `ancora report` from what was recorded; shown by itself in Jupyter."""
        if self._recorded is None:
            raise UsageError("there is no record; call record(FOLDER) before the first step")
        if self._is_recording:
            self.finish()
        return Report.of(self._recorded, file, self._session)

    def history(self, columns: Optional[Sequence[str]] = None, until: float = np.inf,
                every: int = 1) -> History:
        """Steps to the end, or until `until` [s], and keeps rows of columns: the first and each
        `every`-th after it, and the last.

        Returns a :class:`History`: ``history["bar.x"]`` is an array (rows,), ``history.array`` is
        (rows, columns).
        """
        names = list(columns) if columns is not None else self.columns
        if operator.index(every) < 1:
            raise UsageError(f"history: every {every}-th row; write 1 or more")
        if "t" not in names:
            names.insert(0, "t")
        # Rows are ends of steps, over which reactions are means.
        rows = []
        if self.steps_done > 0:
            rows.append(self.values(names))
        count = 0
        for _ in self.steps(until):
            count += 1
            if count % every == 0 or self.done:
                rows.append(self.values(names))
        if count % every != 0 and not self.done:
            rows.append(self.values(names))
        table = np.array(rows) if rows else np.zeros((0, len(names)))
        return History(names, table, {name: self.unit(name) for name in names})

    @property
    def columns(self) -> List[str]:
        """Names of the columns of history.csv."""
        return list(self._columns)

    def unit(self, column: str) -> str:
        """SI unit of a column; empty if it has none, or is not among `columns`."""
        if column not in self._columns:
            return ""
        return self._session.text("column_unit", self._open.value, self._columns.index(column))

    def __getitem__(self, column: str) -> float:
        """Value of a column now, also of one that the model's choice leaves out: sim["pin.force.z"]."""
        return float(self.values([column])[0])

    def __contains__(self, column: str) -> bool:
        """Whether there is such a column, also one that the model's choice leaves out."""
        if not isinstance(column, str):
            return False
        if column in self._found:
            return True
        found = c_int32()
        try:
            self._call("find_value", column.encode(), byref(found))
        except UsageError:
            self._open  # a simulation that is closed has no columns to look among
            return False
        self._found[column] = found.value
        return True

    __iter__ = None  # it is no sequence

    def values(self, columns: Sequence[str]) -> np.ndarray:
        """Values of columns now, computed together: (len(columns),)."""
        handles = np.empty(len(columns), dtype=np.int32)
        for i, name in enumerate(columns):
            if name not in self._found:
                found = c_int32()
                self._call("find_value", name.encode(), byref(found))
                self._found[name] = found.value
            handles[i] = self._found[name]
        out = _array(len(columns))
        self._call("values", _pointer(handles), len(columns), _pointer(out))
        return out

    def sample(self) -> np.ndarray:
        """All columns now: (len(sim.columns),)."""
        out = _array(len(self._columns))
        self._call("sample", _pointer(out), out.size, None)
        return out

    # --- state

    def _views(self):
        q, v, count = c_void_p(), c_void_p(), c_size_t()
        self._call("state_view", byref(q), byref(v), byref(count))
        return [np.asarray(_View(self._open, address.value, count.value)) if count.value else _array(0)
                for address in (q, v)]

    @property
    def q(self) -> np.ndarray:
        """Generalized coordinates (n,), without a copy: read-only, and good until the state changes.
        Keep ``sim.q.copy()``."""
        return self._views()[0]

    @property
    def v(self) -> np.ndarray:
        """Generalized velocities (n,), likewise."""
        return self._views()[1]

    def set_state(self, q: Any, v: Any, t: Optional[float] = None) -> None:
        """Starts anew from another state; (n,) each. What `q` and `v` have shown, here or in another
        simulation of the model, is taken as it is. `t` is another time of the run, at which a step ends:
        for what is given over time. What objects keep besides is in :meth:`save` and :meth:`restore`."""
        q = np.array(q, dtype=np.float64).ravel()
        v = np.array(v, dtype=np.float64).ravel()
        if q.size != v.size:
            raise UsageError(f"set_state: q has {q.size} and v {v.size} entries")
        if t is None:
            self._call("set_state", _pointer(q), _pointer(v), q.size)
        else:
            self._call("set_state_at", float(t), _pointer(q), _pointer(v), q.size)

    def save(self) -> bytes:
        """Everything that the rest of the run depends on."""
        count = c_size_t()
        self._call("save", None, 0, byref(count))
        buffer = ctypes.create_string_buffer(count.value)
        self._call("save", buffer, count.value, None)
        return buffer.raw

    def restore(self, saved: bytes) -> None:
        """Goes on from such bytes, of this or another simulation of the same model, with the same bits."""
        saved = bytes(saved)
        self._call("restore", saved, len(saved))

    def reset(self) -> None:
        """Back to the model's start, with the bits of a new simulation: states, inputs, forces, ledger."""
        self._call("reset")

    def changed(self, model: Model) -> "Simulation":
        """A simulation that goes on from the present state with the parameters of `model`: masses,
        stiffnesses, coefficients, loads, gravity or the end of the run may differ; objects, columns and
        the integrator with its step are the same. Energy and momentum that this brings or takes are
        recorded as external. This one stays as it is.

        >>> model["force.spring.stiffness"] = 80.0
        >>> sim = sim.changed(model)
        """
        model._warnings.clear()
        out = Simulation.__new__(Simulation)
        out._begin(model, _Handle(model._session, lambda to: self._call("changed", model._ready(), to)))
        return out

    @property
    def bodies(self) -> Dict[str, slice]:
        """Names of bodies, and which entries of q and v are theirs: ``sim.q[sim.bodies["bar"]]``."""
        out = {}
        for i in range(self._session.count("num_bodies", self._open.value)):
            first, count = c_size_t(), c_size_t()
            self._call("body_range", i, byref(first), byref(count))
            name = self._session.text("body_name", self._open.value, i)
            out[name] = slice(first.value, first.value + count.value)
        return out

    # --- push and look

    def apply_force(self, attachment: str, force: Any) -> None:
        """A force (3,) [N, inertial axes] on a point such as "bar@[0.5, 0, 0]", from now until it is set
        anew; zero takes it away."""
        array = np.array(force, dtype=np.float64)
        if array.shape != (3,):
            raise UsageError(f"apply_force: a force has the shape (3,), not {array.shape}")
        self._call("apply_force", attachment.encode(), _pointer(array))

    def apply_torque(self, body: str, torque: Any) -> None:
        """A torque (3,) [N m, inertial axes] on a body, from now until it is set anew; zero takes it
        away. Not on bodies without orientation, such as a particle."""
        array = np.array(torque, dtype=np.float64)
        if array.shape != (3,):
            raise UsageError(f"apply_torque: a torque has the shape (3,), not {array.shape}")
        self._call("apply_torque", body.encode(), _pointer(array))

    def point(self, attachment: str) -> PointState:
        """Position and velocity of a material point."""
        out = PointState(_array(3), _array(3))
        self._call("point", attachment.encode(), *(_pointer(x) for x in out))
        return out

    def point_jacobian(self, attachment: str) -> np.ndarray:
        """dr/dq of a material point: (3, n)."""
        out = _array(3, self._info().num_coordinates)
        self._call("point_jacobian", attachment.encode(), _pointer(out), out.size, None)
        return out

    def pose(self, body: str) -> Pose:
        """Pose of a body and its rates."""
        out = Pose(_array(3), _array(4), _array(3), _array(3))
        self._call("pose", body.encode(), *(_pointer(x) for x in out))
        return out

    def reaction(self, constraint: str) -> np.ndarray:
        """Force on a constraint's first attachment (3,) [N], or its multipliers (k,): the mean over the
        last step under integrators on steps, else the present one."""
        return self._filled("reaction", constraint.encode())

    def _filled(self, name, *arguments):
        count = c_size_t()
        self._call(name, *arguments, None, 0, byref(count))
        out = _array(count.value)
        self._call(name, *arguments, _pointer(out), out.size, None)
        return out

    # --- the equation at the present state

    @property
    def M(self) -> np.ndarray:
        """Mass matrix (n, n)."""
        return self._matrix("matrix", _MASS)

    @property
    def A(self) -> np.ndarray:
        """Constraint matrix (m, n) of A a = b."""
        return self._matrix("matrix", _JACOBIAN)

    @property
    def b(self) -> np.ndarray:
        """Right side (m,) of A a = b."""
        return self._filled("vector", _RIGHT_SIDE)

    @property
    def acceleration(self) -> np.ndarray:
        """a (n,) of M a = Q + F_L + F_C."""
        return self._filled("vector", _ACCELERATION)

    @property
    def Q(self) -> np.ndarray:
        """Impressed force (n,): gravity, elastic and viscous forces, inertia."""
        return self._filled("vector", _IMPRESSED)

    @property
    def C(self) -> np.ndarray:
        """Of all force objects (n,), friction included."""
        return self._filled("vector", _FORCES)

    @property
    def F_L(self) -> np.ndarray:
        """Ideal constraint force (n,)."""
        return self._filled("vector", _IDEAL)

    @property
    def F_C(self) -> np.ndarray:
        """Nonideal constraint force (n,)."""
        return self._filled("vector", _NONIDEAL)

    # --- rest, vibrations, linear model

    def find_equilibrium(self, nearest: bool = False, spinning: bool = False) -> Equilibrium:
        """Looks for a position of rest from the present state and takes it.

        nearest : the one next to it, stable or not, instead of one that a damped motion leads to
        spinning : rest in the frame that turns with the spin that the present velocities are
        """
        found = _library.Equilibrium(size=ctypes.sizeof(_library.Equilibrium))
        self._call("find_equilibrium", int(nearest) + 2 * int(spinning), byref(found))
        values = {field: getattr(found, field) for field, _ in found._fields_ if field != "size"}
        values["stability"] = ("stable", "neutral", "unstable")[found.stability]
        values["is_counted"] = bool(found.is_counted)
        values["lasts"] = bool(found.lasts)
        values["spin"] = np.array(found.spin)
        return Equilibrium(unstable_part=self._session.text("unstable_part", self._open.value), **values)

    def modes(self, most: int = 0) -> Modes:
        """Small vibrations about the present state, which is at rest or in steady spin.

        most : the lowest so many; 0: all of a small model, twenty of a large one
        """
        info = _library.Modes(size=ctypes.sizeof(_library.Modes))
        most = operator.index(most)
        if most < 0:
            raise ValueError(f"modes: {most} of them cannot be")
        self._call("find_modes", most, byref(info))
        out = Modes()
        out.degrees_of_freedom = info.degrees_of_freedom
        out.is_complete = bool(info.is_complete)
        out.spin = np.array(info.spin) if info.is_spinning else None
        bodies = list(self.bodies)
        for i in range(info.count):
            mode = _library.Mode(size=ctypes.sizeof(_library.Mode))
            self._call("mode_values", i, byref(mode))
            out.append(Mode(complex(*mode.eigenvalue), mode.frequency, mode.damping,
                            self._filled("mode_shape", i).view(np.complex128),
                            dict(zip(bodies, self._filled("mode_energies", i).tolist()))))
        return out

    def joint_space(self, by: Sequence[str] = (), of: Sequence[str] = ()) -> JointSpace:
        """Equations of motion in the coordinates of the joints at the present state.

        by : measures "elbow.angle", or of a body that floats "base.x", "base.wx"; none: measures in their
             order, then bodies that float, each that does not follow from those before it
        of : whose Jacobians are wanted: points "hand@[0, 0, 1]" (3 rows), bodies or their frames "hand" (6:
             velocity and angular velocity, inertial axes), measures (1)
        """
        by, of = _names(by, "by", "joint_space"), _names(of, "of", "joint_space")

        def texts(names):
            return (ctypes.c_char_p * len(names))(*(name.encode() for name in names))

        self._call("joint_space", texts(by), len(by), texts(of), len(of))
        M, C, bias, T, J, J_bias, values, rates = (self._matrix("joint_matrix", which) for which in range(8))
        names = self._session.text("joint_names", self._open.value)
        remarks = self._session.text("joint_remarks", self._open.value)
        return JointSpace(names.split("\n") if names else [], values.ravel(), rates.ravel(), M, C, bias.ravel(),
                          T, J, J_bias.ravel(), remarks.split("\n") if remarks else [])

    def inverse_kinematics(self, targets: Mapping[str, Any]) -> Placement:
        """Goes to the place nearest to the targets that the constraints allow, at rest.

        targets : by name: a measure "elbow.angle" or a component "hand.x" (a number), a body, frame or point
                  "hand@[0, 0, 1]" (three [m]), "hand.orientation" (a quaternion w, x, y, z)
        """
        values = [np.atleast_1d(np.asarray(value, dtype=float)).ravel() for value in targets.values()]
        names = _names(list(targets), "targets", "inverse_kinematics")
        flat = np.concatenate(values) if values else np.zeros(0)
        found = _library.Placement(size=ctypes.sizeof(_library.Placement))
        self._call("inverse_kinematics", (ctypes.c_char_p * len(names))(*(name.encode() for name in names)),
                   (c_size_t * len(names))(*(len(value) for value in values)), len(names), _pointer(flat),
                   byref(found))
        return Placement(bool(found.is_reached), found.distance, found.angle, found.iterations, found.num_free,
                         found.num_at_limits)

    def linearize(self, inputs: Sequence[str], outputs: Sequence[str]) -> LinearModel:
        """The model at rest in minimal coordinates.

        inputs : forces "bar@[1, 0, 0].x", and efforts on measures "elbow.angle"
        outputs : positions and velocities "bar.x", "bar@[1, 0, 0].vz", "elbow.angle", "elbow.angle_rate"
        """
        inputs, outputs = _names(inputs, "inputs"), _names(outputs, "outputs")

        def texts(names):
            return (ctypes.c_char_p * len(names))(*(name.encode() for name in names))

        self._call("linearize", texts(inputs), len(inputs), texts(outputs), len(outputs))
        parts = [self._matrix("linear_matrix", which) for which in range(6)]
        return LinearModel(*parts[:5], parts[5].ravel(), inputs, outputs)

    def _matrix(self, name: str, which: int) -> np.ndarray:
        rows, columns = c_size_t(), c_size_t()
        self._call(name, which, None, 0, byref(rows), byref(columns))
        part = _array(rows.value, columns.value)
        self._call(name, which, _pointer(part), part.size, None, None)
        return part

    @property
    def ledger(self) -> Dict[str, Any]:
        """Energies and works [J], momenta [N s], angular momenta [N m s], and their balances."""
        return self._struct("ledger_now", Ledger)

    @property
    def statistics(self) -> Dict[str, Any]:
        """Steps, iterations, and the largest imbalance over every step so far."""
        return self._struct("statistics_now", Statistics)

    def _struct(self, name, kind):
        out = kind(size=ctypes.sizeof(kind))
        self._call(name, byref(out))
        return {field: np.array(x) if isinstance(x := getattr(out, field), ctypes.Array) else x
                for field, _ in kind._fields_ if field != "size"}

    def __repr__(self):
        if self._handle is None:
            return "<Simulation, closed>"
        info = self._info()
        return (f"<Simulation {self.name!r}: t = {info.time:g} s of {info.end_time:g} s, "
                f"{info.num_coordinates} coordinates>")


class Inputs(Mapping[str, str]):
    """Inputs of a simulation: names, units; values are set."""

    def __init__(self, simulation: Simulation):
        self._call = simulation._call
        session, handle = simulation._session, simulation._handle.value
        self._units = {session.text("input_name", handle, i): session.text("input_unit", handle, i)
                       for i in range(session.count("num_inputs", handle))}

    def __getitem__(self, name: str) -> str:
        """SI unit of an input."""
        return self._units[name]

    def __setitem__(self, name: str, value: float) -> None:
        """A value from now until it is set anew or released."""
        self._call("set_input", name.encode(), float(value))

    def __delitem__(self, name: str) -> None:
        """Releases the input: it is again what the model says."""
        self._call("release_input", name.encode())

    def __iter__(self):
        return iter(self._units)

    def __len__(self):
        return len(self._units)


class Report:
    """A page of a run. In Jupyter it is shown in a frame of its own."""

    def __init__(self, file: PathLike, height: int = 720):
        self.file = os.fspath(file)
        self.height = height

    @classmethod
    def of(cls, folder: PathLike, file: Optional[PathLike] = None,
           session: Optional[Session] = None) -> "Report":
        """Makes the page of a folder of results; `file` is report.html in it by default."""
        file = os.path.join(folder, "report.html") if file is None else os.fspath(file)
        session = session or Session()
        session.call("write_report", session.handle, os.fsencode(folder), os.fsencode(file))
        return cls(file)

    def _repr_html_(self) -> str:
        import html
        with open(self.file, encoding="utf-8") as page:
            text = page.read()
        # srcdoc: the page has a strict policy of its own, and needs no file that a server would give.
        return (f'<iframe srcdoc="{html.escape(text)}" sandbox="allow-scripts" '
                f'style="width: 100%; height: {int(self.height)}px; border: 0"></iframe>')

    def __repr__(self):
        return f"<Report {self.file!r}>"
