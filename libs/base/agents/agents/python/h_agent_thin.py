"""PYTEST_DONT_REWRITE. What becomes of hits once the stream is as long as it may be: of each probe the first few and the last few are kept.

The last ones wait in memory, and are written when the test ends or the process does.
"""
import builtins
from collections import deque

__builtins__ = dict(vars(builtins))  # the target may patch its own
# hits that are taken while thinning; beyond, recording ends, so that a run of many millions takes no minutes more
MOST = 2000000


class Ring:
    """The lines of the last hits of one probe."""
    __slots__ = ('lines', 'size', 'room', 'length', 'kept', 'taken')

    def __init__(self, last, room):
        self.lines, self.size, self.room, self.length = deque(), 0, room, 2 * last  # a hit is two lines
        self.kept, self.taken = 0, 0

    def push(self, data):
        lines = self.lines
        lines.append(data)
        self.size += len(data)
        while self.size > self.room or len(lines) > self.length:
            try:
                self.size -= len(lines.popleft())
            except IndexError:
                return  # another thread was faster


class Thinner:
    """Whether a hit is written, waits, or is no longer taken."""

    def __init__(self, keep, room, probes):
        self.first, self.last = keep['first'], keep['last']
        self.room, self.rings, self.hits = max(4096, room // max(1, probes)), {}, 0

    def sink(self, n, record):
        """Puts into the record where the lines of this hit go; false: recording is to end."""
        ring = self.rings.get(n)
        if ring is None:
            ring = self.rings[n] = Ring(self.last, self.room)
        self.hits += 1
        if ring.kept < self.first:
            ring.kept += 1
            record[5] = None
        else:
            ring.taken += 1
            record[5] = ring.push
        return self.hits <= MOST

    def dump(self):
        """`(lines, [(probe, hits that are not recorded)])` of what waits; from then on none does."""
        found, missing = [], []
        for n, ring in list(self.rings.items()):
            began = 0
            while True:
                try:
                    data = ring.lines.popleft()
                except IndexError:
                    break
                found.append(data)
                began += data[:4] in (b'["b"', b'["e"')
            ring.size = 0
            if ring.taken > began:
                missing.append((n, ring.taken - began))
            ring.taken = 0
        return found, missing
