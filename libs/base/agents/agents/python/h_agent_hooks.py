"""PYTEST_DONT_REWRITE. Observes statements that no probe can be put before: bodies of classes, and sources that cannot be rewritten.

From CPython 3.12 on through `sys.monitoring`, asked for nothing but the code that holds such a statement; before, through a trace
function, which costs each call something. What is written is what probes write, without the branch that was taken.
"""
import builtins
import dis
import sys
import threading
import types

from h_agent_exits import ends_loop, is_waiting
from h_agent_secrets import reason_of
from h_agent_wire import is_foreign

__builtins__ = dict(vars(builtins))  # the target may patch its own
NAME, TOOLS = 'h-observe', (3, 4, 2, 0)
SUSPENDS = 0x20 | 0x80 | 0x200  # generators, coroutines, asynchronous generators
_getframe = sys._getframe
_SCOPES = (dict, type((lambda: _getframe().f_locals)()))
_type_mro, _type_dict = type.__dict__['__mro__'].__get__, type.__dict__['__dict__'].__get__


def guarded(method):
    """Nothing of ours may fail the target; what a handler of signals raises is the target's own."""
    def safe(self, *arguments):
        if self.recorder.out.is_over:
            return None
        try:
            return method(self, *arguments)
        except Exception as error:
            if not isinstance(error, RecursionError) and is_foreign(error.__traceback__):
                raise
            return None
    return safe


class Hooks:
    """Statements by file; each code object is looked at once."""

    def __init__(self, recorder):
        self.recorder, self.by_file, self.paths, self.codes, self.specs = recorder, {}, {}, {}, {}
        self.tool, self.is_tracing = None, False

    def add(self, path, specs):
        self.by_file.setdefault(path, []).extend(specs)
        self.specs.update([(spec['n'], spec) for spec in specs])
        self.codes.clear()
        if self.tool is None and not self.is_tracing:
            self.start()

    def start(self):
        monitoring = getattr(sys, 'monitoring', None)
        if monitoring is not None:
            free = [tool for tool in TOOLS if monitoring.get_tool(tool) is None]
            if free:
                self.monitor(monitoring, free[0])
                return
        if sys.gettrace() is not None:
            self.recorder.tell('n', 'statements without probes are not recorded: another trace function is set')
            return
        self.is_tracing = True
        self.trace = self.traced  # one bound method, so that it can be known again
        threading.settrace(self.trace)
        sys.settrace(self.trace)

    def monitor(self, monitoring, tool):
        events = monitoring.events
        self.tool, self.disable = tool, monitoring.DISABLE
        self.local = events.LINE | events.PY_RETURN
        self.set_local = monitoring.set_local_events
        monitoring.use_tool_id(tool, NAME)
        for event, callback in ((events.PY_START, self.started), (events.LINE, self.reached), (events.PY_RETURN, self.returned),
                                (events.RAISE, self.raised)):
            monitoring.register_callback(tool, event, callback)
        monitoring.set_events(tool, events.PY_START | events.RAISE)

    def stop(self):
        """At the end of a test: whether the target took the trace function away."""
        if self.is_tracing and sys.gettrace() != self.trace:
            self.is_tracing = False
            self.recorder.tell('n', 'the program set a trace function: statements without probes are not recorded from there on')

    # which code is meant

    def lines_of(self, code):
        """`(specs by line, spec of the entry, where statements of several lines start)` of a code object; None where it holds
        nothing that is wanted."""
        known = self.codes.get(id(code))
        if known is None or known[0] is not code:
            known = self.codes[id(code)] = (code, self.found_in(code))  # held, so that its id stays its own
        return known[1]

    def found_in(self, code):
        name = code.co_filename
        if name not in self.paths:
            self.paths[name] = self.recorder.relative(name)
        specs = self.by_file.get(self.paths[name])
        if specs is None:
            return None
        if code.co_name[0] == '<' and code.co_name != '<module>':
            return None  # a comprehension or lambda is part of the statement around it
        starts = list(dis.findlinestarts(code))
        own = {line for _, line in starts}
        is_module = code.co_name == '<module>'
        lines, entry = {}, None
        for spec in specs:
            if spec['role'] == 'entry':
                entry = spec if spec['line'] == code.co_firstlineno and not is_module and not is_class(code) else entry
            elif spec['line'] in own and (is_module or spec['line'] > code.co_firstlineno or spec['role'] == 'return'):
                lines[spec['line']] = spec
        if not lines and entry is None:
            return None
        for spec in list(lines.values()) + [entry] * (entry is not None):
            self.recorder.tell('p', spec['n'], [] if spec is entry else spec['before'], spec['after'])
        return lines, entry, {at for (_, before), (at, line) in zip([(0, None)] + starts, starts)
                              if line in lines and not line <= (before or 0) <= lines[line].get('last', line)}

    # what the interpreter tells

    @guarded
    def started(self, code, offset):
        found = self.lines_of(code)
        if found is None:
            return self.disable
        self.set_local(self.tool, code, self.local)
        self.enter(_getframe(2), found)

    @guarded
    def reached(self, code, line):
        self.line(_getframe(2), line)

    @guarded
    def returned(self, code, offset, value):
        self.leave(_getframe(2), value)

    @guarded
    def raised(self, code, offset, error):
        record = self.recorder.frames.get(id(_getframe(2)))
        if record is not None and record[3] is code and not ends_loop(code, offset, error):
            self.fail(record, error)

    def traced(self, frame, event, value):
        if self.recorder.out.is_over or event != 'call':
            return None
        found = self.lines_of(frame.f_code)
        if found is None:
            return None
        self.trace_start(frame, found)
        return self.trace_inside

    @guarded
    def trace_start(self, frame, found):
        record, code = self.recorder.frames.get(id(frame)), frame.f_code
        is_known = record is not None and record[3] is code and code.co_flags & SUSPENDS
        if not (is_known and frame.f_lineno != code.co_firstlineno):
            self.enter(frame, found)

    def trace_inside(self, frame, event, value):
        self.trace_step(frame, event, value)
        return self.trace_inside

    @guarded
    def trace_step(self, frame, event, value):
        if event == 'line':
            self.line(frame, frame.f_lineno)
        elif event == 'return':
            if not (frame.f_code.co_flags & SUSPENDS and is_waiting(frame)):
                self.leave(frame, value)
        elif event == 'exception':
            record = self.recorder.frames.get(id(frame))
            if record is not None and record[3] is frame.f_code and not ends_loop(frame.f_code, frame.f_lasti, value[1]):
                self.fail(record, value[1])

    # what is written

    def enter(self, frame, found):
        runtime = self.recorder.runtime
        record = runtime['frames'][id(frame)] = [b'%d' % runtime['next_frame'](), b'', -1, frame.f_code, None, None]
        entry = found[1]
        if entry is not None and self.take(entry['n'], record) is not None:
            self.send(record, b'["e",%b,%d,%b,[%b]%b]\n' % (
                record[1], entry['n'], record[0], self.values(frame, entry['after']), runtime['caller_of'](frame)))

    def take(self, n, record):
        """The number of a new event, in the record; None: nothing is recorded any more."""
        runtime = self.recorder.runtime
        number = runtime['next_id']()
        if number >= runtime['limit'] and not runtime['thin'](n, record):
            self.recorder.stop()
            return None
        record[1] = b'%d' % number
        return number

    def line(self, frame, line):
        record, code = self.recorder.frames.get(id(frame)), frame.f_code
        if record is None or record[3] is not code:
            return
        under = self.specs.get(record[2])
        if under is not None:
            first, last = under['line'], under.get('last', under['line'])
            if first <= line <= last and first < last and frame.f_lasti not in self.lines_of(code)[2]:
                return  # further lines of the same statement, or back to its first
            self.finish(frame, record, under)
        spec = self.lines_of(code)[0].get(line)
        if spec is not None and self.take(spec['n'], record) is not None:
            self.send(record, b'["b",%b,%d,%b,[%b]]\n' % (
                record[1], spec['n'], record[0], self.values(frame, spec['before'])))
            record[2] = spec['n']

    def finish(self, frame, record, spec):
        self.send(record, b'["a",%b,[%b]]\n' % (record[1], self.values(frame, spec['after'])))
        record[2] = -1

    def leave(self, frame, value):
        record = self.recorder.frames.get(id(frame))
        spec = None if record is None or record[3] is not frame.f_code else self.specs.get(record[2])
        if spec is None:
            return
        if spec['role'] == 'return':
            self.send(record, b'["r",%b,%b]\n' % (record[1], self.value(value, frame.f_code.co_name)))
            record[2] = -1
        else:
            self.finish(frame, record, spec)

    def fail(self, record, error):
        if record[2] in self.specs:
            self.send(record, b'["x",%b,%b]\n' % (record[1], self.value(error, '')))
            record[2] = -1

    def send(self, record, data):
        if record[5] is not None:
            record[5](data)
        elif not self.recorder.out.is_over:
            try:
                self.recorder.out.write(data)
            except ValueError:
                if not self.recorder.out.more(data):
                    self.recorder.full(data)

    def values(self, frame, names):
        if not names:
            return b''
        local, code, found = frame.f_locals, frame.f_code, []
        is_known = holds_all(local)
        for name in names:
            value = dict_get(local, name) if is_known else MISSING
            if value is MISSING and is_known and type(frame.f_globals) is dict and not is_own(code, name):
                value = dict.get(frame.f_globals, name, MISSING)
            found.append(b'0' if value is MISSING else self.value(value, name))
        return b','.join(found)

    def value(self, value, name):
        why = reason_of(name) if self.recorder.masks and name else None
        runtime = self.recorder.runtime
        return runtime['get'](id(type(value)), runtime['other'])(value) if why is None else runtime['secret'](value, why)


MISSING = object()


def holds_all(scope):
    """Whether what a scope stores is what names in it mean; a metaclass may give the body of its class another one."""
    if type(scope) in _SCOPES:
        return True
    for kind in _type_mro(type(scope)):
        if kind is dict:
            return True
        if '__getitem__' in _type_dict(kind) or '__missing__' in _type_dict(kind):
            return False
    return False


def is_own(code, name):
    """A name of the function, or of one around it: no global is meant where it is not bound."""
    return name in code.co_varnames or name in code.co_cellvars or name in code.co_freevars


def dict_get(scope, name):
    try:
        return dict.__getitem__(scope, name) if issubclass(type(scope), dict) else scope[name]
    except KeyError:
        return MISSING


def is_class(code):
    """The body of a class has no new locals."""
    return not code.co_flags & 2
