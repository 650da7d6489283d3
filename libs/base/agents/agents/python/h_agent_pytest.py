"""PYTEST_DONT_REWRITE. pytest plugin (6 to 9): reports each test as it starts and ends, with failure and coverage."""
import sys

import pytest

import h_agent_events as events
import h_agent_failure as failures
import h_agent_watch

_plan = events.read_plan()
if _plan.get('coverage'):
    import h_agent_children
    import h_agent_dependencies
    import h_agent_monitor
    import h_agent_reporting
events.hide_agent()
events.put_sources_first(_plan)
_relative = events.relative_path(_plan)
# a recording of values is of one process
_watch = (h_agent_watch.Watch() if events.has_probe_table() else
          h_agent_watch.start(_plan, lambda watch: events.create_writer(_plan, watch.held)))
_emit = events.create_writer(_plan, _watch.held)
_describe = failures.create_describer(_plan['root_path'], _relative)
_coverage = None
_FAILED = {'failed', 'error', 'timeout'}

if _plan.get('coverage'):
    _coverage = h_agent_monitor.create_coverage(_plan, _relative, _emit, _watch)
    _dependencies = h_agent_dependencies.Dependencies(_coverage, _relative, _plan)
    _children = h_agent_children.Children(_coverage, _dependencies, _plan)
    _children.install()
    _dependencies.install(_emit)
    _reporting = h_agent_reporting.Reporting(_coverage)

_probes = None
if events.has_probe_table() and _plan.get('mode') != 'list':
    sys.path.insert(0, events.HERE)
    import h_agent_observe
    import h_agent_rewrite

    sys.path.remove(events.HERE)
    _probes = h_agent_observe.start(_plan, _relative, lambda message: _emit('note', message=message))
    if _probes is not None:
        h_agent_rewrite.install(_probes)

_wanted = None if _plan.get('tests') is None else set(_plan['tests'])
_wanted_files = None if _wanted is None else {test.split('::', 1)[0] for test in _wanted}
_state = {'test': None, 'imports_told': set(), 'ended': 0, 'file': None, 'why': None, 'is_running': False}
_shared = {}
_collect_errors = {}


class Test:
    """What is known of the test that runs now."""

    def __init__(self, nodeid, file):
        self.nodeid, self.file = nodeid, file
        self.began = events.clock()
        self.outcome, self.failure, self.last_lines = None, None, None
        self.flaky = False
        self.compared, self.raised = None, None
        self.parts = []
        self.hits, self.told = set(), set()  # told: what ran only to word its failure
        self.since = 0
        self.late = []  # what teardowns of shared fixtures ran in this phase


def _file_of(item):
    path = getattr(item, 'path', None) or getattr(item, 'fspath', None)
    return (path and _relative(str(path))) or item.nodeid.split('::', 1)[0]


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    options = early_config.known_args_namespace
    if hasattr(options, 'no_cov'):  # pytest-cov would trace every line a second time
        options.no_cov = True


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    option = config.option
    if hasattr(option, 'numprocesses'):  # xdist: one process, so that order and coverage are this process's
        option.numprocesses, option.dist, option.tx = None, 'no', []
    option.maxfail = 0
    if _plan.get('is_candidate'):
        option.tbstyle = 'line'  # nobody reads how it is shown
    events.emit_start(_emit, _plan, 'pytest', pytest.__version__)
    if getattr(option, 'randomly_seed', None) == 'default':
        option.randomly_seed = 0
        _emit('note', message='pytest-randomly is active: its seed was fixed at 0')


def _ignored(path):
    """A test file that holds no wanted test need not be imported."""
    if not path.endswith('.py'):
        return None
    if _watch.broken and _relative(path) in _watch.broken:
        return True
    if _wanted_files is None:
        return None
    name = path.replace('\\', '/').rpartition('/')[2]
    if name in ('__init__.py', 'conftest.py'):
        return None
    return None if _node_file(path) in _wanted_files else True


def _node_file(path):
    base = _state['rootdir']
    return path[len(base):].replace('\\', '/').lstrip('/') if path.startswith(base) else path


if int(pytest.__version__.split('.')[0]) >= 7:
    def pytest_ignore_collect(collection_path):
        return _ignored(str(collection_path))
else:
    def pytest_ignore_collect(path):
        return _ignored(str(path))


def pytest_configure(config):
    _state['rootdir'] = str(getattr(config, 'rootpath', None) or config.rootdir)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    if _wanted is None and not _watch.done:
        return
    kept, dropped = [], []
    for item in items:
        is_due = (_wanted is None or item.nodeid in _wanted) and item.nodeid not in _watch.done
        (kept if is_due else dropped).append(item)
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = kept


def pytest_collection():
    if _coverage is not None:
        _dependencies.phase = 'collect'


def pytest_collectstart(collector):
    if isinstance(collector, pytest.Module):
        _state['file'] = _relative(str(collector.fspath)) or collector.nodeid
        _watch.about(h_agent_watch.FILE, _state['file'])


def pytest_exception_interact(node, call, report):
    if type(report).__name__ == 'CollectReport' and call.excinfo is not None:
        error = call.excinfo.value
        if isinstance(error, node.CollectError) and error.__cause__ is not None:
            error = error.__cause__  # pytest wraps what the import of a test module raised
        _collect_errors[node.nodeid] = _describe(type(error), error, error.__traceback__)


def pytest_collectreport(report):
    _watch.about()
    if not report.failed:
        return
    failure = _collect_errors.pop(report.nodeid, None) or {
        'class': 'CollectError', 'message': failures.bounded(str(report.longrepr)), 'frames': []}
    file = report.nodeid.split('::', 1)[0]
    _emit('collection-error', file=_relative(events.os.path.join(_state['rootdir'], file)) or file, failure=failure)


def pytest_collection_finish(session):
    if _coverage is not None:
        h_agent_monitor.starts_anew(_coverage, _dependencies, _watch, _emit)
        _coverage.test_files.update(_file_of(item) for item in session.items if type(item).__name__ != 'DoctestItem')
    _emit('collected', tests=[{'test': item.nodeid, 'file': _file_of(item)} for item in session.items])
    _emit_imports()
    if _coverage is not None:
        _coverage.sink = _coverage.idle = _dependencies.idle = set()  # from here on, what runs outside a test and its fixtures is nobody's
        _coverage.tell_aside()
        _reporting.install()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop():
    _state['is_running'] = True


def _emit_imports():
    if _coverage is not None:
        _coverage.flush()
        _children.collect(_coverage.imported)
        fresh = _coverage.imported - _state['imports_told']
        if fresh:
            _state['imports_told'] |= fresh
            _emit('import-coverage', files=_coverage.lines(fresh))


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    test = _state['test'] = Test(item.nodeid, _file_of(item))
    _state['item'] = item
    _emit('test-start', test=test.nodeid, file=test.file)
    _watch.about(h_agent_watch.TEST, test.nodeid)
    if _probes is not None:
        _probes.test(test.nodeid)
    if _coverage is not None:
        if _coverage.page is not None:
            _children.silence()
        _coverage.enter(test.hits)
        _reporting.lines = test.told
        test.since = _coverage.clock()
    result = yield
    if _coverage is not None:
        _coverage.leave()
        if _children.pages:
            _children.collect(test.hits)
    if _probes is not None:
        _probes.test(None)
    if result.excinfo is not None and test.outcome not in _FAILED:  # pytest.exit, or an interrupt: the session ends here
        kind, error, trace = result.excinfo
        test.outcome, test.failure = 'error', _describe(kind, error, trace)
    _emit('test-end', **_ended(test, item))
    _watch.about()
    _state['test'], _state['item'] = None, None
    _state['ended'] += 1


def _tell_limit(kind, name, frame):
    """The limit is reached: what was running, and where."""
    failure = failures.describe_timeout(h_agent_watch.limit_of(_plan), frame, _relative)
    test, item = _state['test'], _state.get('item')
    if kind == h_agent_watch.FILE:
        _emit('collection-error', file=name, failure=failure)
    elif test is not None and test.nodeid == name:
        if _coverage is not None:
            _coverage.flush()
            test.hits.update(*test.late)
            test.last_lines = _coverage.last_lines(test.since, test.hits)
        test.outcome, test.failure = 'timeout', failure
        _emit('test-end', **_ended(test, item))


_watch.on_limit(_tell_limit)


def _ended(test, item):
    outcome = test.outcome or 'error'
    fields = {'test': test.nodeid, 'file': test.file, 'outcome': outcome, 'duration_ms': events.milliseconds(test.began)}
    if test.failure is not None and outcome in _FAILED:
        fields['failure'] = test.failure
    if test.flaky and outcome == 'passed':
        fields['flaky'] = True
    if test.parts:
        fields['subtests'] = test.parts
    if _coverage is not None:
        hits = test.hits.union(*_shared_with(item))
        if not _coverage.is_lost:
            fields['coverage'] = _coverage.lines(hits)
        fields['reads'] = _dependencies.of(hits | test.told)
        if outcome in _FAILED and test.last_lines is not None:
            fields['last_lines'] = test.last_lines
    return fields


@pytest.hookimpl(hookwrapper=True, trylast=True)
def pytest_runtest_makereport(item, call):
    test = _state['test']
    # of a unittest.TestCase pytest keeps the error with the item until the report is made
    failed = call.excinfo is not None or bool(getattr(item, '_excinfo', None))
    apart = _coverage is not None and test is not None and failed
    if apart:
        _reporting.__enter__()
    outcome = yield
    try:
        report = outcome.get_result()
        if test is not None and report.failed and call.excinfo is not None:
            info = call.excinfo
            test.raised = _describe(info.type, info.value, info.tb, test.compared)
        if test is not None and test.late:
            if report.failed:
                test.hits.update(*test.late)
            test.late = []
        if test is not None and test.failure is None and test.raised is not None:
            test.failure = test.raised
            if _coverage is not None:
                test.last_lines = _coverage.last_lines(test.since, test.hits)
    finally:
        if apart:
            _reporting.__exit__()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report):
    test = _state['test']
    if test is None or report.nodeid != test.nodeid:
        return
    if report.outcome == 'rerun':
        test.flaky, test.outcome, test.failure = True, None, None
        return
    expected = hasattr(report, 'wasxfail')
    if hasattr(report, 'context'):  # a sub-test, of pytest 9 or pytest-subtests
        _note_part(test, report, expected)
        if not report.failed:
            return
    if report.failed:
        if test.outcome not in _FAILED:
            test.outcome = 'failed' if report.when == 'call' else 'error'
        if test.failure is None:
            test.failure = {'class': 'Failed', 'message': failures.bounded(str(report.longrepr)), 'frames': []}
    elif report.skipped and test.outcome is None:
        test.outcome = 'xfailed' if expected else 'skipped'
    elif report.passed and report.when == 'call' and test.outcome is None:
        test.outcome = 'xpassed' if expected else 'passed'


def _note_part(test, report, expected):
    message, values = getattr(report.context, 'msg', None), getattr(report.context, 'kwargs', None) or {}
    outcome = 'xfailed' if expected and report.skipped else report.outcome
    test.parts.append(failures.describe_part(message if isinstance(message, str) else None, dict(values), outcome,
                                             test.raised if report.failed else None, as_text=True))


def pytest_assertrepr_compare(op, left, right):
    """Notes the operands of a failing comparison, where they are of builtin types; explains nothing itself."""
    test = _state['test']
    if test is None or op != '==':
        return None
    actual, expected = failures.render(left), failures.render(right)
    frame = sys._getframe(1)
    while frame is not None and _relative(frame.f_code.co_filename) is None:
        frame = frame.f_back
    test.compared = None if frame is None else (id(frame), actual, expected)
    return None


if _coverage is not None:
    def _is_wide(fixturedef):
        return fixturedef.scope != 'function'

    def _begin_late():
        """The teardown of such a fixture is of the test that fails by it."""
        lines = _dependencies.late = set()
        if _state['test'] is not None:
            _state['test'].late.append(lines)
        _coverage.enter(lines)

    def _end_late():
        _coverage.leave()
        _dependencies.late = None

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_fixture_setup(fixturedef):
        """What a fixture of a class, module or session runs is not the first test's: every test that asks for it shares it."""
        if not _is_wide(fixturedef):
            yield
            return
        lines = set()
        fixturedef.addfinalizer(_end_late)  # finalizers run last in, first out: this one after the fixture's own
        _coverage.enter(lines)
        yield
        _coverage.leave()
        _children.collect(lines)
        _shared[id(fixturedef)] = (fixturedef, lines)
        fixturedef.addfinalizer(_begin_late)

    def _shared_with(item):
        info = getattr(item, '_fixtureinfo', None)
        for definitions in (getattr(info, 'name2fixturedefs', None) or {}).values():
            for definition in definitions or ():
                held = _shared.get(id(definition))
                if held is not None:
                    yield held[1]


def pytest_keyboard_interrupt(excinfo):
    _state['why'] = excinfo


def _tell_end(session):
    """Says why the session ended before its tests had run, where it did."""
    info, items = _state['why'], getattr(session, 'items', None)
    if info is not None and not _state['is_running']:
        _emit('collection-error', file=_state['file'], failure=_describe(info.type, info.value, info.tb))
    left = len(items or ()) - _state['ended']
    if left <= 0 or not _state['is_running'] or _plan.get('mode') == 'list':
        return
    why = session.shouldfail or session.shouldstop
    if info is not None and not why:
        why = ': '.join(part for part in (info.type.__name__, failures.message_of(info.value)) if part)
    _emit('note', message='pytest ended before %d of its tests had run%s' % (left, ': %s' % failures.bounded(str(why)) if why else '.'))


def pytest_sessionfinish(session, exitstatus):
    _tell_end(session)
    _emit_imports()
    if _coverage is not None:
        _dependencies.tell(_emit)


def pytest_unconfigure(config):
    _emit('run-end')
