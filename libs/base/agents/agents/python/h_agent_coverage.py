"""PYTEST_DONT_REWRITE. Statement coverage: what the probes of `h_agent_probes` stamp, and the loader that puts them in.

`__h_t__` holds the stamp of the last execution of statement N, `__h_c__` is a clock that only counts. A test ran the
statements stamped after the clock stood at its start, in the order of the stamps: exact, without any reset.
"""
import ast
import gc
import itertools
import os
import sys
import threading
from importlib.machinery import PathFinder, SourceFileLoader

from h_agent_events import plant
from h_agent_page import write_to
from h_agent_probes import SPECIALISES, insert_probes

LAST_LINES = 2000
CHUNK = 512
KEPT = 5000
_key = object.__hash__  # the identity of a code object: each `id()` would be an audit event

_ASIDE = 'what it executes is not seen where it is run by `exec`, or by another loader than Python\'s own'


class Coverage:
    """Stamps, the table of statements, and the sink that the statements of the current stretch are credited to."""

    def __init__(self, relative, skipped, is_test):
        self.stamps = []
        self.counter = itertools.count(1)
        self.clock = self.counter.__next__
        self.ranges = {}  # by first number: path, first line per statement
        self.files = []  # the same, ascending
        self.executed = set()
        self.imported = set()
        self.sink = self.imported
        self.idle = None  # the sink of what belongs to no test
        self.outer = []
        self.since = 0
        self.relative, self.skipped, self.is_test = relative, skipped, is_test
        self.main_thread = threading.get_ident()
        self.test_files = set()  # found to hold tests; a module whose doctests are run is a program all the same
        self.attempted = None  # told the name of each module that is looked for
        self.is_lost = False  # what ran is not known any more
        self.handlers = {}  # audit events that it wants to hear of
        self.made, self.aside, self.note = {}, {}, None  # code that it made, by identity; files whose code came otherwise, whether it is told
        self.last, self.told = 0, {}  # last: where a range begins or all of them end
        self.page, self.plant = None, plant  # page: in a child process, see `h_agent_children`

    def install(self):
        clock, counter = (next, self.counter) if SPECIALISES else (self.clock, None)
        plant({'__h_t__': self.stamps, '__h_c__': clock, '__h_n__': counter})
        at = sys.meta_path.index(PathFinder) if PathFinder in sys.meta_path else len(sys.meta_path)
        sys.meta_path.insert(at, Finder(self))

    @property
    def total(self):
        last = self.last
        while last in self.ranges:
            last += len(self.ranges[last][1])
        self.last = last
        return last

    def number(self, path, lines):
        """The first number of the statements of a file. Without a lock, since a signal handler may load one in the middle of it."""
        first, own = self.total, (path, lines)
        while lines:
            there = self.ranges.setdefault(first, own)
            if there is own:
                break
            first += len(there[1])
        if self.page is not None:
            self.page.write('file', first, path, lines)
        return first

    def allocate(self, path, lines):
        """The same, with a stamp for each."""
        first = self.number(path, lines)
        if self.page is not None:
            if first + len(lines) > self.page.limit:
                raise RuntimeError('there is no room for its statements')
            return first
        self.stamps.extend([0] * (first + len(lines) - len(self.stamps)))  # too many, if another comes between
        return first

    def become_child(self, page):
        """This process is a child of the one that tells."""
        write_to(self, page)

    def instrument(self, data, filename, path):
        code = instrument(data, filename, path, self)
        self.made[_key(code)] = code
        return code

    def look_at(self, code, path):
        """The body of a file is about to run: says once, when it is known which files hold tests, that it is not from here."""
        name = path.rpartition('/')[2]
        if _key(code) in self.made or path in self.aside or self.page is not None or self.is_test(path):
            return
        if name.endswith('.py') or '.' not in name:
            self.aside[path] = False
            if self.idle is not None:
                self.tell_aside()

    def tell_aside(self):
        for path, is_told in sorted(self.aside.items()):
            if not is_told and path not in self.test_files:
                self.skipped(path, _ASIDE)
            self.aside[path] = True

    def scan(self, since):
        """Numbers of the statements stamped after `since`, ascending."""
        stamps, found = self.stamps, []
        for start in range(0, len(stamps), CHUNK):
            part = stamps[start:start + CHUNK]
            if max(part) > since:
                found.extend([start + index for index, stamp in enumerate(part) if stamp > since])
        return found

    def flush(self):
        """Credits what ran since the last flush to the current sink."""
        now = self.clock()
        if self.sink is not self.idle:
            self.sink.update(self.scan(self.since))
        self.since = now

    def enter(self, sink):
        """From here on statements are credited to `sink`, until the matching `leave`."""
        if sink is not self.sink:
            self.flush()
        self.outer.append(self.sink)
        self.sink = sink

    def leave(self):
        sink = self.outer.pop()
        if sink is not self.sink:
            self.flush()
        self.sink = sink

    def in_main_thread(self):
        return threading.get_ident() == self.main_thread

    def lines(self, numbers):
        """`[{file, lines}]`, sorted by file, of statement numbers; without test files."""
        key = frozenset(numbers)
        told = self.told.get(key)
        if told is None or told[0] != len(self.test_files):
            if len(self.told) > KEPT:
                self.told.clear()
            told = self.told[key] = len(self.test_files), self.describe(key)
        return told[1]

    def describe(self, numbers):
        per_file, at, last = {}, None, 0
        for number in sorted(numbers):
            if number < 0:  # `h_agent_dependencies`
                continue
            if number >= last:
                first, path, lines = at = self.file_of(number)
                last = first + len(lines)
            if at[1] not in self.test_files:
                per_file.setdefault(at[1], set()).add(at[2][number - at[0]])
        return [{'file': path, 'lines': ranges(per_file[path])} for path in sorted(per_file)]

    def last_lines(self, since, numbers):
        """Locations in the order of their last execution after `since`, most recent first; without test files."""
        stamps = self.stamps
        order = sorted([number for number in list(numbers) if number >= 0 and stamps[number] > since],
                       key=lambda number: (stamps[number], number), reverse=True)
        seen, found = set(), []
        for number in order:
            location = self.location(number)
            if location not in seen and location.rpartition(':')[0] not in self.test_files:
                seen.add(location)
                found.append(location)
                if len(found) == LAST_LINES:
                    break
        return found

    def location(self, number):
        first, path, lines = self.file_of(number)
        return '%s:%d' % (path, lines[number - first])

    def file_of(self, number):
        if len(self.files) != len(self.ranges):
            self.files = sorted([(first, path, lines) for first, (path, lines) in list(self.ranges.items())])
        low, high = 0, len(self.files)
        while high - low > 1:
            middle = (low + high) // 2
            if self.files[middle][0] <= number:
                low = middle
            else:
                high = middle
        return self.files[low]


def create_judge(root):
    """A function: whether a path in the repository is test code, by its name, or as a helper in a folder of tests."""
    folders = {}

    def is_named(name):
        return name.endswith('.py') and (name.startswith('test_') or name.endswith('_test.py')
                                         or name in ('conftest.py', 'tests.py', 'test.py'))

    def holds_tests(folder):
        if folder not in folders:
            names = [name for _, _, found in os.walk(os.path.join(root, folder)) for name in found]
            folders[folder] = any(is_named(name) for name in names)
        return folders[folder]

    def is_test(path):
        parts = path.split('/')
        if is_named(parts[-1]):
            return True
        for index, part in enumerate(parts[:-1]):
            if part in ('test', 'tests') and holds_tests('/'.join(parts[:index + 1])):
                return True
        return False

    return is_test


def ranges(lines):
    """`[1, 2, 3, 7]` -> `"1-3,7"`."""
    parts, start, end = [], None, None
    for line in sorted(lines):
        if end is not None and line == end + 1:
            end = line
            continue
        if start is not None:
            parts.append('%d' % start if start == end else '%d-%d' % (start, end))
        start = end = line
    if start is not None:
        parts.append('%d' % start if start == end else '%d-%d' % (start, end))
    return ','.join(parts)


class Finder:
    """Stands right before PathFinder, gives what it would give, and swaps the loader of the repository's own sources."""

    def __init__(self, coverage):
        self.coverage = coverage

    def find_spec(self, fullname, path=None, target=None):
        if self.coverage.attempted is not None:
            self.coverage.attempted(fullname)
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            inside = self.coverage.relative(spec.loader.path)
            if inside is not None and not self.coverage.is_test(inside):
                loader = Loader(spec.loader.name, spec.loader.path)
                loader._h_coverage, loader._h_path = self.coverage, inside
                spec.loader = loader
        return spec

    def invalidate_caches(self):
        """PathFinder, the next in line, does it."""


class Loader(SourceFileLoader):
    """Loads a source with a probe before each statement. It neither reads nor writes a .pyc."""


# The frames of these functions carry importlib's own file name: tracebacks and `warnings` then leave them out, as they
# do for the loader that this one stands for.
_METHODS = '''
def get_code(self, fullname):
    code = probed_code(self, fullname)
    return plain_get_code(self, fullname) if code is None else code

def exec_module(self, module):
    coverage = self._h_coverage
    if self._h_path in coverage.executed or not coverage.in_main_thread():
        return plain_exec_module(self, module)
    coverage.executed.add(self._h_path)
    coverage.enter(coverage.imported)
    try:
        plain_exec_module(self, module)
    finally:
        coverage.leave()
'''


def _probed_code(self, fullname):
    """The code with probes, or None where the ordinary loader has to decide what is wrong."""
    try:
        return self._h_coverage.instrument(self.get_data(self.get_filename(fullname)), self.path, self._h_path)
    except Exception as problem:
        self._h_coverage.skipped(self._h_path, '%s: %s' % (type(problem).__name__, str(problem)[:200]))
        return None


_scope = {'probed_code': _probed_code, 'plain_get_code': SourceFileLoader.get_code,
          'plain_exec_module': SourceFileLoader.exec_module}
exec(compile(_METHODS, '<frozen importlib._bootstrap_external>', 'exec'), _scope)
Loader.get_code, Loader.exec_module = _scope['get_code'], _scope['exec_module']


def instrument(data, filename, path, coverage):
    collecting = gc.isenabled()
    gc.disable()  # a syntax tree is a great many objects and no garbage: collecting would triple the time
    try:
        tree = compile(data, filename, 'exec', ast.PyCF_ONLY_AST, dont_inherit=True)
        lines, probes = [], []
        insert_probes(tree, lines, probes)
        first = coverage.allocate(path, lines)
        for constant in probes:
            constant.value += first
        return compile(tree, filename, 'exec', dont_inherit=True)
    finally:
        if collecting:
            gc.enable()
