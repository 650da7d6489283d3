import type { IsolationProperty } from '@h/contracts';
import { discoverNode, discoverPython, type HostReport, probeHost } from '@h/sandbox';
import type { Command } from 'commander';
import pc from 'picocolors';
import { EXIT } from '../errors.ts';

interface Finding {
  readonly what: string;
  readonly state: 'ok' | 'missing' | 'weaker';
  readonly detail: string;
  /** What to do; absent when nothing needs doing. */
  readonly remedy?: string;
}

/** Adds `doctor`: what this host has and lacks, each by a real attempt, with the remedy. */
export function addDoctorCommand(program: Command, finish: (exitCode: number) => void): void {
  program
    .command('doctor')
    .description('say what this host has and lacks, and how to get it')
    .option('--json', 'print the findings as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ h doctor\n  $ h doctor --json | jq \'.findings[] | select(.state != "ok")\'',
    )
    .action(async ({ json }: { json?: boolean }) => {
      const host = await probeHost();
      const { properties } = host;
      const findings = await examineHost(host);
      const text = `${findings.map(line).join('')}\n${row(properties)}`;
      process.stdout.write(json === true ? `${JSON.stringify({ findings, properties })}\n` : text);
      finish(findings.some(({ state }) => state === 'missing') ? EXIT.hostLacks : EXIT.patch);
    });
}

function line({ what, state, detail, remedy }: Finding): string {
  const mark = state === 'ok' ? pc.green('ok     ') : state === 'weaker' ? pc.yellow('weaker ') : pc.red('missing');
  return `${mark} ${what.padEnd(12)} ${detail}\n${remedy === undefined ? '' : `        ${' '.repeat(12)} ${remedy}\n`}`;
}

/** What a run has on this host, property by property: its row of the table in the README of @h/sandbox. */
function row(properties: HostReport['properties']): string {
  const names = Object.keys(properties) as IsolationProperty[];
  const paint = { enforced: pc.green, unmet: pc.yellow, unknown: pc.yellow };
  const lines = names.map((name) => `  ${paint[properties[name]](properties[name].padEnd(8))} ${name}\n`);
  return `What a run has on this host:\n${lines.join('')}`;
}

async function examineHost(host: HostReport): Promise<Finding[]> {
  return [nodeFinding(), ...isolationFindings(host), ...(await pythonFindings())];
}

function nodeFinding(): Finding {
  const { version, executable } = discoverNode();
  return { what: 'node', state: 'ok', detail: `${version} at ${executable}` };
}

function isolationFindings({ backends, kernel, limits }: HostReport): Finding[] {
  return [backendFinding(backends, kernel), limitFinding(limits)];
}

function backendFinding(backends: HostReport['backends'], kernel: string): Finding {
  const [strongest] = backends;
  const working = backends.find(({ usable }) => usable);
  const what = 'isolation';
  if (working === undefined) {
    const remedy = strongest?.remedy ?? 'Install bubblewrap.';
    return { what, state: 'missing', detail: 'no backend works on this host', remedy };
  }
  const detail = `${working.backend}, tried by a real run on Linux ${kernel}`;
  const remedy = working === strongest ? undefined : strongest?.remedy;
  return { what, state: working === strongest ? 'ok' : 'weaker', detail, ...(remedy === undefined ? {} : { remedy }) };
}

function limitFinding({ name, properties }: HostReport['limits']): Finding {
  const unmet = Object.keys(properties).filter((property) => properties[property as IsolationProperty] !== 'enforced');
  if (unmet.length === 0) return { what: 'limits', state: 'ok', detail: `${name}: memory, processes, processor time` };
  const remedy = 'Run where a control group can be written, such as a container with cgroup delegation.';
  return { what: 'limits', state: 'weaker', detail: `${name}; only watched: ${unmet.join(', ')}`, remedy };
}

async function pythonFindings(): Promise<Finding[]> {
  const found = await discoverPython(['python3', 'python']);
  if ('reason' in found) {
    return [
      {
        what: 'python',
        state: 'weaker',
        detail: found.reason,
        remedy: 'Needed for Python targets only: install Python 3.8 or newer.',
      },
    ];
  }
  const python: Finding = {
    what: 'python',
    state: 'ok',
    detail: `${found.version} at ${found.executable}`,
  };
  const { packages, executable } = found;
  const { pytest } = packages;
  if (pytest !== undefined) return [python, { what: 'pytest', state: 'ok', detail: pytest }];
  const remedy = `Needed for pytest projects only: ${executable} -m pip install pytest`;
  return [python, { what: 'pytest', state: 'weaker', detail: `not in ${executable}`, remedy }];
}
