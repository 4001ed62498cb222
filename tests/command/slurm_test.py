# SPDX-License-Identifier: BSD-3-Clause
"""A sweep as a job array of a real Slurm: munged, slurmctld and slurmd of this test's own, on this machine.

    slurm_test.py ANCORA

A task is taken down and queued again in the middle, and the node is drained and resumed; the table must
have the bytes of a sweep without Slurm. Ends with 77 where Slurm is missing or cannot be started.
"""

import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

ANCORA = sys.argv[1]
MODEL = """[model]
name = "oscillator"
[[body]]
name = "ball"
type = "particle"
mass = 1.0
position = [1.5, 0, 0]
[[force]]
name = "spring"
type = "spring_damper"
a = "ground@[0, 0, 0]"
b = "ball@0"
stiffness = 100.0
damping = 0.5
free = 1.0
[integrator]
type = "emm"
step = 1.0e-3
end = 10.0
"""
STUDY = """[study]
model = "model.toml"
[[vary]]
method = "sobol"
count = 120
ranges = [{key = "force.spring.stiffness", from = 10, to = 500}]
[results]
final = ["ball.x"]
maximum = ["ball.vx"]
[slurm]
tasks = 4
time = "00:05:00"
memory = "100M"
"""


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def until(what, check, seconds=600):
    end = time.time() + seconds
    while time.time() < end:
        if check():
            return True
        time.sleep(0.2)
    print(f"timed out: {what}")
    return False


class Slurm:
    """The three daemons; their files, keys and ports are this test's own."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = []
        host = socket.gethostname().split(".")[0]
        (folder / "state").mkdir()
        (folder / "spool").mkdir()
        key = folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        cpus = max(1, min(2, os.cpu_count() or 1))
        self.config = folder / "slurm.conf"
        self.config.write_text(f"""ClusterName=ancora
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=batch_sched_delay=0,sched_interval=1,requeue_setup_env_fail
MinJobAge=600
KillWait=5
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=500 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
""")
        self.host = host
        self.environment = {**os.environ, "SLURM_CONF": str(self.config)}

    def begin(self, name, *arguments):
        log = open(self.folder / f"{name}.out", "wb")
        self.processes.append(subprocess.Popen([shutil.which(name), *map(str, arguments)], stdout=log,
                                               stderr=log, env=self.environment))

    def start(self):
        self.begin("munged", "--foreground", "--force", f"--key-file={self.folder}/munge.key",
                   f"--socket={self.folder}/munge.socket", f"--pid-file={self.folder}/munged.pid",
                   f"--log-file={self.folder}/munged.log", f"--seed-file={self.folder}/munged.seed")
        if not until("munged", lambda: (self.folder / "munge.socket").exists(), 10):
            return False
        self.begin("slurmctld", "-D", "-c", "-f", self.config)
        self.begin("slurmd", "-D", "-f", self.config)
        return until("a node that is idle", lambda: "idle" in self.ask("sinfo", "-h", "-o", "%T"), 40)

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in reversed(self.processes):
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def ask(self, *arguments):
        run = subprocess.run(arguments, env=self.environment, capture_output=True, text=True)
        return run.stdout

    def tell(self):
        for name in ("slurmctld.log", "slurmd.log", "munged.log", "slurmctld.out", "slurmd.out"):
            file = self.folder / name
            if file.exists():
                print(f"--- {name}\n" + "\n".join(file.read_text(errors="replace").splitlines()[-25:]))


def main():
    for program in ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "sinfo"):
        os.environ["PATH"] = os.environ.get("PATH", "") + ":/usr/sbin"
        if shutil.which(program) is None:
            skip(f"there is no {program}; Debian's packages are munge, slurmctld, slurmd, slurm-client")
    if os.geteuid() != 0:
        skip("slurmd starts jobs of users, and needs root for that")

    with tempfile.TemporaryDirectory(prefix="slurm-", dir="/tmp") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        (folder / "model.toml").write_text(MODEL)
        (folder / "study.toml").write_text(STUDY)
        subprocess.run([ANCORA, "sweep", folder / "study.toml", "--out", folder / "here", "--quiet"],
                       check=True)
        expected = (folder / "here/cases.csv").read_bytes()

        slurm = Slurm(folder)
        try:
            if not slurm.start():
                slurm.tell()
                skip("Slurm cannot be started on this machine")
            submitted = subprocess.run([ANCORA, "sweep", folder / "study.toml", "--out",
                                        folder / "there", "--slurm"], env=slurm.environment,
                                       capture_output=True, text=True)
            print(submitted.stdout + submitted.stderr)
            assert submitted.returncode == 0
            job = submitted.stdout.split()[2].rstrip(",")

            # The first task is preempted as soon as it has rows: it must go on, not begin anew.
            journal = folder / "there/journal-0-0-0"
            assert until("rows of the first task", lambda: journal.exists() and journal.stat().st_size > 0)
            slurm.ask("scontrol", "update", f"NodeName={slurm.host}", "State=DRAIN", "Reason=test")
            assert "drain" in slurm.ask("sinfo", "-h", "-o", "%T")
            print(slurm.ask("scontrol", "requeue", f"{job}_0"))
            first_rows = journal.read_bytes().count(b"\n")
            time.sleep(2)
            slurm.ask("scontrol", "update", f"NodeName={slurm.host}", "State=RESUME")
            # Slurm lets what was queued again wait for two minutes.
            until("the task is queued again",
                  lambda: "PENDING" in slurm.ask("scontrol", "show", "job", f"{job}_0"), 30)
            slurm.ask("scontrol", "update", f"JobId={job}_0", "StartTime=now")

            table = folder / "there/cases.csv"
            done = until("the table", lambda: table.exists() and
                         not list((folder / "there").glob("journal-*")), 180)
            print(slurm.ask("squeue", "-r"))
            if not done:
                slurm.tell()
                for log in sorted((folder / "there").glob("*.log")):
                    print(f"--- {log.name}\n{log.read_text(errors='replace')}")
            assert done
            assert table.read_bytes() == expected, "the table differs from that of a sweep without Slurm"
            print(f"a job array of 4 tasks, one preempted after {first_rows} rows: the same bytes")
        finally:
            slurm.stop()


main()
