"""PYTEST_DONT_REWRITE. What becomes of hits once the stream is as long as it may be: of each probe the first few and the last few are kept.

The last ones wait in memory, and are written when the test ends or the process does.
"""
import builtins
from collections import deque

__builtins__ = dict(vars(builtins))  # the target may patch its own
# hits that are taken while thinning; beyond, recording ends, so that a run of many millions takes no minutes more
MOST = 2000000
LOOK = 256  # hits of a probe between two looks at how much of it waits
TOLD = 32  # bytes that say how many hits of a probe are missing
KEPT, TAKEN, LINES, APPEND = range(4)


class Thinner:
    """Whether a hit is written, waits, or is no longer taken. `begin` is called once, before the first of them."""

    def __init__(self, keep, room, probes, begin):
        self.first, self.last, self.room = keep['first'], keep['last'], max(4096, room // max(1, probes))
        self.rings, self.looked, self.begin, self.has_begun = {}, 0, begin, False
        self.sink, self.end_firsts = self.create_sink()

    def create_sink(self):
        """`sink(n, record)` puts into the record where the lines of this hit go; false: recording is to end. And what ends the
        first hits: from then on all wait."""
        rings, first, start, look = self.rings, self.first, self.start, self.look

        def sink(n, record):
            ring = rings.get(n) or start(n)
            if ring[KEPT] < first:
                ring[KEPT] += 1
                record[5] = None
                return True
            ring[TAKEN] = taken = ring[TAKEN] + 1
            record[5] = ring[APPEND]
            return bool(taken % LOOK) or look(ring)

        def end_firsts():
            nonlocal first
            first = -1
        return sink, end_firsts

    def start(self, n):
        if not self.has_begun:
            self.has_begun = True
            self.begin()
        lines = deque(maxlen=2 * self.last)  # a hit is two lines
        ring = self.rings[n] = [0, 0, lines, lines.append]
        return ring

    def look(self, ring):
        """Lets go of the oldest lines beyond the room of a probe."""
        lines = ring[LINES]
        size = sum([len(line) for line in lines.copy()])
        while size > self.room and lines:
            size -= len(lines.popleft())
        self.looked += LOOK
        return self.looked <= MOST

    def dump(self, room):
        """`(lines, [(probe, hits that are not recorded)])` of what waits; from then on none does. Where there is no `room` for all of it, probes
        are left out whole: a hit without its end would have raised."""
        found, missing = [], []
        waiting = [self.taken_from(n, ring) for n, ring in list(self.rings.items())]
        for size, n, taken, lines in sorted(waiting):
            room -= size
            if room < 0:
                lines = []
            found.extend(lines)
            taken -= len([data for data in lines if data[:4] in (b'["b"', b'["e"')])
            if taken > 0:
                missing.append((n, taken))
        return found, missing

    def taken_from(self, n, ring):
        self.look(ring)
        lines, taken = [], ring[TAKEN]
        while True:
            try:
                lines.append(ring[LINES].popleft())
            except IndexError:
                break
        ring[TAKEN] = 0
        return sum([len(line) for line in lines]) + TOLD, n, taken, lines
