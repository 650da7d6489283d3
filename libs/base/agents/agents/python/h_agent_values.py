"""PYTEST_DONT_REWRITE. Observed values as bounded, address-free text, made without running any code of the target.

No attribute of a value is ever looked up: its class is `type(value)`, its content is read with the methods and descriptors
that CPython itself gave the base classes (`list.__iter__`, the `__dict__` getter of the class that brought the dict, member
descriptors of `__slots__`). Types are told apart by identity: hashing one could run a metaclass.
"""
import builtins
import collections
import datetime
import decimal
import os
import types

from h_agent_atoms import (
    CUT, binary, builtin_text, byte_array, decimal_text, environment, function_text, integer, method_text, module_text, moment, number,
    scalar, string)
from h_agent_classes import BASES, CHARACTERS, ITEMS, class_text, is_named, plain, plan_of, slots_of, type_name
from h_agent_numpy import array_text, scalar_of
from h_agent_secrets import reason_of

__builtins__ = dict(vars(builtins))  # the target may patch its own
DEPTH, BYTES, NODES, SET_ITEMS, SET_ITEM_ROOM = 4, 4096, 400, 100, 512

_deque_iter = collections.deque.__iter__
_error_args = BaseException.__dict__['args'].__get__


class State:
    """What one value may still cost, and what is being rendered around the place."""

    def __init__(self, masks):
        self.room, self.nodes, self.cut, self.foreign, self.path = BYTES, NODES, False, False, set()
        self.masks, self.masked, self.secret = masks, False, None
        self.is_pairs = False  # what holds two is a name and what it stands for, as in `items()`


def text_of(value, masks=True, why=None):
    """`(text, state)`: at most 4 KiB in UTF-8, and whether something was cut, masked, or is no plain data. `masks`: secrets are
    masked; `why`: the `Reason` that the value's own name gives."""
    state = State(masks)
    text = render(value, 0, state) if why is None or not masks else guarded(value, why, 0, state)
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


def guarded(value, why, depth, state):
    """A value whose name says that it is a secret: every text and number in it is masked."""
    outer = state.secret
    state.secret = why if outer is None or not outer.is_sure else outer
    try:
        return render(value, depth, state)
    finally:
        state.secret = outer


def named(name, value, depth, state):
    """A value beside its name: that of a key or slot, or the first of a pair."""
    kind = type(name)
    if state.masks and (issubclass(kind, str) or kind is bytes):
        why = reason_of(str.__getitem__(name, slice(0, CHARACTERS)) if kind is not bytes else bytes.decode(name[:CHARACTERS], 'latin-1'))
        if why is not None:
            return guarded(value, why, depth, state)
    return render(value, depth, state)


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


def listed(items, depth, state, is_pair=False):
    parts, first = [], None
    for item in items:
        if len(parts) == ITEMS or state.room <= 0:
            state.cut = True
            parts.append(CUT)
            break
        if is_pair and parts and (state.is_pairs or not is_word(item)):
            parts.append(named(first, item, depth + 1, state))
        else:
            parts.append(render(item, depth + 1, state))
        first = item
        state.room -= 2
    return parts


def is_word(value):
    """A name beside a name, as in a list of fields, and no pair of a name and what it stands for."""
    return type(value) is str and str.isalpha(str.replace(value[:CHARACTERS], '_', ''))


def list_items(value, depth, state):
    return '[' + ', '.join(listed(list.__iter__(value), depth, state, list.__len__(value) == 2)) + ']'


def tuple_items(value, depth, state):
    parts = listed(tuple.__iter__(value), depth, state, tuple.__len__(value) == 2)
    return '(' + ', '.join(parts) + (',)' if len(parts) == 1 else ')')


def dict_items(value, depth, state):
    parts = []
    for key, item in dict.items(value):
        if len(parts) == ITEMS or state.room <= 0:
            state.cut = True
            parts.append(CUT)
            break
        parts.append(key_text(key, depth + 1, state) + ': ' + named(key, item, depth + 1, state))
        state.room -= 4
    return '{' + ', '.join(parts) + '}'


def key_text(key, depth, state):
    """A key is masked for its form alone: `{'password': {'x': 1}}` shows both of them."""
    secret, state.secret = state.secret, None
    try:
        return render(key, depth, state)
    finally:
        state.secret = secret


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
        outer, state.is_pairs = state.is_pairs, name == 'dict_items'
        parts = listed(iterate(value), depth, state)
        state.is_pairs = outer
        return name + '([' + ', '.join(parts) + '])'
    return items


def error_items(value, depth, state):
    return '(' + ', '.join(listed(tuple.__iter__(_error_args(value)), depth, state)) + ')'


def slice_text(value, depth, state):
    return 'slice(%s)' % ', '.join(listed((value.start, value.stop, value.step), depth, state))


def range_text(value, depth, state):
    return 'range(%s)' % ', '.join(listed((value.start, value.stop) + (value.step,) * (value.step != 1), depth, state))


def instance(value, kind, depth, state):
    """`Class{slot: …}`; of a subclass of a builtin its content too: `Class([…]){slot: …}`."""
    plan = plan_of(kind)
    if plan.is_class:
        return class_text(value)
    if plan.is_array:
        return array_text(value, plan.name, depth, state, listed)
    if plan.is_scalar:
        item = scalar_of(value)
        if type(item) is not kind:
            return '%s(%s)' % (plan.name, render(item, depth, state))
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
        parts.append('%s: %s' % (plain(name) if type(name) is str else key_text(name, depth + 1, state),
                                 named(name, item, depth + 1, state)))
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
    (types.BuiltinFunctionType, builtin_text), (type(os.environ), environment),
    (datetime.date, scalar), (datetime.timedelta, scalar), (datetime.datetime, moment), (datetime.time, moment),
    (decimal.Decimal, decimal_text))}
for _name in ('dict_keys', 'dict_values', 'dict_items'):
    _kind = type(getattr({}, _name[5:])())
    MAKERS[id(_kind)] = view_items(_kind, _name)
    BASE_SIZE[MAKERS[id(_kind)]] = _kind.__len__
BASE_MAKERS = {kind: MAKERS.get(key, error_items) for key, kind in BASES.items()}
BASE_SIZE[error_items] = lambda value: tuple.__len__(_error_args(value))
NESTING = set(BASE_SIZE)
