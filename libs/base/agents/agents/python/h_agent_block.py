"""PYTEST_DONT_REWRITE. A file that is written through shared memory."""
import builtins
import mmap
import os
import sys
import threading

__builtins__ = dict(vars(builtins))  # the target may patch its own
_open, _close, _write, _map = os.open, os.close, os.write, mmap.mmap
_allocate = getattr(os, 'posix_fallocate', None)  # a page the disk has no room for would kill the process when touched
_APPEND, _UPDATE = os.O_WRONLY | os.O_APPEND, os.O_RDWR
_GRAIN, _OPTIONS = mmap.ALLOCATIONGRANULARITY, {'trackfd': False} if sys.version_info >= (3, 13) else {}
FIRST_BLOCK, LARGEST_BLOCK, RESERVE = 1 << 16, 1 << 24, 64


class Writer:
    """Appends to a file through shared memory: what is written is in the file, whatever becomes of the process, at no system
    call. `write` is atomic, and raises ValueError where the block is full. The unused end of the last block stays zero."""

    def __init__(self, path, limit):
        self.path, self.left, self.end = path, max(0, limit - RESERVE), 0
        self.blocks, self.lock, self.is_over = [], threading.RLock(), False
        self.is_plain = False
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644))
        self.write = self.full

    def full(self, data):
        raise ValueError

    def more(self, data):
        """Writes what the block has no room for into the next; false when the limit is reached."""
        with self.lock:
            if self.is_over:
                return False
            try:
                self.write(data)
                return True
            except ValueError:
                if self.is_plain:
                    return False
            size = max(FIRST_BLOCK, min(LARGEST_BLOCK, self.end), -(-len(data) // FIRST_BLOCK) * FIRST_BLOCK)
            size = min(size, self.left // _GRAIN * _GRAIN)
            if len(data) > self.left:
                return False
            try:
                if size < len(data):
                    raise ValueError  # less than a page is left
                self.map(size)
            except (OSError, ValueError, TypeError):
                self.write, self.is_plain = self.append, True
            return self.more(data)

    def map(self, size):
        handle = _open(self.path, _UPDATE)
        try:
            _allocate(handle, self.end, size)
            block = _map(handle, size, offset=self.end, **_OPTIONS)
        finally:
            _close(handle)
        previous = self.blocks[-1:]
        self.blocks.append(block)  # none is ever unmapped: another thread may be about to write there
        self.end, self.left, self.write = self.end + size, self.left - size, block.write
        for full in previous:
            while full.tell() < len(full):
                try:
                    full.write(b'\n' * (len(full) - full.tell()))
                except ValueError:
                    pass  # another thread used the rest

    def append(self, data):
        """Without shared memory."""
        if len(data) > self.left:
            raise ValueError
        self.left -= len(data)
        try:
            self.raw(data)
        except OSError:
            raise ValueError

    def raw(self, data):
        handle = _open(self.path, _APPEND)
        try:
            while data:
                data = data[_write(handle, data):]
        finally:
            _close(handle)

    def finish(self, last):
        with self.lock:
            if not self.is_over:
                self.is_over, self.write = True, drop
                try:
                    self.raw(last)
                except OSError:
                    pass


def drop(data):
    """Nothing is written any more."""
