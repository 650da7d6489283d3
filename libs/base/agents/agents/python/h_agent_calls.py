"""PYTEST_DONT_REWRITE. The functions that target code calls: one is made for each probe and each thing it tells.

Straight-line code, compiled once for each kind and number of values. `out.write` is read anew each time: blocks change.
"""
_BODIES = {
    'begin': '''
        record = frames.get(id(getframe(1)))
        if record is None:
            return
        number = next_id()
        if number >= limit:
            return stop()
        {values}
        {emit}(number, record[0]{items})).encode()
        {send}
        record[1], record[2] = number, n
''',
    'end': '''
        record = frames.get(id(getframe(1)))
        if record is None or record[2] != n:
            return
        {values}
        {emit}(record[1]{items})).encode()
        {send}
        record[2] = -1
''',
    'again': '''
        record = frames.get(id(getframe(1)))
        if record is None:
            return
        number, began = record[1], ''
        if record[2] != n:
            number = next_id()
            if number >= limit:
                return stop()
            began = '["b",%d,%d,%d]\\n' % (number, n, record[0])
        {values}
        {emit}(began, number{items})).encode()
        {send}
        record[2] = -1
''',
    'returned': '''
        try:
            record = frames.get(id(getframe(1)))
            if record is not None and record[2] == n:
                {emit}(record[1]{items})).encode()
                {send}
                record[2] = -1
        except RecursionError:
            if not skips:
                raise
        return a0
''',
    'entry': '''
        frame = getframe(1)
        record = frames[id(frame)] = [next_frame(), -1, -1, frame.f_code, None]
        number = next_id()
        if number >= limit:
            return stop()
        {emit}(number, record[0]{items}, caller_of(frame))).encode()
        {send}
''',
    'scope': '''
        frame = getframe(1)
        frames[id(frame)] = [next_frame(), -1, -1, frame.f_code, None]
''',
    'lost': '''
        record = frames.get(id(getframe(1)))
        if record is not None:
            record[2] = -1
''',
    'raised': '''
        record = frames.get(id(getframe(1)))
        if record is None or record[2] < 0:
            return
        a0 = exc_info()[1]
        if a0 is None:
            return
        {emit}(record[1]{items})).encode()
        {send}
        record[2] = -1
''',
    'stash': '''
        record = frames.get(id(getframe(1)))
        if record is not None:
            if record[4] is None:
                record[4] = {{}}
            record[4][a0] = get(id(type(a1)), other)(a1)
''',
}
_FORMATS = {
    'begin': '["b",%%d,%d,%%d,[%s]]\n', 'end': '["a",%%d,[%s]]\n', 'branch': '["k",%%d,"%s",[%s]]\n',
    'again': '%%s["k",%%d,"%s",[%s]]\n', 'returned': '["r",%%d,%s]\n', 'entry': '["e",%%d,%d,%%d,[%s]%%s]\n',
    'raised': '["x",%%d,%s]\n',
}
_SEND = '''try:
            out.write(data)
        except ValueError:
            if not out.more(data):
                stop()'''
_PENDING = "told, record[4] = record[4] or {}, None"
_makers = {}


def make_probe(runtime, kind, n, size, label=None, one_by_one=False):
    """The function of one probe. `one_by_one`: its values were stashed before, those of unbound names were not."""
    body = 'end' if kind == 'branch' else kind
    maker = _makers.get((body, size, one_by_one))
    if maker is None:
        maker = _makers[body, size, one_by_one] = compiled(body, size, one_by_one)
    told = ','.join(['%s'] * (1 if one_by_one else size))
    pattern = _FORMATS.get(kind)
    if pattern is not None:
        fixed = {'begin': (n,), 'entry': (n,), 'branch': (label,), 'again': (label,)}.get(kind, ())
        pattern = pattern % (fixed + (told,))
    return maker(n=n, form=pattern, **runtime)


def compiled(body, size, one_by_one):
    names = ['a%d' % index for index in range(size)]
    if one_by_one:
        values = "%s\n        joined = ','.join([told.get(index, '0') for index in range(%d)])" % (_PENDING, size)
        items = ', joined'
    else:
        values, items = '', ''.join([', get(id(type(%s)), other)(%s)' % (name, name) for name in names])
    text = _BODIES[body].format(emit='data = (form % ', items=items, values=values, send=_SEND)
    if body == 'returned':
        text = text.replace(_SEND, _SEND.replace('\n', '\n        '))
    parameters = '' if one_by_one or body == 'raised' else ', '.join(names)
    source = ('def make(n, form, frames, getframe, next_frame, next_id, limit, stop, out, get, other, caller_of, exc_info, '
              'skips):\n    def %s(%s):%s    return %s\n' % (body, parameters, text, body))
    scope = {}
    exec(compile(source, __file__, 'exec'), scope)
    return scope['make']


def same(value):
    return value


def nothing(*values):
    """Stands for a probe once recording has ended."""


def silenced(probe):
    return same if probe.__name__ == 'returned' else nothing
