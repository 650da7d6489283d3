import type { TestId } from '@h/contracts';
import { type Detection, inFolder, nameOf, type PlanOptions, type RunnerCommand } from '../detection.ts';

/** A command whose exit code is one test. */
export interface CommandTest {
  /** Id of the test. */
  readonly label: TestId;
  /** Program and arguments, started without a shell. */
  readonly argv: readonly string[];
  /** Folder it starts in, relative to the repository root; default the root. */
  readonly cwd?: string;
  /** Variables set for it. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Whether the statements of the script that `argv` names count: true for a program, false for a script that is the test
   * itself, whose lines would outrank what it tests. Default false; `commandDetections` takes a script that several commands share for a program.
   */
  readonly coverScript?: boolean;
  /** JUnit XML that it writes, relative to `cwd`; a glob of `.xml` files where there are several. Its test cases are the tests then. */
  readonly junit?: string;
}

/** What the command of a detection is, as plain data. */
export interface DetectedCommand {
  readonly label: TestId;
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cover_script?: boolean;
  readonly junit?: string;
}

/** A detection that stands for one command: `planTestRun`, `runTests` and `createRunTests` take it as any other. */
export function commandDetection({ label, argv, cwd = '', env, coverScript, junit }: CommandTest): Detection {
  const command: DetectedCommand = {
    label,
    argv: [...argv],
    ...(env === undefined ? {} : { env: { ...env } }),
    ...(coverScript === undefined ? {} : { cover_script: coverScript }),
    ...(junit === undefined ? {} : { junit }),
  };
  const script = scriptOf(argv, cwd);
  return {
    runner: 'command',
    cwd,
    reason: `given: ${argv.join(' ')}`,
    evidence: script === undefined ? [] : [script],
    source_roots: [],
    start_dirs: [],
    command,
  };
}

/**
 * A command as a person writes it, `label=python repro.py`; without a label the line is its own. A line with anything that
 * only a shell understands runs as `sh -c`; variables may stand before the program.
 */
export function parseCommand(text: string): CommandTest {
  const [, named, rest] = /^([^\s='"]+)=(?![=\s])(.*)$/s.exec(text) ?? [];
  const line = (rest ?? text).trim();
  const label = named ?? line;
  const words = splitWords(line);
  if (words === undefined) return { label, argv: ['sh', '-c', line] };
  const env: Record<string, string> = {};
  let first = 0;
  for (; first < words.length - 1; first += 1) {
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(words[first] ?? '') ?? [];
    if (name === undefined) break;
    env[name] = value ?? '';
  }
  return { label, argv: words.slice(first), ...(first === 0 ? {} : { env }) };
}

/** Words of a simple command; `undefined` when it takes a shell. */
function splitWords(line: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const sign = line[at] ?? '';
    if (/\s/.test(sign)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (sign === "'" || sign === '"') {
      const end = line.indexOf(sign, at + 1);
      const held = line.slice(at + 1, end);
      if (end === -1 || (sign === '"' && /[$`\\]/.test(held))) return undefined;
      word = (word ?? '') + held;
      at = end;
    } else if (/[|&;<>()$`\\*?[\]{}~#!]/.test(sign)) return undefined;
    else word = (word ?? '') + sign;
  }
  if (word !== undefined) words.push(word);
  return words.length === 0 ? undefined : words;
}

/** A program that an agent can look into: where in `argv` its own command line begins. */
interface Program {
  readonly language: 'python' | 'node';
  /** Index of the script, or of `-m` or `-c`. */
  readonly at: number;
  /** Path of the script as the command names it; absent for modules and code. */
  readonly script?: string;
}

const PYTHON = /^python(?:\d+(?:\.\d+)*)?$/;
const NODE = /^node(?:js)?$/;
const PYTHON_VALUED = new Set(['-W', '-X', '--check-hash-based-pycs']);
const NODE_VALUED = new Set([
  '-r',
  '--require',
  '--import',
  '--loader',
  '--experimental-loader',
  '-C',
  '--conditions',
  '--env-file',
  '--title',
  '--input-type',
]);
/** With these Node runs no program, or one that is no file. */
const NODE_OTHER =
  /^(?:-e|--eval|-p|--print|-pe|-c|--check|-i|--interactive|-v|--version|-h|--help|--test|--run|--watch|-)$/;

function programOf(argv: readonly string[]): Program | undefined {
  const name = nameOf(argv[0] ?? '');
  if (PYTHON.test(name)) return pythonProgram(argv);
  return NODE.test(name) ? nodeProgram(argv) : undefined;
}

function pythonProgram(argv: readonly string[]): Program | undefined {
  for (let at = 1; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (/^-[a-zA-Z]*[mc]$/.test(word))
      return word.length === 2 && at + 1 < argv.length ? { language: 'python', at } : undefined;
    if (PYTHON_VALUED.has(word)) at += 1;
    else if (word === '-' || word === '-V' || word.startsWith('-h') || word.startsWith('--')) return undefined;
    else if (!word.startsWith('-')) return { language: 'python', at, script: word };
  }
  return undefined;
}

function nodeProgram(argv: readonly string[]): Program | undefined {
  for (let at = 1; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (NODE_VALUED.has(word)) at += 1;
    else if (NODE_OTHER.test(word)) return undefined;
    else if (!word.startsWith('-')) return { language: 'node', at, script: word };
  }
  return undefined;
}

/** The script that a command runs, from the repository root; `undefined` when there is none, or it lies outside. */
function scriptOf(argv: readonly string[], cwd: string): string | undefined {
  const script = programOf(argv)?.script;
  if (script === undefined || script.startsWith('/')) return undefined;
  const parts: string[] = [];
  for (const part of inFolder(cwd, script).split('/')) {
    if (part === '..' && parts.pop() === undefined) return undefined;
    if (part !== '..' && part !== '.' && part !== '') parts.push(part);
  }
  return parts.length === 0 ? undefined : parts.join('/');
}

/** The runtimes that a command starts as far as its first word says: none for any other program. */
export function commandLanguage(argv: readonly string[]): 'python' | 'javascript' | undefined {
  const name = nameOf(argv[0] ?? '');
  if (PYTHON.test(name)) return 'python';
  return NODE.test(name) || /^(?:np[mx]|pnpm|yarn|tsx)$/.test(name) ? 'javascript' : undefined;
}

/** What the agents and the report are told of a command. */
export interface CommandPlan {
  readonly label: TestId;
  /** File of the test: its script, or `.` where it has none, or the script is the program under test. */
  readonly file: string;
  readonly script?: string;
  readonly cover_script: boolean;
  /** JUnit files that it writes, from the root. */
  readonly junit?: string;
}

const pythonEntry = '.h-agent/h_agent_command.py';
const nodeEntry = '.h-agent/node-command-hook.mjs';

/** The command as given; a Python or Node program with an agent beside it, which changes nothing it does. */
export function commandCommand(options: PlanOptions, { cwd, command }: Detection): RunnerCommand {
  const { label, argv, env, cover_script = false, junit } = command ?? { label: '', argv: [] };
  const program = programOf(argv);
  const script = scriptOf(argv, cwd);
  const plan: CommandPlan = {
    label,
    file: script === undefined || cover_script ? '.' : script,
    ...(script === undefined ? {} : { script }),
    cover_script,
    ...(junit === undefined ? {} : { junit: inFolder(cwd, junit) }),
  };
  return {
    argv: program === undefined ? [...argv] : withAgent(argv, program, options),
    env: { ...env },
    ...(program === undefined ? {} : { entry: program.language === 'python' ? pythonEntry : nodeEntry }),
    notes: program === undefined && options.coverage === true ? [`No coverage of "${label}": ${whyUnseen(argv)}.`] : [],
    plan: {
      command: plan,
      ...(options.testTimeoutMs === undefined ? {} : { test_timeout_ms: options.testTimeoutMs }),
    },
  };
}

function whyUnseen(argv: readonly string[]): string {
  const name = nameOf(argv[0] ?? '');
  if (PYTHON.test(name)) return 'it gives Python no script, module or code that an agent can be put before';
  if (NODE.test(name)) return 'it gives Node no file to run, and an agent sees files';
  return 'its command starts neither Python nor Node by itself';
}

function withAgent(argv: readonly string[], { language, at }: Program, options: PlanOptions): string[] {
  const [first = '', ...rest] = argv;
  // a bare name means the interpreter that the other tests run with
  const chosen = first.includes('/') ? undefined : language === 'python' ? options.python : options.node;
  const program = chosen ?? first;
  if (language === 'node') return [program, '--import', `./${nodeEntry}`, ...rest];
  return [program, ...argv.slice(1, at), pythonEntry, ...argv.slice(at)];
}
