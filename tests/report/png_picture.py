# SPDX-License-Identifier: BSD-3-Clause
"""Pictures as pixels."""
import struct
import zlib


class Picture:
    """Pixels of a PNG of 8 bits per channel, without a library."""

    def __init__(self, png):
        at, data = 8, b""
        while at < len(png):
            size, kind = struct.unpack(">I4s", png[at:at + 8])
            if kind == b"IHDR":
                self.width, self.height, depth, colour = struct.unpack(">IIBB", png[at + 8:at + 18])
                assert depth == 8 and colour in (2, 6)
                self.channels = 3 if colour == 2 else 4
            elif kind == b"IDAT":
                data += png[at + 8:at + 8 + size]
            at += size + 12
        self.rows = self.unfilter(zlib.decompress(data))

    def unfilter(self, data):
        n, stride = self.channels, self.width * self.channels
        rows, above = [], bytearray(stride)
        for y in range(self.height):
            kind, row = data[y * (stride + 1)], bytearray(data[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
            for k in range(stride):
                a = row[k - n] if k >= n else 0
                b, c = above[k], above[k - n] if k >= n else 0
                if kind == 1:
                    guess = a
                elif kind == 2:
                    guess = b
                elif kind == 3:
                    guess = (a + b) // 2
                elif kind == 4:
                    p = a + b - c
                    guess = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
                else:
                    break
                row[k] = (row[k] + guess) & 255
            rows.append(row)
            above = row
        return rows

    def pixel(self, x, y):
        return tuple(self.rows[y][x * self.channels:x * self.channels + 3])

    def share(self, holds):
        """Share of the pixels (every third in x and y) for which something holds."""
        points = [(x, y) for y in range(0, self.height, 3) for x in range(0, self.width, 3)]
        return sum(holds(x, y) for x, y in points) / len(points)

    def differs_from(self, other, by=24):
        return self.share(lambda x, y: max(abs(a - b) for a, b in zip(self.pixel(x, y), other.pixel(x, y))) > by)
