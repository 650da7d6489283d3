"""PYTEST_DONT_REWRITE. Where statements begin, for coverage by line events: a line that ran is a statement that began.

That holds where no line is both the first of a statement and the inside of another: a file with such a line gets probes.
A statement whose first line has no code of its own gets a `pass` before it, of which the compiler keeps the line.
"""
import ast

from h_agent_probes import descend, is_docstring, make, place_of

_PLAIN = (ast.Expr, ast.Assign, ast.AugAssign, ast.Return, ast.Raise, ast.Import, ast.ImportFrom)


def find_statements(tree, data):
    """First lines of the statements that `insert_probes` would give one, ascending; None where lines do not tell them apart.

    Beside them the lines on which both a function and its body begin: from CPython 3.13 on no line event says that such a body began.
    """
    if b'\r' in data:
        data = data.replace(b'\r\n', b'\n').replace(b'\r', b'\n')
    texts, suspends = data.split(b'\n'), b'yield' in data or b'await' in data
    body = tree.body
    start = 1 if body and is_docstring(body[0]) else 0
    while start < len(body) and isinstance(body[start], ast.ImportFrom) and body[start].module == '__future__':
        start += 1
    lines, shared, work, deeper = set(), set(), [(tree, 'body', False, start)], []
    while work:
        node, field, in_class, start = work.pop()
        statements = getattr(node, field)
        for statement in reversed(statements):
            descend(statement, in_class, deeper)
            # nothing is put into `orelse` here
            work.extend([(*entry[:3], 0) if entry[1] == 'orelse' else entry for entry in deeper])
            deeper.clear()
        if not (are_apart(node, statements, texts, suspends) and (in_class or mark(node, field, start, lines))):
            return None
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and place_of(statements[0])[0] == place_of(node)[0]:
            shared.add(place_of(node)[0])
    return sorted(lines), shared


def mark(node, field, start, lines):
    statements = getattr(node, field)
    marked = statements[:start]
    for statement in statements[start:]:
        here = place_of(statement)
        lines.add(here[0])
        if not isinstance(statement, _PLAIN) or here[0] != statement.end_lineno or is_constant(statement):
            marked.append(make(ast.Pass, here, {}))
        marked.append(statement)
    setattr(node, field, marked)
    return True


def is_constant(statement):
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def are_apart(node, statements, texts, suspends):
    """Whether each statement begins on a line of its own, or on the first line of the one before or around it."""
    before, end = place_of(node)[0] if hasattr(node, 'lineno') else 0, 0
    for statement in statements:
        line, column = place_of(statement)
        if line > end and line != before and not texts[line - 1][:column].strip(b' \t\f@\xef\xbb\xbf'):
            pass
        elif line != before or suspends:
            return False
        before, end = line, statement.end_lineno
    return True
