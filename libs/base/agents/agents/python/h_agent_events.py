"""PYTEST_DONT_REWRITE. The plan H gave for this run, and the one way out: NDJSON events, flushed line by line.

Everything this file needs later is bound at import, before the target can patch or fake it.
"""
import builtins
import gc
import json
import os
import sys
import time

try:
    import fcntl
except ImportError:
    fcntl = None

PROTOCOL = 1
_HIGH = 400
HERE = os.path.dirname(os.path.abspath(__file__))


def read_plan():
    """The plan, taken out of the environment so that the target and its children never see it."""
    parts = [os.environ.pop('H_AGENT_PLAN', '{}')]
    number = 1
    while 'H_AGENT_PLAN_%d' % number in os.environ:
        parts.append(os.environ.pop('H_AGENT_PLAN_%d' % number))
        number += 1
    plan = json.loads(''.join(parts))
    plan['cwd_path'] = os.getcwd()
    plan['root_path'] = os.path.normpath(os.path.join(plan['cwd_path'], plan.get('root') or '.'))
    plan['report_path'] = os.path.join(plan['root_path'], plan.get('report') or '.h-agent/report.ndjson')
    return plan


def has_probe_table():
    return os.path.exists(os.path.join(HERE, 'probe-table.json'))


def hide_agent():
    """Takes the agent's folder out of what the target can see: sys.path and PYTHONPATH."""
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or '.') != HERE]
    kept = [entry for entry in os.environ.get('PYTHONPATH', '').split(os.pathsep) if entry]
    kept = [entry for entry in kept if os.path.abspath(entry) != HERE]
    if kept:
        os.environ['PYTHONPATH'] = os.pathsep.join(kept)
    else:
        os.environ.pop('PYTHONPATH', None)


def put_sources_first(plan):
    """The copy under test wins over an installed one: its source roots go before site-packages, in child processes too."""
    roots = [os.path.normpath(os.path.join(plan['root_path'], part)) for part in plan.get('source_roots') or ()]
    roots = [root for root in roots if os.path.isdir(root) and root not in sys.path]
    at = len(sys.path)
    for index, entry in enumerate(sys.path):
        if 'site-packages' in entry or 'dist-packages' in entry:
            at = index
            break
    sys.path[at:at] = roots
    given = [entry for entry in os.environ.get('PYTHONPATH', '').split(os.pathsep) if entry]
    if roots:
        os.environ['PYTHONPATH'] = os.pathsep.join(given + [root for root in roots if root not in given])


def relative_path(plan):
    """A function: absolute path of a file -> its path in the repository with '/', or None when it is not in it."""
    roots = []
    for root in (plan['root_path'], os.path.realpath(plan['root_path'])):
        if root.rstrip(os.sep) + os.sep not in roots:
            roots.append(root.rstrip(os.sep) + os.sep)
    outside = {'site-packages', 'dist-packages', 'node_modules', '.h-agent', '.tox', '.nox', '.eggs'}
    isfile, abspath, join, separator = os.path.isfile, os.path.abspath, os.path.join, os.sep
    folders = {}

    def folder_of(folder):
        known = folders.get(folder, 0)
        if known != 0:
            return known
        found = None
        for root in roots:
            if (folder + separator).startswith(root):
                parts = [part for part in folder[len(root):].split(separator) if part]
                environment = any(isfile(join(root, *(parts[:n] + ['pyvenv.cfg']))) for n in range(1, len(parts) + 1))
                if not environment and not outside.intersection(parts):
                    found = '/'.join(parts)
                break
        folders[folder] = found
        return found

    def relative(path):
        if not path or path[0] == '<':
            return None
        folder, _, name = abspath(path).rpartition(separator)
        inside = folder_of(folder)
        return None if inside is None else (inside + '/' + name if inside else name)

    return relative


def create_writer(plan, held=None, store=None):
    """A function that appends one event. Without `held` it opens the file each time.

    `emit.wait` writes it together with the next one, or at `emit.settle`: half the calls of the system. Until then it is where `store` puts
    it, which outlives this process.

    `held`: process and descriptor that keep the report open. It is written there, wherever the target has put the file meanwhile, and its
    place is filled again when it is gone. It stays open here too, and is asked before each event whether it still is what it was: a
    target may close or reuse any descriptor.
    """
    path, pid = plan['report_path'], os.getpid()
    opener, reader, write, close, getpid = os.open, os.read, os.write, os.close, os.getpid
    stat, makedirs, unlink = os.stat, os.makedirs, os.unlink
    encode = create_encoder()
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    folder = os.path.dirname(path)
    makedirs(folder, exist_ok=True)
    source = '/proc/%d/fd/%d' % held if held is not None and os.path.exists('/proc/%d/fd/%d' % held) else None
    known = {stat(source).st_ino} if source is not None else set()
    identity = stat(source)[1:3] if source is not None else None
    copies, kept = [], []
    fstat, control, duplicate = os.fstat, getattr(fcntl, 'fcntl', None), getattr(fcntl, 'F_DUPFD_CLOEXEC', None)

    def append(name, data):
        handle = opener(name, flags, 0o644)
        try:
            while data:
                data = data[write(handle, data):]
        finally:
            close(handle)

    def keep():
        """The descriptor that stays open: a high one, so that the target's own have the numbers that they would have."""
        handle = opener(source, flags, 0o644)
        try:
            kept[:] = [control(handle, duplicate, _HIGH)]
        finally:
            close(handle)

    def append_held(data):
        try:
            if not kept or fstat(kept[0])[1:3] != identity:
                keep()
        except OSError:
            try:
                keep()
            except OSError:
                return append(source, data)
        while data:
            data = data[write(kept[0], data):]

    def is_there():
        try:
            return stat(path).st_ino in known
        except OSError:
            return False

    def restore():
        """Puts the report where it belongs, if it is not there any more."""
        if source is None or is_there():
            return
        makedirs(folder, exist_ok=True)
        try:
            unlink(path)
        except OSError:
            pass
        handle = opener(source, os.O_RDONLY)
        try:
            part = reader(handle, 1 << 20)
            while part:
                append(path, part)
                part = reader(handle, 1 << 20)
        finally:
            close(handle)
        known.add(stat(path).st_ino)
        copies[:] = [path]

    worked = _create_meter() if plan.get('is_candidate') else None
    waiting = []

    def make(event, text, fields):
        if worked is not None:
            worked(event, fields)
        fields['event'] = event
        data = encode(fields)
        return (('%s,%s}\n' % (data[:-1], text)) if text else data + '\n').encode('utf-8')

    def add(data, event=''):
        try:
            data = waiting.pop() + data
        except IndexError:
            has_waited = False
        else:
            has_waited = True
        if source is None:
            return append(path, data)
        append_held(data)
        if has_waited:
            store(b'')
        if (copies or event != 'test-end') and not is_there():
            return restore()
        for copy in copies:
            append(copy, data)

    def emit(event, text='', /, **fields):
        """`text`: more fields, as JSON that is made already, without its braces."""
        if getpid() == pid:  # a forked child that fell through into the runner must not speak for it
            add(make(event, text, fields), event)

    def wait(event, text='', /, **fields):
        if getpid() == pid:
            data = make(event, text, fields)
            if waiting or store is None or not store(data):
                return add(data, event)
            waiting.append(data)

    def settle():
        if waiting and getpid() == pid:
            add(b'', 'test-end')

    emit.restore, emit.encode, emit.add, emit.wait, emit.settle = restore, encode, add, wait, settle
    return emit


def create_encoder():
    """A function that makes JSON of plain data: what `json` would build for each text anew, built once."""
    make = json.encoder.c_make_encoder
    if make is None:
        return json.JSONEncoder(separators=(',', ':')).encode
    parts = make(None, None, json.encoder.encode_basestring_ascii, None, ':', ',', False, False, True)
    return lambda value, _join=''.join: _join(parts(value, 0))


def _create_meter(_used=time.process_time):
    """Tells how long a test has worked, which is the measure for those of other candidates."""
    state = {}

    def worked(event, fields):
        if event == 'test-start':
            state.update(test=fields['test'], since=_used())
        elif event == 'test-end' and state.get('test') == fields['test']:
            fields['work_ms'] = round((_used() - state['since']) * 1000, 3)

    return worked


def emit_start(emit, plan, runner, runner_version):
    emit('run-start', protocol=PROTOCOL, runner=runner, runner_version=runner_version, language='python',
         language_version='%d.%d.%d' % sys.version_info[:3], mode=plan.get('mode', 'run'),
         coverage=bool(plan.get('coverage')))


_scopes = []


def plant(names):
    """Adds names to the builtins, and to the copy that CPython puts in their place as it finalizes: code of the target runs even
    after that, in finalizers."""
    scopes = _scopes
    scopes[:] = scopes or [scope for scope in gc.get_referrers(__build_class__) if type(scope) is dict
              and scope.get('__name__') == 'builtins' and scope.get('__build_class__') is __build_class__]
    for scope in [vars(builtins)] + scopes:
        scope.update(names)


clock = time.perf_counter


def milliseconds(since, _clock=clock):
    return round((_clock() - since) * 1000, 3)
