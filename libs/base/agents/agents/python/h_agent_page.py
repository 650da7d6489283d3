"""PYTEST_DONT_REWRITE. What a child process of the target tells, as it happens: a file that it shares with the process that started it.

One byte for each statement that ran, one for each that ran while a module was loaded, then lines of JSON: statements of files
that the child loaded, what it read, what it started. Nothing is lost however the child ends. One process writes a page, without a
lock: a signal handler or a finalizer may write in the middle of a write. What was not written to is a hole in the file.
"""
import itertools
import json
import mmap
import os
import re
import struct
import sys

ROOM = 1 << 17  # statements of files that only the child loads
TEXT = 1 << 22
_HEAD = struct.Struct('=QQ')  # the process, whether something had no room
_encode = json.JSONEncoder(separators=(',', ':')).encode
_getpid, _open, _close, _truncate, _map = os.getpid, os.open, os.close, os.ftruncate, mmap.mmap
_ANY = re.compile(b'[^\\0]')


class Page:
    """`base`: how many statements the child knows from the process it was forked from. Without a path it is memory that a fork shares."""

    def __init__(self, path, base, limit=None):
        self.path, self.base, self.top = path, base, base
        self.limit = limit or base + ROOM
        self.start = _HEAD.size + 2 * self.limit  # of the text
        self.map = _map(-1, self.start + TEXT) if path is None else map_file(path, self.start + TEXT)
        view = memoryview(self.map)
        self.ran, self.loaded = view[_HEAD.size:_HEAD.size + self.limit], view[_HEAD.size + self.limit:self.start]
        self.told, self.files, self.parent = set(), [], None

    def begin(self):
        """This process writes the page from here on."""
        self.map.seek(self.start)
        self.map[:_HEAD.size] = _HEAD.pack(_getpid(), 0)

    def write(self, *line):
        """Tells a line, once."""
        key = _encode(line)
        if key in self.told:
            return
        try:
            self.map.write(key.encode('ascii') + b'\n')  # one call that nothing comes between: it goes after what stands there
        except ValueError:
            self.map[8:16] = b'\1' * 8
        self.told.add(key)

    # the process that started it

    def head(self):
        """The process, 0 before it has begun, and whether something had no room."""
        pid, is_full = _HEAD.unpack(self.map[:_HEAD.size])
        return pid, bool(is_full)

    def take_lines(self, take):
        """Gives `take` the lines told since the last time. What is not written yet is zero, so that a line is whole up to its end."""
        end = self.map.find(b'\0', self.start)
        end = self.map.rfind(b'\n', self.start, len(self.map) if end < 0 else end) + 1
        if end == 0:
            return False
        for line in self.map[self.start:end].decode('ascii').splitlines():
            take(*json.loads(line))
        self.start = end
        return True

    def take_numbers(self, area, take):
        """Gives `take` the statements that ran since the last time, of `ran` or `loaded`."""
        found = [match.start() for match in _ANY.finditer(bytes(area[:self.top]))]
        if found:
            take(found)
            for number in found:
                area[number] = 0
        return bool(found)

    def add_file(self, first, path, lines):
        """Statements of a file, as the child told them."""
        self.files.append((first, path, lines))
        self.top = max(self.top, min(first + len(lines), self.limit))

    def place(self, number):
        """File and line of a statement."""
        for first, path, lines in self.files:
            if first <= number < first + len(lines):
                return path, lines[number - first]
        return None


def map_file(path, size):
    handle = _open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _truncate(handle, size)
        return _map(handle, size)
    finally:
        _close(handle)


def write_to(coverage, page):
    """From here on the statements of this process go to the page: it is a child."""
    ones = itertools.repeat(1)
    coverage.page, coverage.stamps = page, page.ran
    names = {'__h_c__': next if sys.version_info >= (3, 11) else ones.__next__, '__h_n__': ones}
    coverage.plant(dict(names, __h_t__=page.ran))

    def enter(sink):
        coverage.outer.append(coverage.sink)
        switch(sink)

    def leave():
        switch(coverage.outer.pop())

    def switch(sink):
        coverage.sink = sink
        area = page.loaded if sink is coverage.imported else page.ran
        if area is not coverage.stamps:
            coverage.stamps = area
            coverage.plant({'__h_t__': area})

    coverage.sink = coverage.idle if coverage.idle is not None else set()
    coverage.enter, coverage.leave, coverage.flush = enter, leave, lambda: None
