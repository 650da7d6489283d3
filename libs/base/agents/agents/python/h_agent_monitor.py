"""PYTEST_DONT_REWRITE. Statement coverage by `sys.monitoring` (CPython 3.12 and later): what `h_agent_coverage` tells, but for the order.

A line event says that a statement began, and is off from then on; between two tests it is put on again, in the code objects that ran
and in no others. Where a function and its body begin on one line, the start of the function says it. A code object that the target makes of another one is found by the audit event of its making. What is
credited to whom, and how it is told, is as with probes; files whose lines do not tell statements apart have probes.
"""
import ast
import gc
import runpy
import sys
import types

import h_agent_loaders
from h_agent_coverage import Coverage, create_judge
from h_agent_statements import find_statements

NAME = 'h'
CONFLICTS = {'use_tool_id', 'free_tool_id', 'clear_tool_id', 'settrace'}
ORDERED = 50  # so few tests cost little, and their order is worth having
_OPTIMIZED = 2
_key = object.__hash__  # the identity of a code object: each `id()` would be an audit event


def create_coverage(plan, relative, emit, watch=None):
    """The coverage of a run, installed: by events where that is possible and no order is asked for, else by probes."""
    def skipped(file, reason):
        coverage.aside[file] = True
        emit('skipped-instrumentation', file=file, reason=reason)

    tests = plan.get('tests')
    ordered = plan.get('order') or (tests is not None and len(tests) <= ORDERED)
    kind, monitoring = Coverage, getattr(sys, 'monitoring', None)
    if monitoring is not None and not ordered and watch is not None and watch.page is not None and not watch.is_again:
        free = [tool for tool in (4, 3) if monitoring.get_tool(tool) is None]
        kind = Monitored if free else Coverage
    coverage = kind(relative, skipped, create_judge(plan['root_path']))
    coverage.note = lambda message: emit('note', message=message)
    coverage.install()
    h_agent_loaders.install(coverage, runpy)
    return coverage


def starts_anew(coverage, dependencies, watch, emit):
    """Once all tests are loaded: has a new process with probes started, where the target uses what line events are made of."""
    if isinstance(coverage, Monitored) and any(CONFLICTS & module.mentions for module in dependencies.modules.values()):
        emit('note', message='The target traces by itself: statements are observed by probes, as before CPython 3.12.')
        watch.again()


class Monitored(Coverage):
    """Numbers of statements as in `Coverage`; those of files with probes have stamps."""

    def __init__(self, relative, skipped, is_test):
        super().__init__(relative, skipped, is_test)
        self.tables, self.events = {}, {}  # by identity of a code object: number by line, with the object; what is observed in it
        self.by_name = {}  # number by line, by name of the file
        self.shared = {}  # lines on which a function and its body begin, by name of the file
        self.fired = []  # code object and line

    def install(self):
        super().install()
        monitoring = self.monitoring = sys.monitoring
        self.tool = next(tool for tool in (4, 3) if monitoring.get_tool(tool) is None)
        self.arm, self.line, self.start = monitoring.set_local_events, monitoring.events.LINE, monitoring.events.PY_START
        monitoring.use_tool_id(self.tool, NAME)
        monitoring.register_callback(self.tool, self.line, create_callback(self.fired, monitoring.DISABLE))
        monitoring.register_callback(self.tool, self.start, self.on_start)
        self.handlers = {'code.__new__': self.on_new_code}

    def instrument(self, data, filename, path):
        collecting = gc.isenabled()
        gc.disable()
        try:
            tree = compile(data, filename, 'exec', ast.PyCF_ONLY_AST, dont_inherit=True)
            found = find_statements(tree, data)
            if found is None or self.is_lost or self.page is not None:
                return super().instrument(data, filename, path)
            lines, self.shared[filename] = found
            code = compile(tree, filename, 'exec', dont_inherit=True)
            first = self.number(path, lines)
            table = self.by_name[filename] = {line: first + index for index, line in enumerate(lines)}
            self.watch(code, table)
            self.made[_key(code)] = code
            return code
        finally:
            if collecting:
                gc.enable()

    def watch(self, whole, table):
        """Functions and the body of the module; not bodies of classes, lambdas and comprehensions, as with probes."""
        work = [whole]
        while work:
            code = work.pop()
            if code is whole or (code.co_flags & _OPTIMIZED and code.co_name[0] != '<' and code.co_name != '__annotate__'):
                self.watch_one(code, table)
            work.extend([constant for constant in code.co_consts if type(constant) is types.CodeType])

    def watch_one(self, code, table):
        events = self.line | self.start if self.is_shared(code) else self.line
        self.tables[_key(code)], self.events[_key(code)] = (table, code), events
        self.arm(self.tool, code, events)

    def arm_again(self, codes):
        """Lines that have been said are said again. `codes`: by identity."""
        for key, code in codes.items():
            self.arm(self.tool, code, 0)
            self.arm(self.tool, code, self.events[key])

    def is_shared(self, code):
        return bool(code.co_flags & _OPTIMIZED) and code.co_firstlineno in self.shared[code.co_filename]

    def on_new_code(self, args):
        """The target copies or changes code: from here on each code object is looked at when it starts for the first time."""
        if args[1] in self.by_name:
            self.monitoring.set_events(self.tool, self.start)

    def on_start(self, code, _offset):
        table = self.by_name.get(code.co_filename)
        if table is not None and _key(code) not in self.tables and code.co_flags & _OPTIMIZED and code.co_name[0] != '<':
            self.watch_one(code, table)
        if table is None or _key(code) not in self.tables or not self.is_shared(code):
            return self.monitoring.DISABLE
        if self.page is not None:
            return self.on_child_line(code, code.co_firstlineno)
        self.fired.append((code, code.co_firstlineno))
        return self.monitoring.DISABLE

    def flush(self):
        if self.stamps:
            super().flush()
        if self.page is not None:
            return
        if self.monitoring.get_tool(self.tool) != NAME:
            self.lose()
        fired = self.fired
        if not fired:
            return
        batch = fired[:]
        del fired[:len(batch)]  # other threads may have gone on
        tables, sink, last, codes, numbers = self.tables, self.sink, None, {}, []
        for code, line in batch:
            if code is not last:  # mostly it is
                last, key = code, _key(code)
                table, codes[key] = tables[key]
            number = table.get(line)
            if number is not None:
                numbers.append(number)
        try:
            self.arm_again(codes)
        except ValueError:
            self.lose()
        if sink is not self.idle:
            sink.update(numbers)

    def become_child(self, page):
        """Lines that ran before the fork are off; from here on none is, since the parent may take what ran at any time."""
        super().become_child(page)
        monitoring = self.monitoring
        monitoring.register_callback(self.tool, self.line, self.on_child_line)
        self.arm_again({_key(code): code for code, _ in self.fired})
        self.fired.clear()

    def on_child_line(self, code, line):
        number = self.tables[_key(code)][0].get(line)
        if number is None:
            return self.monitoring.DISABLE
        if number < self.page.limit:
            self.stamps[number] = 1  # never off: the parent takes what is there when a test ends

    def lose(self):
        if not self.is_lost:
            self.is_lost = True
            self.note('The target took the monitoring tool of H: what tests executed is not known from here on.')

    def last_lines(self, since, numbers):
        """Not known."""


def create_callback(fired, disable):
    def on_line(code, line, add=fired.append):
        add((code, line))
        return disable

    return on_line
