"""PYTEST_DONT_REWRITE. NumPy's arrays by shape, dtype and first items, and its scalars: through the C descriptors of NumPy's own types."""
import builtins
import sys
import types

__builtins__ = dict(vars(builtins))  # the target may patch its own
ITEMS, HEAP = 20, 1 << 9
KINDS = {'b': 'bool', 'i': 'int', 'u': 'uint', 'f': 'float', 'c': 'complex', 'O': 'object', 'S': 'bytes', 'U': 'str', 'M': 'datetime',
         'm': 'timedelta', 'V': 'void'}
_modules, _module_dict = sys.modules, types.ModuleType.__dict__['__dict__'].__get__
_type_dict, _type_flags = type.__dict__['__dict__'].__get__, type.__dict__['__flags__'].__get__
_NATIVE = (types.GetSetDescriptorType, types.MemberDescriptorType, types.MethodDescriptorType)


def native_type(name):
    """A type of NumPy's that is written in C; None where NumPy is not loaded, or something else goes by its name."""
    module = dict.get(_modules, 'numpy')
    if type(module) is not types.ModuleType:
        return None
    kind = dict.get(_module_dict(module), name)
    return kind if issubclass(type(kind), type) and not _type_flags(kind) & HEAP else None


def is_numpy(mro, name):
    kind = native_type(name)
    return kind is not None and any([each is kind for each in mro])


def read(kind, value, name):
    """What a descriptor of C code says of a value; a method of C code is called without arguments."""
    entry = _type_dict(kind).get(name)
    if type(entry) not in _NATIVE or entry.__objclass__ is not kind:
        raise TypeError
    return type(entry).__get__(entry, value, type(value))


def array_text(value, name, depth, state, listed):
    """`ndarray(shape=(2, 2), dtype=int64, [1, 2, 3, 4])`."""
    state.foreign = True
    kind = native_type('ndarray')
    shape, size, dtype = read(kind, value, 'shape'), read(kind, value, 'size'), read(kind, value, 'dtype')
    mro = type.__dict__['__mro__'].__get__(type(dtype))
    family = native_type('dtype')
    if not any([each is family for each in mro]):
        raise TypeError
    letter, width = read(family, dtype, 'kind'), read(family, dtype, 'itemsize')
    label = KINDS.get(letter, letter) + ('' if letter in 'bOV' else '%d' % (width * 8 if letter in 'iufcMm' else width // 4 if letter == 'U' else width))
    item = read(kind, value, 'item')
    shown = min(size, ITEMS + 1) if letter in 'biufcOSUMm' else 0
    if shown < size or type(value) is not kind:  # a subclass may hold more, such as a mask
        state.cut = True
    text = ', '.join(listed([item(index) for index in range(shown)], depth, state)) or ('…' if size else '')
    return '%s(shape=(%s), dtype=%s, [%s])' % (
        name, ', '.join(['%d' % side for side in shape]) + ',' * (len(shape) == 1), label, text)


def scalar_of(value):
    """What a scalar of NumPy's is in Python."""
    return read(native_type('generic'), value, 'item')()
