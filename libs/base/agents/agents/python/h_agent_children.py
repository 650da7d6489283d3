"""PYTEST_DONT_REWRITE. Python processes that the target starts: what they execute and read is of the test that started them.

A forked child has the agent already; a program that is the same interpreter gets it (`h_agent_starts`). Each writes a page (`h_agent_page`),
which is read as the test ends, or once the process has ended; what a child does later is of the test that runs then. Every process is
known until it has ended: a test in whose time one goes on that does not tell, or has not begun to, may depend on more than is seen.
"""
import _thread
import os
import sys
import threading

from h_agent_page import Page
from h_agent_process import Started
from h_agent_starts import environment_with_agent, is_followed, is_own, words_with_agent

try:
    import _posixsubprocess
except ImportError:
    _posixsubprocess = None

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'children')
SWEEP = 32  # so many started since the last time
_getpid, _ident, _unlink, _makedirs, _fsdecode, _new_lock = os.getpid, threading.get_ident, os.unlink, os.makedirs, os.fsdecode, _thread.allocate_lock
_ON, _WENT_ON = 'a process that it started goes on', 'a process that an earlier test started went on'


class Children:
    def __init__(self, coverage, dependencies, plan):
        self.coverage, self.dependencies, self.plan = coverage, dependencies, plan
        self.pages = []  # of `Started`
        self.foreign, self.forking, self.count, self.due = {}, {}, 0, SWEEP
        self.seen, self.own = set(), set()  # processes that processes told of; those of the standard library
        self.page = None  # in a child: its own
        self.busy = _new_lock()  # never waited for

    def install(self):
        if _posixsubprocess is None or not hasattr(os, 'register_at_fork'):
            return
        self.dependencies.children = self
        os.register_at_fork(before=self._before, after_in_parent=self._after, after_in_child=self._in_child)
        plain = _posixsubprocess.fork_exec

        def fork_exec(*args):
            self.sweep()
            args, started = self.starting(args)
            pid = plain(*args)
            self.has_started(started, pid)
            return pid

        _posixsubprocess.fork_exec = fork_exec
        subprocess = sys.modules.get('subprocess')  # where it is loaded later, it takes the function from there
        if hasattr(subprocess, '_fork_exec'):
            subprocess._fork_exec = fork_exec

    def on_popen(self, _args):
        """`subprocess` is about to start a program: by `fork_exec`, if its documented switch says so."""
        sys.modules['subprocess']._USE_POSIX_SPAWN = False

    def on_other(self, name):
        """A process is about to start whose number stays unknown."""
        if self.page is None and not any(one.page is None and not one.pid for one in self.pages):
            self.pages.append(Started(name, None, _getpid()))

    def on_fork(self, _args):
        self.sweep()  # here, since what a signal handler raises in the functions of a fork is lost

    # ---- forks

    def _before(self):
        try:
            started = self._new('os.fork', self.coverage.total)
        except Exception:
            started = None
            self.dependencies.credit('children', 'os.fork')
        self.forking.setdefault(_ident(), []).append(started)

    def _after(self):
        forking = self.forking.get(_ident())
        if forking:
            forking.pop()

    def _in_child(self):
        forking = self.forking.pop(_ident(), None)
        self.forking = {}
        started = forking[-1] if forking else None
        self.become(Page(None, self.coverage.total) if started is None else started.page)  # the first is told by nobody

    def become(self, page):
        """This process is a child, and writes the page."""
        self.pages, self.foreign, self.page, self.busy = [], {}, page, _new_lock()
        page.begin()
        if self.coverage.total > page.base:  # a thread loaded a file during the fork
            for first, (path, lines) in self.coverage.ranges.items():
                if first >= page.base:
                    page.write('file', first, path, lines)
        self.coverage.become_child(page)
        self.dependencies.page = page

    def silence(self):
        """A forked child that fell through into the runner and starts a test is no test's any more."""
        page, coverage = self.page, self.coverage
        page.write = lambda *_: None
        page.ran = page.loaded = coverage.stamps = bytearray(page.limit)
        coverage.plant({'__h_t__': coverage.stamps})

    def _new(self, name, base):
        """A process that is about to start."""
        self.count += 1
        coverage, path = self.coverage, None
        if self.page is not None or name != 'os.fork':
            path = os.path.join(FOLDER, '%d-%d' % (_getpid(), self.count))
            _makedirs(FOLDER, exist_ok=True)
        started = Started(name, Page(path, base), _getpid())
        if self.page is not None:
            self.page.write('child', path, base, started.page.limit, name, started.starter)
            return started
        if coverage.sink is coverage.imported or coverage.sink is coverage.idle:
            self.dependencies.credit('children', name)  # of a module, and so of every test that leads to it
        self.pages.append(started)
        return started

    # ---- programs

    def starting(self, args):
        """The arguments of `fork_exec`, with the agent's variables where the program is this interpreter, and what is known of the process."""
        words, started = args[0], None
        name = _fsdecode(words[0]) if words else 'fork_exec'
        try:
            if is_own(words):
                return args, None
            if is_followed(words, args[1]):
                started = self._new(name, 0)
                told = environment_with_agent(args[5], started.page, self.plan)
                return (words_with_agent(words, args[4], self.coverage),) + args[1:5] + (told,) + args[6:], started
        except Exception:
            pass
        self.dependencies.credit('children', name)
        if started is None:
            started = Started(name, None, _getpid())
            if self.page is None:
                self.pages.append(started)
        return args, started

    def has_started(self, started, pid):
        if started is None:
            self.own.add(pid)
            return
        started.pid = pid
        if self.page is not None:
            self.page.write('pid', started.page and started.page.path, pid, started.name)

    # ---- what they told

    def collect(self, sink):
        """What children did since the last time goes to `sink`. Those that have ended are forgotten."""
        if not self.busy.acquire(False):  # a thread of the target starts a process
            return self._credit(sink, 'unsure', 'what a process did is not known yet')
        try:
            at = 0
            while at < len(self.pages):  # longer meanwhile: by processes of processes, and by other threads
                started = self.pages[at]
                goes_on = started.goes_on(self._pids)
                self._read(started, goes_on)
                self._tell(started, goes_on, sink)
                if goes_on:
                    at += 1
                else:
                    del self.pages[at]
        finally:
            self.busy.release()

    def sweep(self):
        """Reads those that have ended, many as there may be before the test does."""
        if self.count < self.due or self.page is not None or not self.busy.acquire(False):
            return
        try:
            for started in self.pages[:]:
                if started.page is not None and started.pids() and not started.is_running():
                    self._read(started, False)
            self.due = self.count + SWEEP
        finally:
            self.busy.release()

    def _pids(self):
        return self.own.union(*[started.pids() for started in self.pages])

    def _tell(self, started, goes_on, sink):
        sink.update(started.took)
        if started.is_full:
            self._credit(sink, 'unsure', 'a process told more than there is room for')
        tells = started.is_followed and started.has_begun
        if started.is_followed and not goes_on and not started.has_begun:  # it took no agent, or none was needed
            self._credit(sink, *(('unsure', 'a process ended before it began') if started.name == 'os.fork' else ('children', started.name)))
        elif started.is_followed and not started.is_known:
            self._credit(sink, 'followed', started.name)
        if started.is_known and (started.did or not tells):
            self._credit(sink, 'unsure', _WENT_ON)
        elif not started.is_known and goes_on:
            self._credit(sink, 'unsure', _ON)
        started.is_known, started.took, started.did = True, set(), False

    def _read(self, started, goes_on):
        """What it told since the last time. Where a signal handler ends this midway, the next time begins with the same."""
        page, started.is_over = started.page, not goes_on
        if page is None:
            return
        pid, is_full = page.head()
        started.has_begun, started.is_full, sink = pid != 0, is_full, started.took
        lines = page.take_lines(lambda *line: self._take_line(page, sink, *line))
        ran = page.take_numbers(page.ran, lambda numbers: sink.update(self._own_numbers(page, numbers)))
        loaded = page.take_numbers(page.loaded, lambda numbers: self.coverage.imported.update(self._own_numbers(page, numbers)))
        started.did = started.did or lines or ran or loaded
        if not goes_on:
            started.page = None
            if page.path is not None:
                try:
                    _unlink(page.path)
                except OSError:
                    pass

    def _credit(self, sink, kind, value):
        sink.add(self.dependencies.number_of((kind, value)))

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
        if kind == 'file':
            page.add_file(*values)
        elif kind in ('child', 'pid'):
            if (kind, values) not in self.seen:
                self._take_process(page, sink, kind, *values)
                self.seen.add((kind, values))
        elif kind == 'read':
            self._credit(sink, *values)
        else:
            self.dependencies.take_foreign(kind, values)

    def _take_process(self, page, sink, kind, path, *values):
        """A process started one: it is about to, or its number is known."""
        if kind == 'pid':
            pid, name = values
            started = next((one for one in self.pages if path is not None and one.page is not None and one.page.path == path), None)
            if started is None and path is None:
                started = Started(name, None, page.head()[0])
                self.pages.append(started)
            if started is not None:
                started.pid = pid
            return
        base, limit, name, starter = values
        try:
            child = Page(path, base, limit)
        except OSError:
            return self._credit(sink, 'unsure', 'what a process of a process did is lost')
        child.parent = page
        self.pages.append(Started(name, child, starter))
