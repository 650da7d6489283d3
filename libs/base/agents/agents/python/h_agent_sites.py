"""PYTEST_DONT_REWRITE. Which statement or function of a module each spec of the probe table is for."""
import ast
import re
import types

from h_agent_probes import place_of

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
MATCH = getattr(ast, 'Match', ())
BRANCHES = (ast.If,) + LOOPS + ((MATCH,) if MATCH else ())


class Sites:
    """The functions and statements of a module, by line, and the scope each belongs to. Class bodies have no sites: a metaclass
    may have made any namespace for them."""

    def __init__(self, tree):
        self.scopes, self.functions, self.statements, self.owner, self.in_classes = [], {}, {}, {}, set()
        work = [(tree, tree.body, False)]
        self.scopes.append(tree)
        while work:
            scope, body, in_class = work.pop()
            for statement in body:
                self.add(statement, scope, in_class, work)

    def add(self, statement, scope, in_class, work):
        line = place_of(statement)[0]
        if in_class:
            self.in_classes.add(line)
        else:
            self.statements.setdefault(line, []).append(statement)
            self.owner[id(statement)] = scope
        if isinstance(statement, FUNCTIONS):
            self.functions.setdefault(line, []).append(statement)
            self.scopes.append(statement)
            self.owner[id(statement), 'entry'] = statement
            work.append((statement, statement.body, False))
        elif isinstance(statement, ast.ClassDef):
            work.append((scope, statement.body, True))
        else:
            for body in bodies_of(statement):
                work.append((scope, body, in_class))


def bodies_of(statement):
    found = [getattr(statement, field) for field in ('body', 'orelse', 'finalbody') if getattr(statement, field, None)]
    holders = getattr(statement, 'handlers', None) or getattr(statement, 'cases', None) or ()
    return found + [holder.body for holder in holders]


def role_of(statement):
    return 'return' if isinstance(statement, ast.Return) else 'branch' if isinstance(statement, BRANCHES) else 'statement'


def columns_of(data):
    """A function (line, UTF-8 column) -> UTF-16 offset in the whole text; the offsets of the host are such."""
    lines, at = [], 0
    for part in re.split('(\r\n|\r|\n)', data.decode('utf-8-sig', 'replace')):
        if part[:1] not in ('\r', '\n'):
            lines.append((at, part.encode('utf-8')))
        at += units(part)

    def offset(line, column):
        start, text = lines[line - 1]
        return start + units(text[:column].decode('utf-8', 'replace'))
    return offset


def units(text):
    return len(text) + sum([character > '\uffff' for character in text])


def choose(sites, specs, offset):
    """Which statement or function each probe is for: by line, then by offset where it has one, by role, and by order."""
    chosen, by_line = {}, {}
    for spec in sorted(specs, key=lambda spec: spec['n']):
        if spec['role'] == 'entry':
            for function in sites.functions.get(spec['line'], ())[:1]:
                chosen.setdefault((id(function), 'entry'), spec)
        else:
            by_line.setdefault(spec['line'], []).append(spec)
    for line, wanted in by_line.items():
        here = sorted(sites.statements.get(line, ()), key=lambda statement: place_of(statement))
        for spec in wanted:
            free = [statement for statement in here if id(statement) not in chosen]
            if len(here) > 1 and 'start' in spec:
                exact = [one for one in free if offset(*place_of(one)) in (spec['start'], spec['start'] - 1)]  # a mark of byte order
                free = exact[-1:] or free
            free = [one for one in free if role_of(one) == spec['role']] or free
            if free:
                chosen[id(free[0])] = spec
    return chosen


def why_not(sites, spec):
    if spec['line'] in sites.in_classes:
        return 'line %d is in the body of a class' % spec['line']
    if spec['role'] != 'entry' and spec['line'] in sites.statements:
        return 'line %d has no place for it' % spec['line']
    return 'no %s starts at line %d' % ('function' if spec['role'] == 'entry' else 'statement', spec['line'])


def locals_of(code):
    """The local variables of each function, without its parameters, in the order `locals()` gives them: by name and first line."""
    orders, work = {}, [code]
    while work:
        code = work.pop()
        first = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
        orders[code.co_name, code.co_firstlineno] = code.co_varnames[first:]
        work.extend([constant for constant in code.co_consts if isinstance(constant, types.CodeType)])
    return orders
