# SPDX-License-Identifier: BSD-3-Clause
"""`ancora view` as a child, and a WebSocket by plain sockets to look at it without a browser."""
import base64
import json
import os
import re
import signal
import socket
import struct
import subprocess
import time

# A pendulum at rest to pull at, and a motor with an input; every step is a record.
MODEL = """
[parameters]
m = "2 kg"
[model]
name = "bob and motor"
gravity = [0.0, 0.0, -9.81]
[[body]]
name = "bob"
type = "ancf_rigid_body"
mass = "m"
inertia = [0.02, 0.02, 0.02]
penalty = inf
position = [0, 0, -1]
shape = { sphere = 0.3 }
[[joint]]
name = "pin"
type = "spherical"
a = "ground"
b = "bob"
point = [0, 0, 0]
[[body]]
name = "table"
type = "ancf_rigid_body"
mass = 4.0
inertia = [0.025, 0.025, 0.05]
penalty = inf
position = [1, 0, 0.1]
shape = { cylinder = { radius = 0.16, from = [0, 0, -0.02], to = [0, 0, 0.02] } }
[[joint]]
name = "shaft"
type = "revolute"
a = "ground"
b = "table"
point = [1, 0, 0.1]
axis = [0, 0, 1]
[[force]]
name = "motor"
type = "dc_motor"
on = "shaft"
voltage = 0.0
resistance = 1.2
inductance = 0.004
constant = 0.05
ratio = 20.0
[integrator]
type = "emm"
step = 2.0e-3
end = {end}
"""


class View:
    """The command on a model; `.host`, `.port` and `.token` are of the address that it prints."""

    def __init__(self, command, *arguments, cwd=None):
        self.child = subprocess.Popen([command, "view", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd)
        line = self.child.stdout.readline()
        match = re.search(r"http://([\d.]+):(\d+)/([0-9a-f]{32})/", line)
        if not match:
            raise AssertionError(f"no address in {line!r}: {self.child.communicate()}")
        self.address = match[0]
        self.host, self.port, self.token = match[1], int(match[2]), match[3]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.child.poll() is None:
            self.child.kill()
        self.child.wait()
        self.child.stdout.close()
        self.child.stderr.close()

    def end(self):
        """Ctrl-C; gives the exit status and what was said on standard error."""
        self.child.send_signal(signal.SIGINT)
        _, said = self.child.communicate(timeout=60)
        return self.child.returncode, said

    def ask(self, request):
        """Sends bytes, gives all that comes back until the end."""
        with socket.create_connection((self.host, self.port), timeout=30) as to:
            to.sendall(request)
            out = b""
            try:
                while part := to.recv(65536):
                    out += part
            except ConnectionResetError:
                pass
            return out

    def get(self, path, method="GET", host=None, **headers):
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'{self.host}:{self.port}'}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        answer = self.ask(("\r\n".join(lines) + "\r\n\r\n").encode())
        return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/") else 0, answer


UPGRADE = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec_WebSocket_Version": "13", "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ=="}


class Socket:
    """The WebSocket of a viewer."""

    def __init__(self, view):
        self.to = socket.create_connection((view.host, view.port), timeout=60)
        host = f"{view.host}:{view.port}"
        headers = {"Host": host, "Origin": f"http://{host}", **UPGRADE, "Sec_WebSocket_Key": base64.b64encode(os.urandom(16)).decode()}
        text = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
        self.to.sendall(f"GET /{view.token}/live HTTP/1.1\r\n{text}\r\n".encode())
        self.data = b""
        while b"\r\n\r\n" not in self.data:
            self.data += self.receive()
        head, self.data = self.data.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 101"), head
        self.state, self.model, self.inputs = {}, None, []
        self.rows, self.told, self.busy = [], [], False

    def close(self):
        self.to.close()

    def receive(self):
        part = self.to.recv(1 << 20)
        if not part:
            raise ConnectionError("closed")
        return part

    def take(self, size):
        while len(self.data) < size:
            self.data += self.receive()
        out, self.data = self.data[:size], self.data[size:]
        return out

    def frame(self, opcode, payload, mask=True, final=True, size=None):
        size = len(payload) if size is None else size
        head = bytes([(128 if final else 0) | opcode])
        bit = 128 if mask else 0
        head += bytes([bit | size]) if size < 126 else bytes([bit | 126]) + struct.pack(">H", size) if size < 65536 else bytes([bit | 127]) + struct.pack(">Q", size)
        key = b"\x01\x02\x03\x04"
        body = bytes(b ^ key[k % 4] for k, b in enumerate(payload)) if mask else payload
        self.to.sendall(head + (key if mask else b"") + body)

    def say(self, **what):
        self.frame(1, json.dumps(what).encode())

    def read(self):
        """One message; gives its opcode."""
        first, second = self.take(2)
        size = second & 127
        if size == 126:
            size, = struct.unpack(">H", self.take(2))
        elif size == 127:
            size, = struct.unpack(">Q", self.take(8))
        data = self.take(size)
        opcode = first & 15
        if opcode == 8:
            raise ConnectionError("closed by the other side")
        if opcode == 1:
            said = json.loads(data)
            if said["kind"] == "state":
                self.state = said
            elif said["kind"] == "model":
                self.model = said
                self.columns = [column["name"] for column in said["model"]["columns"]]
            elif said["kind"] == "inputs":
                self.inputs = said["inputs"]
            elif said["kind"] == "restart":
                self.rows = []
            elif said["kind"] == "told":
                self.told.append(said["text"])
            elif said["kind"] == "busy":
                self.busy = True
        elif opcode == 2:
            kind, count = struct.unpack_from("<II", data)
            width, columns = self.model["model"]["width"], len(self.columns)
            record = 8 * (columns + width)
            assert kind == 1 and len(data) == 8 + count * record, (kind, count, len(data))
            for k in range(count):
                self.rows.append(struct.unpack_from(f"<{columns}d", data, 8 + k * record))
        return opcode

    def until(self, condition, patience=60):
        end = time.monotonic() + patience
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f"nothing came within {patience} s")
            self.read()

    def column(self, name):
        k = self.columns.index(name)
        return [row[k] for row in self.rows]


def connect(view):
    """A viewer that is served: the one before may have gone a moment ago."""
    while True:
        viewer = Socket(view)
        viewer.until(lambda: viewer.state or viewer.busy)
        if not viewer.busy:
            return viewer
        viewer.close()
        time.sleep(0.05)
