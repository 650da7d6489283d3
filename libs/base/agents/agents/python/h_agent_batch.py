"""PYTEST_DONT_REWRITE. Runs the tests on many candidates of one tree, each in a fresh child of this process.

The process has come as far as a runner before it looks for tests; nothing of the repository is loaded, or there is no batch. For each
candidate it lays the candidate's files in place, forks, and waits; the child goes on as any other run of the runner. Afterwards the tree
is put back as it was; where it cannot be, the batch ends. The tree itself runs first, as the control: what it takes is the measure of how
long a candidate may, and the modules from outside the repository that it loads are loaded once for all, where a second control says that
this makes no difference.
"""
import atexit
import base64
import gc
import hashlib
import importlib
import json
import os
import signal
import stat
import sys
import time

import h_agent_events as events
import h_agent_limits
import h_agent_tree

_clock, _getpid, _exit = time.monotonic, os.getpid, os._exit
BATCH, RESULTS, MODULES = 'batch.json', 'batch-report.ndjson', 'batch-modules.json'
RUN_FLOOR, RUN_TIMES = 2.0, 20  # seconds for a whole run, by the clock; times what the control took
SECOND_CHANCE = 10
_UNLIKE = 77
_OVER = '"event":"%s"' % h_agent_limits.OVER


def serve(plan):
    """Returns in each process that is to run tests, with its limits in the plan; the others end here."""
    if os.path.exists(os.path.join(events.HERE, BATCH)):
        _Server(plan).serve()


class _Server:
    def __init__(self, plan):
        self.plan, self.folder, self.root = plan, os.path.dirname(plan['report_path']), plan['root_path']
        self.results = os.path.join(self.folder, RESULTS)
        self.relative = events.relative_path(plan)
        self.lines, self.factor = [], 1
        self.control, self.durations, self.pace = None, {}, None
        path = os.path.join(events.HERE, BATCH)
        with open(path, encoding='utf-8') as file:
            self.batch = json.load(file)
        os.unlink(path)

    def serve(self):
        why = self.loaded_from_tree() or self.read_files()
        if why is not None:
            return self.leave(kind='off', reason=why)
        self.surroundings = h_agent_tree.Surroundings(self.root)
        self.tree = h_agent_tree.Tree(self.root, self.results, self.files)
        before = set(sys.modules)
        result = self.run({}, lambda: atexit.register(self.tell_modules, before))
        if result is None:
            return None
        modules = self.take_modules()
        self.take_control(result)
        if not self.put_back(adopt=True):
            return self.leave(kind='off', reason='the tests change files of the repository')
        if modules:
            sys.stdout.flush()
            sys.stderr.flush()
            child = os.fork()
            if child == 0:
                return self.serve_preloaded(modules)
            status = os.waitpid(child, 0)[1]
            if not os.WIFEXITED(status) or os.WEXITSTATUS(status) != _UNLIKE:
                _exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1)
        return self.serve_candidates()

    def serve_preloaded(self, modules):
        """In a process of its own: nobody can unload what it has loaded."""
        if not _preload(modules) or self.loaded_from_tree() or len(os.listdir('/proc/self/task')) > 1:
            _exit(_UNLIKE)
        result = self.run({})
        if result is None:
            return None
        if outcomes_of(result['report'])[0] != self.control or not self.put_back(adopt=True):
            _exit(_UNLIKE)
        self.take_control(result)
        return self.serve_candidates()

    def take_control(self, result):
        self.pace = result
        self.control, self.durations = outcomes_of(result['report'])
        self.write(dict(result, kind='control'))

    def serve_candidates(self):
        has_doubt = True
        for index, candidate in enumerate(self.batch['candidates']):
            self.write({'kind': 'start', 'index': index})
            result = self.run(candidate)
            if result is None:
                return None
            is_clean = self.put_back()
            if is_clean and has_doubt and result['limited']:
                has_doubt, self.factor = False, SECOND_CHANCE  # once in a batch: does the limit cut off what is merely slow?
                result = self.run(candidate)
                if result is None:
                    return None
                is_clean = self.put_back()
                if result['limited']:
                    self.factor = 1
            self.write(dict(result, kind='end', index=index))
            if not is_clean:
                return self.leave(kind='stopped', index=index, reason='files of the repository could not be put back')
        return self.leave(kind='done')

    def leave(self, **last):
        self.write(last)
        _exit(0)

    def write(self, record):
        """Appends a line; writes all of them again where somebody else has touched the file."""
        size = sum(map(len, self.lines))
        data = (json.dumps(record, separators=(',', ':')) + '\n').encode('utf-8')
        self.lines.append(data)
        try:
            is_whole = size > 0 and os.lstat(self.results).st_size == size
        except OSError:
            is_whole = False
        flags = os.O_WRONLY | os.O_APPEND
        if not is_whole:
            os.makedirs(self.folder, exist_ok=True)
            h_agent_tree.remove(self.results)
            data, flags = b''.join(self.lines), os.O_WRONLY | os.O_CREAT | os.O_EXCL
        handle = os.open(self.results, flags, 0o644)
        try:
            while data:
                data = data[os.write(handle, data):]
        finally:
            os.close(handle)

    def loaded_from_tree(self):
        """Why this process is not as a fresh one would be, whatever a candidate is; None where it is."""
        for name, module in list(sys.modules.items()):
            path = getattr(getattr(module, '__spec__', None), 'origin', None) or getattr(module, '__file__', None)
            if isinstance(path, str) and os.path.isabs(path) and self.relative(path) is not None:
                return 'the module %s of the repository is loaded before the tests are looked for' % name
        return None

    def read_files(self):
        """The bytes of the files that candidates change."""
        self.files = {}
        for path in {path for candidate in self.batch['candidates'] for path in candidate}:
            place = os.path.join(self.root, path)
            if not os.path.lexists(place) or not stat.S_ISREG(os.lstat(place).st_mode):
                return '%s is no regular file' % path
            with open(place, 'rb') as file:
                self.files[path] = file.read()
        return None

    def lay(self, candidate):
        for path, (start, end, middle, sha) in candidate.items():
            old = self.files[path]
            new = old[:start] + base64.b64decode(middle) + old[end:]
            if hashlib.sha256(new).hexdigest() != sha:
                raise ValueError('%s is not the file that the candidate was made for' % path)
            self.tree.replace(path, new)

    def run(self, candidate, prepare=None):
        """What became of the tests on a candidate; None in the process that is to run them."""
        self.lay(candidate)
        gc.freeze()  # what is here already no child need look through, or copy
        sys.stdout.flush()
        sys.stderr.flush()
        began = _clock()
        child = os.fork()
        if child == 0:
            os.setpgid(0, 0)
            self.plan['is_candidate'] = True
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            os.close(nowhere)
            if self.pace is not None:
                hung = {name for name, how in self.control.items() if how and how[0] == 'timeout'}
                self.plan['budgets'] = h_agent_limits.budgets_of(
                    self.durations, hung, self.batch.get('longest_ms', 0), self.pace['work_ms'], self.factor)
            if prepare is not None:
                prepare()
            return None
        limit = self.batch['limit_ms'] / 1000
        if self.pace is not None:
            limit = min(limit, (RUN_FLOOR + RUN_TIMES * self.pace['wall_ms'] / 1000) * self.factor)
        status, used, is_over = _wait(child, limit)
        self.surroundings.end_processes(child)
        report = self.read_report()
        result = {'report': report, 'wall_ms': round((_clock() - began) * 1000, 3), 'ended_by': 'exit', 'limited': is_over or _OVER in report,
                  'work_ms': round((used.ru_utime + used.ru_stime) * 1000, 3)}
        if is_over:
            result['ended_by'] = 'wall_limit'
        elif os.WIFEXITED(status):
            result['exit_code'] = os.WEXITSTATUS(status)
        else:
            result.update(ended_by='signal', signal=signal.Signals(os.WTERMSIG(status)).name)
        return result

    def read_report(self):
        try:
            with open(self.plan['report_path'], encoding='utf-8', errors='replace') as file:
                return file.read()
        except OSError:
            return ''

    def put_back(self, adopt=False):
        self.surroundings.clear()
        return self.tree.put_back(adopt)

    def tell_modules(self, before):
        """In the child of the first control, at its end: the modules that it loaded from outside the repository."""
        found = []
        for name, module in list(sys.modules.items()):
            spec = vars(module).get('__spec__') if type(module) is type(sys) else None
            origin = getattr(spec, 'origin', None)
            if name in before or getattr(spec, 'name', None) != name or not isinstance(origin, str):
                continue
            # what pytest rewrites it must load itself
            if self.relative(origin) is None and type(spec.loader).__name__ != 'AssertionRewritingHook':
                found.append((name, origin))
        with open(os.path.join(self.folder, MODULES), 'w', encoding='utf-8') as file:
            json.dump(found, file)

    def take_modules(self):
        try:
            with open(os.path.join(self.folder, MODULES), encoding='utf-8') as file:
                return json.load(file)
        except (OSError, ValueError):
            return None


def outcomes_of(report):
    """How each test ended and what could not be loaded, and how long each test took in milliseconds."""
    outcomes, durations = {}, {}
    for line in report.split('\n'):
        try:
            event = json.loads(line) if line.startswith('{') else {}
        except ValueError:
            continue
        failure = (event.get('failure') or {}).get('class')
        if event.get('event') == 'test-end':
            outcomes[event['test']] = (event['outcome'], failure)
            durations[event['test']] = min(event['duration_ms'], event.get('work_ms', event['duration_ms']))
        elif event.get('event') == 'collection-error':
            outcomes['error in %s' % event.get('file')] = failure
    return outcomes, durations


def _preload(modules):
    """Loads modules as they were loaded in the control; false where one comes from elsewhere."""
    for name, origin in modules:
        try:
            if getattr(importlib.import_module(name).__spec__, 'origin', None) != origin:
                return False
        except BaseException:
            return False
    return True


def _wait(child, limit):
    """The status with which a child ended, what it has used, and whether it was ended because of the limit."""
    until = _clock() + limit
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    try:
        while True:
            ended, status, used = os.wait4(child, os.WNOHANG)
            if ended:
                return status, used, False
            if _clock() > until:
                os.killpg(child, signal.SIGKILL)
                return os.wait4(child, 0)[1:] + (True,)
            signal.sigtimedwait([signal.SIGCHLD], min(0.5, max(0.01, until - _clock())))
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
