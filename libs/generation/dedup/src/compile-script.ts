/** Runs on CPython 3.8 and later: compiles each file of `texts/` without running it and writes `compiled.json`. */
export const COMPILE_SCRIPT = `import hashlib, json, os, platform, types, warnings

warnings.simplefilter('ignore')
CODE = ('co_name', 'co_qualname', 'co_argcount', 'co_posonlyargcount', 'co_kwonlyargcount', 'co_flags', 'co_names',
        'co_varnames', 'co_freevars', 'co_cellvars', 'co_code', 'co_exceptiontable', 'co_consts')


def mark(value):
    kind = type(value)
    if kind is types.CodeType:
        return 'code(' + ''.join(mark(getattr(value, name, None)) for name in CODE) + ')'
    if kind is tuple:
        return 'tuple(' + ''.join(map(mark, value)) + ')'
    if kind is frozenset:
        return 'frozenset(' + ''.join(sorted(map(mark, value))) + ')'
    if kind is float:
        text = value.hex()
    elif kind is complex:
        text = value.real.hex() + ',' + value.imag.hex()
    elif kind is bytes:
        text = value.hex()
    else:
        text = ascii(value)
    return '%s:%d:%s;' % (kind.__name__, len(text), text)


digests = {}
for name in sorted(os.listdir('texts')) if os.path.isdir('texts') else ():
    with open(os.path.join('texts', name), 'rb') as file:
        source = file.read()
    try:
        code = compile(source, 'text', 'exec', dont_inherit=True, optimize=0)
        digests[name] = hashlib.sha256(mark(code).encode()).hexdigest()
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
        pass
with open('compiled.json', 'w') as file:
    json.dump({'python': platform.python_version(), 'digests': digests}, file)
`;
