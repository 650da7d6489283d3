"""Runs a program as `python` itself would, `[-m module | -c code | script] arguments…`, and reports what it executed.

How it ended is told by the process itself; here is what only the inside knows: frames, statements, their order.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
if HERE not in sys.path:  # -I and -P leave it out
    sys.path.insert(0, HERE)

import _thread
import atexit
import builtins
import signal
import types

import h_agent_events as events
import h_agent_failure as failures

PLAN = events.read_plan()
COMMAND = PLAN['command']
if PLAN.get('coverage'):
    import h_agent_coverage
    import h_agent_loaders
if events.has_probe_table():
    import h_agent_observe
events.hide_agent()
RELATIVE = events.relative_path(PLAN)
EMIT = events.create_writer(PLAN)
DESCRIBE = failures.create_describer(PLAN['root_path'], RELATIVE)


class Run:
    """State of the one test that the program is."""

    def __init__(self):
        self.began = events.clock()
        self.hits, self.since, self.coverage, self.probes = set(), 0, None, None
        self.failed, self.failure, self.last_lines = False, None, None
        self.running, self.telling = _thread.allocate_lock(), _thread.allocate_lock()


RUN = Run()


def fail(kind, error, trace):
    RUN.failed = True
    coverage = RUN.coverage
    if coverage is not None and RUN.last_lines is None:
        coverage.flush()
        RUN.last_lines = coverage.last_lines(RUN.since, RUN.hits)
        coverage.enter(set())  # what words the failure, and what runs at exit, cannot have made it
    if RUN.failure is None and kind is not SystemExit:
        RUN.failure = DESCRIBE(kind, error, trace)


def tell(hits):
    outcome = 'failed' if RUN.failed else 'passed'
    fields = {'test': COMMAND['label'], 'file': COMMAND['file'], 'outcome': outcome,
              'duration_ms': events.milliseconds(RUN.began)}
    if RUN.failure is not None:
        fields['failure'] = RUN.failure
    coverage = RUN.coverage
    if coverage is not None:
        if coverage.imported:
            EMIT('import-coverage', files=coverage.lines(coverage.imported))
        fields['coverage'] = coverage.lines(hits)
        fields['last_lines'] = RUN.last_lines or coverage.last_lines(RUN.since, hits)
    EMIT('test-end', **fields)


def finish():
    if RUN.running.locked():
        RUN.running.release()
    with RUN.telling:
        coverage = RUN.coverage
        if coverage is not None:
            coverage.flush()
        tell(RUN.hits)
        EMIT('run-end')


def tell_while_running(seconds):
    """Tells what has run shortly before the limit: a program that is ended by it tells nothing more."""
    if RUN.running.acquire(True, seconds):
        return
    with RUN.telling:
        coverage, hits = RUN.coverage, set(RUN.hits)
        if coverage.sink is RUN.hits:
            hits.update(coverage.scan(coverage.since))
        tell(hits)


def start_coverage():
    judge = h_agent_coverage.create_judge(PLAN['root_path'])
    script = COMMAND.get('script')
    coverage = RUN.coverage = h_agent_coverage.Coverage(
        RELATIVE, lambda file, reason: EMIT('skipped-instrumentation', file=file, reason=reason),
        lambda path: not COMMAND.get('cover_script') if path == script else judge(path))
    coverage.install()
    h_agent_loaders.install(coverage, sys.modules.get('runpy'))
    coverage.enter(RUN.hits)
    RUN.since = coverage.clock()
    limit = PLAN.get('test_timeout_ms')
    if limit:
        RUN.running.acquire()
        # starting takes its part of the limit
        _thread.start_new_thread(tell_while_running, (limit * 0.75 / 1000,))


def puts_folder_first():
    """Whether python itself would put the program's folder first on sys.path."""
    return not (sys.flags.isolated or getattr(sys.flags, 'safe_path', False))


def fresh_main():
    """A `__main__` as python itself makes it: the target must not find the agent's globals there."""
    module = types.ModuleType('__main__')
    if '__annotations__' in sys.modules['__main__'].__dict__:
        module.__annotations__ = {}
    module.__builtins__ = builtins
    sys.modules['h_agent_command'] = sys.modules['__main__']
    sys.modules['__main__'] = module
    return module


def program(arguments):
    """A function that runs what python's command line names, once sys.argv and sys.path are as it makes them."""
    main = fresh_main()
    kind, target = arguments[0], arguments[1] if len(arguments) > 1 else ''
    if kind == '-m':
        sys.argv = ['-m'] + arguments[2:]
        put_first(os.getcwd())
        import runpy
        return lambda: runpy._run_module_as_main(target)
    if kind == '-c':
        sys.argv = ['-c'] + arguments[2:]
        put_first('')
        main.__loader__ = __import__('importlib.machinery').machinery.BuiltinImporter
        return lambda: exec(compile(target, '<string>', 'exec', dont_inherit=True), main.__dict__)
    sys.argv = list(arguments)
    if os.path.isdir(kind) or not is_source(kind):
        sys.path.insert(0, absolute(kind))
        import runpy
        return lambda: runpy._run_module_as_main('__main__', False)
    put_first(os.path.dirname(os.path.realpath(kind)))
    return lambda: exec(script_code(kind, main), main.__dict__)


def absolute(path):
    """From 3.9 on python makes the path of the program absolute."""
    return os.path.join(os.getcwd(), path) if sys.version_info >= (3, 9) else path


def is_source(path):
    """A zip archive is a program too."""
    try:
        with open(path, 'rb') as file:
            return file.read(4) != b'PK\x03\x04'
    except OSError:
        return True


def put_first(folder):
    if puts_folder_first():
        sys.path.insert(0, folder)


def script_code(path, main):
    name = absolute(path)
    main.__file__, main.__cached__ = name, None
    main.__loader__ = __import__('importlib.machinery').machinery.SourceFileLoader('__main__', name)
    try:
        with open(path, 'rb') as file:
            data = file.read()
    except OSError as error:
        sys.stderr.write("%s: can't open file %r: [Errno %d] %s\n" % (sys.executable, name, error.errno, error.strerror))
        raise SystemExit(2)
    owner = RUN.coverage or RUN.probes
    if owner is not None and COMMAND.get('script') and not owner.is_test(COMMAND['script']):
        try:
            return owner.instrument(data, name, COMMAND['script'])
        except Exception:
            pass  # the plain compiler says what is wrong
    return compile(data, name, 'exec', dont_inherit=True)


def own_frames_off(trace):
    """The trace from the target's first frame on, as python itself would show it."""
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    return trace


def main():
    events.emit_start(EMIT, PLAN, 'command', '%d.%d.%d' % sys.version_info[:3])
    EMIT('test-start', test=COMMAND['label'], file=COMMAND['file'])
    atexit.register(finish)  # first in, last out
    run = program(sys.argv[1:])
    if PLAN.get('coverage'):
        start_coverage()
    elif events.has_probe_table():
        RUN.probes = h_agent_observe.start(PLAN, RELATIVE, lambda message: EMIT('note', message=message))
        if RUN.probes is not None:
            RUN.probes.test(COMMAND['label'])
    try:
        run()
    except SystemExit as end:
        if end.code not in (None, 0):
            fail(SystemExit, end, None)
        raise
    except KeyboardInterrupt as error:
        show(error, own_frames_off(error.__traceback__))
        finish()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except BaseException as error:
        trace = own_frames_off(error.__traceback__)
        fail(type(error), error, trace)
        show(error, trace)
        sys.exit(1)


def run_plainly(run):
    """Runs a program of which nothing but its statements is told."""
    try:
        run()
    except SystemExit:
        raise
    except BaseException as error:
        trace = own_frames_off(error.__traceback__)
        if isinstance(error, KeyboardInterrupt):
            show(error, trace)
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        show(error, trace)
        sys.exit(1)


def show(error, trace):
    """As python itself shows what nobody caught."""
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, trace
    if sys.version_info >= (3, 12):
        sys.last_exc = error
    error.__traceback__ = trace
    sys.excepthook(type(error), error, trace)


if __name__ == '__main__':
    main()
