#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `ancora view` serves and refuses, and what its ledger says, without a browser: view_test.py ANCORA"""
import itertools
import pathlib
import random
import subprocess
import sys
import tempfile

from view_run import MODEL, UPGRADE, Socket, View, connect

failures = []


def check(holds, what):
    if not holds:
        failures.append(what)
        print(f"  FAILED: {what}")
    return holds


def test_doors(view):
    """No answer without the token, for another host, or to another site."""
    page, live = f"/{view.token}/", f"/{view.token}/live"
    own = f"127.0.0.1:{view.port}"
    status, answer = view.get(page)
    check(status == 200 and b"<!doctype html>" in answer, f"the page itself: {status}")
    check(b"connect-src ws://" + own.encode() in answer, "the page's policy does not name its own socket")
    check(view.get(page, host=f"localhost:{view.port}")[0] == 200, "localhost is no name of it")
    wrong = view.token[:-1] + ("0" if view.token[-1] != "0" else "1")
    for path in ("/", "/live", "//", f"/{wrong}/", f"/{wrong}/live", f"/{view.token[:-1]}/", f"/{view.token[1:]}/", f"/?{view.token}", "*"):
        for headers in ({}, {**UPGRADE, "Origin": f"http://{own}"}):
            status, answer = view.get(path, **headers)
            check(400 <= status < 500 and b"doctype" not in answer, f"{path} {headers and 'upgraded'}: {status}")
    for host in ("example.com", f"example.com:{view.port}", "127.0.0.1", f"127.0.0.1:{view.port + 1}", f"127.0.0.1.example.com:{view.port}",
                 f"0.0.0.0:{view.port}", f"[::1]:{view.port}", f"{own}@example.com", "x"):
        for headers in ({}, {**UPGRADE, "Origin": f"http://{own}"}, {**UPGRADE, "Origin": f"http://{host}"}):
            path = live if headers else page
            status, answer = view.get(path, host=host, **headers)
            check(status == 421 and b"doctype" not in answer, f"for host {host!r}: {status}")
    for origin in ("http://example.com", "null", f"https://{own}", f"http://{own}.example.com", f"http://localhost:{view.port}", f"http://127.0.0.1:{view.port + 1}", ""):
        status, _ = view.get(live, **UPGRADE, Origin=origin)
        check(status == 403, f"a socket for the page of {origin!r}: {status}")
    check(view.get(live, **UPGRADE)[0] == 403, "a socket without an origin")
    check(view.get(page, Origin="http://example.com")[0] == 403, "the page for another page")
    check(view.get(page + "other")[0] == 404, "what is not there")
    check(view.get(page, method="POST")[0] == 405, "POST")
    status, answer = view.get(page, method="HEAD")
    check(status == 200 and answer.endswith(b"\r\n\r\n"), "HEAD")


def test_loopback(view):
    """Listens on 127.0.0.1, and nowhere else."""
    open_at = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in pathlib.Path(table).read_text().splitlines()[1:] if pathlib.Path(table).exists() else []:
            words = line.split()
            address, port = words[1].rsplit(":", 1)
            if words[3] == "0A" and int(port, 16) == view.port:
                open_at.append(address)
    check(open_at == ["0100007F"], f"listens on {open_at}")


def test_noise(view):
    """Requests of any bytes; each is answered or cut off, and the next is served."""
    some = random.Random(42)
    page = f"GET /{view.token}/ HTTP/1.1\r\nHost: 127.0.0.1:{view.port}\r\n".encode()
    noise = [some.randbytes(some.randrange(1, 300)) + b"\r\n\r\n" for _ in range(12)]
    noise += [page + b"X: " + b"a" * 100000 + b"\r\n\r\n", page + b"Content-Length: 99999999999\r\n\r\n" + b"b" * 1000,
              page.replace(b"GET", b"\x16\x03\x01"), b"GET / HTTP/9.9\r\n\r\n", page + b"Host: example.com\r\n\r\n"]
    for request in noise:
        answer = view.ask(request)
        check(b"doctype" not in answer, f"{request[:60]!r} gets the page")
    check(view.get(f"/{view.token}/")[0] == 200, "serves no more after noise")


def test_socket(view):
    """Messages of any form close the socket or get a line; the run goes on, and the next viewer is served."""
    forms = [
        lambda s: s.frame(1, b"x" * 20000),                       # beyond the limit
        lambda s: s.frame(1, b"", size=1 << 40),                  # said to be
        lambda s: s.frame(1, b"{}", mask=False),                  # clients must mask
        lambda s: s.frame(3, b"{}"),                              # no such kind
        lambda s: s.frame(0, b"{}"),                              # goes on with nothing
        lambda s: s.frame(1, b"\xff\xfe\xc0"),                    # no UTF-8
        lambda s: s.to.sendall(random.Random(7).randbytes(500)),
    ]
    for k, form in enumerate(forms):
        socket_ = connect(view)
        try:
            form(socket_)
            for _ in range(10000):
                socket_.read()
            check(False, f"form {k} leaves the socket open")
        except (ConnectionError, TimeoutError) as error:
            check(not isinstance(error, TimeoutError), f"form {k} leaves the socket open")
        socket_.close()

    socket_ = connect(view)
    texts = ["", "nonsense", "[]", "null", "1e999", "[" * 8000, '{"do": 1}', '{"do": "no such"}', '{"do": "pace", "value": -1}', '{"do": "pace", "value": "x"}',
             '{"do": "pace", "value": 1e999}', '{"do": "input", "name": "no", "value": 1}', '{"do": "input", "name": "motor.voltage", "value": null}',
             '{"do": "parameter", "name": "no", "value": 1}', '{"do": "parameter", "name": "m", "value": -1}', '{"do": "pull"}', '{"do": "pull", "target": [1, 2]}',
             '{"do": "pull", "target": [0, 0, 0], "body": "no", "point": [0, 0, 0]}', '{"do": "pull", "target": [0, 0, 0], "body": "bob"}',
             '{"do": "pull", "target": [0, 0, 0], "body": "bob", "node": 1e300}', '{"do": "pull", "target": [0, 0, "x"], "body": "bob", "point": [0, 0, 0]}',
             '{"do": "release", "name": {}}']
    for k, text in enumerate(texts):
        socket_.frame(1, text.encode())
        socket_.until(lambda: len(socket_.told) > k)
    second = Socket(view)
    second.until(lambda: second.busy)
    try:
        while True:
            second.read()
    except ConnectionError:
        pass
    t = socket_.state["t"]
    socket_.until(lambda: socket_.state["t"] > t)
    socket_.close()


def test_ledger(view):
    """Pulls at some points and times: work.external is the sum of F . dx, and the balance stays."""
    some = random.Random(3)
    socket_ = connect(view)
    socket_.say(do="pace", value=0)
    socket_.say(do="pause")
    socket_.say(do="restart")
    socket_.until(lambda: len(socket_.rows) == 1 and not socket_.state["running"] and socket_.state["t"] == 0.0)
    forces = [None]  # over the step that leads to a row
    begun = 0
    names = ["bob.x", "bob.y", "bob.z", "bob.vx", "bob.vy", "bob.vz"]
    for pull in range(3):
        target = [some.uniform(-1, 1), some.uniform(-1, 1), some.uniform(-1, 0)]
        socket_.say(do="pull", body="bob", point=[0, 0, 0], target=target)
        for step in range(16):
            if step == 8:
                target = [some.uniform(-1, 1) for _ in range(3)]
                socket_.say(do="pull", target=target)
            socket_.say(do="step")
            begun += 1
            socket_.until(lambda: len(socket_.rows) == begun + 1)
            socket_.until(lambda: socket_.state["pull"] and socket_.state["steps"] == begun)
            spring, row = socket_.state["pull"], [socket_.column(name)[-2] for name in names]
            forces.append([spring["stiffness"] * (target[c] - row[c]) - spring["damping"] * row[3 + c] for c in range(3)])
            check(max(abs(a - b) for a, b in zip(forces[-1], spring["force"])) <= 1e-12 * max(map(abs, forces[-1])), f"the force is not that of the spring: {forces[-1]} {spring}")
        socket_.say(do="drop")
        for _ in range(5):
            socket_.say(do="step")
            begun += 1
            forces.append(None)
            socket_.until(lambda: len(socket_.rows) == begun + 1)
    positions = list(zip(*(socket_.column(name) for name in names[:3])))
    sums = itertools.accumulate((sum(f * (b - a) for f, a, b in zip(forces[k], positions[k - 1], positions[k])) if forces[k] else 0.0
                                 for k in range(1, len(positions))), initial=0.0)
    work = socket_.column("work.external")
    largest = max(map(abs, work))
    difference = max(abs(a - b) for a, b in zip(sums, work))
    balance = max(map(abs, socket_.column("energy.balance")))
    energy = max(map(abs, socket_.column("energy.kinetic"))) + largest
    check(largest > 0.1, f"the pulls work {largest} J")
    check(difference < 1e-12 * energy, f"work.external differs from the sum of F . dx by {difference} J of {energy} J")
    check(balance < 1e-12 * energy, f"energy.balance is {balance} J of {energy} J")
    print(f"  work up to {largest:.3g} J, differs by {difference:.1e} J; balance {balance:.1e} J")

    # A parameter on the way: it goes on, and what the change brings stands in the ledger.
    t = socket_.state["t"]
    socket_.say(do="parameter", name="m", value=3.0)
    socket_.until(lambda: socket_.model["parameters"][0]["value"] == 3.0)
    socket_.say(do="step")
    begun += 1
    socket_.until(lambda: len(socket_.rows) == begun + 1)
    check(socket_.column("t")[-1] > t, "a mass that changes begins the run anew")
    check(abs(socket_.column("energy.balance")[-1]) < 1e-12 * energy * 1.5, f"energy.balance is {socket_.column('energy.balance')[-1]} J after a change")
    socket_.close()


def test_failure(command, folder):
    """A run that fails in the middle: the message, and what was computed."""
    (folder / "fails.toml").write_text(MODEL.replace("{end}", "1.0").replace("voltage = 0.0", 'voltage = "log(0.2 - t)"'))
    with View(command, "fails.toml", cwd=folder) as view:
        socket_ = connect(view)
        socket_.say(do="pace", value=0)
        socket_.until(lambda: socket_.state["failed"])
        socket_.until(lambda: socket_.column("t")[-1] > socket_.state["t"] - 3e-3)
        check(0.19 < socket_.state["t"] <= 0.2 and len(socket_.rows) > 90, f"failed at {socket_.state['t']} with {len(socket_.rows)} rows")
        socket_.close()
        again = connect(view)
        check(len(again.rows) == len(socket_.rows) and again.state["failed"] == socket_.state["failed"], "the next viewer is shown less")
        again.close()
        status, said = view.end()
        check(status in (3, 4, 5) and "error" in said, f"status {status}: {said}")
        print(f"  {socket_.state['failed'].splitlines()[0][:120]}")


def test_ports(command, view, folder):
    taken = subprocess.run([command, "view", "model.toml", "--port", str(view.port)], cwd=folder, capture_output=True, text=True, timeout=60)
    check(taken.returncode == 6 and f"127.0.0.1:{view.port}" in taken.stderr, f"a port in use: {taken.returncode} {taken.stderr}")
    for port in ("65536", "-1", "x"):
        refused = subprocess.run([command, "view", "model.toml", "--port", port], cwd=folder, capture_output=True, text=True, timeout=60)
        check(refused.returncode == 2 and "--port" in refused.stderr, f"port {port}: {refused.returncode} {refused.stderr}")


def test_results(command, folder):
    subprocess.run([command, "run", "model.toml", "--quiet", "--out", "results", "--set", "integrator.end=0.01"], cwd=folder, check=True, timeout=60)
    with View(command, "results", cwd=folder) as view:
        status, answer = view.get(f"/{view.token}/")
        check(status == 200 and b'"runs"' in answer, f"a folder of results: {status}")
        check(view.end()[0] == 0, "Ctrl-C on results")


def main():
    command = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "model.toml").write_text(MODEL.replace("{end}", "1.0e3"))
        short = folder / "short.toml"
        short.write_text(MODEL.replace("{end}", "2.0"))
        with View(command, "model.toml", cwd=folder) as view:
            for test in (test_doors, test_loopback, test_noise, test_socket):
                test(view)
                print(test.__name__, flush=True)
            test_ports(command, view, folder)
            check(view.end()[0] == 0, "Ctrl-C")
        with View(command, "short.toml", cwd=folder) as view:
            test_ledger(view)
            print("test_ledger", flush=True)
        test_failure(command, folder)
        test_results(command, folder)
    print(f"{len(failures)} failed" if failures else "all passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
