"""PYTEST_DONT_REWRITE. A process that the target started: what is known of it until it has ended, and whether it has."""
import os

_kill, _listdir, _open, _read, _close, _getpid = os.kill, os.listdir, os.open, os.read, os.close, os.getpid
_waitid = getattr(os, 'waitid', None)
_LOOK = 0 if _waitid is None else (os.WEXITED | os.WNOHANG | os.WNOWAIT)  # leaves the process to be waited for by the target


class Started:
    """`page` is None where it is not followed, and once it has been read to the end; `starter`: the process that started it."""

    def __init__(self, name, page, starter):
        self.name, self.page, self.starter = name, page, starter
        self.pid, self.births = 0, {}
        self.has_begun = self.is_full = self.is_known = False  # known: the end of a test has seen it
        self.is_followed = page is not None
        self.took, self.did = set(), False  # numbers that it told since the end of a test
        self.is_over = False

    def pids(self):
        """Its number as its starter knows it, as itself says it: none where it has not begun to, and its starter could not."""
        told = self.page.head()[0] if self.page is not None else 0
        return {pid for pid in (self.pid, told) if pid}

    def goes_on(self, known):
        """`known()`: the numbers of all that are known."""
        if self.is_over:
            return False
        if self.pids():
            return self.is_running()
        return not is_running(self.starter, {}) or has_unknown_child(self.starter, known()) or self.is_running()  # it may have begun

    def is_running(self):
        return any([is_running(pid, self.births) for pid in self.pids()])


def is_running(pid, births):
    """Not one that has ended and waits to be asked for. `births`: when those began of which only the number is known, which is given again."""
    try:
        if _waitid is not None:
            return _waitid(os.P_PID, pid, _LOOK) is None
    except OSError:
        pass  # it is no child of this process, or none any more
    try:
        _kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    state, _, birth = look_at(pid) or (None, 0, 0)
    return state is None or (state not in (b'Z', b'X') and births.setdefault(pid, birth) == birth)


def has_unknown_child(parent, known):
    try:
        names = _listdir('/proc')
    except OSError:
        return True
    for pid in {int(name) for name in names if name.isdigit()} - known:
        state, its_parent, _ = look_at(pid) or (b'X', 0, 0)
        if its_parent == parent and state not in (b'Z', b'X'):
            return True
    return False


def look_at(pid):
    """State, parent and time of birth, or None."""
    try:
        handle = _open('/proc/%d/stat' % pid, os.O_RDONLY)
    except OSError:
        return None
    try:
        words = _read(handle, 4096).rpartition(b')')[2].split()
        return words[0], int(words[1]), int(words[19])
    except (OSError, IndexError):
        return None
    finally:
        _close(handle)
