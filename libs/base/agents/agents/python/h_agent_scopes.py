"""PYTEST_DONT_REWRITE. Which names a statement put into a scope may read without changing what any name of the scope means.

Reading a name that the scope does not have would make a variable of an outer function a closure of this one, and `super` a cell.
So only names are read that the scope's own statements use or bind, or that a scope inside it takes from it.
"""
import ast

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCOPES = _FUNCTIONS + _COMPREHENSIONS + (ast.ClassDef,)
_UNREADABLE = {'super', '__class__', '__debug__'}


def parameters_of(function):
    arguments = function.args
    found = getattr(arguments, 'posonlyargs', []) + arguments.args + arguments.kwonlyargs
    found += [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    return [argument.arg for argument in found]


def readable_names(scope):
    """Names that statements of this function or module may read."""
    used, bound, declared = names_of(scope)
    return (used | bound | declared) - _UNREADABLE


def names_of(scope):
    """`(used, bound, declared)` of one scope; used: also what the scopes inside take from around them."""
    used, bound, declared = set(), set(), set()
    if isinstance(scope, _FUNCTIONS):
        bound.update(parameters_of(scope))
        work = list(scope.body) if isinstance(scope.body, list) else [scope.body]
    elif isinstance(scope, _COMPREHENSIONS):
        first = scope.generators[0]
        work = [first.target] + first.ifs + scope.generators[1:]
        work += [scope.key, scope.value] if isinstance(scope, ast.DictComp) else [scope.elt]
    else:
        work = list(scope.body)
    while work:
        node = work.pop()
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            declared.update(node.names)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            bound.update([(alias.asname or alias.name.partition('.')[0]) for alias in node.names])
        elif isinstance(node, _SCOPES):
            if hasattr(node, 'name'):
                bound.add(node.name)
            used |= free_names(node)
            work.extend(around(node))
        elif isinstance(node, ast.AnnAssign):  # an annotation in a function is never evaluated
            work.extend([part for part in (node.target, node.value) if part is not None])
        else:
            for name in (getattr(node, 'name', None), getattr(node, 'rest', None)):
                if isinstance(name, str):  # a handler's, or what a pattern captures
                    bound.add(name)
            work.extend(ast.iter_child_nodes(node))
    return used, bound, declared


def free_names(scope):
    """Names that a scope takes from around it."""
    used, bound, declared = names_of(scope)
    if isinstance(scope, _COMPREHENSIONS):  # `:=` in one binds around it
        return (used - bound) | {node.target.id for node in ast.walk(scope) if isinstance(node, ast.NamedExpr)}
    return used - bound - declared


def around(scope):
    """The parts of a definition that are evaluated outside it."""
    if isinstance(scope, _COMPREHENSIONS):
        return [scope.generators[0].iter]
    if isinstance(scope, ast.ClassDef):
        return scope.decorator_list + scope.bases + scope.keywords
    defaults = [default for default in scope.args.defaults + scope.args.kw_defaults if default is not None]
    return getattr(scope, 'decorator_list', []) + defaults
