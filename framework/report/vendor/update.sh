#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Makes the vendored libraries anew from npm; with the versions below, the same bytes as are here.
# Needs Node.js with npm, and a connection. Nobody who builds or uses Ancora needs it.
set -eu

THREE=0.187.0
UPLOT=1.6.32
ESBUILD=0.28.2

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp "$here/three_exports.js" "$work/"
cd "$work"
npm init --yes > /dev/null
npm install --silent --ignore-scripts --no-audit --no-fund "three@$THREE" "uplot@$UPLOT"
npx --yes "esbuild@$ESBUILD" three_exports.js --bundle --minify --format=iife --global-name=THREE \
    --target=es2022 --charset=ascii --legal-comments=inline --log-level=warning \
    --outfile=three.min.js

# Inlined into a page, neither may hold what ends a script element early.
for file in three.min.js node_modules/uplot/dist/uPlot.iife.min.js; do
    if grep -qi -e '</script' -e '<!--' "$file"; then
        echo "$file cannot stand inside a script element" >&2
        exit 1
    fi
done

cp three.min.js "$here/three.min.js"
cp node_modules/three/LICENSE "$here/three.LICENSE"
cp node_modules/uplot/dist/uPlot.iife.min.js node_modules/uplot/dist/uPlot.min.css "$here/"
cp node_modules/uplot/LICENSE "$here/uPlot.LICENSE"
cd "$here"
chmod 644 three.min.js three.LICENSE uPlot.iife.min.js uPlot.min.css uPlot.LICENSE
sha256sum three.min.js uPlot.iife.min.js uPlot.min.css
