"""hits.py MODE AGENT_FOLDER: seconds of processor time of a million hits of sixteen statements, each reading one integer and binding one."""
import json
import os
import sys
import tempfile
import time

MODE, AGENT = sys.argv[1:3]
HITS, NAMES = 1000000, 'abcdefgh'
sys.dont_write_bytecode = True
PAIRS = [(NAMES[(n + 1) % 8], NAMES[n % 8]) for n in range(16)]
LINES = ['def work(turns):', '    %s = 1' % ' = '.join(NAMES), '    for turn in range(turns):']
LINES += ['        %s = %s + %d' % (target, source, 1 if n % 2 else -1) for n, (source, target) in enumerate(PAIRS)]


def tracer_of(code, seen):
    """What a tracer needs at least: the values of two names at sixteen lines, as text."""
    wanted = {line + 4: pair for line, pair in enumerate(PAIRS)}

    def tracer(frame, event, arg):
        if frame.f_code is not code:
            return None
        pair = wanted.get(frame.f_lineno)
        if event == 'line' and pair is not None:
            values = frame.f_locals
            seen.append((frame.f_lineno, repr(values[pair[0]]), repr(values[pair[1]])))
            if len(seen) > 100000:
                del seen[:]
        return tracer
    return tracer


def main(folder):
    with open(os.path.join(folder, 'observed.py'), 'w') as file:
        file.write('\n'.join(LINES) + '\n')
    sys.path[:0] = [folder, AGENT]
    result = {}
    if MODE in ('probed', 'recorded'):
        import h_agent_events
        import h_agent_observe
        probes = [{'n': n, 'line': n + 4, 'role': 'statement', 'before': [source], 'after': [target]}
                  for n, (source, target) in enumerate(PAIRS)]
        limits = {'max_bytes': 1 << 30, 'max_events': 1 << 40}
        if MODE == 'probed':
            limits = {'max_bytes': 1 << 26, 'max_events': 200000, 'keep': {'first': 100, 'last': 500}}
        table = {'protocol': 1, **limits,
                 'files': [{'file': 'observed.py', 'probes': probes}]}
        recorder = h_agent_observe.Recorder(table, folder, h_agent_events.relative_path({'root_path': folder}))
        recorder.install()
    if MODE == 'coverage':
        import coverage
        os.environ.setdefault('COVERAGE_CORE', 'ctrace')
        measuring = coverage.Coverage(data_file=None, include=[folder + '/*'])
        measuring.start()
    import observed
    if MODE == 'settrace':
        sys.settrace(tracer_of(observed.work.__code__, []))
    started = time.process_time()
    observed.work(HITS // 16)
    result['seconds'] = time.process_time() - started
    if MODE in ('probed', 'recorded'):
        recorder.finish()
        result['bytes'] = os.path.getsize(os.path.join(folder, 'probe-events.ndjson'))
    return result


with tempfile.TemporaryDirectory() as folder:
    print(json.dumps(main(folder)))
