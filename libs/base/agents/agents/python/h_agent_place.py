"""PYTEST_DONT_REWRITE. Puts value probes around the statements that the probe table names.

A statement `x = f(y)` becomes `begin(y)`, the statement, `end(x)`; the values come as arguments, which is exact where reading a
frame's locals is not (and where, before 3.13, it can undo what another thread writes to a closure). Each is a statement of its own
that no unbound name can fail. A `try` around the body of a function tells of the statement that an exception left.
"""
import ast
import gc
import sys

from h_agent_scopes import parameters_of, readable_names
from h_agent_sites import FUNCTIONS, LOOPS, MATCH, Sites, choose, columns_of, locals_of, why_not
from h_agent_probes import is_docstring, make, place_of

_WITHS = (ast.With, ast.AsyncWith)
_TRIES = tuple(getattr(ast, name) for name in ('Try', 'TryStar') if hasattr(ast, name))
_LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_AT_ONCE = (ast.Break, ast.Continue) + _TRIES
_LOAD = ast.Load()
_SEES_DEAD_CODE = sys.version_info >= (3, 11)  # the compiler numbers the variables of `if False:` too


def place_probes(data, filename, specs, recorder, finish=None):
    """The code of a module with its probes. `finish` may rewrite the tree once they are in it."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        tree = compile(data, filename, 'exec', ast.PyCF_ONLY_AST, dont_inherit=True)
        orders = locals_of(compile(tree, filename, 'exec', dont_inherit=True))
        told = insert_value_probes(tree, data, specs, recorder, orders)
        if finish is not None:
            finish(tree)
        code = compile(tree, filename, 'exec', dont_inherit=True)
    finally:
        if collecting:
            gc.enable()
    for line in told:
        recorder.tell(*line)
    return code


def insert_value_probes(tree, data, specs, recorder, orders):
    """Changes the tree; gives what is to be told of each probe."""
    sites = Sites(tree)
    chosen = choose(sites, specs, columns_of(data))
    placed = []
    for scope in sites.scopes:
        mine = {key: spec for key, spec in chosen.items() if sites.owner.get(key) is scope}
        if mine:
            order = orders.get((scope.name, place_of(scope)[0]), ()) if isinstance(scope, FUNCTIONS) else ()
            Placer(scope, mine, recorder, placed).place(order)
    done = {spec['n'] for spec, _, _ in placed}
    told = [('p', spec['n'], before, after) for spec, before, after in placed]
    return told + [('q', spec['n'], why_not(sites, spec)) for spec in specs if spec['n'] not in done]


class Placer:
    """Rewrites the body of one function or module."""

    def __init__(self, scope, specs, recorder, placed):
        self.scope, self.specs, self.recorder, self.placed = scope, specs, recorder, placed
        self.names = readable_names(scope)
        self.tellers = {}  # id of the statement of a probe -> (that statement, what it tells, its index, its names)
        self.loops = []  # (probes at the end of an iteration, whether a jump there runs nothing else) of the loops around

    def place(self, order):
        body = self.scope.body
        start = 1 if body and is_docstring(body[0]) else 0
        while start < len(body) and isinstance(body[start], ast.ImportFrom) and body[start].module == '__future__':
            start += 1
        head, rest = body[:start], body[start:]
        here = place_of(rest[0] if rest else body[0]) if body else (1, 0)
        before = self.entry(here)
        if start and id(body[0]) in self.specs and is_docstring(body[0]):
            before += self.at_once(body[0])
        rest = self.rewrite(rest)
        if rest:
            leave = self.call(self.recorder.raised, here)
            handler = make(ast.ExceptHandler, here, {'type': None, 'name': None, 'body': [
                leave, make(ast.Raise, here, {'exc': None, 'cause': None})]})
            rest = [make(ast.Try, here, {'body': rest, 'handlers': [handler], 'orelse': [], 'finalbody': []})]
        self.scope.body = head + self.ordered(order, here) + before + rest

    def ordered(self, order, here):
        """Code that never runs, and mentions the local variables in the order they had without the probes."""
        if len(order) < 2:
            return []
        names = make(ast.Tuple, here, {'elts': [make(ast.Name, here, {'id': name, 'ctx': _LOAD}) for name in order], 'ctx': _LOAD})
        never = [make(ast.Expr, here, {'value': names})]
        if _SEES_DEAD_CODE:
            test = make(ast.Constant, here, {'value': False, 'kind': None})
            return [make(ast.If, here, {'test': test, 'body': never, 'orelse': []})]
        handler = make(ast.ExceptHandler, here, {
            'type': make(ast.Name, here, {'id': '__h_e__', 'ctx': _LOAD}), 'name': None, 'body': never})
        return [make(ast.Try, here, {'body': [make(ast.Pass, here, {})], 'handlers': [handler], 'orelse': [], 'finalbody': []})]

    def entry(self, here):
        spec = self.specs.get((id(self.scope), 'entry'))
        if spec is None:
            return [self.call(self.recorder.scope, here)]
        parameters = parameters_of(self.scope)
        names = [name for name in spec['after'] if name in parameters]
        self.placed.append((spec, [], names))
        return [self.call(self.recorder.add('entry', spec['n'], names), here, names)]

    def rewrite(self, statements):
        found = []
        for statement in statements:
            self.descend(statement)
            if id(statement) in self.specs:
                self.extend(found, self.probed(statement))
            elif isinstance(statement, ast.Continue):
                self.extend(found, self.next_header() + [statement])
            else:
                found.append(statement)
            if isinstance(statement, _WITHS):  # it may have swallowed what its body raised
                found.append(self.call(self.recorder.lost, place_of(statement)))
        return found

    def descend(self, statement):
        """Rewrites the statement lists inside a statement that belong to this scope."""
        if isinstance(statement, FUNCTIONS + (ast.ClassDef,)):
            return
        is_loop = isinstance(statement, LOOPS)
        if is_loop:
            spec = self.specs.get(id(statement))
            self.loops.append([] if spec is None else [(statement, spec)])
        elif isinstance(statement, _TRIES + _WITHS):
            held, self.loops = self.loops, self.loops and self.loops[:-1] + [[]]
        for field in ('body', 'orelse', 'finalbody'):
            if field == 'orelse' and is_loop:
                self.loops.pop()
            if getattr(statement, field, None):
                setattr(statement, field, self.rewrite(getattr(statement, field)))
        for holder in getattr(statement, 'handlers', None) or getattr(statement, 'cases', None) or ():
            holder.body = self.rewrite(holder.body)
        if isinstance(statement, _TRIES):
            for handler in statement.handlers:
                handler.body.insert(0, self.call(self.recorder.raised, place_of(handler.body[0])))
            if statement.finalbody:
                statement.finalbody.insert(0, self.call(self.recorder.raised, place_of(statement.finalbody[0])))
        if isinstance(statement, _TRIES + _WITHS):
            self.loops = held

    def probed(self, statement):
        spec, here = self.specs[id(statement)], place_of(statement)
        if isinstance(statement, (ast.Global, ast.Nonlocal)):
            return [statement] + self.at_once(statement)
        if isinstance(statement, _AT_ONCE):
            jump = self.next_header() if isinstance(statement, ast.Continue) else []
            return self.at_once(statement) + jump + [statement]
        before, after = self.own(spec['before']), self.own(spec['after'])
        if isinstance(statement, ast.Return):
            after = []
        self.placed.append((spec, before, after))
        begin = self.told('begin', spec, before, here)
        if isinstance(statement, ast.Return):
            return [begin] + self.returned(statement, spec, here)
        if isinstance(statement, ast.If):
            self.lead(statement.body, self.told('branch', spec, after, here, 'true'))
            self.lead(statement.orelse, self.told('branch', spec, after, here, 'false'))
        elif isinstance(statement, LOOPS):
            statement.body.insert(0, self.told('again', spec, after, here, 'iteration'))
            statement.orelse.insert(0, self.told('again', spec, after, here, 'done'))
            if not isinstance(statement.body[-1], _LEAVES):
                self.extend(statement.body, [self.told('begin', spec, before, here)])
        elif MATCH and isinstance(statement, MATCH):
            self.cases(statement, spec, after, here)
        elif isinstance(statement, _WITHS):
            self.lead(statement.body, self.told('end', spec, after, here))
        elif not isinstance(statement, ast.Raise):
            return [begin, statement, self.told('end', spec, after, here)]
        return [begin, statement]

    def own(self, names):
        return [name for name in names if name in self.names]

    def at_once(self, statement):
        """A statement that is over as soon as it begins."""
        spec, here = self.specs[id(statement)], place_of(statement)
        after = self.own(spec['after'])
        self.placed.append((spec, [], after))
        return [self.told('begin', spec, [], here), self.told('end', spec, after, here)]

    def next_header(self):
        """A `continue` leads to the header of its loop, which begins again."""
        return [self.told('begin', spec, self.own(spec['before']), place_of(loop)) for loop, spec in (self.loops or [[]])[-1]]

    def returned(self, statement, spec, here):
        index = self.recorder.add('returned', spec['n'], (getattr(self.scope, 'name', ''),))
        if statement.value is None:
            return [self.call(index, here, (), [make(ast.Constant, here, {'value': None, 'kind': None})]), statement]
        statement.value = call_of(index, here, [statement.value])
        return [statement]

    def cases(self, statement, spec, after, here):
        for number, case in enumerate(statement.cases):
            self.lead(case.body, self.told('branch', spec, after, here, 'case %d' % (number + 1)))
        last = statement.cases[-1]
        if last.guard is not None or not is_irrefutable(last.pattern):
            rest = make(ast.MatchAs, here, {'pattern': None, 'name': None})
            body = [self.told('branch', spec, after, here, 'none')]
            statement.cases.append(make(ast.match_case, here, {'pattern': rest, 'guard': None, 'body': body}))

    def told(self, kind, spec, names, here, label=None):
        """One probe: with all values at once, or one by one where some name is unbound."""
        index = self.recorder.add(kind, spec['n'], names, label)
        call = self.call(index, here, names, otherwise=self.one_by_one(kind, spec, names, here, label))
        self.tellers[id(call)] = call, kind, index, names
        return call

    def one_by_one(self, kind, spec, names, here, label):
        if not names:
            return None
        steps = []
        for number, name in enumerate(names):
            place = make(ast.Constant, here, {'value': number, 'kind': None})
            steps.append(self.call(self.recorder.stash_of(name), here, [name], [place]))
        steps.append(self.call(self.recorder.add(kind, spec['n'], names, label, one_by_one=True), here))
        return steps

    def lead(self, body, first):
        body[:1] = self.joined(first, body[0]) if body else [first]

    def extend(self, found, statements):
        for statement in statements:
            found[-1:] = self.joined(found[-1], statement) if found else [statement]

    def joined(self, first, second):
        """Two statements that follow each other: one where they are probes that end what has begun and begin the next."""
        ends, begins = self.tellers.get(id(first)), self.tellers.get(id(second))
        if ends is None or begins is None or ends[1] not in ('end', 'branch') or begins[1] != 'begin':
            return [first, second]
        index = self.recorder.add_step(ends[2], begins[2])
        return [self.call(index, place_of(second), ends[3] + begins[3], otherwise=[first, second])]

    def call(self, index, here, names=(), values=(), otherwise=None):
        """A statement that calls a probe and cannot fail: `try: __h_p__[index](…)`, `except __h_e__: …`."""
        arguments = list(values) + [make(ast.Name, here, {'id': name, 'ctx': _LOAD}) for name in names]
        call = make(ast.Expr, here, {'value': call_of(index, here, arguments)})
        handler = make(ast.ExceptHandler, here, {
            'type': make(ast.Name, here, {'id': '__h_e__', 'ctx': _LOAD}), 'name': None,
            'body': otherwise or [make(ast.Pass, here, {})]})
        return make(ast.Try, here, {'body': [call], 'handlers': [handler], 'orelse': [], 'finalbody': []})


def call_of(index, here, arguments):
    constant = make(ast.Constant, here, {'value': index, 'kind': None})
    if not hasattr(ast, 'unparse'):  # before 3.9
        constant = ast.Index(constant)
    table = make(ast.Name, here, {'id': '__h_p__', 'ctx': _LOAD})
    function = make(ast.Subscript, here, {'value': table, 'slice': constant, 'ctx': _LOAD})
    return make(ast.Call, here, {'func': function, 'args': arguments, 'keywords': []})


def is_irrefutable(pattern):
    if isinstance(pattern, ast.MatchAs):
        return pattern.pattern is None or is_irrefutable(pattern.pattern)
    return isinstance(pattern, ast.MatchOr) and is_irrefutable(pattern.patterns[-1])
