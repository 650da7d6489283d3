"""PYTEST_DONT_REWRITE. Puts a tree back as it was before a candidate ran, and what is around it: processes, scratch folders."""
import os
import signal
import stat
import time

_KEPT = '__pycache__'


class Tree:
    """Every file of a tree by what a write to it would change. `files` are the bytes of those that candidates change."""

    def __init__(self, root, own, files):
        self.root, self.own, self.files = root, own, files
        self.device = os.lstat(root).st_dev
        self.folders, self.marks = self.look()
        self.adopted = set()  # compiled modules of files that no candidate changes

    def look(self):
        folders, marks, work, prefix = set(), {}, [self.root], len(self.root.rstrip(os.sep)) + 1
        while work:
            folder = work.pop()
            for entry in os.scandir(folder):
                if entry.path == self.own:
                    continue
                place = entry.path[prefix:]
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISDIR(status.st_mode):
                    folders.add(place)
                    if status.st_dev == self.device:
                        work.append(entry.path)
                else:
                    marks[place] = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        return folders, marks

    def mark(self, path):
        status = os.lstat(os.path.join(self.root, path))
        return status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns

    def replace(self, path, data):
        """Puts a file in the place of another: the one that was there may have other names."""
        place = os.path.join(self.root, path)
        remove(place)
        with open(place, 'xb') as file:
            file.write(data)
        os.chmod(place, stat.S_IMODE(self.marks[path][0]))

    def put_back(self, adopt):
        """False where a file that no candidate changes is not as it was. With `adopt` compiled modules stay, for the next to use."""
        folders, marks = self.look()
        is_whole = self.folders <= folders
        for path in marks.keys() - self.marks.keys():
            if adopt and self.is_compiled(path):
                self.adopted.add(path)
                self.marks[path] = marks[path]
                self.folders.add(os.path.dirname(path))
            else:
                remove(os.path.join(self.root, path))
        for path in sorted(folders - self.folders):
            remove(os.path.join(self.root, path))
        for path, mark in list(self.marks.items()):
            if marks.get(path) == mark:
                continue
            if path in self.files:
                if path in marks:
                    self.replace(path, self.files[path])
                    self.marks[path] = self.mark(path)
                else:
                    is_whole = False
            elif path in self.adopted:
                remove(os.path.join(self.root, path))
                self.adopted.discard(path)
                del self.marks[path]
            else:
                is_whole = False
        return is_whole

    def is_compiled(self, path):
        folder, _, name = path.rpartition(os.sep)
        if os.path.basename(folder) != _KEPT or not name.endswith('.pyc'):
            return False
        source = os.path.join(os.path.dirname(folder), name.partition('.')[0] + '.py')
        return source in self.marks and source not in self.files


class Surroundings:
    """What a candidate may leave outside the tree, as far as it is this run's alone."""

    def __init__(self, root):
        self.scratch = [folder for folder in {os.environ.get('TMPDIR'), os.environ.get('HOME')} if is_own(folder, root)]
        self.known = _processes()
        if not self.known <= _ancestors():
            self.known = None  # of others too: which of them are a candidate's cannot be told

    def clear(self):
        for folder in self.scratch:
            for name in os.listdir(folder):
                remove(os.path.join(folder, name))

    def end_processes(self, group):
        """Ends what a candidate has left running."""
        try:
            os.killpg(group, signal.SIGKILL)
        except OSError:
            pass
        if self.known is None:
            return
        own = self.known | _ancestors()
        for _ in range(200):
            left = _processes() - own
            if not left:
                return
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, os.WNOHANG)
                except OSError:
                    pass
            time.sleep(0.001)


def is_own(folder, root):
    """A scratch folder that is empty when a run begins is the run's own."""
    try:
        return bool(folder) and not (root + os.sep).startswith(os.path.join(folder, '')) and not os.listdir(folder)
    except OSError:
        return False


def _processes():
    try:
        return {int(name) for name in os.listdir('/proc') if name.isdigit()}
    except OSError:
        return set()


def _ancestors():
    found, pid = {0, 1}, os.getpid()
    while pid > 1:
        found.add(pid)
        try:
            with open('/proc/%d/stat' % pid, encoding='utf-8', errors='replace') as file:
                pid = int(file.read().rpartition(')')[2].split()[1])
        except (OSError, ValueError):
            break
    return found


def remove(path):
    """Removes a file, or a folder with all that is in it; what cannot be removed stays, and is seen by who looks again."""
    try:
        if not os.path.islink(path) and os.path.isdir(path):
            os.chmod(path, 0o700)
            for name in os.listdir(path):
                remove(os.path.join(path, name))
            os.rmdir(path)
        else:
            os.unlink(path)
    except OSError:
        pass
