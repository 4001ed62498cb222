#!/bin/sh
# Installs the Debian packages into a bare Debian 12 of this test's own, and uses them there.
# SPDX-License-Identifier: BSD-3-Clause
#
#   debian_test.sh PACKAGES [MIRROR]
#
# PACKAGES is the folder with the .deb files (sh cmake/bootstrap.sh packages). Needs root, debootstrap and a
# mirror, and some minutes; ends with 77 where one of them is missing. No part of the usual test run.

set -eu

packages=$(CDPATH='' cd -- "$1" && pwd)
mirror=${2-$(sed -n 's/^deb \(\[[^]]*\] \)\{0,1\}\(http[^ ]*debian\)[/ ].*/\2/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | head -n 1)}
mirror=${mirror:-http://deb.debian.org/debian}

skip() {
    echo "skipped: $*"
    exit 77
}
PATH=$PATH:/usr/sbin:/sbin
[ "$(id -u)" -eq 0 ] || skip "debootstrap needs root"
command -v debootstrap >/dev/null || skip "there is no debootstrap"

root=$(mktemp -d /var/tmp/ancora-debian-XXXXXX)
# The chroot is of no use to anybody else, and what is mounted in it must go first.
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$root"' EXIT

debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" 2>&1 || {
    tail -n 5 "$root.log"
    rm -f "$root.log"
    skip "debootstrap cannot make a Debian here"
}
rm -f "$root.log"
# The mirror's security updates and how this machine reaches it.
for file in /etc/apt/sources.list /etc/resolv.conf /etc/hosts; do
    [ -e "$file" ] && cp -L "$file" "$root$file"
done
for folder in /etc/apt/apt.conf.d /etc/apt/sources.list.d /etc/apt/trusted.gpg.d /usr/local/share/ca-certificates; do
    [ -d "$folder" ] && mkdir -p "$root$folder" && cp -rL "$folder/." "$root$folder/"
done
mount -t proc proc "$root/proc" 2>/dev/null || true
mkdir "$root/packages"
cp "$packages"/*.deb "$root/packages/"

inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }
install() { inside sh -c "apt-get -q update >/dev/null; apt-get -q install -y --no-install-recommends $*" >"$root/install.log" 2>&1 || {
    tail -n 20 "$root/install.log"
    exit 1
}; }

# The runtime alone.
install /packages/ancora_*.deb
inside ancora --version
inside ancora run /usr/share/ancora/examples/tumbling_box/model.toml --set integrator.end=0.5 --out /tmp/box |
    grep -q 'tumbling box: completed'
inside ancora sweep /usr/share/ancora/examples/sweep/study.toml --out /tmp/study | grep -q '16 of 16 cases, 0 failed'
inside ancora fmu /usr/share/ancora/examples/servo_drive/model.toml --out shaft.angle --file /tmp/servo.fmu |
    grep -q 'FMU in'
echo "ancora: run, sweep, fmu"

# Python.
install /packages/python3-ancora_*.deb
inside python3 -c '
import ancora
sim = ancora.load("/usr/share/ancora/examples/tumbling_box/model.toml", {"integrator.end": 0.1}).simulate().run()
assert sim.steps_done == 100 and sim.statistics["energy_max_rel"] < 1e-14
print("python3-ancora:", ancora.version(), sim)'

# A plugin and a program in C, out of tree.
install /packages/ancora-dev_*.deb g++ cmake make pkgconf
inside sh -ec '
cd /tmp
ancora new constraint rod_of_mine >/dev/null
cmake -S rod_of_mine -B build -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF >/dev/null
cmake --build build >build.log 2>&1 || { tail build.log; exit 1; }
ancora verify build/plugins/rod_of_mine.so | tail -n 1
cc -std=c11 /usr/share/ancora/examples/embed_c/main.c $(pkg-config --cflags --libs ancora) -lm -o embed_c
./embed_c 0.2 | tail -n 2'
inside dpkg -r python3-ancora ancora-dev ancora >/dev/null
for left in /usr/bin/ancora /usr/lib/ancora /usr/lib/python3/dist-packages/ancora; do
    if inside test -e "$left"; then
        echo "$left is left behind"
        exit 1
    fi
done
echo "ancora-dev: a plugin, a program in C; all packages removed without a trace"
