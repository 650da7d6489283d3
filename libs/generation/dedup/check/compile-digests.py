"""The oracle of check:dedup, apart from the library's own script: reads {name: source} from stdin, writes {name: [strict, alpha]}.

strict: the code object without file name and positions. alpha: besides, locals that are no arguments are numbered in the order of
their first use, cells by the function that owns them. null: does not compile.
"""
import dis, json, sys, types, warnings

warnings.simplefilter('ignore')
LOCAL = {'LOAD_FAST', 'STORE_FAST', 'DELETE_FAST', 'LOAD_FAST_CHECK', 'LOAD_FAST_AND_CLEAR', 'LOAD_DEREF', 'STORE_DEREF',
         'DELETE_DEREF', 'LOAD_CLOSURE', 'LOAD_CLASSDEREF', 'MAKE_CELL', 'COPY_FREE_VARS', 'LOAD_FROM_DICT_OR_DEREF'}


def constant(value, strict, owners):
    if isinstance(value, types.CodeType):
        return code(value, strict, owners)
    if isinstance(value, tuple):
        return ['tuple', [constant(one, strict, owners) for one in value]]
    if isinstance(value, frozenset):
        return ['frozenset', sorted(json.dumps(constant(one, strict, owners)) for one in value)]
    return [type(value).__name__, repr(value)]


def code(value, strict, owners):
    arguments = value.co_argcount + value.co_kwonlyargcount + bool(value.co_flags & 4) + bool(value.co_flags & 8)
    fixed = set(value.co_varnames[:arguments])
    owners = {**owners, **{name: (value, {}) for name in value.co_cellvars}}
    labels = {}

    def label(name):
        if strict or name in fixed:
            return name
        if name in owners:
            cells = labels_of(owners[name][0])
            return '$%d.%d' % (id_of(owners[name][0]), cells.setdefault(name, len(cells)))
        return '$%d' % labels.setdefault(name, len(labels))

    steps = []
    for step in dis.get_instructions(value):
        if step.opname == 'COPY_FREE_VARS':
            steps.append([step.opname, step.arg])
        elif step.opname in LOCAL and isinstance(step.argval, str):
            steps.append([step.opname, label(step.argval)])
        elif isinstance(step.argval, types.CodeType) or step.opname in ('LOAD_CONST', 'RETURN_CONST', 'KW_NAMES'):
            steps.append([step.opname, constant(step.argval, strict, owners)])
        elif step.argval is not None and step.opname.startswith(('LOAD_FAST', 'STORE_FAST')):
            steps.append([step.opname, [label(name) for name in step.argval]])
        else:
            steps.append([step.opname, repr(step.argval)])
    names = [name for name in value.co_varnames if name in fixed] if not strict else list(value.co_varnames)
    return [value.co_name, value.co_flags, value.co_argcount, value.co_posonlyargcount, value.co_kwonlyargcount, names, steps,
            getattr(value, 'co_exceptiontable', b'').hex()]


numbers, cells = {}, {}


def id_of(value):
    return numbers.setdefault(id(value), len(numbers))


def labels_of(value):
    return cells.setdefault(id(value), {})


def digest(source, strict):
    numbers.clear()
    cells.clear()
    return json.dumps(code(compile(source, 'x', 'exec', dont_inherit=True), strict, {}))


answers = {}
for name, source in json.load(sys.stdin).items():
    try:
        answers[name] = [digest(source.encode(), True), digest(source.encode(), False)]
    except (SyntaxError, ValueError):
        answers[name] = None
json.dump(answers, sys.stdout)
