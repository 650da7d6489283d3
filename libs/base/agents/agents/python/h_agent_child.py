"""PYTEST_DONT_REWRITE. The agent in a Python process that the target started: loaded by its `sitecustomize`, before any code of the target.

As a program, it runs the script that follows as `python` itself would.
"""
import json
import os
import sys

import h_agent_coverage
import h_agent_dependencies
import h_agent_events as events
import h_agent_loaders
from h_agent_children import Children
from h_agent_page import Page

STARTED = []


def start(text):
    plan = json.loads(text)
    if plan['python_path'] is None:
        os.environ.pop('PYTHONPATH', None)
    else:
        os.environ['PYTHONPATH'] = plan['python_path']
    page = Page(plan['page'], 0, plan['limit'])
    relative = events.relative_path(plan)
    coverage = h_agent_coverage.Coverage(
        relative, lambda file, reason: page.write('read', 'unsure', 'a process could not observe %s' % file),
        h_agent_coverage.create_judge(plan['root_path']))
    coverage.install()
    h_agent_loaders.install(coverage, sys.modules.get('runpy'))
    dependencies = h_agent_dependencies.Dependencies(coverage, relative, plan)
    children = Children(coverage, dependencies, plan)
    children.become(page)
    dependencies.phase = 'run'
    children.install()
    dependencies.install(None)
    STARTED.append((plan, coverage))


def run_script(plan, coverage):
    here, script = os.path.abspath(sys.argv[0]), sys.argv[1]
    command = {'label': script, 'file': '.', 'script': coverage.relative(os.path.abspath(script))}
    os.environ['H_AGENT_PLAN'] = json.dumps({'command': command, 'root': os.path.relpath(plan['root_path'])})
    sys.path.insert(0, events.HERE)  # not there by itself under `-P`
    import h_agent_command
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or '.') != events.HERE]
    if here in getattr(sys, 'orig_argv', ()):
        sys.orig_argv.remove(here)
    h_agent_command.RUN.coverage = coverage
    h_agent_command.run_plainly(h_agent_command.program(sys.argv[1:]))


if __name__ == '__main__':
    import h_agent_child
    h_agent_child.run_script(*h_agent_child.STARTED[0])
