"""measure.py MODE AGENT_FOLDER: processor milliseconds of the workload (best of fifteen), and what a probe costs to put in."""
import json
import os
import sys
import time

MODE, AGENT = sys.argv[1:3]
HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
SIZE = 3000


def best(action):
    times = []
    for _ in range(15):
        started = time.process_time()
        action()
        times.append(time.process_time() - started)
    return min(times) * 1000


def collect_lines():
    seen = set()

    def tracer(frame, event, arg):
        if event == 'line':
            seen.add((frame.f_code.co_filename, frame.f_lineno))
        return tracer

    sys.settrace(tracer)


def start_probes():
    sys.path.insert(0, AGENT)
    import h_agent_coverage
    import h_agent_events
    relative = h_agent_events.relative_path({'root_path': HERE})
    h_agent_coverage.Coverage(relative, None, lambda path: False).install()


def instrument_library():
    """Milliseconds per thousand statements to put probes into a large module, and to compile it plainly."""
    sys.path.insert(0, AGENT)
    import h_agent_coverage
    path = os.path.join(os.path.dirname(os.__file__), 'argparse.py')
    with open(path, 'rb') as file:
        data = file.read()
    coverage = h_agent_coverage.Coverage(None, None, None)
    ours = best(lambda: h_agent_coverage.instrument(data, path, path, coverage))
    plain = best(lambda: compile(data, path, 'exec', dont_inherit=True))
    thousands = len(coverage.files[0][2]) / 1000
    return {'ms': ours / thousands, 'plain': plain / thousands}


def observe_values():
    """Milliseconds per thousand primitive values of sixteen probes, and of a tracer that reads the same names from f_locals."""
    import tempfile
    names = 'abcdefgh'
    lines = ['def work(turns):', '    %s = 1' % ' = '.join(names), '    for turn in range(turns):']
    pairs = [(names[(n + 1) % 8], names[n % 8]) for n in range(16)]
    lines += ['        %s = %s + %d' % (target, source, 1 if n % 2 else -1) for n, (source, target) in enumerate(pairs)]
    probes = [{'n': n, 'line': n + 4, 'role': 'statement', 'before': [source], 'after': [target]}
              for n, (source, target) in enumerate(pairs)]
    turns = 1000
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'observed.py'), 'w') as file:
            file.write('\n'.join(lines) + '\n')
        sys.path[:0] = [folder, AGENT]
        import observed
        plain_work = observed.work
        del sys.modules['observed']
        import h_agent_events
        import h_agent_observe
        table = {'protocol': 1, 'max_bytes': 1 << 28, 'max_events': 1 << 40, 'files': [{'file': 'observed.py', 'probes': probes}]}
        h_agent_observe.Recorder(table, folder, h_agent_events.relative_path({'root_path': folder})).install()
        import observed
        plain = best(lambda: plain_work(turns))
        ours = best(lambda: observed.work(turns)) - plain
        wanted = {line + 4: pair for line, pair in enumerate(pairs)}
        seen = []

        def tracer(frame, event, arg):
            if frame.f_code is not plain_work.__code__:
                return None
            pair = wanted.get(frame.f_lineno)
            if event == 'line' and pair is not None:
                values = frame.f_locals
                seen.append((pair[0], repr(values[pair[0]]), pair[1], repr(values[pair[1]])))
            return tracer

        sys.settrace(tracer)
        traced = best(lambda: (seen.clear(), plain_work(turns))) - plain
        sys.settrace(None)
    thousands = 2 * 16 * turns / 1000
    return {'ms': ours / thousands, 'plain': traced / thousands}


def main():
    if MODE == 'instrument':
        return instrument_library()
    if MODE == 'values':
        return observe_values()
    if MODE == 'coverage':
        import coverage
        os.environ.setdefault('COVERAGE_CORE', 'ctrace')
        measuring = coverage.Coverage(data_file=None, include=[HERE + '/*'])
        measuring.start()
        measuring.switch_context('test')
    elif MODE == 'probed':
        start_probes()
    import workload
    if MODE == 'settrace':
        collect_lines()
    workload.run(10)
    return {'ms': best(lambda: workload.run(SIZE))}


print(json.dumps(main()))
