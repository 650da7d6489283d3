"""PYTEST_DONT_REWRITE. Puts a probe before each statement of a syntax tree: `__h_t__[N] = __h_c__()`.

Where the statement before surely ran just now and called nothing, its stamp is copied, `__h_t__[N] = __h_t__[M]`, which
costs a third. Numbers of a list ascend and those of nested lists are higher, so equal stamps keep their order.
"""
import ast
import sys

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_LOAD, _STORE = ast.Load(), ast.Store()
_INDEX = (lambda number: ast.Index(number)) if sys.version_info < (3, 9) else (lambda number: number)
# Expressions that call nothing by themselves; an operator may run a method of the target, but suspends no frame.
_PLAIN = {ast.Name, ast.Constant, ast.Attribute, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.Subscript,
          ast.Tuple, ast.List, ast.Slice, ast.IfExp}
if sys.version_info < (3, 9):
    _PLAIN.add(ast.Index)
_CHILDREN = {
    ast.Attribute: ('value',), ast.BinOp: ('left', 'right'), ast.UnaryOp: ('operand',), ast.Compare: ('left', 'comparators'),
    ast.BoolOp: ('values',), ast.Subscript: ('value', 'slice'), ast.Tuple: ('elts',), ast.List: ('elts',),
    ast.Slice: ('lower', 'upper', 'step'), ast.IfExp: ('test', 'body', 'orelse'), ast.Name: (), ast.Constant: (),
}
_NODES_LOOKED_AT = 16


def insert_probes(tree, lines, probes):
    """Puts probes into every statement list but those of class bodies; `lines` gets the first line of each statement,
    `probes` the constants that hold its number. Iterative: deep `elif` chains must not recurse."""
    body = tree.body
    start = 1 if body and is_docstring(body[0]) else 0
    while start < len(body) and isinstance(body[start], ast.ImportFrom) and body[start].module == '__future__':
        start += 1
    work = [(tree, 'body', False, start, None)]
    while work:
        node, field, in_class, start, source = work.pop()
        statements = getattr(node, field)
        if not in_class:
            setattr(node, field, probed(statements, start, source, lines, probes))
        for statement in reversed(statements):
            descend(statement, in_class, work)


def descend(statement, in_class, work):
    """Queues the statement lists inside a statement, each with the number of the statement whose stamp its first may copy."""
    if isinstance(statement, _FUNCTIONS):
        work.append((statement, 'body', False, 1 if is_docstring(statement.body[0]) else 0, None))
        return
    if isinstance(statement, ast.ClassDef):
        work.append((statement, 'body', True, 0, None))
        return
    for case in getattr(statement, 'cases', ()):
        work.append((case, 'body', in_class, 0, None))
    if not getattr(statement, 'body', None):
        return
    number = getattr(statement, '_h_number', None)
    branches = isinstance(statement, ast.If) and number is not None and is_plain(statement.test)
    if getattr(statement, 'finalbody', None):
        work.append((statement, 'finalbody', in_class, 0, None))
    if getattr(statement, 'orelse', None):
        restamped = number is not None and isinstance(statement, _LOOPS) and not is_endless(statement)
        work.append((statement, 'orelse', in_class, int(restamped), number if branches or restamped else None))
    for handler in getattr(statement, 'handlers', ()):
        work.append((handler, 'body', in_class, 0, None))
    work.append((statement, 'body', in_class, 0, number if branches or isinstance(statement, _TRIES) else None))


_TRIES = (ast.Try, ast.TryStar) if sys.version_info >= (3, 11) else (ast.Try,)


def probed(statements, start, source, lines, probes):
    """The list with its probes; `source` is the number whose stamp the first statement may copy."""
    found, previous, place = list(statements[:start]), None, None
    for statement in statements[start:]:
        number, here = len(lines), place_of(statement)
        lines.append(here[0])
        statement._h_number = number
        if previous is None:
            previous, place = make_probe(number, source, here, probes), here
            found.append(previous)
        else:  # the statement before can neither fail nor run code: its probe speaks for this one too
            previous.targets.append(make_target(number, place, probes, _STORE))
        found.append(statement)
        if isinstance(statement, _LOOPS) and not is_endless(statement):
            # the header runs once more when the loop is exhausted: its stamp must then be later than the body's
            statement.orelse.insert(0, make_probe(number, None, here, probes))
        if not is_inert(statement):
            previous, source = None, number if calls_nothing(statement) else None
    return found


def place_of(statement):
    decorators = getattr(statement, 'decorator_list', None)
    first = decorators[0] if decorators and decorators[0].lineno < statement.lineno else statement
    return first.lineno, first.col_offset


def make_probe(number, source, place, probes):
    if source is None:
        clock = make(ast.Name, place, {'id': '__h_c__', 'ctx': _LOAD})
        value = make(ast.Call, place, {'func': clock, 'args': [], 'keywords': []})
    else:
        value = make_target(source, place, probes, _LOAD)
    targets = [make_target(number, place, probes, _STORE)]
    return make(ast.Assign, place, {'targets': targets, 'value': value, 'type_comment': None})


def make_target(number, place, probes, context):
    constant = make(ast.Constant, place, {'value': number, 'kind': None})
    probes.append(constant)
    table = make(ast.Name, place, {'id': '__h_t__', 'ctx': _LOAD})
    return make(ast.Subscript, place, {'value': table, 'slice': _INDEX(constant), 'ctx': context})


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
    """Can neither raise nor run any code: `pass`, `global`, a name bound to a constant."""
    if isinstance(statement, (ast.Pass, ast.Global, ast.Nonlocal)):
        return True
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    return (isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant)
            and all(isinstance(target, ast.Name) for target in statement.targets))


def calls_nothing(statement):
    """A simple statement without a call, an await or a yield: nothing else is stamped while it runs."""
    kind = type(statement)
    if kind is ast.Assign:
        return len(statement.targets) == 1 and type(statement.targets[0]) in (ast.Name, ast.Attribute, ast.Subscript) \
            and is_plain(statement.targets[0]) and is_plain(statement.value)
    if kind is ast.AugAssign:
        return is_plain(statement.target) and is_plain(statement.value)
    return kind is ast.Expr and is_plain(statement.value)


def is_plain(expression):
    work, looked = [expression], 0
    while work:
        node = work.pop()
        kind = type(node)
        looked += 1
        if kind not in _PLAIN or looked > _NODES_LOOKED_AT:
            return False
        for field in _CHILDREN.get(kind, ('value',)):
            child = getattr(node, field)
            if type(child) is list:
                work.extend(child)
            elif child is not None:
                work.append(child)
    return True
