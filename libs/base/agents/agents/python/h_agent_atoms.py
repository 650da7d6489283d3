"""PYTEST_DONT_REWRITE. Texts of values that hold no others: numbers, strings, moments, functions; and the mask of those that are secrets."""
import builtins
import datetime
import decimal
import sys
import types

from h_agent_classes import CHARACTERS, plain, type_name
from h_agent_secrets import LOOKED_AT, form_of

__builtins__ = dict(vars(builtins))  # the target may patch its own
INT_BITS = 2048  # below every limit that `sys.set_int_max_str_digits` accepts
CUT = '…'

_decimal_repr = decimal.Decimal.__repr__
_builtin_name = types.BuiltinFunctionType.__dict__['__name__'].__get__
_getsizeof, _utc, _function = sys.getsizeof, datetime.timezone.utc, types.FunctionType
_function_qualname = types.FunctionType.__dict__['__qualname__'].__get__
_method_function = types.MethodType.__dict__['__func__'].__get__
_module_dict = types.ModuleType.__dict__['__dict__'].__get__


def hidden(value, text, state):
    """What stands for a text or number that is a secret; None: it is none. `text`: its characters, of a number None."""
    why = state.secret
    if why is None or not why.is_sure:
        kind = None if text is None or not state.masks else form_of(text)
        if kind is None and (why is None or text is None or not why.fits(text)):
            return None
        said = kind or why.text
    elif text == '':
        return None
    else:
        said = why.text
    state.cut = state.masked = True
    return '\u2039masked: %s\u203a' % said


def scalar(value, depth, state):
    return repr(value)


def integer(value, depth, state):
    mask = hidden(value, None, state)
    if mask is not None:
        return mask
    bits = int.bit_length(value)
    if bits <= INT_BITS:
        return int.__repr__(value)
    state.cut = True
    return '<int of %d bits>' % bits


def number(kind):
    return lambda value, depth, state: hidden(value, None, state) or kind.__repr__(value)


def string(value, depth, state):
    if state.masks:
        mask = hidden(value, value if type(value) is str else str.__getitem__(value, slice(0, LOOKED_AT)), state)
        if mask is not None:
            return mask
    if str.__len__(value) <= CHARACTERS:
        return str.__repr__(value)
    state.cut = True
    return str.__repr__(str.__getitem__(value, slice(0, CHARACTERS))) + CUT


def binary(value, depth, state):
    mask = hidden_bytes(bytes, value, state)
    if mask is not None:
        return mask
    if bytes.__len__(value) <= CHARACTERS:
        return repr(bytes.__getitem__(value, slice(0, CHARACTERS)))
    state.cut = True
    return repr(bytes.__getitem__(value, slice(0, CHARACTERS))) + CUT


def hidden_bytes(kind, value, state):
    if not state.masks:
        return None
    return hidden(value, bytes.decode(bytes(kind.__getitem__(value, slice(0, LOOKED_AT))), 'latin-1'), state)


def byte_array(value, depth, state):
    mask = hidden_bytes(bytearray, value, state)
    if mask is not None:
        return mask
    length = bytearray.__len__(value)
    state.cut = state.cut or length > CHARACTERS
    head = repr(bytes(bytearray.__getitem__(value, slice(0, CHARACTERS))))
    return 'bytearray(%s%s)' % (head, CUT if length > CHARACTERS else '')


def decimal_text(value, depth, state):
    mask = hidden(value, None, state)
    if mask is not None:
        return mask
    if _getsizeof(value) < 1024:
        return _decimal_repr(value)
    state.cut = True
    return '<Decimal>'


def function_text(value, depth, state):
    state.foreign = True
    return '<function %s>' % plain(_function_qualname(value))


def method_text(value, depth, state):
    state.foreign = True
    inner = _method_function(value)
    return '<method %s>' % plain(_function_qualname(inner)) if type(inner) is _function else '<method>'


def module_text(value, depth, state):
    state.foreign = True
    for key, name in dict.items(_module_dict(value)):
        if type(key) is str and key == '__name__':
            return '<module %s>' % plain(name)
    return '<module>'


def moment(value, depth, state):
    """Dates and times of the standard library, whose zone is none or one of its own."""
    zone = getattr(value, 'tzinfo', None)  # of the exact types below: a slot of theirs
    if zone is None or zone is _utc:
        return repr(value)
    state.cut = True
    return '<%s>' % type_name(type(value))


def builtin_text(value, depth, state):
    return '<function %s>' % plain(_builtin_name(value))


def environment(value, depth, state):
    """The variables of the process, as `process.env` of JavaScript: never shown."""
    state.cut = state.foreign = True
    return '<os.environ>'
