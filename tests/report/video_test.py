#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Videos of a run whose motion is known: video_test.py ANCORA

Where pictures show the bodies is compared with the rows of history.csv; files of videos are taken
apart by their formats. Without Chromium only what is refused is looked at, with exit status 77.
"""
import csv
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

from png_picture import Picture

SKIPPED = 77
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")

# Free bodies among two marks on the axis of x: "up" stays in the plane of x and z, "flat" in that of
# x and y, so that straight views at these planes show them to scale.
MODEL = """
[model]
name = "two bodies in flight"
gravity = [0.0, 0.0, 0.0]
[[body]]
name = "up"
type = "particle"
mass = 1.0
position = [-0.8, 0.0, 0.5]
velocity = [1.6, 0.0, -1.1]
shape = { sphere = 0.04, color = "#ff2020" }
[[body]]
name = "flat"
type = "particle"
mass = 1.0
position = [0.8, 0.6, 0.0]
velocity = [-1.5, -1.2, 0.0]
shape = { sphere = 0.04, color = "#2020ff" }
[[body]]
name = "left"
type = "particle"
mass = 1.0
position = [-1.0, 0.0, 0.0]
velocity = [0.0, 0.0, 0.0]
shape = { sphere = 0.04, color = "#20ff20" }
[[body]]
name = "right"
type = "particle"
mass = 1.0
position = [1.0, 0.0, 0.0]
velocity = [0.0, 0.0, 0.0]
shape = { sphere = 0.04, color = "#20ff20" }
[integrator]
type = "rk4"
step = 5.0e-3
end = 1.0
[output]
every = 0.02
"""

# A beam that its weight begins to bend.
BEAM = """
[model]
gravity = [0.0, 0.0, -9.81]
[[body]]
name = "beam"
type = "beam"
from = [0.0, 0.0, 0.0]
to = [1.0, 0.0, 0.0]
elements = 4
section = { shape = "circle", radius = 0.01 }
young = 1e9
poisson = 0.3
density = 1000.0
[[joint]]
name = "root"
type = "fixed"
a = "ground"
b = "beam@start"
[integrator]
type = "emm"
step = 0.01
end = 0.05
[output]
every = 0.01
"""

failures = []


def check(holds, what):
    if not holds:
        failures.append(what)
        print(f"  FAILED: {what}")
    return holds


def ancora(folder, *arguments, **options):
    return subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, text=True, **options)


# --- what pictures show


def middles(picture):
    """Mean places of the pixels in which red, green left, green right or blue prevails; None where there are none."""
    sums = {}
    for y, row in enumerate(picture.rows):
        for x in range(picture.width):
            pixel = row[x * picture.channels:x * picture.channels + 3]
            most = max(pixel)
            if most > 70 and sum(2 * part < most for part in pixel) == 2:
                colour = pixel.index(most)
                key = ("red", "left" if 2 * x < picture.width else "right", "blue")[colour]
                count, sum_x, sum_y = sums.get(key, (0, 0, 0))
                sums[key] = count + 1, sum_x + x, sum_y + y
    return {key: (sum_x / count, sum_y / count) for key, (count, sum_x, sum_y) in sums.items()}


def look(picture, rows, t, body, colour, axis, sign, what):
    """The body is where the row of the time nearest to t has it, by the scale of the marks."""
    found = middles(picture)
    if not check({"left", "right", colour} <= set(found), f"{what}: a body is not seen"):
        return
    left, right, place = found["left"], found["right"], found[colour]
    scale = abs(right[0] - left[0]) / 2.0  # pixels per metre
    row = min(rows, key=lambda row: abs(row["t"] - t))
    x = 0.5 * (left[0] + right[0]) + sign * scale * row[f"{body}.x"]
    y = 0.5 * (left[1] + right[1]) - scale * row[f"{body}.{axis}"]
    # The nearest row lies a step of 0.02 s from the next: more pixels than what is allowed.
    step = 0.02 * scale * 1.5
    check(step > 2.0, f"{what}: {step} pixels per row do not tell rows apart")
    check(abs(place[0] - x) < 0.8 and abs(place[1] - y) < 0.8, f"{what}: {place} instead of {[x, y]} at {row['t']} s")


def pictures(folder, rows):
    """Series by random options show the rows of their times."""
    random.seed(7)
    for body, colour, axis, view, sign in (("up", "red", "z", "90,0", -1), ("flat", "blue", "y", "-90,90", 1)):
        rate, speed = random.choice([10, 12.5, 30]), random.choice([1, 0.7, 2.5])
        begin = random.uniform(0.0, 0.4)
        end = begin + 2.2 * speed / rate  # three pictures
        dark = random.random() < 0.5
        run = ancora(folder, "video", "out", "series.png", "--view", view, "--fps", str(rate), "--speed", str(speed), "--from", f"{begin:.6f}",
                     "--to", f"{end:.6f}", "--size", "320x180", *(["--dark"] if dark else []))
        what = f"{body} from {view} at {rate} per second, speed {speed}, from {begin:.3f} s"
        if not check(run.returncode == 0 and "3 pictures" in run.stdout, f"{what}: {run.stdout} {run.stderr}"):
            continue
        files = sorted(folder.glob("series_*.png"))
        check([file.name for file in files] == [f"series_{k:04}.png" for k in (1, 2, 3)], f"{what}: {files}")
        for k, file in enumerate(files):
            picture = Picture(file.read_bytes())
            check((picture.width, picture.height) == (320, 180), f"{what}: size {picture.width} x {picture.height}")
            check((sum(picture.pixel(2, 2)) < 200) == dark, f"{what}: ground {picture.pixel(2, 2)}")
            look(picture, rows, begin + k * speed / rate, body, colour, axis, sign, f"{what}, picture {k + 1}")


def colours(folder):
    """What colours a video is named, and a name that nothing has is refused with what there is."""

    def film(results, name):
        return ancora(folder, "video", results, f"{name}.png", "--colour", name, "--from", "0.05", "--size", "320x180")

    check(film("out", "none").returncode == 0, "--colour none of bodies without numbers")
    run = film("out", "heat")
    check(run.returncode != 0 and "nothing in this run" in run.stderr, f"--colour heat: {run.stdout} {run.stderr}")

    (folder / "beam.toml").write_text(BEAM)
    run = ancora(folder, "run", "beam.toml", "--out", "bent", "--quiet")
    check(run.returncode == 0, run.stderr)
    run = film("bent", "heat")
    names = re.findall('"([^"]+)"', run.stderr.partition("there")[2])
    check(run.returncode != 0 and "bending moment" in names, f"--colour heat of a beam: {run.stdout} {run.stderr}")
    check(not list(folder.glob("heat*")), "a refused colour leaves pictures")
    for name in ("none", "bending moment"):
        run = film("bent", name)
        check(run.returncode == 0, f"--colour {name}: {run.stderr}")
    plain, coloured = (sorted(folder.glob(f"{name}*.png"))[-1].read_bytes() for name in ("none", "bending moment"))
    check(plain != coloured, "a bending moment colours nothing")


def parts(folder):
    """What is left out is not there; a beam is as high as its section."""
    run = ancora(folder, "video", "bent", "odd.png", "--without", "wheels")
    check(run.returncode != 0 and "grid, joints, points, forces" in run.stderr, f"--without wheels: {run.stderr}")

    def picture(name, *options):
        run = ancora(folder, "video", "bent", f"{name}.png", "--from", "0.05", "--size", "640x360", "--view", "-90,0", "--colour", "none", *options)
        check(run.returncode == 0, f"{name}: {run.stdout} {run.stderr}")
        return Picture(sorted(folder.glob(f"{name}*.png"))[-1].read_bytes())

    def count(picture, holds):
        return sum(holds(*picture.pixel(x, y)) for y in range(picture.height) for x in range(picture.width))

    whole, bare = picture("whole"), picture("bare", "--without", "forces,points,grid")
    orange = [count(of, lambda r, g, b: r > 110 and r > 2 * g and r > 2 * b) for of in (whole, bare)]
    check(orange[0] > 20 and orange[1] == 0, f"pixels of arrows: {orange}")
    # The beam of 1 m and 20 mm, blue, seen from the side: as many pixels high as a fiftieth of its length
    blue = {}
    for y in range(bare.height):
        for x in range(bare.width):
            r, g, b = bare.pixel(x, y)
            if b > r + 30 and b > 60:
                blue.setdefault(x, []).append(y)
    inside = sorted(blue)[5:-5]
    heights = [max(blue[x]) - min(blue[x]) + 1 for x in inside]
    height = sum(heights) / max(len(heights), 1)
    check(abs(height - len(blue) / 50.0) < 1.5 and len(blue) > 300, f"a beam of {len(blue)} pixels is {height} high")


# --- files of videos


def boxes(data):
    """Boxes of MP4 (ISO/IEC 14496-12): [(type, content, offset of the content)]."""
    at, out = 0, []
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        head = 8
        if size == 1:
            size, head = struct.unpack(">Q", data[at + 8:at + 16])[0], 16
        assert size >= head and at + size <= len(data), kind
        out.append((kind.decode(), data[at + head:at + size], at + head))
        at += size
    return out


def only(found, kind):
    (content,) = [content for name, content, _ in found if name == kind]
    return content


def words(data):
    return struct.unpack(f">{len(data) // 4}I", data)


def mp4(data, count, rate, size):
    top = boxes(data)
    check(data.endswith(b"Ancora video"), "mp4: its end does not say whose it is")
    track = boxes(only(boxes(only(top, "moov")), "trak"))
    media = boxes(only(track, "mdia"))
    table = boxes(only(boxes(only(media, "minf")), "stbl"))
    scale, duration = words(only(media, "mdhd")[12:20])
    _, runs, samples, ticks = words(only(table, "stts"))
    check((runs, samples) == (1, count) and abs(scale / ticks - rate) < 1e-3 and duration == count * ticks, "mp4: times")
    sizes = words(only(table, "stsz"))[3:]
    keys = words(only(table, "stss"))[2:]
    (offset,) = struct.unpack(">Q", only(table, "co64")[8:])
    entry = only(table, "stsd")[8:]
    check(entry[4:8] == b"avc1" and struct.unpack(">HH", entry[32:36]) == size, f"mp4: {entry[:40]}")
    (mdat,) = [(content, at) for name, content, at in top if name == "mdat"]
    check(offset == mdat[1] and sum(sizes) == len(mdat[0]) and len(sizes) == count, "mp4: the pictures are not where they should be")
    check(keys[0] == 1, "mp4: the first picture needs another")
    for k, n in enumerate(sizes):
        # Units of H.264 with their lengths before them; type 5 is a picture that stands alone.
        sample, at, types = data[offset:offset + n], 0, []
        while at < n:
            (length,) = struct.unpack(">I", sample[at:at + 4])
            types.append(sample[at + 4] & 31)
            at += 4 + length
        check(at == n and (5 in types) == (k + 1 in keys) and (5 in types or 1 in types), f"mp4: sample {k} has units {types}")
        offset += n


def elements(data):
    """Elements of EBML (RFC 8794): [(identity, content, offset)]."""
    at, out = 0, []
    while at < len(data):
        begin = at
        length = 1 + next(k for k in range(8) if data[at] & (0x80 >> k))
        identity = int.from_bytes(data[at:at + length], "big")
        at += length
        width = 1 + next(k for k in range(8) if data[at] & (0x80 >> k))
        size = int.from_bytes(data[at:at + width], "big") & ((1 << (7 * width)) - 1)
        at += width
        assert at + size <= len(data), hex(identity)
        out.append((identity, data[at:at + size], begin))
        at += size
    return out


def webm(data, count, rate, size):
    check(data.endswith(b"Ancora video"), "webm: its end does not say whose it is")
    (head, _, _), (_, segment, _) = elements(data)
    check(head == 0x1A45DFA3, "webm: its head")
    parts = elements(segment)
    at = {identity: begin for identity, _, begin in parts}

    def number(found, identity):
        (content,) = [content for name, content, _ in found if name == identity]
        return int.from_bytes(content, "big")

    def part(identity):
        return elements(next(content for name, content, _ in parts if name == identity))

    for _, seek, _ in part(0x114D9B74):
        check(at[number(elements(seek), 0x53AB)] == number(elements(seek), 0x53AC), "webm: a part is not where its index has it")
    track = elements(next(content for name, content, _ in part(0x1654AE6B) if name == 0xAE))
    video = elements(next(content for name, content, _ in track if name == 0xE0))
    check((number(video, 0xB0), number(video, 0xBA)) == size, "webm: size")
    check(abs(number(track, 0x23E383) - 1e9 / rate) < 1, "webm: duration of a picture")
    (duration,) = struct.unpack(">d", next(content for name, content, _ in part(0x1549A966) if name == 0x4489))
    check(abs(duration - 1000.0 * count / rate) < 1e-6, f"webm: {duration} ms")
    times, keys = [], []
    for identity, cluster, begin in parts:
        if identity != 0x1F43B675:
            continue
        blocks = elements(cluster)
        for name, block, _ in blocks:
            if name != 0xA3:
                continue
            after, flags = struct.unpack(">hB", block[1:4])
            check(block[0] == 0x81 and block[4] >> 6 == 2, "webm: no picture of VP9 in a block")
            # The bits behind the frame's mark and profile: shown again, not a key.
            check((block[4] >> 2 & 1 == 0) == bool(flags & 0x80), "webm: a key that is none")
            times.append(number(blocks, 0xE7) + after)
            if flags & 0x80:
                keys.append((times[-1], begin))
    check(len(times) == count and all(abs(t - 1000.0 * k / rate) <= 0.5 for k, t in enumerate(times)), f"webm: times {times}")
    cues = [(number(elements(cue), 0xB3), number(elements(elements(cue)[1][1]), 0xF1)) for _, cue, _ in part(0x1C53BB6B)]
    check(cues == keys and keys[0][0] == 0, f"webm: {cues} instead of {keys}")


def compare_with_pictures(folder, file):
    """Decoded by another program, the video shows what the pictures show; where there is one."""
    if not shutil.which("ffmpeg"):
        return
    run = subprocess.run(["ffmpeg", "-v", "info", "-i", file, "-i", "whole_%04d.png", "-lavfi", "psnr", "-f", "null", "-"],
                         cwd=folder, capture_output=True, text=True)
    least = float(run.stderr.split(" min:")[-1].split()[0])
    check(least > 33.0, f"{file}: a picture differs by {least} dB from what is drawn")


def videos(folder):
    # 2.5 s of video, so that one key follows another; 51 rows, so that some come twice.
    for name, take_apart in (("whole.mp4", mp4), ("whole.webm", webm)):
        run = ancora(folder, "video", "out", name, "--fps", "25", "--speed", "0.4", "--size", "320x180")
        if check(run.returncode == 0, f"{name}: {run.stderr}"):
            check("63 pictures" in run.stdout and "12 of them show a frame once more" in run.stdout, f"{name}: {run.stdout}")
            take_apart((folder / name).read_bytes(), 63, 25.0, (320, 180))
            if shutil.which("ffmpeg"):
                ancora(folder, "video", "out", "whole.png", "--fps", "25", "--speed", "0.4", "--size", "320x180")
            compare_with_pictures(folder, name)


# --- what is refused


def refused(folder, status, words, *arguments, **options):
    run = ancora(folder, "video", *arguments, **options)
    check(run.returncode == status and words in run.stderr, f"{arguments}: {run.returncode} {run.stderr!r}")


def refusals(folder):
    for words, *arguments in (
            ("a video ends in .mp4 or .webm, a series of pictures in .png", "out", "a.gif"),
            ("runs backwards", "out", "a.mp4", "--from", "0.5", "--to", "0.2"),
            ("the run has frames from 0 s to 1 s", "out", "a.mp4", "--from", "3", "--to", "4"),
            ("both must be even", "out", "a.webm", "--size", "321x180"),
            ("each side has 16 to 8192", "out", "a.png", "--size", "8x8"),
            ("expected WxH", "out", "a.png", "--size", "320"),
            ("expected A,E", "out", "a.png", "--view", "40"),
            ("the elevation of the eye", "out", "a.png", "--view", "0,100"),
            ("a speed of 0", "out", "a.png", "--speed", "0"),
            ("pictures per second", "out", "a.png", "--fps", "-3"),
            ("are more than the 100000 of one video", "out", "a.png", "--speed", "1e-7")):
        refused(folder, 2, words, *arguments)
    refused(folder, 6, "there is no folder", "nothing", "a.mp4")
    refused(folder, 6, "there is no folder \"away\" for the video", "out", "away/a.mp4")
    nowhere = {**os.environ, "PATH": str(folder)}
    refused(folder, 6, "there is no Chromium, which draws the pictures; install it", "out", "a.mp4", env=nowhere)
    if any(map(shutil.which, PROGRAMS)):
        refused(folder, 6, "there is no folder for temporary files", "out", "a.mp4", env={**os.environ, "TMPDIR": str(folder / "away")})
    (folder / "mine.mp4").write_text("mine")
    refused(folder, 6, "is not a video of a run", "out", "mine.mp4")
    check((folder / "mine.mp4").read_text() == "mine", "a file of somebody else is written over")
    # What is no Chromium: it ends at once, and what it says is passed on.
    fake = folder / "bin/chromium"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\necho cannot open the display >&2\nexit 3\n")
    fake.chmod(0o755)
    refused(folder, 6, "cannot open the display", "out", "a.mp4", env={**os.environ, "PATH": f"{fake.parent}:/usr/bin:/bin"})
    check(not (folder / "a.mp4").exists(), "something is written in spite of an error")


def interrupted(folder):
    """Ctrl-C ends it, with no file and no process left."""
    run = subprocess.Popen([PROGRAM, "video", "out", "a.webm", "--speed", "0.001"], cwd=folder, env={**os.environ, "TMPDIR": str(folder)})
    time.sleep(0.7)
    run.send_signal(signal.SIGINT)
    check(run.wait(timeout=60) == 130, "Ctrl-C: another status")
    check(not (folder / "a.webm").exists() and not list(folder.glob("ancora-browser-*")), "Ctrl-C: something stays behind")


def main():
    browser = any(map(shutil.which, PROGRAMS))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "model.toml").write_text(MODEL)
        run = ancora(folder, "run", "model.toml", "--out", "out", "--quiet")
        check(run.returncode == 0, run.stderr)
        refusals(folder)
        if browser:
            with open(folder / "out/history.csv") as file:
                rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
            pictures(folder, rows)
            colours(folder)
            parts(folder)
            videos(folder)
            interrupted(folder)
    if failures:
        print(f"{len(failures)} failed")
        return 1
    if not browser:
        print("skipped: Chromium is not installed (chromium); what is refused without it is right")
        return SKIPPED
    print("all passed")
    return 0


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
    sys.exit(main())
