"""PYTEST_DONT_REWRITE. What is told of a failure. Of the target's code only `str(exception)` runs, as in every runner."""
import sys

MESSAGE_CHARACTERS = 8192
FRAMES = 100
_type_name = type.__dict__['__name__'].__get__
_type_module = type.__dict__['__module__'].__get__
_type_qualname = type.__dict__['__qualname__'].__get__


def create_describer(root, relative):
    """A function that makes a failure record: class, message, frames in the repository (innermost first), operands."""
    import os
    prefix = root.rstrip(os.sep) + os.sep

    def describe(kind, error, trace, compared=None):
        frames, inner = frames_of(trace, relative)
        message = bounded(message_of(error).replace(prefix, ''))
        failure = {'class': class_name(kind), 'message': message, 'frames': frames}
        if frames:
            failure['location'] = frames[0]
        pair = None
        if issubclass(kind, AssertionError):
            pair = operands_of(trace)
            if pair is None and compared is not None and inner is not None and compared[0] == id(inner):
                pair = compared[1:]
        if pair is not None and pair[0] is not None and pair[1] is not None:
            failure['actual'], failure['expected'] = pair
        return failure

    return describe


def describe_timeout(seconds, frame, relative):
    """A failure record of what is still running, from the frame that it has reached."""
    frames = []
    while frame is not None and len(frames) < FRAMES:
        path = relative(frame.f_code.co_filename)
        if path is not None and frame.f_lineno:
            frames.append('%s:%d' % (path, frame.f_lineno))
        frame = frame.f_back
    failure = {'class': 'Timeout', 'message': 'It was still running after %g s, the limit for one test.' % seconds, 'frames': frames}
    if frames:
        failure['location'] = frames[0]
    return failure


def describe_part(message, params, outcome, failure, as_text=False):
    """A record of a sub-test: `[message] (name=value)`, as unittest and pytest write it, without running code of the values; with
    `as_text` strings are values that have been written already."""
    values = ['%s=%s' % (name, value if as_text and type(value) is str else render(value) or '<%s>' % _type_name(type(value)))
              for name, value in params.items()]
    words = ([] if message is None else ['[%s]' % message]) + (['(%s)' % ', '.join(values)] if values else [])
    part = {'name': bounded(' '.join(words) or '(<subtest>)'), 'outcome': outcome}
    if failure is not None and outcome != 'passed':
        part['failure'] = failure
    return part


def bounded(text):
    return text if len(text) <= MESSAGE_CHARACTERS else text[:MESSAGE_CHARACTERS] + '…'


def class_name(kind):
    try:
        module, name = _type_module(kind), _type_qualname(kind)
    except Exception:
        return 'unknown'
    if not isinstance(module, str) or module in ('builtins', '__main__'):
        return str(name)
    return '%s.%s' % (module, name)


def message_of(error):
    try:
        text = str(error)
        if type(text) is not str:
            text = str.__str__(text)
    except Exception:
        return '<unprintable %s object>' % class_name(type(error))
    return text


def frames_of(trace, relative):
    """Frames inside the repository, innermost first, and the innermost frame object of them."""
    found, inner = [], None
    while trace is not None:
        code = trace.tb_frame.f_code
        path = relative(code.co_filename)
        if path is not None and trace.tb_lineno:
            found.append('%s:%d' % (path, trace.tb_lineno))
            inner = trace.tb_frame
        trace = trace.tb_next
    found.reverse()
    return found[:FRAMES], inner


def operands_of(trace):
    """The operands of a unittest assertion that compares two values: locals of unittest's own frame, not the target's."""
    case = sys.modules.get('unittest.case')
    if case is None:
        return None
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == case.__file__ and code.co_name.startswith('assert'):
            names = code.co_varnames[:code.co_argcount]
            for left, right in (('first', 'second'), ('list1', 'list2'), ('tuple1', 'tuple2'), ('set1', 'set2'),
                                ('d1', 'd2'), ('seq1', 'seq2')):
                if left in names and right in names:
                    values = trace.tb_frame.f_locals
                    return render(values.get(left)), render(values.get(right))
            return None
        trace = trace.tb_next
    return None


def render(value):
    """Text of a value of an exact builtin type, bounded; None for any other, whose own code would have to run."""
    if type(value) not in _RENDER:
        return None
    budget = [4096]
    return _text(value, 0, budget)[:4096]


def _text(value, depth, budget):
    kind = type(value)
    maker = _RENDER.get(kind)
    if maker is None:
        text = '<%s>' % _type_name(kind)
    elif budget[0] <= 0 or depth > 4:
        text = '…'
    else:
        text = maker(value, depth, budget)
    budget[0] -= len(text)
    return text


def _scalar(value, depth, budget):
    return repr(value)


def _integer(value, depth, budget):
    return repr(value) if value.bit_length() < 8192 else '<int of %d bits>' % value.bit_length()


def _string(value, depth, budget):
    return repr(value) if len(value) <= 200 else repr(value[:200]) + '…'


def _items(opening, closing):
    def make(value, depth, budget):
        parts = []
        for item in value:
            if len(parts) == 20:
                parts.append('…')
                break
            parts.append(_text(item, depth + 1, budget))
        if opening == '(' and len(value) == 1:
            parts.append('')
        return opening + ', '.join(parts).rstrip(' ') + closing
    return make


def _set(value, depth, budget):
    if not value:
        return 'set()'
    return '{' + ', '.join(sorted(_text(item, depth + 1, budget) for item in list(value)[:20])) + (
        ', …}' if len(value) > 20 else '}')


def _frozenset(value, depth, budget):
    return 'frozenset(%s)' % (_set(value, depth, budget) if value else '')


def _mapping(value, depth, budget):
    parts = []
    for key, item in value.items():
        if len(parts) == 20:
            parts.append('…')
            break
        parts.append(_text(key, depth + 1, budget) + ': ' + _text(item, depth + 1, budget))
    return '{' + ', '.join(parts) + '}'


_RENDER = {
    type(None): _scalar, bool: _scalar, int: _integer, float: _scalar, complex: _scalar, str: _string, bytes: _string,
    list: _items('[', ']'), tuple: _items('(', ')'), dict: _mapping, set: _set, frozenset: _frozenset,
}
