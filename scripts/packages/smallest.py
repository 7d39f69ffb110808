"""Compresses standard input as gzip does, to about 4 % less: the same bytes each time."""

import sys

import deflate

sys.stdout.buffer.write(deflate.gzip_compress(sys.stdin.buffer.read(), 12))
