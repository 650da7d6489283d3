"""PYTEST_DONT_REWRITE. What a test depends on: the repository's modules, and the files it opened, looked for and listed.

An audit hook hears of every module body, opened file, listed folder and started process. What happens while a test runs
is credited to the test (as negative numbers in the sets of `h_agent_coverage`), what happens in the body of a module to
the module. Which module uses which is read off the names and strings of its code: never too little, sometimes too much.
"""
import itertools
import os
import stat
import sys
import types

from h_agent_graph import describe_graph
from h_agent_names import note_names, signs
from h_agent_surroundings import variables, watch_variables

_STARTS = ('subprocess.Popen', 'os.posix_spawn', 'os.spawn', 'os.exec', 'os.system', 'os.fork', 'os.forkpty')


_CHANGES = {  # change what is there, and fail or not by what is there: the place of the descriptor that the path may be relative to
    'os.mkdir': 2, 'os.remove': 1, 'os.rmdir': 1, 'os.chmod': 2, 'os.chown': 3, 'os.utime': 3, 'os.truncate': None, 'os.chdir': None,
    'os.getxattr': None, 'os.listxattr': None, 'os.setxattr': None, 'os.removexattr': None, 'shutil.rmtree': 1}
_OTHER_STARTS = ('os.posix_spawn', 'os.spawn', 'os.exec', 'os.system')  # where `h_agent_children` sees the others


def _is_ours(trace, _own=(os.path.dirname(os.path.abspath(__file__)) + os.sep, os.path.__file__, os.__file__, stat.__file__)):
    """Whether an exception comes from this file or the path functions that it calls."""
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_frame.f_code.co_filename.startswith(_own) or trace.tb_frame.f_code.co_filename.startswith('<frozen')


class Module:
    """What is known of one source file of the repository."""

    def __init__(self):
        self.mentions, self.sources, self.attempts = set(), set(), set()
        self.to, self.entries, self.names = set(), set(), set()
        self.root = None


class Dependencies:
    """Installed once; `of` tells a test's own reads, `graph` what the modules need, at the end of the run."""

    def __init__(self, coverage, relative, plan):
        self.coverage, self.relative = coverage, relative
        self.numbers, self.known, self.modules, self.paths, self.import_roots = {}, {}, {}, {}, {}
        self.counter = itertools.count(1)
        root = plan['root_path'].rstrip(os.sep) + os.sep
        self.prefixes = tuple({root, os.path.realpath(root).rstrip(os.sep) + os.sep})
        self.phase = 'start'  # then 'collect', 'run'
        self.idle = None  # the sink of what belongs to no test
        self.late = None  # that of a shared fixture's teardown: a test's where it fails, its modules' in any case
        self.packages = None
        self.page = None  # in a child process, where all of it goes
        self.children, self.has_interpreters = None, False

    def install(self, emit):
        if emit is not None:
            emit('environment', variables=variables())
        watch_variables(self._on_variable)
        handlers = {'exec': self._on_exec, 'open': self._on_open, 'os.listdir': self._on_list, 'os.scandir': self._on_list,
                    'os.rename': self._on_move, 'os.link': self._on_move, 'os.symlink': self._on_move,
                    'urllib.Request': self._on_request, 'socket.bind': self._on_bind, 'shutil.move': self._on_shift,
                    'cpython.PyInterpreterState_New': self._on_interpreter,
                    'sqlite3.connect': self._on_open, 'ctypes.dlopen': self._on_open, 'socket.connect': self._on_connect}
        for event, place in _CHANGES.items():
            handlers[event] = self._on_change(place)
        for event in _STARTS if self.children is None else _OTHER_STARTS:
            handlers[event] = self._on_start(event)
        handlers.update(self.coverage.handlers)
        if self.children is not None:
            handlers['subprocess.Popen'] = self.children.on_popen
            handlers['os.fork'] = handlers['os.forkpty'] = self.children.on_fork
        lookup, lost = handlers.get, self._lost

        def hook(event, args):
            handler = lookup(event)
            if handler is not None:
                try:
                    handler(args)
                except Exception as problem:
                    if not _is_ours(problem.__traceback__):
                        raise  # a signal handler of the target ran in here
                    lost()

        self.coverage.attempted = self._on_attempt
        sys.addaudithook(hook)

    def _lost(self):
        self._credit(('unsure', 'something could not be recorded'), None, ())

    # ---- what happens

    def _path(self, name):
        path = self.paths.get(name, 0)
        if path == 0:
            path = self.paths[name] = self.relative(name)
        return path

    def _stack(self, frame):
        """The module body that runs, if one does, and the repository's files above it, innermost first."""
        files = []
        while frame is not None:
            code = frame.f_code
            path = self._path(code.co_filename)
            if path is not None:
                if code.co_name == '<module>':
                    return path, files
                files.append(path)
            frame = frame.f_back
        return None, files

    def module(self, path):
        module = self.modules.get(path)
        return self.modules.setdefault(path, Module()) if module is None else module

    def number_of(self, entry):
        number = self.numbers.get(entry)
        if number is None:
            number = self.numbers.setdefault(entry, -next(self.counter))
            self.known[number] = entry
        return number

    def credit(self, kind, value):
        self._credit((kind, value), *self._stack(sys._getframe(1)))

    def _credit(self, entry, body, files):
        if self.page is not None:
            return self.page.write('read', *entry)
        number = self.number_of(entry)
        if body is not None:
            self.module(body).entries.add(number)
        sink = self.coverage.sink
        is_owned = sink is not self.coverage.imported and sink is not self.idle
        if is_owned:
            sink.add(number)
        if body is None and (not is_owned or sink is self.late):
            for path in files:
                self.module(path).entries.add(number)

    def _record(self, kind, value, _frame=sys._getframe):
        body, files = self._stack(_frame(2))
        self._credit((kind, value), body, files)

    def _on_exec(self, args, _frame=sys._getframe, _code=types.CodeType):
        code = args[0]
        if type(code) is not _code or code.co_name != '<module>':
            return
        try:
            frame = _frame(2)
        except ValueError:
            frame = None  # the program itself
        path = self._path(code.co_filename)
        if path is None and frame is None:
            return self._on_program(code)
        if path is None:
            caller = self._path(frame.f_code.co_filename)
            if caller is not None:
                module = self.module(caller)
                note_names(code, module.mentions, module.sources)
            elif self.page is not None and 'site-packages' in code.co_filename:
                self.page.write('read', 'unsure', 'a process loads an installed package')
            elif code.co_filename.startswith('<doctest'):
                self._record('wild', '')
            elif code.co_filename.startswith(self.prefixes):
                self._on_open((code.co_filename,))  # in a folder for packages, yet perhaps of the tree
            return
        self.coverage.look_at(code, path)
        self.note_roots()
        module = self.module(path)
        note_names(code, module.mentions, module.sources)
        if self.page is not None:
            self.page.write('module', path, sorted(module.mentions), sorted(module.sources))
        body, files = self._stack(frame)
        nearest = files[0] if files else body
        if nearest is not None:
            self.module(nearest).to.add(path)
            if self.page is not None:
                self.page.write('to', nearest, path)
        elif module.root is None:
            module.root = self.phase
        self._credit(('loaded', path), None, ())

    def _on_program(self, code):
        """What `-c` gives a child process, or a script outside the repository: its names may be signs."""
        mentions = set()
        note_names(code, mentions, set())
        found = signs(mentions)
        for reason in found.get('unsure', ()):
            self.credit('unsure', reason)
        if 'wild' in found:
            self.credit('wild', '')
        if 'looks' in found:
            self.credit('listed', '')
        for name in found.get('env', ()):
            self.credit('env', name)

    def note_roots(self):
        roots = self.import_roots
        for entry in sys.path:
            if type(entry) is str and entry not in roots:
                inside = self.relative(os.path.join(entry or '.', '_'))
                roots[entry] = None if inside is None else inside[:-2]
                if self.page is not None and inside is not None:
                    self.page.write('root', entry, roots[entry])

    def _on_attempt(self, name, _frame=sys._getframe):
        """A finder was asked for a module."""
        try:
            body, files = self._stack(_frame(1))
            nearest = files[0] if files else body
            if nearest is not None:
                self.module(nearest).attempts.add(name)
                if self.page is not None:
                    self.page.write('attempt', nearest, name)
        except Exception:
            self._lost()

    def _on_variable(self, name, _frame=sys._getframe):
        try:
            body, files = self._stack(_frame(2))
            if body is not None or files:  # else the runner asks, for itself
                self._credit(('env', name), body, files)
        except Exception:
            self._lost()

    def _on_open(self, args, _write=os.O_WRONLY, _truncate=os.O_TRUNC, _stat=os.stat):
        path = self._inside(args[0])
        if path is None:
            return
        flags = args[2] if len(args) > 2 and type(args[2]) is int else 0
        if flags & _truncate or flags & 3 == _write:
            return self._record('written', path)
        try:
            mode = _stat(args[0]).st_mode
        except (OSError, ValueError) as problem:
            if not _is_ours(problem.__traceback__):
                raise
            return self._record('absent', path)
        if not stat.S_ISDIR(mode):  # a folder opened as a file is only a handle
            self._record('opened', path)

    def _inside(self, name, _fspath=os.fspath):
        """The path in the repository as the target named it, or None."""
        kind = type(name)
        if kind is int or name is None:  # `ctypes` names the program itself by None
            return None
        if kind is bytes:
            name = os.fsdecode(name)
        elif kind is not str:
            if kind.__module__ not in ('pathlib', 'pathlib._local', 'py._path.local', '_pytest._py.path', 'posix'):
                self._record('unsure', 'a file was named by an object of its own kind')
                return None
            name = _fspath(name)
        if name.startswith('file:'):
            self._record('unsure', 'a file was named by a URI')
            return None
        path = self._within(name)
        if path is None or '__pycache__/' in path or path.endswith('.pyc'):
            return None
        return path

    def _within(self, name, _absolute=os.path.abspath, _real=os.path.realpath):
        """The path below the root, also of what `relative` leaves out as a folder for packages: the tree may hold it."""
        full = _absolute(name)
        if full.startswith(('/proc/', '/dev/fd/')):
            full = _real(full)  # a descriptor's folder, the current one, the root: as links
            if full.endswith('/environ'):
                self._record('env', '*')
        for prefix in self.prefixes:
            if full.startswith(prefix):
                path = full[len(prefix):]
                return None if path.startswith('.h-agent/') or '/.h-agent/' in path else path
        return '' if full + os.sep in self.prefixes else None

    def _on_list(self, args, _frame=sys._getframe):
        if _frame(2).f_code.co_filename.startswith('<frozen importlib'):
            return
        name = args[0]
        if type(name) is int:
            return self._record('unsure', 'a folder was listed by its descriptor')
        name = os.fspath(name) if name is not None else '.'
        if type(name) is bytes:
            name = os.fsdecode(name)
        inside = self._within(name)
        if inside is not None:
            self._record('listed', inside)

    def _on_move(self, args, _isdir=os.path.isdir):
        """A file that is linked or moved is read under another name."""
        if any(type(other) is int and other != -1 for other in args[2:]):
            return self._record('unsure', 'a path was named below an open folder')
        path = self._inside(args[0])
        if path is not None and _isdir(args[0]):
            self._record('unsure', 'a folder of the repository is linked or moved')
        elif path is not None:
            self._on_open(args[:1])
        self._touch(args[1])

    def _touch(self, name):
        """What happens to a path tells whether something is there."""
        path = self._inside(name)
        if path is not None and not path.endswith('__pycache__'):
            self._record('absent', path)  # or part of the tree: the host knows
            self._record('listed', path)

    def _on_change(self, place):
        def changed(args):
            if place is not None and len(args) > place and args[place] not in (None, -1):
                return self._record('unsure', 'a path was named below an open folder')
            self._touch(args[0])
        return changed

    def _on_shift(self, args):
        self._touch(args[0])
        self._touch(args[1])

    def _on_bind(self, args):
        address = args[1]
        if type(address) in (str, bytes) and address[:1] not in ('', b'', '\0', b'\0'):
            self._touch(address)

    def _on_request(self, args):
        if type(args[0]) is str and args[0][:5].lower() == 'file:':
            self._record('unsure', 'a file was named by a URI')

    def _on_connect(self, args):
        self._record('unsure', 'it connects to an address')

    def _on_interpreter(self, _args):
        self._record('unsure', 'it makes an interpreter within the process')
        if self.coverage.note is not None and not self.has_interpreters:
            self.has_interpreters = True
            self.coverage.note('A test makes an interpreter within the process: what runs in it is not seen.')

    def _on_start(self, event):
        def started(args):
            name = args[0] if args else event
            if type(name) is bytes:
                name = os.fsdecode(name)
            if type(name) is not str:
                name = event
            self._record('children', name.split()[0] if event == 'os.system' and name.split() else name)
            if self.children is not None:
                self.children.on_other(name)
        return started

    def take_foreign(self, kind, values):
        """What a child process told of modules."""
        if kind == 'module':
            path, mentions, sources = values
            module = self.module(path)
            module.mentions.update(mentions)
            module.sources.update(sources)
        elif kind == 'to':
            self.module(values[0]).to.add(values[1])
            self.module(values[1])
        elif kind == 'attempt':
            self.module(values[0]).attempts.add(values[1])
        elif kind == 'root':
            self.import_roots.setdefault(values[0], values[1])

    # ---- what is told

    def of(self, numbers):
        """The reads of a test among the numbers that its set holds, by kind."""
        chosen = [number for number in numbers if number < 0]
        return self.by_kind(chosen) if chosen else {}

    def by_kind(self, numbers):
        found = {}
        for number in numbers:
            kind, value = self.known[number]
            if kind == 'wild':
                found['wild'] = True
            else:
                found.setdefault(kind, set()).add(value)
        return {name: value if value is True else sorted(value) for name, value in found.items()}

    def tell(self, emit):
        """The end of the run. Without a graph no test's dependencies are complete: a failure here is told, and harms nothing."""
        try:
            graph = describe_graph(self)
        except Exception as problem:
            return emit('note', message='The dependencies of tests are not known: %s' % str(problem)[:200])
        emit('packages', packages=self.packages.event())
        emit('module-graph', **graph)
