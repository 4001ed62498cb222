# SPDX-License-Identifier: BSD-3-Clause
"""Models: from files, texts, dictionaries, or filled in code."""

from __future__ import annotations

import os
from ctypes import byref, c_void_p
from typing import Any, Mapping, Optional, Union

from . import _toml
from ._laws import ConstraintLaw, ForceLaw
from ._library import Session, library

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
        self._sets: dict = {}
        self._handle: Optional[int] = None
        self._file = "model"

    def _begin(self, plugin_dirs, unchecked):
        self._session = Session()
        self._warnings: list = []
        self._session.on_warning(self._warnings.append)
        for folder in plugin_dirs:
            self._session.call("session_add_plugin_folder", self._session.handle, os.fsencode(folder))
        if unchecked:
            self._session.call("session_allow_unchecked_folders", self._session.handle, 1)

    def __del__(self):
        if getattr(self, "_handle", None):
            library.ancora_model_free(self._handle)
            self._handle = None

    @classmethod
    def load(cls, file: PathLike, set: Optional[Mapping[str, Any]] = None, *, plugin_dirs=(),
             unchecked_plugin_dirs: bool = False) -> "Model":
        """A model file. `set` changes values, as ``--set`` does: ``{"integrator.step": 1e-2}``."""
        self = cls.__new__(cls)
        self._begin(plugin_dirs, unchecked_plugin_dirs)
        self._tables, self._sets, self._handle, self._file = None, {}, None, os.fspath(file)
        handle = c_void_p()
        self._session.call("model_load", self._session.handle, os.fsencode(file), byref(handle))
        self._handle = handle.value
        return self._with(set)

    @classmethod
    def parse(cls, text: str, file: PathLike = "model", set: Optional[Mapping[str, Any]] = None, *,
              plugin_dirs=(), unchecked_plugin_dirs: bool = False) -> "Model":
        """The text of a model file; `file` stands in messages, and paths are relative to its folder."""
        self = cls.__new__(cls)
        self._begin(plugin_dirs, unchecked_plugin_dirs)
        self._tables, self._sets, self._handle, self._file = None, {}, None, os.fspath(file)
        self._handle = self._parsed(text)
        return self._with(set)

    @classmethod
    def from_dict(cls, tables: Mapping[str, Any], set: Optional[Mapping[str, Any]] = None, *,
                  plugin_dirs=(), unchecked_plugin_dirs: bool = False) -> "Model":
        """A model file as a dictionary: ``{"model": {...}, "body": [{...}], "integrator": {...}}``."""
        return cls.parse(_toml.document(dict(tables)), set=set, plugin_dirs=plugin_dirs,
                         unchecked_plugin_dirs=unchecked_plugin_dirs)

    def _with(self, changes):
        for name, value in (changes or {}).items():
            self[name] = value
        return self

    def _parsed(self, text: str) -> int:
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
        if self._handle:
            library.ancora_model_free(self._handle)
            self._handle = None

    # --- for all

    def register(self, type: str, law: Union[ForceLaw, ConstraintLaw]) -> None:
        """Makes a law in Python a type with this name, for models from files: a file then has objects
        with ``type = "NAME"`` and ``at = ["bar@[0.5, 0, 0]"]``."""
        self._session.type_of(law, type)

    def __setitem__(self, name: str, value: Any) -> None:
        """Changes a value, as ``--set`` does: ``model["body.bar.density"] = 7800``."""
        text = _toml.value(value)
        if self._handle:
            self._session.call("model_set", self._handle, f"{name}={text}".encode())
        else:
            self._sets[name] = text

    def _ready(self) -> int:
        if not self._handle:
            tables = {name: table for name, table in self._tables.items() if table}
            self._handle = self._parsed(_toml.document(tables))
            try:
                for name, text in self._sets.items():
                    self._session.call("model_set", self._handle, f"{name}={text}".encode())
            except Exception:
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
