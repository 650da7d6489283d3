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


def main():
    if MODE == 'instrument':
        return instrument_library()
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
