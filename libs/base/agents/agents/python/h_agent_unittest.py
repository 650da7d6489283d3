"""Discovers and runs tests as `python -m unittest discover` does, and reports each as it starts and ends."""
import contextlib
import os
import sys
import types
import unittest
import weakref

import h_agent_events as events
import h_agent_failure as failures
import h_agent_watch

PLAN = events.read_plan()
if PLAN.get('coverage'):
    import h_agent_children
    import h_agent_dependencies
    import h_agent_monitor
    import h_agent_reporting
if events.has_probe_table():
    import h_agent_observe
events.hide_agent()
sys.path.insert(0, PLAN['cwd_path'])
events.put_sources_first(PLAN)
RELATIVE = events.relative_path(PLAN)
# a recording of values is of one process
WATCH = (h_agent_watch.Watch() if events.has_probe_table() else
         h_agent_watch.start(PLAN, lambda watch: events.create_writer(PLAN, watch.held)))
EMIT = events.create_writer(PLAN, WATCH.held, WATCH.keep)
DESCRIBE = failures.create_describer(PLAN['root_path'], RELATIVE)
FAILED = ('failed', 'error', 'timeout')
_NONE, _KEPT = frozenset(), 2000
_key = object.__hash__  # the identity of a test: each `id()` would be an audit event
_PLAIN_SUITE, _PLAIN_TEST = unittest.TestSuite.run, (unittest.TestCase.run, unittest.TestCase.__call__)


class Run:
    """State of the run: the tests by identity, the one that runs, and the lines that fixtures share. A test that has run is not kept alive."""

    def __init__(self):
        self.names = {}  # _key(test) -> Entry
        self.by_class, self.by_module = {}, {}  # of entries
        self.ended, self.told = set(), set()  # by identity, by name
        self.current, self.last = None, None
        self.interrupt = None  # the one that has been told
        self.shared = {}
        self.imports_told = set()
        self.coverage, self.dependencies, self.probes, self.children = None, None, None, None
        self.is_plain = True  # suites run their tests as unittest does, with nothing between them
        self.worded = {}  # what tests say of what they executed and read, as JSON
        self.reporting = contextlib.nullcontext()


RUN = Run()


class Entry:
    """A test that was found, without itself: unittest drops each that has run, and another may then have its identity."""
    __slots__ = ('key', 'name', 'file', 'kind', 'ref')

    def __init__(self, key, name, file, kind, test=None):
        self.key, self.name, self.file, self.kind = key, name, file, kind
        try:
            self.ref = None if test is None else weakref.ref(test)
        except TypeError:  # of a class of its own, with slots
            self.ref = None

    def is_of(self, test):
        return self.key not in RUN.ended if self.ref is None else self.ref() is test


def entry_of(test):
    entry = RUN.names.get(_key(test))
    return entry if entry is not None and entry.is_of(test) else None


class Test:
    def __init__(self, entry):
        self.entry, self.key, self.name, self.file, self.kind = entry, entry.key, entry.name, entry.file, entry.kind
        self.began = events.clock()
        self.outcome, self.failure, self.last_lines = None, None, None
        self.hits, self.told, self.since = set(), set(), 0  # told: what ran only to word its failure
        self.parts = []

    def part(self, subtest, outcome, err):
        message, params = getattr(subtest, '_message', None), getattr(subtest, 'params', None) or {}
        self.parts.append(failures.describe_part(message if isinstance(message, str) else None, dict(params), outcome,
                                                 None if err is None else DESCRIBE(*err)))

    def fail(self, outcome, err):
        if self.outcome not in FAILED:
            self.outcome = outcome
        if self.failure is None:
            self.failure = DESCRIBE(*err)
            coverage = RUN.coverage
            if coverage is not None and self.since:
                coverage.flush()
                self.last_lines = coverage.last_lines(self.since, self.hits)


class Result(unittest.TextTestResult):
    """The text result of `python -m unittest`, which tells H too."""

    def startTest(self, test):
        super().startTest(test)
        entry = entry_of(test) or Entry(_key(test), *name_of(test), type(test))
        current, name, file = Test(entry), entry.name, entry.file
        RUN.current = current
        EMIT('test-start', test=name, file=file)
        WATCH.about(h_agent_watch.TEST, name)
        if RUN.probes is not None:
            RUN.probes.test(name)
        if RUN.coverage is not None:
            if RUN.coverage.page is not None:
                RUN.children.silence()
            RUN.coverage.enter(current.hits)
            RUN.reporting.lines = current.told
            current.since = RUN.coverage.clock()

    def stopTest(self, test):
        current = RUN.current
        if current is not None:
            if RUN.coverage is not None:
                RUN.coverage.leave()
                if RUN.children.pages:
                    RUN.children.collect(current.hits)
            if RUN.probes is not None:
                RUN.probes.test(None)
            kind, error, trace = sys.exc_info()
            if kind is not None and current.outcome is None:  # an interrupt: unittest ends here, without a word to its result
                current.fail('error', (kind, error, trace))
            tell(current)
            WATCH.about()
            RUN.current, RUN.last = None, current
        super().stopTest(test)

    def note(self, test, outcome, err=None):
        current = RUN.current
        if current is None or current.key != _key(test):
            return False
        if err is not None:
            current.fail(outcome, err)
        elif current.outcome is None:
            current.outcome = outcome
        return True

    def addSuccess(self, test):
        super().addSuccess(test)
        self.note(test, 'passed')

    def addFailure(self, test, err):
        with RUN.reporting:
            self.note(test, 'failed', err) or self.fixture(test, 'failed', err)
            super().addFailure(test, err)

    def addError(self, test, err):
        with RUN.reporting:
            self.note(test, 'error', err) or self.fixture(test, 'error', err)
            super().addError(test, err)

    def addSkip(self, test, reason):
        current = RUN.current
        if current is not None and current.key == _key(getattr(test, 'test_case', None)):
            current.part(test, 'skipped', None)  # a sub-test: the test goes on
        else:
            self.note(test, 'skipped') or self.fixture(test, 'skipped', None)
        super().addSkip(test, reason)

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.note(test, 'xfailed')

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.note(test, 'xpassed')

    def addSubTest(self, test, subtest, err):
        current, outcome = RUN.current, 'passed'
        if err is not None:
            outcome = 'failed' if issubclass(err[0], test.failureException) else 'error'
            with RUN.reporting:
                self.note(test, outcome, err)
                if current is not None and current.key == _key(test):
                    current.part(subtest, outcome, err)
                return super().addSubTest(test, subtest, err)
        super().addSubTest(test, subtest, err)
        if current is not None and current.key == _key(test):
            current.part(subtest, outcome, None)

    def fixture(self, holder, outcome, err):
        """A class or module fixture spoke: each of its tests that has not run has this outcome; else the last test has."""
        if RUN.coverage is not None:
            RUN.coverage.flush()
        kind, _, where = getattr(holder, 'description', '').partition(' (')
        where = where.rstrip(')')
        entry, last = entry_of(holder), RUN.last
        if entry is not None:  # CPython 3.12.1 skips a test without starting it
            tests = [last if last is not None and last.entry is entry else Test(entry)]
        elif kind in ('setUpClass', 'setUpModule'):
            due = (RUN.by_class if kind == 'setUpClass' else RUN.by_module).get(where, ())
            tests = [Test(entry) for entry in due if entry.key not in RUN.ended]
        else:
            tests = [] if last is None or outcome == 'skipped' else [last]
            if tests and RUN.coverage is not None and RUN.dependencies.late:
                RUN.children.collect(RUN.dependencies.late)
                last.hits |= RUN.dependencies.late
        for current in tests:
            if err is None:
                current.outcome = outcome
            else:
                current.fail(outcome, err)
            tell(current)
        if not tests and err is not None:
            EMIT('collection-error', failure=DESCRIBE(*err))


class Loader(unittest.TestLoader):
    """Says which file it is about to load, and passes over those that ended a process while being loaded."""

    def _match_path(self, path, full_path, pattern):
        file = RELATIVE(full_path)
        if not super()._match_path(path, full_path, pattern) or file in WATCH.broken:
            return False
        WATCH.about(h_agent_watch.FILE, file or full_path)
        return True


class Suite(unittest.TestSuite):
    """Class and module fixtures are credited to every test of the class or module, not to the first."""

    def _tearDownPreviousClass(self, test, result):
        if getattr(result, '_previousTestClass', None) is type(test):
            return super()._tearDownPreviousClass(test, result)  # which sees that there is nothing to do
        EMIT.settle()
        with late(), telling_interrupts(result, 'tearDownClass'):
            super()._tearDownPreviousClass(test, result)

    def _handleModuleTearDown(self, result):
        EMIT.settle()
        with late(), telling_interrupts(result, 'tearDownModule'):
            super()._handleModuleTearDown(result)

    def _handleModuleFixture(self, test, result):
        previous = getattr(result, '_previousTestClass', None)
        if previous is not None and previous.__module__ == type(test).__module__:
            return super()._handleModuleFixture(test, result)  # which sees that there is nothing to do
        with telling_interrupts(result, 'setUpModule', type(test).__module__):
            with_shared(test, type(test).__module__, lambda: super(Suite, self)._handleModuleFixture(test, result))

    def _handleClassSetUp(self, test, result):
        if getattr(result, '_previousTestClass', None) is type(test):
            return super()._handleClassSetUp(test, result)
        with telling_interrupts(result, 'setUpClass', '%s.%s' % (type(test).__module__, type(test).__qualname__)):
            with_shared(test, type(test), lambda: super(Suite, self)._handleClassSetUp(test, result))


@contextlib.contextmanager
def telling_interrupts(result, fixture, where=''):
    """An interrupt goes through unittest, and ends it: what the fixture is for has the outcome that any other exception gives it."""
    try:
        yield
    except BaseException as error:
        if RUN.interrupt is not error:
            RUN.interrupt = error
            with RUN.reporting:
                result.fixture(types.SimpleNamespace(description='%s (%s)' % (fixture, where)), 'error', sys.exc_info())
        raise


@contextlib.contextmanager
def late():
    """What runs here is of the test that is told with its failure, if it fails."""
    coverage, dependencies = RUN.coverage, RUN.dependencies
    if coverage is None:
        yield
        return
    lines = dependencies.late = set()
    coverage.enter(lines)
    try:
        yield
    finally:
        coverage.leave()
        dependencies.late = None


def with_shared(test, key, action):
    """What happens here is the next test's, as far as it can end the process."""
    EMIT.settle()
    WATCH.about(h_agent_watch.TEST, getattr(entry_of(test), 'name', ''))
    coverage = RUN.coverage
    if coverage is not None:
        coverage.enter(RUN.shared.setdefault(key, set()))
    try:
        action()
    finally:
        if coverage is not None:
            coverage.leave()
            RUN.children.collect(RUN.shared[key])
        WATCH.about()


def tell_limit(kind, name, frame):
    """The limit is reached: what was running, and where."""
    failure = failures.describe_timeout(h_agent_watch.limit_of(PLAN), frame, RELATIVE)
    if kind == h_agent_watch.FILE:
        return EMIT('collection-error', file=name, failure=failure)
    entry = next((one for tests in RUN.by_module.values() for one in tests if one.name == name), None)
    current = RUN.current
    if current is None or current.name != name:
        if entry is None:
            return
        current = Test(entry)
    elif RUN.coverage is not None:
        RUN.coverage.flush()
        current.last_lines = RUN.coverage.last_lines(current.since, current.hits)
    current.outcome, current.failure = 'timeout', failure
    tell(current)


def tell(current):
    RUN.ended.add(current.key)
    RUN.told.add(current.name)
    outcome = current.outcome or 'passed'
    fields = {'test': current.name, 'file': current.file, 'outcome': outcome,
              'duration_ms': events.milliseconds(current.began)}
    if current.failure is not None and outcome in FAILED:
        fields['failure'] = current.failure
    if current.parts:
        fields['subtests'] = current.parts
    if outcome in FAILED and current.last_lines is not None:
        fields['last_lines'] = current.last_lines
    kind = current.kind
    is_plain = RUN.is_plain and (getattr(kind, 'run', None), getattr(kind, '__call__', None)) == _PLAIN_TEST
    emit = EMIT.wait if is_plain else EMIT  # what comes in between would be taken for the test's, should all processes be ended by then
    emit('test-end', '' if RUN.coverage is None else word_hits(current), **fields)


def word_hits(current):
    """Most tests of a class execute what another one does."""
    coverage, worded = RUN.coverage, RUN.worded
    kind = current.kind
    hits = _NONE.union(current.hits, RUN.shared.get(kind, ()), RUN.shared.get(kind.__module__, ()))
    key = hits, _NONE.union(current.told), len(coverage.test_files), coverage.is_lost
    text = worded.get(key)
    if text is None:
        said = {'reads': RUN.dependencies.of(hits | current.told)}
        if not coverage.is_lost:
            said['coverage'] = coverage.describe(hits)
        if len(worded) > _KEPT:
            worded.clear()
        text = worded[key] = EMIT.encode(said)[1:-1]
    return text


def file_of_module(name):
    module = sys.modules.get(name)
    path = getattr(module, '__file__', None)
    return (isinstance(path, str) and RELATIVE(path)) or None


def name_of(test):
    """`file::Class::method`; for a test that is no method, the file and its own id."""
    kind = type(test)
    if kind.__module__ == 'unittest.loader':  # a module that skipped itself while it was imported
        name = test.id().rpartition('.')[2] if kind.__name__ != 'ModuleSkipped' else test._testMethodName
        file = PLAN.setdefault('module_files', {}).get(name) or name.replace('.', '/') + '.py'
        return '%s::%s' % (file, kind.__name__), file
    holder = getattr(test, '_testFunc', None) or getattr(test, '_dt_test', None)
    if holder is not None:
        path = getattr(getattr(holder, '__code__', None), 'co_filename', None) or getattr(holder, 'filename', None)
        file = RELATIVE(path) or 'unknown'
        return '%s::%s' % (file, test.id()), file
    file = file_of_module(kind.__module__) or kind.__module__.replace('.', '/') + '.py'
    return '%s::%s::%s' % (file, kind.__qualname__, getattr(test, '_testMethodName', test.id())), file


def flatten(suite):
    """Tests in the order they will run. Iterative, for suites nested by `load_tests`."""
    work, found = [iter((suite,))], []
    while work:
        item = next(work[-1], None)
        if item is None:
            work.pop()
        elif isinstance(item, unittest.BaseTestSuite):
            RUN.is_plain = RUN.is_plain and type(item).run is _PLAIN_SUITE
            work.append(iter(item))
        else:
            found.append(item)
    return found


def discover():
    """The tests of every start folder, and the modules that could not be loaded."""
    found, pattern = [], PLAN.get('pattern') or 'test*.py'
    for start in PLAN.get('start_dirs') or ['.']:
        loader = Loader()
        loader.suiteClass = Suite
        folder = os.path.normpath(os.path.join(PLAN['cwd_path'], start))
        try:
            suite = loader.discover(folder, pattern, None)
        except Exception as error:
            EMIT('collection-error', file=RELATIVE(os.path.join(folder, '_'))[:-2] or None,
                 failure=DESCRIBE(type(error), error, error.__traceback__))
            continue
        found.append((suite, folder))
    WATCH.about()
    return found


def register(suites):
    """Names the tests in order, the second of a name ` #2`, and reports modules that failed to load."""
    seen, named = {}, []
    for suite, folder in suites:
        for test in flatten(suite):
            if is_failed(test):
                report_unloaded(test, folder)
                continue
            name, file = name_of(test)
            seen[name] = seen.get(name, 0) + 1
            if seen[name] > 1:
                name = '%s #%d' % (name, seen[name])
            if RUN.coverage is not None and not hasattr(test, '_dt_test'):
                RUN.coverage.test_files.add(file)
            kind = type(test)
            entry = RUN.names[_key(test)] = Entry(_key(test), name, file, kind, test)
            RUN.by_class.setdefault('%s.%s' % (kind.__module__, kind.__qualname__), []).append(entry)
            RUN.by_module.setdefault(kind.__module__, []).append(entry)
            named.append((name, file, test))
    return named


def is_failed(test):
    return type(test).__name__ == '_FailedTest' and type(test).__module__ == 'unittest.loader'


def prune(suite, kept):
    """Leaves the kept tests in the suite, whose own structure and class stay as `load_tests` made them."""
    tests = getattr(suite, '_tests', None)
    if isinstance(tests, list):
        for test in tests:
            if isinstance(test, unittest.BaseTestSuite):
                prune(test, kept)
        tests[:] = [test for test in tests if isinstance(test, unittest.BaseTestSuite) or _key(test) in kept]


def report_unloaded(test, folder):
    name, error = test._testMethodName, test._exception
    path = os.path.join(folder, *name.split('.'))
    for candidate in (path + '.py', os.path.join(path, '__init__.py')):
        if os.path.isfile(candidate):
            break
    cause = error.__cause__ or error.__context__ or error
    failure = DESCRIBE(type(cause), cause, cause.__traceback__)
    if cause is error and isinstance(error, ImportError) and 'Traceback' in failure['message']:
        last = failure['message'].strip().splitlines()[-1]
        failure['class'], _, failure['message'] = last.partition(': ')
    EMIT('collection-error', file=RELATIVE(candidate), failure=failure)


def emit_imports():
    coverage = RUN.coverage
    if coverage is not None:
        coverage.flush()
        RUN.children.collect(coverage.imported)
        fresh = coverage.imported - RUN.imports_told
        RUN.imports_told |= fresh
        files = coverage.lines(fresh)
        if files:
            EMIT('import-coverage', files=files)


def start_coverage():
    RUN.coverage = h_agent_monitor.create_coverage(PLAN, RELATIVE, EMIT, WATCH)
    RUN.dependencies = h_agent_dependencies.Dependencies(RUN.coverage, RELATIVE, PLAN)
    RUN.dependencies.phase = 'collect'
    RUN.children = h_agent_children.Children(RUN.coverage, RUN.dependencies, PLAN)
    RUN.children.install()
    RUN.dependencies.install(EMIT)
    RUN.reporting = h_agent_reporting.Reporting(RUN.coverage)


def main():
    events.emit_start(EMIT, PLAN, 'unittest', '%d.%d.%d' % sys.version_info[:3])
    sys.argv = ['python -m unittest']
    if PLAN.get('coverage'):
        start_coverage()
    if events.has_probe_table() and PLAN.get('mode') != 'list':
        RUN.probes = h_agent_observe.start(PLAN, RELATIVE, lambda message: EMIT('note', message=message))
    WATCH.on_limit(tell_limit)
    suites = discover()
    named = register(suites)
    wanted = None if PLAN.get('tests') is None else set(PLAN['tests'])
    named = [entry for entry in named if (wanted is None or entry[0] in wanted) and entry[0] not in WATCH.done]
    if RUN.coverage is not None and PLAN.get('mode') != 'list':
        h_agent_monitor.starts_anew(RUN.coverage, RUN.dependencies, WATCH, EMIT)
    EMIT('collected', tests=[{'test': name, 'file': file} for name, file, _ in named])
    emit_imports()
    if PLAN.get('mode') == 'list':
        EMIT('run-end')
        return 0
    suite = Suite([found for found, _ in suites])
    prune(suite, {_key(test) for _, _, test in named})
    due = {entry[0] for entry in named}
    del suites, named
    if RUN.coverage is not None:
        RUN.coverage.sink = RUN.coverage.idle = RUN.dependencies.idle = set()  # from here on, what runs outside a test and its fixtures is nobody's
        RUN.coverage.tell_aside()
        RUN.reporting.install()
    default = None if sys.warnoptions else 'default'
    runner = unittest.TextTestRunner(resultclass=Result, warnings=default)
    result = runner.run(suite)
    left = len(due - RUN.told)
    if left:
        EMIT('note', message='unittest ended before %d of its tests had run.' % left)
    emit_imports()
    if RUN.dependencies is not None:
        RUN.dependencies.tell(EMIT)
    EMIT('run-end')
    return 0 if result.wasSuccessful() else 1


if __name__ == '__main__':
    sys.modules['h_agent_unittest'] = sys.modules['__main__']
    fresh = types.ModuleType('__main__')  # the target must not find the agent's globals in __main__
    fresh.__builtins__ = __builtins__
    sys.modules['__main__'] = fresh
    sys.exit(main())
