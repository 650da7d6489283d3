"""PYTEST_DONT_REWRITE. Which module uses which, read off the names and strings of their code: never too little, sometimes too much."""
import opcode
import sys
import types

_WILD = frozenset((  # whoever names one of these may use any module that is loaded
    'import_module', '__import__', 'modules', 'load_module', 'iter_modules', 'walk_packages', 'resolve_name', 'find_spec',
    'import_string', 'import_object', 'import_from_string', 'entry_points', 'iter_entry_points', 'module_from_spec',
    'spec_from_file_location', 'exec_module', 'SourceFileLoader', 'run_module', 'run_path', 'importorskip', 'autodiscover',
    'find_modules'))
_LOOKS = frozenset((  # may ask whether a file is there, which raises no audit event
    'exists', 'lexists', 'isfile', 'isdir', 'is_file', 'is_dir', 'islink', 'is_symlink', 'access', 'glob', 'iglob', 'rglob',
    'find_spec', 'find_resource', 'is_resource', 'resource_exists', 'resource_isdir', 'is_mount', 'is_socket', 'is_fifo', 'is_block_device',
    'is_char_device', 'is_junction', 'isjunction', 'ismount', 'which', 'gettext', 'mimetypes', 'linecache', 'mailbox', 'statvfs', 'pathconf',
    'disk_usage', 'mkfifo', 'mknod', 'addsitedir', 'fileConfig', 'discover', 'SimpleHTTPRequestHandler', 'resolve(True)') + tuple(
        prefix + name for prefix in ('', 'logging.handlers.', 'handlers.')
        for name in ('WatchedFileHandler', 'RotatingFileHandler', 'TimedRotatingFileHandler')))
_RESOLVES = frozenset(('resolve', 'realpath'))  # with `strict` they ask, too
_STATS = frozenset((  # may see size, time or mode of a file, or open one past what an audit event tells
    'stat', 'lstat', 'fstat', 'getsize', 'getmtime', 'getctime', 'getatime', 'samefile', 'filecmp', 'dir_fd', 'fwalk', 'readlink',
    'getxattr', 'listxattr', 'read_history_file', 'read_init_file', 'cafile', 'capath', 'certfile', 'keyfile', 'key_file', 'cert_file',
    'load_verify_locations', 'load_cert_chain', 'load_dh_params', 'enable_load_extension', 'load_extension'))
_MAPPINGS = frozenset(('environ', 'environb'))
_SPAWNS = frozenset(('pytester', 'testdir'))
_NATIVE = frozenset((
    'ctypes', '_ctypes', 'cffi', 'tkinter', '_tkinter', 'dbm.gnu', 'dbm.ndbm', 'gnu', 'ndbm', '_gdbm', '_dbm', 'lxml', 'h5py', 'netCDF4',
    'pyarrow', 'cv2', 'osgeo', 'rasterio', 'fiona', 'sqlcipher3', 'lmdb'))


def dotted(path, root):
    prefix = root + '/' if root else ''
    if not path.startswith(prefix) or not path.endswith('.py'):
        return None
    parts = path[len(prefix):-3].split('/')
    if parts[-1] == '__init__':
        parts.pop()
    return '.'.join(parts) if all(part.isidentifier() for part in parts) else None


def signs(mentions):
    found = {}
    if not _WILD.isdisjoint(mentions):
        found['wild'] = True
    if not _LOOKS.isdisjoint(mentions) or 'strict' in mentions and not _RESOLVES.isdisjoint(mentions):
        found['looks'] = True
    if 'environ' in mentions and 'posix.environ' in mentions or '_data' in mentions and not _MAPPINGS.isdisjoint(mentions):
        found['env'] = ['*']
    unsure = ['it names %s, which may see files unnoticed' % name for name in sorted(_STATS.intersection(mentions))]
    unsure += ['it names %s, which may start processes unnoticed' % name for name in sorted(_SPAWNS.intersection(mentions))]
    unsure += ['it uses %s, which may read files unnoticed' % name for name in sorted(_NATIVE.intersection(mentions))]
    if unsure:
        found['unsure'] = unsure
    return found


_IMPORT, _EXTENDED = opcode.opmap['IMPORT_NAME'], opcode.opmap['EXTENDED_ARG']


def note_names(code, mentions, sources):
    """Adds every name that a code object and those inside it use to `mentions`; to `sources` too what is imported, and each
    string that could be a dotted name."""
    work = [code]
    while work:
        current = work.pop()
        names = current.co_names
        mentions.update(names)
        imported = set(_imported(current.co_code, names))
        sources.update(imported)
        if 'posix' in imported:
            mentions.add('posix.environ')  # the text 'posix' is no sign of it
        if 'resolve' in names and any(constant is True for constant in current.co_consts):
            mentions.add('resolve(True)')
        constants = list(current.co_consts)
        while constants:
            constant = constants.pop()
            kind = type(constant)
            if kind is types.CodeType:
                work.append(constant)
            elif kind is tuple or kind is frozenset:
                constants.extend(constant)
            elif kind is str and len(constant) < 200:
                name = constant.partition(':')[0]
                if name and all(part.isidentifier() for part in name.split('.')):
                    mentions.add(name)
                    sources.add(name)


def _imported(instructions, names):
    """Operands of the import instructions."""
    operations = instructions[::2]
    at = operations.find(_IMPORT)
    while at >= 0:
        operand, before, shift = instructions[2 * at + 1], at - 1, 8
        while before >= 0 and operations[before] == _EXTENDED:
            operand |= instructions[2 * before + 1] << shift
            before, shift = before - 1, shift + 8
        if operand < len(names):
            yield names[operand]
        at = operations.find(_IMPORT, at + 1)


class Names:
    """The dotted names of the repository's modules."""

    def __init__(self, modules):
        self.paths, self.children = {}, {}
        for path, module in modules.items():
            for name in module.names:
                self.paths.setdefault(name, set()).add(path)
        for name in self.paths:
            parent = name
            while '.' in parent:  # a namespace package has no file, yet leads to what it holds
                parent, _, last = parent.rpartition('.')
                self.children.setdefault(parent, {}).setdefault(last, None)

    def used_by(self, path, module):
        """Files that the names in a module may lead to: imports, attributes of packages, strings that name modules."""
        mentions, found, seen = module.mentions, set(), set()
        is_package = path.endswith('__init__.py')
        bases = {prefix for name in module.names for prefix in _prefixes(name) if is_package or prefix != name}
        work = [name for name in bases if name in self.paths or name in self.children]
        for source in module.sources:
            work.extend(name for name in _prefixes(source) if name in self.paths or name in self.children)
            if '.' in source:
                for base in bases:
                    work.extend(name for name in _prefixes(base + '.' + source) if name in self.paths)
        while work:
            name = work.pop()
            if name in seen:
                continue
            seen.add(name)
            found.update(self.paths.get(name, ()))
            for last in self.children.get(name, ()):
                if last in mentions:
                    work.append(name + '.' + last)
        return found

    def shadows(self, path, roots):
        """Paths that, once there, would be loaded in the place of this file."""
        found = set()
        if path.endswith('.py') and not path.endswith('/__init__.py'):
            found.add(path[:-3] + '/__init__.py')
        for root in roots:
            name = dotted(path, root)
            if name:
                for other in roots:  # their order changes while a program runs: any of them may come first
                    if other != root:
                        found.update(_candidates(other, name.partition('.')[0]))
        return found

    def attempted(self, name, outside, tops, absent):
        """A module that was looked for and may not be there: where it would be found if it came."""
        parts = name.split('.')
        for count in range(len(parts), 0, -1):
            known = self.paths.get('.'.join(parts[:count]))
            if known is None:
                continue
            if count < len(parts):
                for path in known:
                    if path.endswith('__init__.py'):
                        absent.update(_candidates(path.rpartition('/')[0], parts[count]))
            return
        if parts[0] not in outside and parts[0] not in sys.builtin_module_names:
            tops.add(parts[0])


def _prefixes(name):
    parts = name.split('.')
    return ['.'.join(parts[:count]) for count in range(1, len(parts) + 1)]


def _candidates(folder, name):
    prefix = folder + '/' + name if folder else name
    return (prefix, prefix + '.py')
