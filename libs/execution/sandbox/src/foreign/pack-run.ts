import { sha256Hex, type TreeEntry } from '@h/contracts';
import { quoteWord } from '../backends/shape-process.ts';
import { knowTree, type TreeChanges } from '../disk/diff-trees.ts';
import { isLink } from '../workspace/prepare-workspace.ts';
import type { ForeignFile } from './foreign-system.ts';
import { packTar } from './tar.ts';

/** What is to happen in a place that holds a tree already. */
export interface PlacedRun {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string | undefined;
  readonly collect: readonly string[];
  /** What makes the wanted tree of the one that is there, and the files of it that are written. */
  readonly changes: TreeChanges;
  readonly added: readonly ForeignFile[];
  /** The wanted tree by `describeTree`. */
  readonly wanted: string;
}

/** Largest archive of collected files that comes back on the output of the command; more is fetched. */
export const MOST_ARCHIVE_BYTES = 8 * 1024 * 1024;
/** Characters of one argument, and of all, that any system takes. */
const MOST_WORD = 40_000;
const MOST_WORDS = 200_000;
const ROOT = { uid: 0, gid: 0 };
const encoder = new TextEncoder();

/** Standard input of the wrapper: an archive with the shell functions of this run, its input and the files that its tree has beside `base`. */
export function packRun(run: PlacedRun): string {
  const define = { path: 'define', bytes: encoder.encode(defineRun(run)) };
  const stdin = { path: 'stdin', bytes: encoder.encode(run.stdin ?? '') };
  const added = run.added.map((file) => ({ ...file, path: `added/${file.path}` }));
  // Lines: some tools that decode read no others.
  return packTar([define, stdin, ...added], ROOT)
    .toString('base64')
    .replace(/.{76}/g, '$&\n')
    .concat('\n');
}

function defineRun({ argv, cwd, env, collect, changes, wanted }: PlacedRun): string {
  const { removed, emptied } = changes;
  const within = (paths: readonly string[]) => paths.map((path) => quoteWord(`run/workspace/${path}`)).join(' ');
  const change = [
    ':',
    ...(removed.length > 0 ? [`rm -f ${within(removed)}`] : []),
    ...(emptied.length > 0 ? [`rmdir ${within(emptied)}`] : []),
  ];
  const folder = quoteWord(`run/workspace/${cwd}`);
  const variables = Object.entries(env).map(([name, value]) => quoteWord(`${name}=${value}`));
  const own = [
    ...('HOME' in env ? [] : ['"HOME=$h__run/home"']),
    ...('TMPDIR' in env ? [] : ['"TMPDIR=$h__run/tmp"']),
    // Where the policy names none it is the system's own.
    ...('PATH' in env ? [] : ['"PATH=$PATH"']),
  ];
  const patterns = collect.map((glob) => `-path ${quoteWord(findPattern(glob))}`).join(' -o ');
  return [
    `h__wanted=${wanted}`,
    `h__program=${quoteWord(argv[0] ?? '')}`,
    `h__most=${collect.length > 0 ? MOST_ARCHIVE_BYTES : 0}`,
    `h__change() { ${change.join(' && ')}; }`,
    `h__enter() { cd ${folder}; }`,
    `h__command() { h__enter && exec env -i -- ${[...variables, ...own, ...argv.map(quoteWord)].join(' ')}; }`,
    `h__match() { find . -type f \\( ${patterns || '-name .'} \\) -exec "$@" {} +; }`,
    '',
  ].join('\n');
}

/** Of what `find -path` understands the narrowest that matches all that a glob does. */
export function findPattern(glob: string): string {
  const plain = glob.replace(/^(\.\/)+/, '');
  const special = /[{}[\]()!+@|\\]/.exec(plain)?.index;
  const kept = special === undefined ? plain : `${plain.slice(0, special).replace(/[^/]*$/, '')}*`;
  return `./${kept.replace(/\/?\*\*\/?/g, '*').replace(/[*?]+/g, '*')}`;
}

/** Whether a line of what tools say over there could not be read back. */
export function isStrange(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return /[\x00-\x1f\x7f\\]/.test(text);
}

/** Whether a shell over there can be told of these paths and words without doubt. */
export function canBeDescribed(entries: readonly TreeEntry[], argv: readonly string[]): boolean {
  const [program = ''] = argv;
  // `env` could not be given them: how that ends is for the system to say.
  if (argv.some((word) => word.length > MOST_WORD) || argv.join('').length > MOST_WORDS) return false;
  return !entries.some(({ path }) => isStrange(path)) && !program.startsWith('-') && !program.includes('=');
}

/** What the wrapper says of a folder that holds exactly this tree: a hash of folders, rights to run, links and contents. */
export function describeTree(entries: readonly TreeEntry[], targets: ReadonlyMap<string, string>): string {
  const lines = ['d .', ...[...knowTree(entries).folders].map((folder) => `d ./${folder}`)];
  for (const entry of entries) {
    const path = `./${entry.path}`;
    if (isLink(entry)) lines.push(`l ${path} ${targets.get(entry.path)}`);
    else lines.push(`${entry.sha}  ${path}`, ...(entry.mode & 0o100 ? [`x ${path}`] : []));
  }
  const sorted = lines.map((line) => Buffer.from(`${line}\n`)).sort(Buffer.compare);
  return sha256Hex(Buffer.concat(sorted));
}
