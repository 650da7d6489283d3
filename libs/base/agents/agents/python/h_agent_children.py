"""PYTEST_DONT_REWRITE. Python processes that the target starts: what they execute and read is of the test that started them.

A forked child has the agent already; one that starts the same interpreter gets it through its environment, which no other program
sees changed. Each writes a page (`h_agent_page`), which is read as the test ends; what a child does later is of the test that runs then.
"""
import json
import os
import re
import sys
import threading

from h_agent_page import Page, write_to

try:
    import _posixsubprocess
except ImportError:
    _posixsubprocess = None

_HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER, STARTS = os.path.join(_HERE, 'children'), os.path.join(_HERE, 'starts')
_real, _isfile, _access, _fsencode, _fsdecode = os.path.realpath, os.path.isfile, os.access, os.fsencode, os.fsdecode
_getpid, _ident, _unlink = os.getpid, threading.get_ident, os.unlink
_OWN = ('multiprocessing.resource_tracker', 'multiprocessing.semaphore_tracker')  # of the standard library: they read nothing
_environ = os.environ


class Children:
    def __init__(self, coverage, dependencies, plan):
        self.coverage, self.dependencies, self.plan = coverage, dependencies, plan
        self.pages, self.foreign, self.forking, self.count = [], {}, {}, 0
        self.programs = {_real(one) for one in (sys.executable, getattr(sys, '_base_executable', None)) if one}
        self.page = None  # in a child: its own

    def install(self):
        if _posixsubprocess is None or not hasattr(os, 'register_at_fork'):
            return
        self.dependencies.children = self
        os.register_at_fork(before=self._before, after_in_parent=self._after, after_in_child=self._in_child)
        plain = _posixsubprocess.fork_exec

        def fork_exec(*args):
            return plain(*self.starting(args))

        _posixsubprocess.fork_exec = fork_exec
        subprocess = sys.modules.get('subprocess')  # where it is loaded later, it takes the function from there
        if hasattr(subprocess, '_fork_exec'):
            subprocess._fork_exec = fork_exec

    def on_popen(self, _args):
        """`subprocess` is about to start a program: by `fork_exec`, if its documented switch says so."""
        sys.modules['subprocess']._USE_POSIX_SPAWN = False

    # ---- forks

    def _before(self):
        try:
            self.forking[_ident()] = self._new_page('os.fork', self.coverage.total)
        except Exception:
            self.forking[_ident()] = None
            self.dependencies.credit('children', 'os.fork')

    def _after(self):
        self.forking.pop(_ident(), None)

    def _in_child(self):
        page = self.forking.pop(_ident(), None)
        self.forking = {}
        if page is None:
            page = Page(os.path.join(FOLDER, 'lost-%d' % _getpid()), self.coverage.total)  # told by nobody
        self.become(page)

    def become(self, page):
        """This process is a child, and writes the page."""
        self.pages, self.foreign, self.page = [], {}, page
        page.begin()
        self.coverage.lock = threading.Lock()
        self.coverage.become_child(page)
        self.dependencies.page = page

    def silence(self):
        """A forked child that fell through into the runner and starts a test is no test's any more."""
        page, coverage = self.page, self.coverage
        page.write = lambda *_: None
        page.ran = page.loaded = coverage.stamps = bytearray(page.limit)
        coverage.plant({'__h_t__': coverage.stamps})

    def _new_page(self, name, base):
        os.makedirs(FOLDER, exist_ok=True)
        self.count += 1
        page = Page(os.path.join(FOLDER, '%d-%d' % (_getpid(), self.count)), base)
        page.name, coverage = name, self.coverage
        if self.page is None and (coverage.sink is coverage.imported or coverage.sink is coverage.idle):
            self.dependencies.credit('children', name)  # of a module, and so of every test that leads to it
        if self.page is None:
            self.pages.append(page)
        else:
            self.page.write('child', page.path, base, page.limit, name)
        return page

    # ---- programs

    def starting(self, args):
        """The arguments of `fork_exec`, with the agent's variables where the program is this interpreter."""
        words, candidates, environment = args[0], args[1], args[5]
        name = _fsdecode(words[0]) if words else 'fork_exec'
        try:
            if any(own in _fsdecode(word) for word in words for own in _OWN):
                return args
            if not self._is_ours([_fsdecode(word) for word in words], candidates):
                self.dependencies.credit('children', name)
                return args
            page = self._new_page(name, 0)
            return (self._words(words, args[4]),) + args[1:5] + (self._environment(environment, page),) + args[6:]
        except Exception:
            self.dependencies.credit('children', name)
            return args

    def _is_ours(self, words, candidates):
        program = next((_fsdecode(one) for one in candidates if _isfile(one) and _access(one, os.X_OK)), None)
        if program is None:
            return False
        if _real(program) in self.programs:
            return takes_agent(words[1:])
        with open(program, 'rb') as file:
            head = file.read(256)
        if head[:2] != b'#!':
            return False
        parts = _fsdecode(head[2:].partition(b'\n')[0]).split()
        return bool(parts) and _real(parts[0]) in self.programs and takes_agent(parts[1:] + ['script'])

    def _words(self, words, folder):
        """A script of the repository is run by the agent, as python itself would run it: else nothing of its own could be observed."""
        plain = [_fsdecode(word) for word in words]
        at = 1 + end_of_flags(plain[1:])
        if at < len(plain) and plain[at].endswith('.py') and not re.match(r'-[^-XW]*[cm]', plain[at - 1] if at > 1 else ''):
            path = os.path.join(_fsdecode(folder) if folder else os.getcwd(), plain[at])
            inside = self.coverage.relative(path)
            if inside is not None and _isfile(path) and not self.coverage.is_test(inside):
                return [*words[:at], _fsencode(os.path.join(_HERE, 'h_agent_child.py')), *words[at:]]
        return words

    def _environment(self, given, page):
        """Names what the child's own start-up takes away again."""
        if given is None:
            given = [_fsencode(name) + b'=' + _fsencode(value) for name, value in _environ.items()]
        write_start()
        before = next((entry[11:] for entry in given if entry.startswith(b'PYTHONPATH=')), None)
        told = {'page': page.path, 'limit': page.limit, 'root_path': self.plan['root_path'], 'cwd_path': self.plan['cwd_path'],
                'python_path': None if before is None else _fsdecode(before)}
        path = _fsencode(STARTS) + (b'' if not before else os.pathsep.encode() + before)
        kept = [entry for entry in given if not entry.startswith(b'PYTHONPATH=')]
        return kept + [b'PYTHONPATH=' + path, b'H_AGENT_CHILD=' + json.dumps(told).encode('ascii')]

    # ---- what they told

    def collect(self, sink):
        """What children did since the last time goes to `sink`. Those that have ended are forgotten."""
        kept = []
        for page in self.pages:
            pid, is_full = page.head()
            is_alive = page.is_alive()
            is_new = not getattr(page, 'is_known', False)
            page.is_known = True
            if pid == 0:  # not begun: a program that took no agent, or one that is about to; a fork has it
                self._credit(sink, *(('unsure', 'a process that it started goes on') if page.name == 'os.fork' else ('children', page.name)))
                if is_new:
                    kept.append(page)
                continue
            did = self._take(page, sink)
            if is_full:
                self._credit(sink, 'unsure', 'a process told more than there is room for')
            if is_new:
                self._credit(sink, 'followed', page.name)
                if is_alive:
                    self._credit(sink, 'unsure', 'a process that it started goes on')
            elif did:
                self._credit(sink, 'unsure', 'a process that an earlier test started went on')
            if is_alive:
                kept.append(page)
            else:
                self._forget(page)
        self.pages = kept

    def _forget(self, page):
        try:
            _unlink(page.path)
        except OSError:
            pass

    def _credit(self, sink, kind, value):
        sink.add(self.dependencies.number_of((kind, value)))

    def _take(self, page, sink):
        lines = page.take_lines()
        for line in lines:
            self._take_line(page, sink, *line)
        ran, loaded = page.take_numbers(page.ran), page.take_numbers(page.loaded)
        sink.update(self._own_numbers(page, ran))
        self.coverage.imported.update(self._own_numbers(page, loaded))
        return bool(lines or ran or loaded)

    def _own_numbers(self, page, numbers):
        for number in numbers:
            owner = page
            while number < owner.base and owner.parent is not None:
                owner = owner.parent
            place = None if number < owner.base else owner.place(number)
            if number < owner.base:
                yield number
            elif place is not None:
                yield self._known(*place)

    def _known(self, path, line):
        """The number here of a statement of a child."""
        key = path, line
        if key not in self.foreign:
            self.foreign[key] = self.coverage.number(path, [line])
        return self.foreign[key]

    def _take_line(self, page, sink, kind, *values):
        dependencies = self.dependencies
        if kind == 'file':
            page.files.append(values)
        elif kind == 'child':
            path, base, limit, name = values
            try:
                child = Page(path, base, limit)
            except OSError:
                return self._credit(sink, 'unsure', 'what a process of a process did is lost')
            child.name, child.parent = name, page
            self.pages.append(child)
        elif kind == 'read':
            self._credit(sink, *values)
        else:
            dependencies.take_foreign(kind, values)


def takes_agent(words):
    """Whether python, started with these words, reads its environment and imports `site`."""
    return not any(flag in 'IES' for word in words[:end_of_flags(words)] for flag in word[1:].partition('X')[0].partition('W')[0])


def end_of_flags(words):
    """How many words are python's own, before the program: `-m` and `-c` are the last of them."""
    at = 0
    while at < len(words) and words[at][:1] == '-' and len(words[at]) > 1:
        found = re.match(r'-[^-cmXW]*([cmXW])', words[at])
        at += 1
        if found is not None and found.group(1) in 'cm':
            return at
        if found is not None and found.end() == len(words[at - 1]):
            at += 1  # the value is a word of its own
    return at


def write_start():
    """A `sitecustomize` that starts the agent and then gives way to the target's own."""
    path = os.path.join(STARTS, 'sitecustomize.py')
    if not _isfile(path):
        os.makedirs(STARTS, exist_ok=True)
        with open(path + '.part', 'w') as file:
            file.write(_START)
        os.replace(path + '.part', path)


_START = '''import os, sys
_folder = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != _folder]
sys.path_importer_cache.pop(_folder, None)
sys.modules.pop('sitecustomize', None)
_told = os.environ.pop('H_AGENT_CHILD', None)
if _told is not None:
    sys.path.insert(0, os.path.dirname(_folder))
    try:
        import h_agent_child
        h_agent_child.start(_told)
    finally:
        sys.path.remove(os.path.dirname(_folder))
        sys.path_importer_cache.pop(os.path.dirname(_folder), None)
import sitecustomize
'''
