"""PYTEST_DONT_REWRITE. What a child process of the target tells, as it happens: a file that it shares with the process that started it.

One byte for each statement that ran, one for each that ran while a module was loaded, then lines of JSON: statements of files
that the child loaded, what it read, what it started. Nothing is lost however the child ends. One process writes a page.
"""
import itertools
import json
import mmap
import os
import re
import struct
import sys
import threading

ROOM = 1 << 17  # statements of files that only the child loads
TEXT = 1 << 22
_HEAD = struct.Struct('=QQQ')  # the process, whether something had no room, how much text there is
_GRAIN = 1 << 16
_encode = json.JSONEncoder(separators=(',', ':')).encode
_getpid, _open, _close, _truncate, _map = os.getpid, os.open, os.close, os.ftruncate, mmap.mmap
_ANY = re.compile(b'[^\\0]')


class Page:
    """`base`: how many statements the child knows from the process it was forked from."""

    def __init__(self, path, base, limit=None):
        self.path, self.base = path, base
        self.limit = limit or -(-(base + ROOM) // _GRAIN) * _GRAIN
        handle = _open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _truncate(handle, 2 * self.limit + _GRAIN + TEXT)
            self.ran = _map(handle, self.limit)
            self.loaded = _map(handle, self.limit, offset=self.limit)
            self.rest = _map(handle, _GRAIN + TEXT, offset=2 * self.limit)
        finally:
            _close(handle)
        self.lock, self.told, self.length, self.files, self.parent = None, set(), 0, [], None

    def write(self, *line):
        """Tells a line, once."""
        key = _encode(line)
        with self.lock:
            data = key.encode('ascii') + b'\n'
            if key in self.told:
                return
            self.told.add(key)
            pid, is_full, length = _HEAD.unpack(self.rest[:_HEAD.size])
            if length + len(data) > TEXT:
                self.rest[:_HEAD.size] = _HEAD.pack(pid, 1, length)
                return
            self.rest[_GRAIN + length:_GRAIN + length + len(data)] = data
            self.rest[:_HEAD.size] = _HEAD.pack(pid, is_full, length + len(data))

    def begin(self):
        """This process writes the page from here on."""
        self.lock = threading.Lock()
        self.rest[:_HEAD.size] = _HEAD.pack(_getpid(), 0, 0)

    # the process that started it

    def head(self):
        pid, is_full, _ = _HEAD.unpack(self.rest[:_HEAD.size])
        return pid, bool(is_full)

    def take_lines(self):
        """Lines told since the last time."""
        _, _, length = _HEAD.unpack(self.rest[:_HEAD.size])
        data = self.rest[_GRAIN + self.length:_GRAIN + length]
        self.length = length
        return [json.loads(line) for line in data.decode('ascii').splitlines()]

    def take_numbers(self, area):
        """Statements that ran since the last time, of `ran` or `loaded`."""
        data = area[:]
        found = [match.start() for match in _ANY.finditer(data)]
        for number in found:
            area[number] = 0
        return found

    def place(self, number):
        """File and line of a statement, as the child told them."""
        for first, path, lines in self.files:
            if first <= number < first + len(lines):
                return path, lines[number - first]
        return None

    def is_alive(self):
        pid, _ = self.head()
        if pid == 0:
            return False
        try:
            with open('/proc/%d/stat' % pid, 'rb') as file:
                return file.read().rpartition(b')')[2].split()[0] not in (b'Z', b'X')
        except OSError:
            return False


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
