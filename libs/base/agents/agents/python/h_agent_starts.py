"""PYTEST_DONT_REWRITE. How a program that the target starts gets the agent: through its environment, which no other program sees changed."""
import json
import os
import re
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
STARTS = os.path.join(_HERE, 'starts')
_real, _isfile, _access, _fsencode, _fsdecode = os.path.realpath, os.path.isfile, os.access, os.fsencode, os.fsdecode
_OWN = ('multiprocessing.resource_tracker', 'multiprocessing.semaphore_tracker')  # of the standard library: they read nothing
_PROGRAMS = {_real(one) for one in (sys.executable, getattr(sys, '_base_executable', None)) if one}
_environ = os.environ


def is_own(words):
    return any(own in _fsdecode(word) for word in words for own in _OWN)


def is_followed(words, candidates):
    """Whether it is this interpreter, also by a shebang, and imports `site`."""
    words = [_fsdecode(word) for word in words]
    program = next((_fsdecode(one) for one in candidates if _isfile(one) and _access(one, os.X_OK)), None)
    if program is None:
        return False
    if _real(program) in _PROGRAMS:
        return takes_agent(words[1:])
    with open(program, 'rb') as file:
        head = file.read(256)
    if head[:2] != b'#!':
        return False
    parts = _fsdecode(head[2:].partition(b'\n')[0]).split()
    return bool(parts) and _real(parts[0]) in _PROGRAMS and takes_agent(parts[1:] + ['script'])


def words_with_agent(words, folder, coverage):
    """A script of the repository is run by the agent, as python itself would run it: else nothing of its own could be observed."""
    plain = [_fsdecode(word) for word in words]
    at = 1 + end_of_flags(plain[1:])
    if at < len(plain) and plain[at].endswith('.py') and not re.match(r'-[^-XW]*[cm]', plain[at - 1] if at > 1 else ''):
        path = os.path.join(_fsdecode(folder) if folder else os.getcwd(), plain[at])
        inside = coverage.relative(path)
        if inside is not None and _isfile(path) and not coverage.is_test(inside):
            return [*words[:at], _fsencode(os.path.join(_HERE, 'h_agent_child.py')), *words[at:]]
    return words


def environment_with_agent(given, page, plan):
    """Names what the child's own start-up takes away again."""
    if given is None:
        given = [_fsencode(name) + b'=' + _fsencode(value) for name, value in _environ.items()]
    write_start()
    before = next((entry[11:] for entry in given if entry.startswith(b'PYTHONPATH=')), None)
    told = {'page': page.path, 'limit': page.limit, 'root_path': plan['root_path'], 'cwd_path': plan['cwd_path'],
            'python_path': None if before is None else _fsdecode(before)}
    path = _fsencode(STARTS) + (b'' if not before else os.pathsep.encode() + before)
    kept = [entry for entry in given if not entry.startswith(b'PYTHONPATH=')]
    return kept + [b'PYTHONPATH=' + path, b'H_AGENT_CHILD=' + json.dumps(told).encode('ascii')]


def takes_agent(words):
    """Whether python, started with these words, reads its environment and imports `site`."""
    return not any(flag in 'IES' for word in words[:end_of_flags(words)] for flag in word[1:].partition('X')[0].partition('W')[0])


def end_of_flags(words):
    """How many words are python's own, before the program: `-m` and `-c` are the last of them."""
    at = 0
    while at < len(words) and words[at][:1] == '-' and len(words[at]) > 1:
        found = re.match(r'-[^-cmXW]*([cmXW])', words[at])
        at += 1
        if found is not None and found.group(1) in 'cm':
            return at
        if found is not None and found.end() == len(words[at - 1]):
            at += 1  # the value is a word of its own
    return at


def write_start():
    """A `sitecustomize` that starts the agent and then gives way to the target's own."""
    path = os.path.join(STARTS, 'sitecustomize.py')
    if not _isfile(path):
        os.makedirs(STARTS, exist_ok=True)
        with open(path + '.part', 'w') as file:
            file.write(_START)
        os.replace(path + '.part', path)


_START = '''import os, sys
_folder = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != _folder]
sys.path_importer_cache.pop(_folder, None)
sys.modules.pop('sitecustomize', None)
_told = os.environ.pop('H_AGENT_CHILD', None)
if _told is not None:
    sys.path.insert(0, os.path.dirname(_folder))
    try:
        import h_agent_child
        h_agent_child.start(_told)
    finally:
        sys.path.remove(os.path.dirname(_folder))
        sys.path_importer_cache.pop(os.path.dirname(_folder), None)
import sitecustomize
'''
