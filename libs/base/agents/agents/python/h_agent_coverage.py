"""PYTEST_DONT_REWRITE. Statement coverage by injection: each statement is preceded by `__h_t__[N] = __h_c__()`.

`__h_t__` holds the stamp of the last execution of statement N, `__h_c__` is a clock that only counts. A test ran the
statements stamped after the clock stood at its start, in the order of the stamps: exact, without any reset.
"""
import ast
import builtins
import gc
import itertools
import sys
import threading
from importlib.machinery import PathFinder, SourceFileLoader

LAST_LINES = 2000
CHUNK = 512
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_LOAD, _STORE = ast.Load(), ast.Store()
_INDEX = (lambda number: ast.Index(number)) if sys.version_info < (3, 9) else (lambda number: number)


class Coverage:
    """Stamps, the table of statements, and the sink that the statements of the current stretch are credited to."""

    def __init__(self, relative, skipped, is_test):
        self.stamps = []
        self.clock = itertools.count(1).__next__
        self.files = []  # [first number, path, first line per statement]
        self.executed = set()
        self.imported = set()
        self.sink = self.imported
        self.outer = []
        self.since = 0
        self.relative, self.skipped, self.is_test = relative, skipped, is_test
        self.main_thread = threading.get_ident()
        self.lock = threading.Lock()

    def install(self):
        builtins.__h_t__ = self.stamps
        builtins.__h_c__ = self.clock
        at = sys.meta_path.index(PathFinder) if PathFinder in sys.meta_path else len(sys.meta_path)
        sys.meta_path.insert(at, Finder(self))

    def allocate(self, path, lines):
        with self.lock:
            first = len(self.stamps)
            self.stamps.extend([0] * len(lines))
            self.files.append((first, path, lines))
        return first

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
        """`[{file, lines}]`, sorted by file, of statement numbers."""
        per_file = {}
        ordered = sorted(numbers)
        position, files = 0, self.files
        for first, path, lines in files:
            last = first + len(lines)
            begin = position
            while position < len(ordered) and ordered[position] < last:
                position += 1
            if position > begin:
                per_file.setdefault(path, set()).update([lines[number - first] for number in ordered[begin:position]])
        return [{'file': path, 'lines': ranges(per_file[path])} for path in sorted(per_file)]

    def last_lines(self, since, numbers):
        """Locations in the order of their last execution after `since`, most recent first."""
        stamps = self.stamps
        order = sorted([number for number in numbers if stamps[number] > since],
                       key=lambda number: (stamps[number], number), reverse=True)
        seen, found = set(), []
        for number in order:
            location = self.location(number)
            if location not in seen:
                seen.add(location)
                found.append(location)
                if len(found) == LAST_LINES:
                    break
        return found

    def location(self, number):
        low, high = 0, len(self.files)
        while high - low > 1:
            middle = (low + high) // 2
            if self.files[middle][0] <= number:
                low = middle
            else:
                high = middle
        first, path, lines = self.files[low]
        return '%s:%d' % (path, lines[number - first])


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
        return instrument(self.get_data(self.get_filename(fullname)), self.path, self._h_path, self._h_coverage)
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


def insert_probes(tree, lines, probes):
    """Puts probes into every statement list but those of class bodies. Iterative: deep `elif` chains must not recurse."""
    body = list(tree.body)
    start = 1 if body and is_docstring(body[0]) else 0
    while start < len(body) and isinstance(body[start], ast.ImportFrom) and body[start].module == '__future__':
        start += 1
    work = [(tree, 'body', False, start)]
    while work:
        node, field, in_class, start = work.pop()
        statements = getattr(node, field)
        if not in_class:
            setattr(node, field, probed(statements, start, lines, probes))
        if len(statements) > start:
            for statement in reversed(statements[start:]):
                descend(statement, in_class, work)


def descend(statement, in_class, work):
    if isinstance(statement, _FUNCTIONS):
        work.append((statement, 'body', False, 1 if is_docstring(statement.body[0]) else 0))
    elif isinstance(statement, ast.ClassDef):
        work.append((statement, 'body', True, 0))
    else:
        for field in ('finalbody', 'orelse', 'body'):
            if getattr(statement, field, None):
                work.append((statement, field, in_class, 1 if field == 'orelse' and restamped(statement, in_class) else 0))
        for holder in getattr(statement, 'handlers', None) or getattr(statement, 'cases', None) or ():
            work.append((holder, 'body', in_class, 0))


def restamped(statement, in_class):
    return not in_class and isinstance(statement, _LOOPS) and getattr(statement, '_h_restamped', False)


def probed(statements, start, lines, probes):
    found, previous, place = list(statements[:start]), None, None
    for statement in statements[start:]:
        number, here = len(lines), place_of(statement)
        lines.append(here[0])
        if previous is None:
            previous, place = make_probe(number, here, probes), here
            found.append(previous)
        else:  # the statement before can neither fail nor run code: its probe speaks for this one too
            previous.targets.append(make_target(number, place, probes))
        found.append(statement)
        if isinstance(statement, _LOOPS) and not is_endless(statement):
            # the header runs once more when the loop is exhausted: its stamp must then be later than the body's
            statement.orelse.insert(0, make_probe(number, here, probes))
            statement._h_restamped = True
        if not is_inert(statement):
            previous = None
    return found


def place_of(statement):
    decorators = getattr(statement, 'decorator_list', None)
    first = decorators[0] if decorators and decorators[0].lineno < statement.lineno else statement
    return first.lineno, first.col_offset


def make_probe(number, place, probes):
    clock = make(ast.Name, place, {'id': '__h_c__', 'ctx': _LOAD})
    call = make(ast.Call, place, {'func': clock, 'args': [], 'keywords': []})
    return make(ast.Assign, place, {'targets': [make_target(number, place, probes)], 'value': call, 'type_comment': None})


def make_target(number, place, probes):
    constant = make(ast.Constant, place, {'value': number, 'kind': None})
    probes.append(constant)
    table = make(ast.Name, place, {'id': '__h_t__', 'ctx': _LOAD})
    return make(ast.Subscript, place, {'value': table, 'slice': _INDEX(constant), 'ctx': _STORE})


def make(kind, place, fields, _new=ast.AST.__new__):
    """A node, made five times faster than by its constructor."""
    fields['lineno'] = fields['end_lineno'] = place[0]
    fields['col_offset'] = fields['end_col_offset'] = place[1]
    node = _new(kind)
    node.__dict__ = fields
    return node


def is_docstring(statement):
    return (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            and isinstance(statement.value.value, str))


def is_endless(loop):
    return isinstance(loop, ast.While) and isinstance(loop.test, ast.Constant) and bool(loop.test.value)


def is_inert(statement):
    """Can neither raise nor run any code: `pass`, `global`, a name bound to a constant."""
    if isinstance(statement, (ast.Pass, ast.Global, ast.Nonlocal)):
        return True
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    return (isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant)
            and all(isinstance(target, ast.Name) for target in statement.targets))
