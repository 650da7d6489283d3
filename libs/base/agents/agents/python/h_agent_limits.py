"""PYTEST_DONT_REWRITE. How long a test of a candidate may take: processor time, measured by what the tests took before the candidate.

A limit by the clock would have to be long, since the machine may be busy; a candidate that never ends would cost all of it. What a test took
before says nothing of how long it takes once it is mended: a candidate that reaches a limit has no report, and is run alone.
"""
import os
import time

FLOOR, TIMES, OF_LONGEST = 0.02, 5, 2  # seconds; times what the control took; times the longest test of the file that passes
WALL_FLOOR, WALL_TIMES = 1.0, 20  # for what waits instead of working
OVER = 'over-budget'  # the event that says that a limit was reached
_FRAMEWORKS = ('_pytest', 'unittest', 'pluggy')
_WORDING = ('difflib.py', 'pprint.py', 'traceback.py', 'linecache.py')
_time_of = getattr(time, 'clock_gettime', None)


def budgets_of(durations, hung, longest_ms, whole_ms, factor):
    """Seconds of processor time, and of any time, for each test and for loading a file."""
    longest = OF_LONGEST * longest_ms / 1000
    tests = {}
    for name, taken in durations.items():
        taken = (longest_ms if name in hung else taken) / 1000  # how long a test takes that has never ended nobody knows
        tests[name] = (max(FLOOR + TIMES * taken, longest) * factor, max(WALL_FLOOR + WALL_TIMES * taken, longest) * factor)
    whole = max(0, whole_ms - sum(durations[name] for name in hung)) / 1000
    return {'tests': tests, 'load': ((FLOOR + TIMES * whole) * factor, (WALL_FLOOR + WALL_TIMES * whole) * factor)}


def processor_time(pid):
    """Seconds that all threads of a process have used; None where the system does not say."""
    try:
        return _time_of((~pid << 3) | 2)
    except (OSError, OverflowError, TypeError):
        return None


def is_own_work(frame, relative):
    """Whether code of the repository works. What a framework does to word a failure, and the loading of modules, is no part of the work
    that a limit is measured for."""
    while frame is not None:
        path = frame.f_code.co_filename
        if relative(path) is not None:
            return True
        folder, name = os.path.split(path)
        if name in _WORDING or os.path.basename(folder) in _FRAMEWORKS or path.startswith('<frozen importlib'):
            return False
        frame = frame.f_back
    return False
