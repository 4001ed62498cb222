# SPDX-License-Identifier: BSD-3-Clause
"""Models: from files, texts, dictionaries, or filled in code."""

from __future__ import annotations

import operator
import os
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Tuple, Union

from . import _toml
from ._laws import ConstraintLaw, ForceLaw
from ._library import Session, UsageError, library

if TYPE_CHECKING:
    from ._batch import Batch
    from ._gradient import Fit, Gradient

PathLike = Union[str, "os.PathLike[str]"]


class Model:
    """A model, checked as far as it can be without its plugins.

    >>> model = Model.load("examples/tumbling_box/model.toml")
    >>> model["integrator.step"] = 1e-2
    >>> sim = model.simulate()

    Made by :meth:`load`, :meth:`parse` and :meth:`from_dict`, or empty and filled:

    >>> model = Model(name="pendulum", gravity=[0, 0, -9.81])
    >>> bar = model.body("bar", "ancf_rigid_body", size=[1, 0.1, 0.1], density=1000, position=[0.5, 0, 0])
    >>> pin = model.constraint("pin", "position", a="bar@[-0.5, 0, 0]", b="ground@[0, 0, 0]")
    >>> model.integrator("emm", step=1e-3, end=1.0)

    Units are SI; where a number stands a text may say another: ``"70 GPa"``.

    ``model["body.bar.density"]`` reads a value, a number where an expression stands. A model can be copied
    (:mod:`copy`) and pickled: a copy of one from a file keeps the text and the changes, and looks for the
    files that it includes where they were.
    """

    def __init__(self, name: str = "model", gravity=(0.0, 0.0, 0.0), *, plugin_dirs=(),
                 unchecked_plugin_dirs: bool = False, **settings: Any):
        """An empty model.

        name : as it stands in results
        gravity : (3,) m/s^2, inertial axes
        plugin_dirs : folders to search for plugins first
        unchecked_plugin_dirs : take plugins also from folders that others may write to
        settings : further keys of ``[model]``
        """
        self._begin(plugin_dirs, unchecked_plugin_dirs)
        self._tables: Optional[dict] = {"model": {"name": name, "gravity": list(gravity), **settings},
                                        "body": [], "joint": [], "constraint": [], "force": []}
        self._file = "model"
        self._session.is_of_code = True

    def _begin(self, plugin_dirs, unchecked):
        self._handle: Optional[int] = None
        self._text: Optional[str] = None  # of the file, or of the tables when they were last read
        self._sets: dict = {}  # what was changed, in order
        self._read: Optional[dict] = None  # the model as to_dict() says, until it changes
        self._plugin_dirs = tuple(os.fspath(folder) for folder in plugin_dirs)
        self._unchecked = bool(unchecked)
        self._is_closed = False
        self._session = Session()
        self._warnings: list = []
        self._session.on_warning(self._warnings.append)
        for folder in self._plugin_dirs:
            self._session.call("session_add_plugin_folder", self._session.handle, os.fsencode(folder))
        if unchecked:
            self._session.call("session_allow_unchecked_folders", self._session.handle, 1)

    def __del__(self):
        self._free()

    def _free(self):
        if getattr(self, "_handle", None):
            library.ancora_model_free(self._handle)
            self._handle = None

    def close(self) -> None:
        """Frees the model's memory. Its simulations stay as they are."""
        self._is_closed = True
        self._free()

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    @classmethod
    def load(cls, file: PathLike, set: Optional[Mapping[str, Any]] = None, *, plugin_dirs=(),
             unchecked_plugin_dirs: bool = False) -> "Model":
        """A model file. `set` changes values, as ``--set`` does: ``{"integrator.step": 1e-2}``."""
        self = cls.__new__(cls)
        self._begin(plugin_dirs, unchecked_plugin_dirs)
        self._tables, self._file = None, os.fspath(file)
        try:
            with open(self._file, encoding="utf-8") as text:
                self._text = text.read()
        except (OSError, UnicodeDecodeError):
            pass  # which the kernel will say
        handle = c_void_p()
        self._session.call("model_load", self._session.handle, os.fsencode(file), byref(handle))
        self._handle = handle.value
        return self._with(set)

    @classmethod
    def parse(cls, text: str, file: PathLike = "model", set: Optional[Mapping[str, Any]] = None, *,
              plugin_dirs=(), unchecked_plugin_dirs: bool = False) -> "Model":
        """The text of a model file; `file` stands in messages, and paths are relative to its folder."""
        return cls.__new__(cls)._of_text(text, file, set, plugin_dirs, unchecked_plugin_dirs)

    def _of_text(self, text, file, changes, plugin_dirs, unchecked, is_of_code=False):
        self._begin(plugin_dirs, unchecked)
        self._session.is_of_code = is_of_code
        self._tables, self._file = None, os.fspath(file)
        self._handle = self._parsed(text)
        return self._with(changes)

    @classmethod
    def from_dict(cls, tables: Mapping[str, Any], set: Optional[Mapping[str, Any]] = None, *,
                  plugin_dirs=(), unchecked_plugin_dirs: bool = False) -> "Model":
        """A model file as a dictionary: ``{"model": {...}, "body": [{...}], "integrator": {...}}``."""
        return cls.__new__(cls)._of_text(_toml.document(dict(tables)), "model", set, plugin_dirs,
                                         unchecked_plugin_dirs, is_of_code=True)

    def _with(self, changes):
        for name, value in (changes or {}).items():
            self[name] = value
        return self

    def _parsed(self, text: str) -> int:
        self._text = text
        data = text.encode()
        handle = c_void_p()
        self._session.call("model_parse", self._session.handle, data, len(data),
                           os.fsencode(self._file), byref(handle))
        return handle.value

    # --- filled in code

    def _add(self, kind: str, name: str, type: str, parameters: dict) -> str:
        if self._tables is None:
            raise TypeError("objects are added to a model that was made empty, by Model()")
        self._tables[kind].append({"name": name, "type": type, **parameters})
        self._forget()
        return name

    def body(self, name: str, type: str, **parameters: Any) -> str:
        """Adds a body; `parameters` as `ancora describe TYPE` lists them. Returns the name."""
        return self._add("body", name, type, parameters)

    def joint(self, name: str, type: str, **parameters: Any) -> str:
        """Adds a joint between two bodies, `a` and `b`."""
        return self._add("joint", name, type, parameters)

    def constraint(self, name: str, type: Union[str, ConstraintLaw], **parameters: Any) -> str:
        """Adds a constraint; `type` may be a :class:`ConstraintLaw`, a function in Python."""
        return self._add("constraint", name, self._type(type, ConstraintLaw), parameters)

    def force(self, name: str, type: Union[str, ForceLaw], **parameters: Any) -> str:
        """Adds a force; `type` may be a :class:`ForceLaw`, a function in Python."""
        return self._add("force", name, self._type(type, ForceLaw), parameters)

    def _type(self, type, law):
        if isinstance(type, str):
            return type
        if not isinstance(type, law):
            raise TypeError(f"a type is a name or a {law.__name__}, not {type!r}")
        return self._session.type_of(type)

    def integrator(self, type: str, step: float, end: float, **settings: Any) -> None:
        """Sets the integrator, its step [s] and the end of the run [s]."""
        self._table("integrator", {"type": type, "step": step, "end": end, **settings})

    def output(self, **settings: Any) -> None:
        """Sets what is recorded: ``every=0.01``, ``points=["bar@[0.5, 0, 0]"]``."""
        self._table("output", settings)

    def parameters(self, **values: Any) -> None:
        """Sets names for expressions, ``[parameters]`` of a file."""
        self._table("parameters", values)

    def _table(self, name, values):
        if self._tables is None:
            raise TypeError(f"[{name}] is set as a whole for a model that was made empty; otherwise "
                            f"write model[\"{name}.KEY\"] = VALUE")
        self._tables.setdefault(name, {}).update(values)
        self._forget()

    def _forget(self):
        self._read = None
        self._free()

    # --- for all

    def register(self, type: str, law: Union[ForceLaw, ConstraintLaw]) -> None:
        """Makes a law in Python a type with this name, for models from files: a file then has objects
        with ``type = "NAME"`` and ``at = ["bar@[0.5, 0, 0]"]``."""
        self._session.type_of(law, type)

    def __setitem__(self, name: str, value: Any) -> None:
        """Changes a value, as ``--set`` does: ``model["body.bar.density"] = 7800``."""
        text = _toml.value(value)
        self._require_open()
        if self._handle:
            self._session.call("model_set", self._handle, f"{name}={text}".encode())
        self._sets.pop(name, None)  # the latest change stands last
        self._sets[name] = text
        self._read = None

    def __getitem__(self, name: str) -> Any:
        """A value as it would be simulated, by the name that changes it: ``model["integrator.step"]``.
        KeyError where the model says nothing, though its type may have a default (`ancora describe`)."""
        if not isinstance(name, str):
            raise TypeError(f"a value's name is a text such as \"integrator.step\", not {name!r}")
        if name.startswith("parameters."):  # which are computed away in what is simulated
            if name in self._sets:
                return _toml.read(f"x = {self._sets[name]}")["x"]
            written = self._tables if self._tables is not None else _toml.read(self._text or "")
            return _toml.entry({"parameters": written.get("parameters", {})}, name)
        return _toml.entry(self._tables_read(), name)

    def __contains__(self, name: str) -> bool:
        """Whether the model says a value of this name."""
        try:
            self[name]
        except KeyError:
            return False
        return True

    __iter__ = None  # it is no sequence

    def to_dict(self) -> dict:
        """The whole model as :meth:`from_dict` takes it: included files merged, expressions computed. Laws
        in Python stand in it by their names."""
        import copy
        return copy.deepcopy(self._tables_read())

    def _tables_read(self) -> dict:
        if self._read is None:
            self._read = _toml.read(self.text())
        return self._read

    def _require_open(self):
        if self._is_closed:
            raise UsageError("the model is closed")

    # --- copies

    def _source(self) -> dict:
        """From what the model that is ready now can be made again."""
        # without a file of its own it is relative to the present folder, in which a copy may not be
        return {"tables": None, "text": self._text, "file": os.path.abspath(self._file),
                "sets": dict(self._sets), "laws": self._session.laws,
                "is_of_code": self._session.is_of_code,
                "plugin_dirs": tuple(map(os.path.abspath, self._plugin_dirs)), "unchecked": self._unchecked}

    def __getstate__(self) -> dict:
        self._require_open()
        return {**self._source(), "tables": self._tables}

    def __setstate__(self, state: dict) -> None:
        self._begin(state["plugin_dirs"], state["unchecked"])
        self._session.is_of_code = state["is_of_code"]
        for name, law in state["laws"].items():
            self._session.type_of(law, name)
        self._file, self._tables = state["file"], state["tables"]
        if self._tables is None:
            self._handle = self._parsed(state["text"])
            for name, text in state["sets"].items():
                self._session.call("model_set", self._handle, f"{name}={text}".encode())
        self._sets = dict(state["sets"])

    def _ready(self) -> int:
        self._require_open()
        if not self._handle:
            tables = {name: table for name, table in self._tables.items() if table}
            self._handle = self._parsed(_toml.document(tables))
            try:
                for name, text in self._sets.items():
                    self._session.call("model_set", self._handle, f"{name}={text}".encode())
            except Exception:
                del self._sets[name]  # what is refused does not stay, as when it is refused at once
                self._forget()
                raise
        return self._handle

    def text(self) -> str:
        """The whole model as one file of plain numbers: included files merged, expressions computed."""
        return self._session.text("model_text", self._ready())

    def simulate(self, set: Optional[Mapping[str, Any]] = None) -> "Simulation":
        """A simulation at the model's start. `set` changes values first, and they stay changed."""
        from ._simulation import Simulation
        self._ready()
        self._with(set)
        return Simulation(self)

    def batch(self, copies: int, *, inputs: Union[str, Sequence[str]] = (),
              columns: Union[str, Sequence[str]] = (),
              parameters: Optional[Mapping[str, Sequence[float]]] = None, workers: int = 0) -> "Batch":
        """Copies of the model that step side by side.

        copies : how many
        inputs : that :meth:`Batch.step` takes, "motor.voltage"
        columns : of history.csv, that it gives
        parameters : keys whose values differ between copies, (copies,) each
        workers : threads; 0: one per core (one where laws are in Python)
        """
        from ._batch import Batch
        return Batch(self, copies, inputs, columns, parameters or {}, workers)

    def gradient(self, of: Union[str, Sequence[str]], by: Union[str, Sequence[str]],
                 workers: int = 0) -> "Gradient":
        """Derivatives of numbers of the run by keys of the model, by the adjoint or from runs.

        of : "tip.x" at the end, "tip.x @ 2.0", "max(tip.x)", "min()", "largest()", "integral()", "mean()"
        by : "parameters.length", "body.boom.density", "body.ball.velocity[2]"; "body.boom" stands for all
            numbers of it that its type calls sensitive, "sensitive" for those of all objects
        workers : threads, a run each; 0: one per core (one where laws are in Python)
        """
        from ._gradient import gradient
        return gradient(self._session, self._ready(), of, by, operator.index(workers))

    def fit(self, time: Sequence[float], columns: Mapping[str, Sequence[float]],
            by: Union[str, Sequence[str], Mapping[str, Optional[Tuple[Optional[float], Optional[float]]]]],
            workers: int = 0) -> "Fit":
        """Keys of the model with which its columns are nearest to what was measured. The model stays as it is.

        time : (n,) ascending [s]
        columns : (n,) measured for each column of history.csv, SI
        by : keys, or a dictionary from keys to bounds (lower, upper), of which each may be None
        workers : threads, a run each; 0: one per core (one where laws are in Python)
        """
        from ._gradient import fit
        return fit(self._session, self._ready(), time, columns, by, operator.index(workers))
