"""PYTEST_DONT_REWRITE. Runs the tests in a child of this process, and in another one where that ends before its time.

The parent has come as far as the runner before it looks for tests; from here on it only waits. A test in which the child dies, or that takes
longer than its limit, costs that test: the parent says so, and forks again for the tests that have not run. A page of shared memory tells it
what the child is about, the report what the child has told; the parent holds the report open, so that no test can delete it.
"""
import json
import mmap
import os
import signal
import struct
import sys
import time

import h_agent_events
import h_agent_limits

if os.path.exists(os.path.join(h_agent_events.HERE, 'batch.json')):  # else it costs every run the time to load it
    import h_agent_batch
else:
    h_agent_batch = None

_HEAD = struct.Struct('=ddc?H')
_ROOM = 8000
_KEPT = struct.Struct('=I')
_KEPT_ROOM = 8000
_END_BYTES = 1000
_NOTHING, TEST, FILE, _TOLD, _AGAIN = b' ', b'T', b'F', b'!', b'A'
_GRACE = 2.0  # for a child that is over the limit to say where it is
_LOOK = 0.01
_ALARM = signal.SIGRTMIN + 19 if hasattr(signal, 'SIGRTMIN') else None
_clock, _used, _kill, _getpid, _exit = time.monotonic, time.process_time, os.kill, os.getpid, os._exit


class Watch:
    """What a runner tells whoever watches it. Without a watcher all of it does nothing."""

    def __init__(self):
        self.page, self.held, self.plan, self.relative = None, None, {}, None
        self.done, self.broken = set(), set()  # tests and files of processes before this one
        self.is_again, self.has_budgets = False, False

    def about(self, kind=_NOTHING, name=''):
        """From here on the process is about a test, or a file that it loads."""
        if self.page is not None:
            data = name.encode('utf-8', 'surrogatepass')[:_ROOM]
            text = _HEAD.pack(_clock(), _used() if self.has_budgets else 0, kind, False, len(data)) + data
            self.page[:len(text)] = text

    def keep(self, data):
        """What is to be written with the next event: whoever watches writes it, should this process end before. False: no room."""
        if self.page is None or len(data) > _KEPT_ROOM:
            return False
        at = _HEAD.size + _ROOM
        self.page[at + _KEPT.size:at + _KEPT.size + len(data)] = data
        self.page[at:at + _KEPT.size] = _KEPT.pack(len(data))
        return True

    def take_kept(self):
        at = _HEAD.size + _ROOM
        length, = _KEPT.unpack(self.page[at:at + _KEPT.size])
        data = self.page[at + _KEPT.size:at + _KEPT.size + length]
        self.keep(b'')
        return data

    def read(self):
        since, _, kind, _, length = _HEAD.unpack(self.page[:_HEAD.size])
        name = self.page[_HEAD.size:_HEAD.size + length].decode('utf-8', 'surrogatepass')
        return kind, name, _clock() - since

    def read_budget(self):
        """Processor time that the child had used as this began, and whether it may go on beyond its budget."""
        _, used, _, is_granted, _ = _HEAD.unpack(self.page[:_HEAD.size])
        return used, is_granted

    def grant(self):
        since, used, kind, _, length = _HEAD.unpack(self.page[:_HEAD.size])
        self.page[:_HEAD.size] = _HEAD.pack(since, used, kind, True, length)

    def again(self):
        """Ends this process; another one starts in its place, and knows it."""
        sys.stdout.flush()
        sys.stderr.flush()
        self.about(_AGAIN)
        _exit(0)

    def on_limit(self, tell):
        """`tell(kind, name, frame)` runs where the limit is reached, and is the last that the process does."""
        if self.page is None or _ALARM is None:
            return
        owner = _getpid()

        def reached(_, frame):
            if _getpid() != owner:
                return
            kind, name, seconds = self.read()
            if self.plan.get('budgets') and seconds < (limit_of(self.plan) or float('inf')):
                if kind not in (TEST, FILE) or not h_agent_limits.is_own_work(frame, self.relative):
                    return self.grant()
                return _kill(owner, signal.SIGKILL)  # whoever watches says so
            try:
                tell(kind, name, frame)
                self.about(_TOLD, kind.decode() + name)
            finally:
                _kill(owner, signal.SIGKILL)

        signal.signal(_ALARM, reached)


def limit_of(plan):
    """Seconds that one test, or one file as it is loaded, may take; None for no limit."""
    limits = [plan[name] for name in ('test_timeout_ms', 'hang_ms') if plan.get(name)]
    return min(limits) / 1000 if limits else None


def start(plan, writer):
    """Returns in the process that is to run the tests. `writer(watch)` makes the function that appends an event."""
    watch = Watch()
    if not hasattr(os, 'fork') or not hasattr(signal, 'sigtimedwait'):
        return watch
    if h_agent_batch is not None:
        h_agent_batch.serve(plan)
    watch.plan, watch.relative, watch.has_budgets = plan, h_agent_events.relative_path(plan), bool(plan.get('budgets'))
    os.makedirs(os.path.dirname(plan['report_path']), exist_ok=True)
    handle = os.open(plan['report_path'], os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    watch.held = (_getpid(), handle)
    watch.page = mmap.mmap(-1, _HEAD.size + _ROOM + _KEPT.size + _KEPT_ROOM)
    watch.about()
    return _Parent(watch, handle, writer(watch)).start()


class _Parent:
    def __init__(self, watch, handle, emit):
        self.watch, self.handle, self.emit = watch, handle, emit
        self.limit, self.budgets, self.is_over_budget = limit_of(watch.plan), watch.plan.get('budgets'), False
        self.child, self.restarts = None, 0
        self.at, self.rest = 0, b''
        self.collected, self.started, self.ended, self.last, self.is_over = {}, {}, set(), None, False

    def start(self):
        """Forks until a child comes to its end; only a child returns."""
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        while True:
            sys.stdout.flush()
            sys.stderr.flush()
            self.child = os.fork()
            if self.child == 0:
                os.close(self.handle)
                for number, handler in handlers.items():
                    signal.signal(number, handler)
                self.watch.done, self.watch.broken = set(self.ended), set(self.watch.broken)
                return self.watch
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it to the child as well
            signal.signal(signal.SIGTERM, lambda number, _: _kill(self.child, number))
            status, is_hung = self.wait()
            if not self.goes_on(status, is_hung):
                self.leave(status)
            self.watch.about()
            self.restarts += 1

    def wait(self):
        """The status with which the child ended, and whether it was ended because of the limit."""
        if self.limit is None and self.budgets is None:
            return os.waitpid(self.child, 0)[1], False
        limit = self.limit or float('inf')
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        try:
            while True:
                child, status = os.waitpid(self.child, os.WNOHANG)
                if child:
                    return status, False
                kind, name, seconds = self.watch.read()
                if kind in (TEST, FILE) and seconds > limit:
                    return self.end_hung()
                left = limit if kind == _NOTHING else limit - seconds
                if self.budgets is not None:
                    left = min(left, 2 * _LOOK, self.left_of_budget(kind, name, seconds))
                    if left <= 0:
                        ended = self.end_hung(is_final=False)
                        if ended is not None:
                            self.is_over_budget = True
                            return ended
                signal.sigtimedwait([signal.SIGCHLD], max(0.002 if self.budgets else 0.01, min(left, 0.5)))
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])

    def left_of_budget(self, kind, name, seconds):
        """Seconds until it is time to look again; none where what runs has used all that it may."""
        if kind not in (TEST, FILE):
            return _LOOK
        budget = self.budgets['load'] if kind == FILE else self.budgets['tests'].get(name)
        before, is_granted = self.watch.read_budget()
        used = h_agent_limits.processor_time(self.child)
        if budget is None or used is None or is_granted:
            return _LOOK
        return min(budget[0] - (used - before), budget[1] - seconds)

    def end_hung(self, is_final=True):
        """Asks the child where it is, and ends it; one that has gone on to something else meanwhile is ended all the same. None where
        that is not final, and the child does what the limit is not for."""
        until = _clock() + _GRACE
        used = h_agent_limits.processor_time(self.child) or 0
        if _ALARM is not None:
            _kill(self.child, _ALARM)
            while _clock() < until:
                child, status = os.waitpid(self.child, os.WNOHANG)
                if child:
                    return status, True
                if not is_final and self.watch.read_budget()[1]:
                    return None
                if not is_final and (h_agent_limits.processor_time(self.child) or 0) > used + h_agent_limits.FLOOR:
                    break  # it works without coming to where Python would let it answer
                signal.sigtimedwait([signal.SIGCHLD], 0.05 if is_final else 0.002)
        _kill(self.child, signal.SIGKILL)
        return os.waitpid(self.child, 0)[1], True

    def goes_on(self, status, is_hung):
        """Says what the child could not say any more; whether there is something left that another child can run."""
        kept = self.watch.take_kept()
        if kept:
            self.emit.add(kept)
        if self.is_over_budget:  # the batch does not take its own limit for an answer
            self.emit(h_agent_limits.OVER)
            return False
        before = len(self.ended) + len(self.watch.broken)
        if self.has_told_its_end():
            return False
        self.read_report()
        if self.is_over:
            return False
        kind, name, seconds = self.watch.read()
        if kind == _AGAIN and not self.watch.is_again:
            self.watch.is_again = True
            return True
        how = self.describe(status, is_hung)
        failure = {'class': 'Timeout' if is_hung else 'ProcessEnded', 'frames': []}
        is_told = kind == _TOLD
        if is_told:
            kind, name = name[:1].encode(), name[1:]
        if kind == FILE:
            self.watch.broken.add(name)
            if not is_told:
                message = 'The file was being loaded when the process ended: %s.' % how
                self.emit('collection-error', file=name, failure=dict(failure, message=message))
        lost = [test for test in self.started if test not in self.ended]
        if kind == TEST and name not in self.ended and len(name) < _ROOM / 4:
            lost = [name]
        for test in lost[-1:]:
            self.ended.add(test)
            message = 'The process ended while the test ran: %s.' % how
            self.emit('test-end', test=test, file=self.started.get(test) or self.collected.get(test) or test.split('::', 1)[0],
                      outcome='timeout' if is_hung else 'error', duration_ms=round(max(seconds, 0) * 1000, 3),
                      failure=dict(failure, message=message))
        has_more = kind == FILE or any(test not in self.ended for test in self.collected)
        if not has_more or len(self.ended) + len(self.watch.broken) <= before:
            return False
        what = lost[-1] if lost else name or self.last or 'the last test'
        self.emit('note', message='The process ended at %s (%s): what came after ran in a new process.' % (what, how))
        return True

    def describe(self, status, is_hung):
        if is_hung:
            return 'it took longer than %g s' % self.limit
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            try:
                return 'signal %s' % signal.Signals(number).name
            except ValueError:
                return 'signal %d' % number
        return 'exit code %d' % os.WEXITSTATUS(status)

    def has_told_its_end(self):
        """Whether the last line of the report says so: then there is no need to take in the others."""
        at = max(self.at, os.fstat(self.handle).st_size - _END_BYTES)
        for line in os.pread(self.handle, _END_BYTES, at).split(b'\n')[-2:]:
            self.take_in(line)
        return self.is_over

    def read_report(self):
        """Takes in what the child has told since the last time."""
        data = self.rest
        while True:
            part = os.pread(self.handle, 1 << 20, self.at)
            if not part:
                break
            self.at += len(part)
            data += part
        lines = data.split(b'\n')
        self.rest = lines.pop()
        for line in lines:
            self.take_in(line)

    def take_in(self, line):
        if not line.startswith(b'{') or b'"event":"' not in line:
            return
        try:
            event = json.loads(line.decode('utf-8', 'replace'))
        except ValueError:
            return  # the target wrote into the report
        kind = event.get('event') if isinstance(event, dict) else None
        if kind == 'collected':
            self.collected.update((entry['test'], entry['file']) for entry in event['tests'])
        elif kind == 'test-start':
            self.started[event['test']] = event['file']
        elif kind == 'test-end':
            self.ended.add(event['test'])
            self.last = event['test']
        elif kind == 'run-end':
            self.is_over = True

    def leave(self, status):
        """Ends as the child did."""
        self.emit.restore()
        if os.WIFEXITED(status):
            _exit(os.WEXITSTATUS(status))
        number = os.WTERMSIG(status)
        if self.restarts == 0 and number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
            _kill(_getpid(), number)
        _exit(128 + number)
