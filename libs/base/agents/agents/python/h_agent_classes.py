"""PYTEST_DONT_REWRITE. How the instances of a class are read without running any code of the target: its name, the builtin
class it extends, its `__slots__`, and the getter of the instance's dict that CPython gave it.
"""
import builtins
import collections
import enum
import itertools
import types
import weakref

from h_agent_numpy import is_numpy

__builtins__ = dict(vars(builtins))  # the target may patch its own
ITEMS, CHARACTERS = 20, 200
_ref, _islice = weakref.ref, itertools.islice
type_name = type.__dict__['__name__'].__get__
_type_qualname = type.__dict__['__qualname__'].__get__
_type_module = type.__dict__['__module__'].__get__
_type_mro = type.__dict__['__mro__'].__get__
_type_dict = type.__dict__['__dict__'].__get__
_type_flags = type.__dict__['__flags__'].__get__
_getset, _member = types.GetSetDescriptorType, types.MemberDescriptorType
_NATIVE = (types.WrapperDescriptorType, types.MethodDescriptorType, _getset)
_HEAP = 1 << 9
BASES = {id(kind): kind for kind in (
    int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset, collections.deque, BaseException)}
# written in C, but all they hold is seen through the base they extend
_TRANSPARENT = {id(kind) for kind in (collections.OrderedDict, collections.defaultdict, types.SimpleNamespace)}
_TRANSPARENT.update([id(kind) for kind in vars(builtins).values()
                     if type(kind) is type and issubclass(kind, BaseException)])
_plans = {}


def plain(name):
    """A name that may be of any type and hold anything, as printable text."""
    if type(name) is not str:
        if not issubclass(type(name), str):
            return '?'
        name = str.__getitem__(name, slice(0, CHARACTERS))
    name = name[:CHARACTERS]
    return name if name.isprintable() else ascii(name)[1:-1]


def class_text(value):
    module, name = _type_module(value), plain(_type_qualname(value))
    return '<class %s>' % (name if type(module) is not str or module == 'builtins' else '%s.%s' % (plain(module), name))


class Place:
    """A descriptor by the class that has it and its name: holding the descriptor would keep the class alive."""
    __slots__ = ('owner', 'name')

    def __init__(self, owner, name):
        self.owner, self.name = _ref(owner), name

    def read(self, value, kind):
        """What the descriptor reads; raises AttributeError where there is nothing, or no longer such a descriptor."""
        owner = self.owner()
        entry = None if owner is None else _type_dict(owner).get(self.name)
        if type(entry) not in (_getset, _member) or entry.__objclass__ is not owner:
            raise AttributeError
        return type(entry).__get__(entry, value, kind)


class Plan:
    """How instances of one class are read: the base whose content they have, and the slots."""
    __slots__ = ('kind', 'name', 'base', 'fields', 'getter', 'slots', 'hidden', 'is_class', 'is_enum', 'is_array', 'is_scalar')

    def __init__(self, kind):
        self.kind, self.name = _ref(kind), plain(type_name(kind))
        self.base, self.fields, self.getter, self.slots, self.hidden = None, None, None, [], False
        self.is_class, self.is_enum = issubclass(kind, type), issubclass(kind, enum.Enum)
        self.is_array = is_numpy(_type_mro(kind), 'ndarray')
        self.is_scalar = not self.is_array and is_numpy(_type_mro(kind), 'generic')
        for klass in _type_mro(kind):
            if self.base is None:
                self.base = BASES.get(id(klass))
            if klass is not object:
                self.scan(klass, self.base is None)
        self.slots.reverse()

    def scan(self, klass, is_own):
        """Reads one class: its dict getter and its slots; whether it is written in C, or hides its dict, and so may hold more."""
        members, native, slotted = [], not _type_flags(klass) & _HEAP, False
        for key, entry in _type_dict(klass).items():
            kind = type(entry)
            if type(key) is not str:
                continue
            if key == '__slots__':
                slotted = True
            elif key == '__dict__':
                if kind not in (_getset, _member) or entry.__objclass__ is not klass:
                    self.hidden = True
                elif self.getter is None:
                    self.getter = Place(klass, key)
            elif key == '_fields' and kind is tuple and self.fields is None:
                self.fields = (len(entry), [name for name in entry[:ITEMS] if type(name) is str])
            elif kind is _member and entry.__objclass__ is klass:
                members.append((key, Place(klass, key)))
            elif kind in _NATIVE and entry.__objclass__ is klass and key != '__weakref__':
                native = True
        if is_own and native and id(klass) not in _TRANSPARENT:
            self.hidden = True
        elif is_own and slotted:
            self.slots.extend(reversed(members))


def plan_of(kind):
    plan = _plans.get(id(kind))
    if plan is None or plan.kind() is not kind:
        plan = _plans[id(kind)] = Plan(kind)
    return plan


def is_named(fields, value):
    return fields is not None and fields[0] == tuple.__len__(value) > 0 and len(fields[1]) == min(ITEMS, fields[0])


def slots_of(value, kind, plan):
    """Name and value of each slot: `__slots__` from the base class on, then the instance's dict. Slots without a value are left out."""
    pairs = []
    for name, place in plan.slots:
        try:
            pairs.append((name, place.read(value, kind)))
        except (AttributeError, TypeError):
            pass
    if plan.getter is not None:
        try:
            held = plan.getter.read(value, kind)
        except (AttributeError, TypeError):
            return pairs
        if issubclass(type(held), dict):  # one more than is shown
            pairs.extend(_islice(dict.items(held), ITEMS + 1))
    if plan.is_enum:
        pairs = [pair for pair in pairs if type(pair[0]) is str and pair[0] in ('_name_', '_value_')]
        pairs.sort(key=lambda pair: pair[0])
    return pairs
