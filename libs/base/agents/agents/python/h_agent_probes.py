"""PYTEST_DONT_REWRITE. Puts a probe before each statement of a syntax tree: `__h_t__[N] = __h_c__()`.

From CPython 3.11 on `__h_t__[N] = __h_c__(__h_n__)`, where `__h_c__` is `next`: a call that the interpreter specialises.
"""
import ast
import sys

SPECIALISES = sys.version_info >= (3, 11)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_LOAD, _STORE = ast.Load(), ast.Store()
_INDEX = (lambda number: ast.Index(number)) if sys.version_info < (3, 9) else (lambda number: number)


def insert_probes(tree, lines, probes):
    """Puts probes into every statement list but those of class bodies; `lines` gets the first line of each statement,
    `probes` the constants that hold its number. Iterative: deep `elif` chains must not recurse."""
    body = tree.body
    start = 1 if body and is_docstring(body[0]) else 0
    while start < len(body) and isinstance(body[start], ast.ImportFrom) and body[start].module == '__future__':
        start += 1
    work = [(tree, 'body', False, start)]
    while work:
        node, field, in_class, start = work.pop()
        statements = getattr(node, field)
        if not in_class:
            setattr(node, field, probed(statements, start, lines, probes))
        for statement in reversed(statements):
            descend(statement, in_class, work)


def descend(statement, in_class, work):
    """Queues the statement lists inside a statement: where each is, and how many statements at its head get no probe."""
    if isinstance(statement, _FUNCTIONS):
        work.append((statement, 'body', False, 1 if is_docstring(statement.body[0]) else 0))
        return
    if isinstance(statement, ast.ClassDef):
        work.append((statement, 'body', True, 0))
        return
    restamped = not in_class and isinstance(statement, _LOOPS) and not is_endless(statement)
    for field in ('finalbody', 'orelse', 'body'):
        if getattr(statement, field, None):
            work.append((statement, field, in_class, 1 if restamped and field == 'orelse' else 0))
    for holder in getattr(statement, 'handlers', None) or getattr(statement, 'cases', None) or ():
        work.append((holder, 'body', in_class, 0))


def probed(statements, start, lines, probes):
    found, previous, place = list(statements[:start]), None, None
    for statement in statements[start:]:
        number, here = len(lines), place_of(statement)
        lines.append(here[0])
        if previous is None:
            previous, place = make_probe(number, here, probes), here
            found.append(previous)
        else:  # the statement before can neither fail nor run code: its probe speaks for this one too
            previous.targets.append(make_target(number, place, probes))
        found.append(statement)
        if isinstance(statement, _LOOPS) and not is_endless(statement):
            # the header runs once more when the loop is exhausted: its stamp must then be later than the body's
            statement.orelse.insert(0, make_probe(number, here, probes))
        if not is_inert(statement):
            previous = None
    return found


def place_of(statement):
    decorators = getattr(statement, 'decorator_list', None)
    first = decorators[0] if decorators and decorators[0].lineno < statement.lineno else statement
    return first.lineno, first.col_offset


def make_probe(number, place, probes):
    clock = make(ast.Name, place, {'id': '__h_c__', 'ctx': _LOAD})
    counter = [make(ast.Name, place, {'id': '__h_n__', 'ctx': _LOAD})] if SPECIALISES else []
    call = make(ast.Call, place, {'func': clock, 'args': counter, 'keywords': []})
    return make(ast.Assign, place, {'targets': [make_target(number, place, probes)], 'value': call, 'type_comment': None})


def make_target(number, place, probes):
    constant = make(ast.Constant, place, {'value': number, 'kind': None})
    probes.append(constant)
    table = make(ast.Name, place, {'id': '__h_t__', 'ctx': _LOAD})
    return make(ast.Subscript, place, {'value': table, 'slice': _INDEX(constant), 'ctx': _STORE})


def make(kind, place, fields, _new=ast.AST.__new__):
    """A node, made five times faster than by its constructor."""
    fields['lineno'] = fields['end_lineno'] = place[0]
    fields['col_offset'] = fields['end_col_offset'] = place[1]
    node = _new(kind)
    node.__dict__ = fields
    return node


def is_docstring(statement):
    return (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            and isinstance(statement.value.value, str))


def is_endless(loop):
    return isinstance(loop, ast.While) and isinstance(loop.test, ast.Constant) and bool(loop.test.value)


def is_inert(statement):
    """Can neither raise nor run any code: `pass`, `global`, a name bound to a constant or to a display of constants."""
    if isinstance(statement, (ast.Pass, ast.Global, ast.Nonlocal)):
        return True
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    return (isinstance(statement, ast.Assign) and is_constant(statement.value)
            and all(isinstance(target, ast.Name) for target in statement.targets))


def is_constant(value):
    if isinstance(value, ast.Dict):
        return not value.keys
    if isinstance(value, (ast.List, ast.Tuple)):
        return all(isinstance(item, ast.Constant) for item in value.elts)
    return isinstance(value, ast.Constant)
