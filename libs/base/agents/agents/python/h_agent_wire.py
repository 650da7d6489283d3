"""PYTEST_DONT_REWRITE. Values as they are written on the wire: `[type,text,truncated,ref]` (see src/probe-events.ts).

`ref` names an object for the whole run. What can be referred to weakly is: an id that CPython gives away again is noticed. Lists,
dicts and bytearrays cannot; those that hold nothing but plain data are held instead, since nothing can tell when such a one goes,
and let go again when nobody else has them. Others have no ref.
"""
import builtins
import os
import sys
import weakref
from itertools import count
from json.encoder import encode_basestring_ascii as quote

from h_agent_atoms import INT_BITS
from h_agent_classes import CHARACTERS, plain, type_name
from h_agent_secrets import form_of
from h_agent_values import text_of

__builtins__ = dict(vars(builtins))  # the target may patch its own
HERE = os.path.dirname(os.path.abspath(__file__))
_ref, _getrefcount, _dirname = weakref.ref, sys.getrefcount, os.path.dirname
CACHED, SHORT, HELD_ITEMS, SWEEP = 4096, 64, 1024, 256
_PLAIN = {id(kind) for kind in (int, str, bool, float, complex, bytes, type(None))}
_HOLDABLE = {id(kind) for kind in (list, dict, bytearray)}
_SPREAD = {id(list): list.__iter__, id(tuple): tuple.__iter__, id(set): set.__iter__, id(frozenset): frozenset.__iter__}


def is_plain(value):
    """Nothing but data of exact builtin types, down to the last of at most 1,024 items."""
    left, work, seen = HELD_ITEMS, [value], set()
    while work:
        item = work.pop()
        kind = id(type(item))
        if kind in _PLAIN or type(item) is bytearray:
            continue
        if kind not in _SPREAD and type(item) is not dict:
            return False
        if id(item) in seen:
            continue
        seen.add(id(item))
        left -= len(item) + 1
        if left < 0:
            return False
        if type(item) is dict:
            work.extend(dict.keys(item))
            work.extend(dict.values(item))
        else:
            work.extend(_SPREAD[kind](item))
    return True


class Refs:
    """Serials of objects, from 0."""

    def __init__(self):
        self.next = count().__next__
        self.known = {}  # id -> (weak reference, serial)
        self.held = {}  # id -> (object, serial)
        self.limit = SWEEP

    def of(self, value, is_foreign):
        """The serial of an object, or None where it could not be told from a later one at the same place."""
        mark = id(value)
        if id(type(value)) in _HOLDABLE:
            entry = self.held.get(mark)
            if entry is None:
                if is_foreign or not is_plain(value):
                    return None
                if len(self.held) >= self.limit:
                    self.sweep()
                entry = self.held[mark] = (value, self.next())
            elif is_foreign:  # it holds objects now, whose end must not be put off
                self.held.pop(mark, None)
            return entry[1]
        entry = self.known.get(mark)
        if entry is None or entry[0]() is not value:
            try:
                entry = self.known[mark] = (_ref(value), self.next())
            except TypeError:
                return None
        return entry[1]

    def sweep(self):
        """Lets go what nobody else holds any more, and forgets what is gone."""
        if len(self.known) > self.limit:
            self.known = {mark: entry for mark, entry in list(self.known.items()) if entry[0]() is not None}
        for mark, entry in list(self.held.items()):
            if _getrefcount(entry[0]) <= 2:  # the entry's own, and the argument's
                self.held.pop(mark, None)
        self.limit = max(SWEEP, 2 * len(self.held), 2 * len(self.known))


def create_wire(masks=True):
    """What a probe needs: `get(id(type(value)), other)(value)` is the wire text of any value, `secret(value, why)` that of one whose
    name says that it is one, and what is known of frequent ones. `masks`: secrets are masked."""
    refs, integers, strings = Refs(), {}, {}

    def integer(value):
        text = integers.get(value)
        if text is None:
            if int.bit_length(value) > INT_BITS:
                return other(value)
            if len(integers) >= CACHED:
                integers.clear()
            text = integers[value] = b'["int","%d"]' % value
        return text

    def string(value):
        length = len(value)
        if length > CHARACTERS or masks and form_of(value) is not None:
            return other(value)
        text = ('["str",%s]' % quote(repr(value))).encode()
        if length < SHORT:
            if len(strings) >= CACHED:
                strings.clear()
            strings[value] = text
        return text

    def real(value):
        return b'["float","%a"]' % value

    def boolean(value):
        return b'["bool","True"]' if value else b'["bool","False"]'

    def other(value, why=None):
        kind = type(value)
        try:
            text, state = text_of(value, masks, why)
            serial = None if id(kind) in _PLAIN else refs.of(value, state.foreign)
            wire = '[%s,%s,%d' % (quote(plain(type_name(kind))), quote(text), 2 if state.masked else state.cut)
            return (wire + (']' if serial is None else ',%d]' % serial)).encode()
        except RecursionError:
            raise
        except Exception as error:
            if is_foreign(error.__traceback__):
                raise
            return ('[%s,"<unreadable>",1]' % quote(plain(type_name(kind)))).encode()

    fast = {id(int): integer, id(str): string, id(float): real, id(bool): boolean,
            id(type(None)): lambda value: b'["NoneType","None"]'}
    return {'get': fast.get, 'other': other, 'secret': other, 'integers': integers, 'strings': strings}, refs


def is_foreign(trace):
    """Whether an exception comes from other code than the agent's: a signal handler may raise anywhere, and must be heard."""
    while trace.tb_next is not None:
        trace = trace.tb_next
    return _dirname(trace.tb_frame.f_code.co_filename) != HERE
