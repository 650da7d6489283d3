"""PYTEST_DONT_REWRITE. Observed values as bounded, address-free text, made without running any code of the target.

No attribute of a value is ever looked up: its class is `type(value)`, its content is read with the methods and descriptors
that CPython itself gave the base classes (`list.__iter__`, the `__dict__` getter of the class that brought the dict, member
descriptors of `__slots__`). Types are told apart by identity: hashing one could run a metaclass.
"""
import builtins
import collections
import datetime
import decimal
import sys
import types

from h_agent_classes import BASES, CHARACTERS, ITEMS, class_text, is_named, plain, plan_of, slots_of, type_name

__builtins__ = dict(vars(builtins))  # the target may patch its own
DEPTH, BYTES, NODES, SET_ITEMS, SET_ITEM_ROOM = 4, 4096, 400, 100, 512
INT_BITS = 2048  # below every limit that `sys.set_int_max_str_digits` accepts
CUT = '…'

_decimal_repr = decimal.Decimal.__repr__
_builtin_name = types.BuiltinFunctionType.__dict__['__name__'].__get__
_deque_iter, _function = collections.deque.__iter__, types.FunctionType
_getsizeof, _utc = sys.getsizeof, datetime.timezone.utc
_function_qualname = types.FunctionType.__dict__['__qualname__'].__get__
_method_function = types.MethodType.__dict__['__func__'].__get__
_module_dict = types.ModuleType.__dict__['__dict__'].__get__
_error_args = BaseException.__dict__['args'].__get__


class State:
    """What one value may still cost, and what is being rendered around the place."""

    def __init__(self):
        self.room, self.nodes, self.cut, self.foreign, self.path = BYTES, NODES, False, False, set()


def text_of(value):
    """`(text, state)`: at most 4 KiB in UTF-8, and whether something was cut or is no plain data."""
    state = State()
    text = render(value, 0, state)
    if len(text) * 4 > BYTES:
        data = text.encode('utf-8', 'backslashreplace')
        if len(data) > BYTES:
            state.cut = True
            text = data[:BYTES - 3].decode('utf-8', 'ignore') + CUT
    return text, state


def render(value, depth, state):
    kind = type(value)
    state.nodes -= 1
    if state.nodes < 0 or state.room <= 0:
        state.cut = True
        return CUT
    maker = MAKERS.get(id(kind))
    if maker is None:
        state.foreign = True
        text = instance(value, kind, depth, state)
    elif maker in NESTING:
        text = nested(maker, value, value, depth, state)
    else:
        text = maker(value, depth, state)
    state.room -= len(text) if maker is not None and maker not in NESTING else 2
    return text


def nested(maker, value, holder, depth, state):
    """A container at this depth, or what stands for it where it is too deep or around itself."""
    mark = id(holder)
    if mark in state.path:
        return '<cycle>'
    if depth >= DEPTH:
        if maker is not instance_slots and BASE_SIZE[maker](value) == 0:
            return maker(value, depth, state)
        state.cut = True
        return CUT
    state.path.add(mark)
    try:
        return maker(value, depth, state)
    except RuntimeError as error:  # another thread changed its size meanwhile
        if isinstance(error, RecursionError):
            raise
        state.cut = True
        return CUT
    finally:
        state.path.discard(mark)


def listed(items, depth, state):
    parts = []
    for item in items:
        if len(parts) == ITEMS or state.room <= 0:
            state.cut = True
            parts.append(CUT)
            break
        parts.append(render(item, depth + 1, state))
        state.room -= 2
    return parts


def scalar(value, depth, state):
    return repr(value)


def integer(value, depth, state):
    bits = int.bit_length(value)
    if bits <= INT_BITS:
        return int.__repr__(value)
    state.cut = True
    return '<int of %d bits>' % bits


def number(kind):
    return lambda value, depth, state: kind.__repr__(value)


def string(value, depth, state):
    if str.__len__(value) <= CHARACTERS:
        return str.__repr__(value)
    state.cut = True
    return str.__repr__(str.__getitem__(value, slice(0, CHARACTERS))) + CUT


def binary(value, depth, state):
    if bytes.__len__(value) <= CHARACTERS:
        return repr(bytes.__getitem__(value, slice(0, CHARACTERS)))
    state.cut = True
    return repr(bytes.__getitem__(value, slice(0, CHARACTERS))) + CUT


def byte_array(value, depth, state):
    length = bytearray.__len__(value)
    state.cut = state.cut or length > CHARACTERS
    head = repr(bytes(bytearray.__getitem__(value, slice(0, CHARACTERS))))
    return 'bytearray(%s%s)' % (head, CUT if length > CHARACTERS else '')


def list_items(value, depth, state):
    return '[' + ', '.join(listed(list.__iter__(value), depth, state)) + ']'


def tuple_items(value, depth, state):
    parts = listed(tuple.__iter__(value), depth, state)
    return '(' + ', '.join(parts) + (',)' if len(parts) == 1 else ')')


def dict_items(value, depth, state):
    parts = []
    for key, item in dict.items(value):
        if len(parts) == ITEMS or state.room <= 0:
            state.cut = True
            parts.append(CUT)
            break
        parts.append(render(key, depth + 1, state) + ': ' + render(item, depth + 1, state))
        state.room -= 4
    return '{' + ', '.join(parts) + '}'


def set_text(length, items, depth, state):
    """Sorted by text, since the order of a set is an accident; a set too large to be sorted in time shows its size only.
    Each item has a share of its own, so that its text does not depend on that order."""
    if length > SET_ITEMS or length > state.nodes:
        state.cut = True
        return '{%s %d items}' % (CUT, length)
    room, nodes, spent, parts = state.room, state.nodes, 0, []
    for item in items:
        state.room, state.nodes = SET_ITEM_ROOM, nodes // length
        parts.append(render(item, depth + 1, state))
        spent += nodes // length - state.nodes
    parts.sort()
    if len(parts) > ITEMS:
        state.cut = True
        parts[ITEMS:] = [CUT]
    state.room, state.nodes = room - sum([len(part) for part in parts]), nodes - spent
    return '{' + ', '.join(parts) + '}'


def set_items(value, depth, state):
    length = set.__len__(value)
    return set_text(length, set.__iter__(value), depth, state) if length else 'set()'


def frozenset_items(value, depth, state):
    length = frozenset.__len__(value)
    return 'frozenset(%s)' % (set_text(length, frozenset.__iter__(value), depth, state) if length else '')


def deque_items(value, depth, state):
    return 'deque([' + ', '.join(listed(_deque_iter(value), depth, state)) + '])'


def view_items(kind, name):
    iterate = kind.__iter__

    def items(value, depth, state):
        return name + '([' + ', '.join(listed(iterate(value), depth, state)) + '])'
    return items


def error_items(value, depth, state):
    return '(' + ', '.join(listed(tuple.__iter__(_error_args(value)), depth, state)) + ')'


def slice_text(value, depth, state):
    return 'slice(%s)' % ', '.join(listed((value.start, value.stop, value.step), depth, state))


def range_text(value, depth, state):
    return 'range(%s)' % ', '.join(listed((value.start, value.stop) + (value.step,) * (value.step != 1), depth, state))


def decimal_text(value, depth, state):
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


def instance(value, kind, depth, state):
    """`Class{slot: …}`; of a subclass of a builtin its content too: `Class([…]){slot: …}`."""
    plan = plan_of(kind)
    if plan.is_class:
        return class_text(value)
    state.room -= len(plan.name)
    content = ''
    base = None if plan.base is None or plan.is_enum else BASE_MAKERS[plan.base]
    if base is not None:
        if base is tuple_items and is_named(plan.fields, value):
            pairs = list(zip(plan.fields[1], tuple.__iter__(value))) + slots_of(value, kind, plan)
            state.cut = state.cut or plan.fields[0] > ITEMS
            return plan.name + nested(instance_slots, pairs, value, depth, state)
        content = nested(base, value, value, depth, state) if base in NESTING else base(value, depth, state)
        content = content if base is error_items and content[0] == '(' else '(%s)' % content
    pairs = slots_of(value, kind, plan)
    if plan.hidden:
        state.cut = True
        if not pairs and not content:
            return '<%s>' % plan.name
    return plan.name + content + (nested(instance_slots, pairs, value, depth, state) if pairs or not content else '')


def instance_slots(pairs, depth, state):
    parts = []
    for name, item in pairs:
        if len(parts) == ITEMS or state.room <= 0:
            state.cut = True
            parts.append(CUT)
            break
        parts.append('%s: %s' % (plain(name) if type(name) is str else render(name, depth + 1, state),
                                 render(item, depth + 1, state)))
        state.room -= 8
    return '{' + ', '.join(parts) + '}'


BASE_SIZE = {list_items: list.__len__, tuple_items: tuple.__len__, dict_items: dict.__len__, set_items: set.__len__,
             frozenset_items: frozenset.__len__, deque_items: collections.deque.__len__}
MAKERS = {id(kind): maker for kind, maker in (
    (type(None), scalar), (bool, scalar), (type(...), scalar), (type(NotImplemented), scalar), (int, integer),
    (float, number(float)), (complex, number(complex)), (str, string), (bytes, binary), (bytearray, byte_array), (list, list_items),
    (tuple, tuple_items), (dict, dict_items), (set, set_items), (frozenset, frozenset_items), (range, range_text),
    (collections.deque, deque_items), (slice, slice_text), (types.FunctionType, function_text),
    (types.MethodType, method_text), (types.ModuleType, module_text),
    (types.BuiltinFunctionType, lambda value, *_: '<function %s>' % plain(_builtin_name(value))),
    (datetime.date, scalar), (datetime.timedelta, scalar), (datetime.datetime, moment), (datetime.time, moment),
    (decimal.Decimal, decimal_text))}
for _name in ('dict_keys', 'dict_values', 'dict_items'):
    _kind = type(getattr({}, _name[5:])())
    MAKERS[id(_kind)] = view_items(_kind, _name)
    BASE_SIZE[MAKERS[id(_kind)]] = _kind.__len__
BASE_MAKERS = {kind: MAKERS.get(key, error_items) for key, kind in BASES.items()}
BASE_SIZE[error_items] = lambda value: tuple.__len__(_error_args(value))
NESTING = set(BASE_SIZE)
