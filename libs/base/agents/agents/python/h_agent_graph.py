"""PYTEST_DONT_REWRITE. The event `module-graph` of what `h_agent_dependencies` has seen: which module leads to which, and what each needs."""
import sys

from h_agent_names import Names, dotted, signs
from h_agent_surroundings import Packages


def describe_graph(seen):
    """`module-graph`: every source file of the repository that was loaded, and what it needs."""
    seen.note_roots()
    roots = list(dict.fromkeys(root for root in seen.import_roots.values() if root is not None))
    outside = name_modules(seen, roots)
    order = sorted(seen.modules)
    index = {path: number for number, path in enumerate(order)}
    names = Names(seen.modules)
    packages = seen.packages = Packages()
    used, told = set(), []
    for path in order:
        module = seen.modules[path]
        targets = names.used_by(path, module) | module.to
        targets.discard(path)
        fields = {'file': path, 'to': sorted(index[target] for target in targets)}
        if module.root == 'collect':
            fields['entry'] = True
        fields.update(seen.by_kind(module.entries))
        found = signs(module.mentions)
        if 'env' in found:
            found['env'] = sorted({*found['env'], *fields.get('env', ())})
        fields.update(found)
        absent = set(fields.get('absent', ())) | names.shadows(path, roots)
        tops = outside.intersection(source.partition('.')[0] for source in module.sources)
        for attempt in module.attempts:
            names.attempted(attempt, outside, tops, absent)
        if absent:
            fields['absent'] = sorted(absent)
        if tops:
            fields['tops'] = sorted(tops)
        needed = packages.loaded if 'wild' in fields else packages.used_by(tops)
        used |= needed
        fields['packages'] = [packages.label(name) for name in sorted(needed)]
        told.append(fields)
    others = [packages.label(name) for name in packages.loaded - used]  # the runner's own, and its plugins
    for fields in told:
        if 'entry' in fields:
            fields['packages'] = sorted(others + fields['packages'])
        if not fields['packages']:
            del fields['packages']
    everywhere = [index[path] for path in order if seen.modules[path].root == 'start'
                  and path.rpartition('/')[2] != 'conftest.py']
    return {'import_roots': roots, 'modules': told, 'everywhere': everywhere}


def name_modules(seen, roots):
    """Gives the modules their dotted names, and returns the names of top-level modules that lie elsewhere."""
    outside = set()
    for name, module in list(sys.modules.items()):
        if type(name) is not str:
            continue
        try:
            file = object.__getattribute__(module, '__dict__').get('__file__')
        except Exception:
            continue
        path = seen.relative(file) if type(file) is str else None
        if path is not None and path in seen.modules:
            seen.modules[path].names.add(name)
        elif path is not None and not path.endswith('.py'):
            seen.module(path).names.add(name)  # a compiled module of the repository
        elif path is None and '.' not in name and name not in sys.builtin_module_names and name[:8] != 'h_agent_':
            outside.add(name)
    for path, module in list(seen.modules.items()):
        for root in roots:
            name = dotted(path, root)
            if name:
                module.names.add(name)
    return outside
