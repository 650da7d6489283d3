"""PYTEST_DONT_REWRITE. What tests depend on outside the repository: environment variables, and installed packages."""
import os
import re
import sys

try:
    from _sha2 import sha256
except ImportError:
    from _sha256 import sha256  # up to 3.11


def digest(data):
    return sha256(data).hexdigest()


def variables():
    """The environment as it is now, for the event `environment`: names, and hashes of the values."""
    return [{'name': name, 'value_sha': digest(os.fsencode(value))} for name, value in sorted(os.environ.items())]


def watch_variables(record):
    """Calls `record(name)` for each variable that is read, and `record('*')` where all of them are. Nothing of `os` is replaced: the two
    mappings look every key up through a function of their own, which is asked who called it. But for the code that counts the variables."""
    _let_count_be_told(type(os.environ))
    for mapping in {id(one): one for one in (os.environ, getattr(os, 'environb', os.environ))}.values():
        kind = type(mapping)
        reading = (kind.__getitem__.__code__, kind.__delitem__.__code__)
        _watch(mapping, reading, (kind.__iter__.__code__, kind.__repr__.__code__, kind.__len__.__code__), record)


def _let_count_be_told(kind):
    """`len` looks no key up: now it does, one that does not count."""
    def __len__(self):
        self.decodekey(b'')
        return len(self._data)

    known = kind.__len__.__code__
    names = {'co_qualname': known.co_qualname} if hasattr(known, 'co_qualname') else {}
    kind.__len__.__code__ = __len__.__code__.replace(co_filename=known.co_filename, co_firstlineno=known.co_firstlineno, **names)


def _watch(mapping, reading, listing, record, _frame=sys._getframe):
    encode, decode = mapping.encodekey, mapping.decodekey

    def encodekey(key):
        found = encode(key)
        if _frame(1).f_code in reading:
            record(os.fsdecode(found))
        return found

    def decodekey(key):
        code = _frame(1).f_code
        if code in listing or code.co_name == '<genexpr>':
            record('*')
        return decode(key)

    mapping.encodekey, mapping.decodekey = encodekey, decodekey


class Packages:
    """Installed distributions by the modules that were loaded from them."""

    def __init__(self):
        self.known, self.owners = None, None
        self.tops = {}
        for top in {name.partition('.')[0] for name in list(sys.modules) if type(name) is str}:
            names = self._owners_of(top)
            if names:
                self.tops[top] = names
        self.loaded = {name for names in self.tops.values() for name in names}
        self.described = {name: self._describe(name) for name in self.loaded}

    def _find(self):
        """Normalized name -> distribution. Only where something is loaded from one: it takes as long as a hundred tests."""
        from importlib import metadata
        self.known = {}
        for found in metadata.distributions():
            path = getattr(found, '_path', None)
            name = path.name.partition('-')[0] if path is not None and path.name.endswith('.dist-info') else found.metadata['Name']
            if name:
                self.known.setdefault(_normal(name), found)

    def _owners_of(self, top):
        """Names of the distributions that a top-level module comes from; of a package without a file of its own, there may be several."""
        module = sys.modules.get(top)
        try:
            scope = object.__getattribute__(module, '__dict__')
            file, paths = scope.get('__file__'), list(scope.get('__path__') or ())
        except Exception:
            return ()
        places = [file] if type(file) is str else [path for path in paths if type(path) is str]
        if not any('site-packages' in place or 'dist-packages' in place for place in places):
            return ()
        if self.known is None:
            self._find()
        if type(file) is str and _normal(top) in self.known:
            return (_normal(top),)
        if self.owners is None:
            self.owners = {}
            for name, found in self.known.items():
                for one in _tops_of(found):
                    self.owners.setdefault(one, []).append(name)
        return tuple(self.owners.get(top, ()))

    def _describe(self, name):
        found = self.known[name]
        text = [found.read_text(part) or '' for part in ('METADATA', 'PKG-INFO', 'RECORD')]
        needs = {_normal(match.group(1)) for match in re.finditer(r'^Requires-Dist: *([\w.-]+)', text[0] or text[1], re.M)}
        return {'name': name, 'version': str(found.version), 'sha': digest(''.join(text).encode('utf-8', 'surrogatepass'))}, needs

    def used_by(self, tops):
        """Names of the loaded distributions that modules of these names come from, with what those need in turn."""
        work, seen = [name for top in tops for name in self.tops.get(top, ())], set()
        while work:
            name = work.pop()
            if name not in seen and name in self.described:
                seen.add(name)
                work.extend(self.described[name][1])
        return seen

    def label(self, name):
        return '%s@%s' % (name, self.described[name][0]['version'])

    def event(self):
        return [self.described[name][0] for name in sorted(self.described)]


def _normal(name):
    return re.sub(r'[-_.]+', '-', name).lower()


def _tops_of(found):
    text = found.read_text('top_level.txt')
    if text:
        return text.split()
    names = set()
    for line in (found.read_text('RECORD') or '').splitlines():
        first, slash, _ = line.partition('/')
        name = first if slash else first.partition(',')[0].partition('.')[0]
        if name.isidentifier():
            names.add(name)
    return names
