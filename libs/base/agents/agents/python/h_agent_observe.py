"""PYTEST_DONT_REWRITE. The runtime of value probes: which activation a probe speaks from, and the events file (src/probe-events.ts).

Target code calls `__h_p__[i](values…)`. Such a function reads nothing but its arguments and the identity of the frame that called
it; it holds neither frames nor, but for plain data that has a ref, values.
"""
import atexit
import builtins
import json
import os
import sys
from importlib.machinery import PathFinder
from itertools import count

from h_agent_block import Writer, drop
from h_agent_calls import make_probe, make_step, silenced
from h_agent_coverage import Finder
from h_agent_events import HERE, plant
from h_agent_hooks import Hooks
from h_agent_place import place_probes
from h_agent_secrets import reason_of
from h_agent_thin import Thinner
from h_agent_wire import create_wire

__builtins__ = dict(vars(builtins))  # the target may patch its own
PROTOCOL = 1
TABLE, EVENTS = 'probe-table.json', 'probe-events.ndjson'
# A probe near the recursion limit is skipped. Up to 3.9 it must not be: an error of that kind, once caught, lifts the limit.
SKIPS_AT_LIMIT = sys.version_info >= (3, 10)
CALLERS = 100
_encode = json.JSONEncoder(separators=(',', ':')).encode


def start(plan, relative, note):
    """The recorder of a run that has a probe table, installed; None, and why, where it cannot be read."""
    if plan.get('coverage'):
        note('no values are recorded: coverage is taken in this run')
        return None
    try:
        with open(os.path.join(HERE, TABLE), 'rb') as file:
            table = json.loads(file.read().decode('utf-8'))
        if table['protocol'] != PROTOCOL:
            note('no values are recorded: the probe table is of protocol %s' % table['protocol'])
            return None
        recorder = Recorder(table, HERE, relative)
    except (OSError, ValueError, KeyError, TypeError) as error:
        note('no values are recorded: %s: %s' % (type(error).__name__, error))
        return None
    recorder.install()
    return recorder


def no_more(n, record):
    """No hit beyond the limit is taken."""
    return False


class Recorder:
    """The probes of one run."""

    def __init__(self, table, folder, relative):
        self.specs, hooked = {}, {}
        for entry in table['files']:
            for spec in entry['probes']:
                into = hooked if spec.get('method') == 'hook' else self.specs
                into.setdefault(entry['file'], []).append(spec)
        self.hooked, self.hooks = hooked, None
        self.relative = relative
        self.out = Writer(os.path.join(folder, EVENTS), table['max_bytes'])
        self.thinner, thin = None, no_more
        if table.get('keep') is not None:  # an eighth for the first hits of each probe after the head, an eighth for the last
            self.eighth = table['max_bytes'] // 8
            self.spare = self.eighth // 4  # for the ends of first hits, once their eighth is full
            self.reserve = self.eighth - self.spare
            self.thinner = Thinner(table['keep'], self.reserve, sum([len(entry['probes']) for entry in table['files']]),
                                   self.begin_thinning)
            thin = self.thinner.sink
            self.out.left -= 2 * self.eighth
        self.probes, self.made = [], []
        self.frames = {}  # id of a frame -> its record, see h_agent_calls
        self.masks = table.get('secrets') != 'shown'
        wire, self.refs = create_wire(self.masks)
        self.runtime = {
            'frames': self.frames, 'getframe': sys._getframe, 'next_frame': count().__next__, 'next_id': count().__next__,
            'limit': table['max_events'], 'thin': thin, 'stop': self.stop, 'full': self.full, 'out': self.out,
            'caller_of': self.caller_of, 'exc_info': sys.exc_info, 'skips': SKIPS_AT_LIMIT, 'split': self.split, 'apart': NameError}
        self.runtime.update(wire)
        self.executed, self.attempted = set(), None
        self.stash, self.stashes = self.add('stash', -1, ('', '')), {}
        self.raised, self.lost, self.scope = self.add('raised', -1, ('',)), self.add('lost', -1, ()), self.add('scope', -1, ())
        self.tell('h', PROTOCOL, 'python')

    def add(self, kind, n, names, label=None, one_by_one=False):
        """Index in `__h_p__` of a new function; `names`: those its values go by."""
        whys = [reason_of(name) if self.masks else None for name in names]
        made = (kind, n, len(names), label, one_by_one, whys if any(whys) else ())
        return self.put(make_probe, *made)

    def put(self, make, *made):
        self.made.append((make, made))
        self.probes.append(make(self.runtime, *made))
        return len(self.probes) - 1

    def add_step(self, ends, begins):
        """Index of a new function that does what those at two indexes do, of the end of one statement and the begin of the next."""
        return self.put(make_step, self.made[ends][1], self.made[begins][1])

    def stash_of(self, name):
        """Index in `__h_p__` of the function that keeps the value of one name for a probe that takes its values one by one."""
        if not self.masks or reason_of(name) is None:
            return self.stash
        if name not in self.stashes:
            self.stashes[name] = self.add('stash', -1, ('', name))
        return self.stashes[name]

    def caller_of(self, frame):
        """The wire form of the event under way in the nearest observed activation below `frame`; empty when not certain.
        An id of a frame may be that of an earlier one, but not of one of the same code: that one has told of itself."""
        frames = self.frames
        for _ in range(CALLERS):
            frame = frame.f_back
            if frame is None:
                return b''
            record = frames.get(id(frame))
            if record is not None and record[3] is frame.f_code:
                return b',' + record[1] if record[2] >= 0 else b''
        return b''

    def install(self):
        names = {'__h_p__': self.probes, '__h_e__': (NameError, RecursionError) if SKIPS_AT_LIMIT else NameError}
        plant(names)
        atexit.register(self.finish)  # runs last: what finalizers run while the interpreter goes is not recorded
        if hasattr(os, 'register_at_fork'):
            os.register_at_fork(after_in_child=self.silence)
        at = sys.meta_path.index(PathFinder) if PathFinder in sys.meta_path else len(sys.meta_path)
        sys.meta_path.insert(at, Finder(self))
        for path, specs in self.hooked.items():
            self.hook(path, specs)

    def hook(self, path, specs):
        """Has the interpreter itself tell of statements that cannot be given probes."""
        if self.hooks is None:
            self.hooks = Hooks(self)
        self.hooks.add(path, specs)

    # what the import hook asks of its owner

    def is_test(self, path):
        return path not in self.specs

    def in_main_thread(self):
        return False

    def skipped(self, path, reason):
        self.tell('n', '%s could not be given probes, the interpreter tells of it: %s' % (path, reason))
        self.hook(path, self.specs[path])

    def instrument(self, data, filename, path, finish=None):
        return place_probes(data, filename, self.specs[path], self, finish)

    # what is written beside the events

    def tell(self, *line):
        self.send((_encode(line) + '\n').encode('ascii'))

    def send(self, data):
        try:
            self.out.write(data)
        except ValueError:
            if not self.out.more(data):
                self.stop()

    def split(self, record, data, number, n):
        """Writes the lines of an end and a begin that have no room together; whether there is one for what follows."""
        at = data.index(b'\n') + 1
        self.write(data[:at])
        record[2] = -1
        if self.out.is_over:
            return False
        if number >= self.runtime['limit'] and not self.runtime['thin'](n, record):
            self.stop()
            return False
        (record[5] or self.write)(data[at:])
        return True

    def write(self, data):
        try:
            self.out.write(data)
        except ValueError:
            if not self.out.more(data):
                self.full(data)

    def full(self, data):
        """The file has no room for these lines: from here on hits are thinned, where there is room for more then."""
        if self.thinner is None:
            self.stop()
            return
        if self.thinner.has_begun:
            self.thinner.end_firsts()
            if len(data) > self.spare:
                self.stop()
                return
            self.spare -= len(data)
            self.out.left += len(data)
            self.send(data)
            return
        self.runtime['limit'] = 0
        self.probes[:] = [make(self.runtime, *made) for make, made in self.made]
        self.thinner.has_begun = True
        self.begin_thinning()
        self.send(data)  # a statement without its end would have raised

    def begin_thinning(self):
        self.out.left += self.eighth
        self.tell('l', self.thinner.first, self.thinner.last)

    def dump(self):
        """Writes the last hits, which wait until here."""
        if self.thinner is None or not self.thinner.has_begun or self.out.is_over:
            return
        self.out.left += self.reserve + self.spare
        self.reserve = self.spare = 0
        lines, missing = self.thinner.dump(self.out.left * 7 // 8)  # the last line of a block leaves some of it empty
        for number, n in missing:
            self.tell('d', number, n)
        self.tell('D')
        for data in lines:
            self.send(data)

    def test(self, name):
        self.refs.sweep()
        if self.hooks is not None:
            self.hooks.stop()
        self.dump()
        self.tell(*(('t',) if name is None else ('t', name)))

    def stop(self):
        self.dump()
        self.out.finish(b'\n["c"]\n')
        self.silence()

    def finish(self):
        self.dump()
        self.silence()

    def silence(self):
        """From here on nothing is recorded: the limit is reached, this is a forked child, or the interpreter ends."""
        self.out.is_over, self.out.write = True, drop
        self.probes[:] = [silenced(probe) for probe in self.probes]
