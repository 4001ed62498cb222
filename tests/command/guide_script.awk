# Turns a guide into a shell script: its commands, and its files where they are shown.
# SPDX-License-Identifier: BSD-3-Clause
#
#   awk -f guide_script.awk GUIDE.md > script.sh
#
# ```sh blocks become the script. A block whose first line is a comment with a path and nothing else,
# "// src/x.cpp" or "# x.toml", is written to that file. All other blocks are for the reader.

/^```/ && !inside {
    inside = 1
    language = substr($0, 4)
    first = 1
    next
}
/^```/ {
    if (kind == "file") print "END_OF_FILE"
    inside = 0
    kind = ""
    next
}
inside && first {
    first = 0
    kind = language == "sh" ? "sh" : "text"
    if (kind == "text" && match($0, /^(\/\/|#) [A-Za-z0-9_\/]+\.(cpp|hpp|toml|txt)$/)) {
        kind = "file"
        print "cat > " $2 " << 'END_OF_FILE'"
    }
}
inside && kind != "text" { print }
