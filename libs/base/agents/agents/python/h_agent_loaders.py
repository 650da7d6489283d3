"""PYTEST_DONT_REWRITE. Sources of the repository that are loaded past the finders: by a spec for a path, a `SourceFileLoader`, `runpy.run_path`.

They get what imports get. Code of a file that comes otherwise (`exec(compile(...))`, a loader of another kind) is left as it is, and a
note says so (`Coverage.look_at`).
"""
import os
from importlib.machinery import SourceFileLoader

# As in `h_agent_coverage`: tracebacks leave these frames out.
_METHODS = '''
def get_code(self, fullname):
    code = code_of(self, fullname) if type(self) is SourceFileLoader else None
    return plain_get_code(self, fullname) if code is None else code

def exec_module(self, module):
    if type(self) is not SourceFileLoader or not is_first(self):
        return plain_exec_module(self, module)
    coverage.enter(coverage.imported)
    try:
        plain_exec_module(self, module)
    finally:
        coverage.leave()
'''


def install(coverage, runpy):
    """`runpy`: the module, or None where the target has not loaded it."""
    made = {}  # code is made once: a test may load the file each time

    def place_of(path):
        """The path of a program in the repository."""
        inside = coverage.relative(path) if type(path) is str else None
        return None if inside is None or coverage.is_test(inside) else inside

    def make(data, name, inside):
        held = made.get(name)
        if held is None or held[0] != data:
            held = made[name] = data, coverage.instrument(data, name, inside)
        return held[1]

    def code_of(loader, fullname):
        """None where the loader itself has to decide what is wrong."""
        try:
            path = os.fspath(loader.path)
            inside = place_of(path)
            return None if inside is None else make(loader.get_data(loader.get_filename(fullname)), path, inside)
        except Exception:
            return None

    def is_first(loader):
        try:
            inside = place_of(os.fspath(loader.path))
        except TypeError:
            inside = None
        if inside is None or inside in coverage.executed or not coverage.in_main_thread():
            return False
        coverage.executed.add(inside)
        return True

    def _get_code_from_file(*args):
        found = plain_file(*args)
        code = found[0] if type(found) is tuple else found
        try:
            inside = place_of(code.co_filename)
            if inside is None or os.fspath(args[-1]) != code.co_filename:  # compiled long ago
                return found
            with open(code.co_filename, 'rb') as file:
                code = make(file.read(), code.co_filename, inside)
        except Exception:
            return found
        return (code,) + found[1:] if type(found) is tuple else code

    plain_file = getattr(runpy, '_get_code_from_file', None)
    if plain_file is not None:
        runpy._get_code_from_file = _get_code_from_file
    scope = {'SourceFileLoader': SourceFileLoader, 'coverage': coverage, 'code_of': code_of, 'is_first': is_first,
             'plain_get_code': SourceFileLoader.get_code, 'plain_exec_module': SourceFileLoader.exec_module}
    exec(compile(_METHODS, '<frozen importlib._bootstrap_external>', 'exec'), scope)
    SourceFileLoader.get_code, SourceFileLoader.exec_module = scope['get_code'], scope['exec_module']
