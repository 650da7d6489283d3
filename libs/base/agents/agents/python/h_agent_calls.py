"""PYTEST_DONT_REWRITE. The functions that target code calls: one is made for each probe and each thing it tells.

Straight-line code, compiled once for each kind and number of values: every step in it is paid at every hit. `out.write` is read
anew each time, since blocks change. A record is [serial, open event, its probe or -1, code, values told one by one, what takes
the lines of that event: None for the file], the serials as they are written.
"""
import builtins

_BUILTINS = dict(vars(builtins))  # the target may patch its own
_RECORD = '''
        record = frames.get(id(getframe(1)))
        if record is None:
            return
'''
_OPEN = '''
        record = frames.get(id(getframe(1)))
        if record is None or record[2] != n:
            return
'''
_NUMBER = '''
        number = next_id()
        if number >= limit and not thin(n, record):
            return stop()
'''
_BODIES = {
    'begin': _RECORD + _NUMBER + '''
        {values}
        serial = b'%d' % number
        data = join((b'["b",', serial, mid, record[0], b',[', {items}b']]\\n'))
        {send}
        record[1] = serial
        record[2] = n
''',
    'end': _OPEN + '''
        {values}
        data = join((b'["a",', record[1], b',[', {items}b']]\\n'))
        {send}
        record[2] = -1
''',
    'branch': _OPEN + '''
        {values}
        data = join((b'["k",', record[1], mid, b'[', {items}b']]\\n'))
        {send}
        record[2] = -1
''',
    'again': _RECORD + '''
        serial, began = record[1], b''
        if record[2] != n:
            number = next_id()
            if number >= limit and not thin(n, record):
                return stop()
            serial = b'%d' % number
            began = b'["b",%b,%d,%b]\\n' % (serial, n, record[0])
        {values}
        data = join((began, b'["k",', serial, mid, b'[', {items}b']]\\n'))
        {send}
        record[2] = -1
''',
    'returned': '''
        record = frames.get(id(getframe(1)))
        if record is None or record[2] != n:
            return a0
        try:
            {values}
        except RecursionError:
            if skips:
                return a0
            raise
        data = join((b'["r",', record[1], b',', {items}b']\\n'))
        {send}
        record[2] = -1
        return a0
''',
    'entry': '''
        frame = getframe(1)
        record = frames[id(frame)] = [b'%d' % next_frame(), b'', -1, frame.f_code, None, None]
''' + _NUMBER + '''
        {values}
        data = join((b'["e",%d' % number, mid, record[0], b',[', {items}b']', caller_of(frame), b']\\n'))
        {send}
''',
    'scope': '''
        frame = getframe(1)
        frames[id(frame)] = [b'%d' % next_frame(), b'', -1, frame.f_code, None, None]
''',
    'lost': _RECORD + '''
        record[2] = -1
''',
    'raised': _RECORD + '''
        a0 = exc_info()[1]
        if record[2] < 0 or a0 is None:
            return
        {values}
        data = join((b'["x",', record[1], b',', {items}b']\\n'))
        {send}
        record[2] = -1
''',
    'stash': _RECORD + '''
        if record[4] is None:
            record[4] = {{}}
        record[4][a0] = secret(a1, whys[1]) if whys else get(id(type(a1)), other)(a1)
''',
}
# The end of one statement and the begin of the next in one call, where they stand side by side: all that makes it another case raises
# what has both be told apart, before anything is done. `number` is taken last, so that it is not lost then.
_STEP = '''
        record = frames.get(id(getframe(1)))
        if record is None:
            return
        if record[2] != n:
            raise apart
        {values}
        try:
            {more}
        except RecursionError:
            {end}
            raise
        number = next_id()
        serial = b'%d' % number
        if number < limit and record[5] is None:
            data = join((b'["{tag}",', record[1], {between}{ended}b']]\\n["b",', serial, mid, record[0], b',[', {begun}b']]\\n'))
            try:
                out.write(data)
            except ValueError:
                if not split(record, data, number, m):
                    return
        else:
            {end}
            if number >= limit and not thin(m, record):
                return stop()
            data = join((b'["b",', serial, mid, record[0], b',[', {begun}b']]\\n'))
            {send}
        record[1] = serial
        record[2] = m
'''
_END = '''data = join((b'["{tag}",', record[1], {between}{ended}b']]\\n'))
            {send}
            record[2] = -1'''
_SEND = '''if record[5] is None:
            try:
                out.write(data)
            except ValueError:
                if not out.more(data):
                    full(data)
        else:
            record[5](data)'''
_VALUE = '''kind = type({name})
{pad}w_{name} = integers.get({name}) if kind is int else strings.get({name}) if kind is str and len({name}) < 64 else None
{pad}if w_{name} is None:
{pad}    w_{name} = get(id(kind), other)({name})
{pad}'''
_SECRET = '''w_{name} = secret({name}, whys[{index}])
{pad}'''
_PENDING = '''told, record[4] = record[4] or {{}}, None
        joined = b','.join([told.get(index, b'0') for index in range({size})])'''
_makers = {}


def make_probe(runtime, kind, n, size, label=None, one_by_one=False, whys=()):
    """The function of one probe. `one_by_one`: its values were stashed before, those of unbound names were not. `whys`: for each
    value, where its name says that it is a secret, the `Reason`; else None."""
    form = (kind, size, one_by_one, tuple([why is not None for why in whys]) if any(whys) else ())
    maker = _makers.get(form)
    if maker is None:
        maker = _makers[form] = compiled(*form)
    mid = b',%d,' % n if label is None else b',"%b",' % label.encode()
    return maker(n=n, mid=mid, join=b''.join, whys=whys, **runtime)


def make_step(runtime, ends, begins):
    """The function of two probes that stand side by side: how each was made."""
    kind, n, size, label, _, ending = ends
    _, m, more, _, _, beginning = begins
    whys = (tuple(ending) or (None,) * size) + (tuple(beginning) or (None,) * more)
    form = ('step', kind, label, size, more, tuple([why is not None for why in whys]))
    maker = _makers.get(form)
    if maker is None:
        maker = _makers[form] = compiled_step(*form[1:])
    return maker(n=n, m=m, mid=b',%d,' % m, join=b''.join, whys=whys, **runtime)


def compiled(kind, size, one_by_one, masked):
    names = ['a%d' % index for index in range(size)]
    if one_by_one:
        values, items = _PENDING.format(size=size), 'joined, '
    else:
        values, items = values_of(names, masked, ' ' * (12 if kind == 'returned' else 8)), items_of(names)
    body = _BODIES[kind].format(items=items, values=values, send=_SEND)
    return maker_of(kind, '' if one_by_one or kind == 'raised' else ', '.join(names), body)


def compiled_step(kind, label, size, more, masked):
    names = ['a%d' % index for index in range(size + more)]
    ending = {'ended': items_of(names[:size]), 'tag': 'k' if label else 'a', 'send': _SEND.replace('\n', '\n    '),
              'between': "b',[', " if label is None else '%r, ' % (b',"%b",[' % label.encode())}
    body = _STEP.format(
        values=values_of(names[:size], masked, ' ' * 8), more=values_of(names[size:], masked, ' ' * 12, size), begun=items_of(names[size:]),
        end=_END.format(**ending), **ending)
    return maker_of('step', ', '.join(names), body)


def values_of(names, masked, pad, first=0):
    return ''.join([(_SECRET if masked and masked[index] else _VALUE).format(name=name, pad=pad, index=index)
                    for index, name in enumerate(names, first)]).strip() or 'pass'


def items_of(names):
    return "b',', ".join(['w_%s, ' % name for name in names])


def maker_of(kind, parameters, body):
    source = ('def make(n, mid, join, whys, secret, frames, getframe, next_frame, next_id, limit, thin, stop, full, out, get, other, integers, strings, '
              'caller_of, exc_info, skips, split, apart, m=None):\n    def %s(%s):%s    return %s\n' % (kind, parameters, body, kind))
    scope = {'__builtins__': _BUILTINS}
    exec(compile(source, __file__, 'exec'), scope)
    return scope['make']


def same(value):
    return value


def nothing(*values):
    """Stands for a probe once recording has ended."""


def silenced(probe):
    return same if probe.__name__ == 'returned' else nothing
