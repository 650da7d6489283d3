import { dirname } from 'node:path';
import { findProgram } from './find-tools.ts';
import { runTool } from './run-tool.ts';

/** A Python 3 as it describes itself. */
export interface PythonRuntime {
  /** The real interpreter, never a shim; inside a virtual environment that environment's own. */
  readonly executable: string;
  readonly version: string;
  readonly prefix: string;
  /** Installation behind a virtual environment; else equal to `prefix`. */
  readonly base_prefix: string;
  /** Import folders that exist outside both prefixes, such as those of editable installs. */
  readonly outside_paths: readonly string[];
  /** Installed distributions, by normalized name (lower case, "-"), sorted. */
  readonly packages: Readonly<Record<string, string>>;
}

/** The first candidate that works, or why each did not. */
export type PythonSearch =
  | PythonRuntime
  | { readonly reason: string; readonly tried: readonly { readonly candidate: string; readonly reason: string }[] };

export interface NodeRuntime {
  readonly executable: string;
  readonly version: string;
  readonly prefix: string;
}

const DESCRIBE = String.raw`
import json, os, re, sys
def packages():
    found = {}
    try:
        from importlib.metadata import distributions
        pairs = [(d.metadata["Name"], d.version) for d in distributions()]
    except ImportError:
        pairs = []
        for folder in sys.path:
            if os.path.isdir(folder):
                pairs += [m.groups() for m in (re.match(r"(.+?)-([^-]+)(?:-.*)?\.(?:dist|egg)-info$", n) for n in os.listdir(folder)) if m]
    for name, version in pairs:
        if name and version: found.setdefault(re.sub(r"[-_.]+", "-", name).lower(), str(version))
    return found
prefixes = [os.path.realpath(p) + os.sep for p in (sys.prefix, sys.base_prefix)]
outside = [p for p in sys.path if os.path.isdir(p) and not any((os.path.realpath(p) + os.sep).startswith(x) for x in prefixes)]
print(json.dumps({"executable": sys.executable, "version": ".".join(map(str, sys.version_info[:3])), "major": sys.version_info[0],
    "prefix": sys.prefix, "base_prefix": sys.base_prefix, "outside_paths": outside, "packages": dict(sorted(packages().items()))}))
`;
const ASK_MS = 20_000;

/** Asks each candidate (a name to look up, or a path) in turn to describe itself, in isolated mode; the first Python 3 wins. */
export async function discoverPython(candidates: readonly string[]): Promise<PythonSearch> {
  const tried: { candidate: string; reason: string }[] = [];
  for (const candidate of candidates) {
    const answer = await describePython(candidate);
    if (typeof answer !== 'string') return answer;
    tried.push({ candidate, reason: answer });
  }
  const reasons = tried.map(({ candidate, reason }) => `${candidate}: ${reason}`).join('; ');
  return { reason: `no Python 3 found (${reasons || 'no candidates'})`, tried };
}

async function describePython(candidate: string): Promise<PythonRuntime | string> {
  const program = candidate.includes('/') ? candidate : findProgram(candidate, process.env.PATH ?? '');
  if (program === undefined) return 'not in PATH';
  const options = { timeoutMs: ASK_MS, env: process.env };
  const result = await runTool(program, ['-I', '-c', DESCRIBE], options);
  if (result.exitCode !== 0) return result.stderr.trim().split('\n').at(-1) || result.problem || 'did not start';
  try {
    const { major, ...python } = JSON.parse(result.stdout) as PythonRuntime & { major: number };
    return major === 3 ? python : `is Python ${python.version}`;
  } catch {
    return 'does not answer as a Python does';
  }
}

/** The Node that runs this program. */
export function discoverNode(): NodeRuntime {
  const { execPath } = process;
  return { executable: execPath, version: process.versions.node, prefix: dirname(dirname(execPath)) };
}
