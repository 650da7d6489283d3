// Frames of the stack traces that Python and Node print, as places in the repository.
import type { Loc } from '@h/contracts';

export interface StackContext {
  /** Folder the program started in, relative to the root. */
  readonly cwd: string;
  /** Paths of the repository. */
  readonly paths: readonly string[];
  /** The program's own script, from the root: the frame that ends in it tells where the repository lies. */
  readonly script?: string;
}

const FRAMES = 100;
const PYTHON_FRAME = /^ {2}(?:[|+] *)*File "([^"\n]+)", line (\d+)/;
const NODE_FRAME = /^\s+at (?:.*?\()?(?:async )?(?:file:\/\/)?((?:[A-Za-z]:)?[^():\n][^():\n]*):(\d+):\d+\)?$/;
/** `path:line` before the quoted source of an error that has no stack, such as a syntax error. */
const NODE_HEAD = /^(?:file:\/\/)?(\/[^:\n]+):(\d+)$/;
const FOREIGN = /(?:^|\/)(?:node_modules|site-packages|dist-packages|\.h-agent)\/|^node:|^</;

export interface Stack {
  /** Inside the repository, innermost first. */
  readonly frames: Loc[];
  /** Absolute path at which the repository lay when the stack was printed, with a slash at its end; absent: the stack does not tell. */
  readonly root?: string;
}

/** The stack that a text shows: its last Python traceback, else its last Node stack. */
export function readStackFrames(text: string, context: StackContext): Stack {
  const lines = text.split('\n');
  const python = lastPythonTrace(lines);
  const frames = python.length > 0 ? python.reverse() : lastNodeStack(lines);
  const known = new Set(context.paths);
  const paths = frames.map(([path]) => path);
  const root = rootOf(paths, known, context.script);
  const locate = createLocator(root, known, context.cwd);
  const found: Loc[] = [];
  for (const [path, line] of frames) {
    const inside = locate(path);
    if (inside !== undefined && Number(line) > 0) found.push(`${inside}:${Number(line)}`);
  }
  return { frames: found.slice(0, FRAMES), ...(root === undefined ? {} : { root }) };
}

type Frame = readonly [path: string, line: string];

/** Outermost first. A syntax error prints its frame without the heading of a traceback. */
function lastPythonTrace(lines: readonly string[]): Frame[] {
  const head = lines.findLastIndex((line) => /^\s*(?:[|+] *)?Traceback \(most recent call last\):/.test(line));
  return matches(lines.slice(Math.max(head, 0)), PYTHON_FRAME);
}

/** Innermost first: the last run of lines that are frames. */
function lastNodeStack(lines: readonly string[]): Frame[] {
  const isFrame = (line: string) => /^\s+at \S/.test(line);
  const last = lines.findLastIndex(isFrame);
  let first = last;
  while (first > 0 && isFrame(lines[first - 1] ?? '')) first -= 1;
  const stack = last === -1 ? [] : matches(lines.slice(first, last + 1), NODE_FRAME);
  return stack.some(([path]) => !FOREIGN.test(path)) ? stack : matches(lines, NODE_HEAD);
}

function matches(lines: readonly string[], pattern: RegExp): Frame[] {
  const found: Frame[] = [];
  for (const line of lines) {
    const [, path, number] = pattern.exec(line) ?? [];
    if (path !== undefined && number !== undefined) found.push([path, number]);
  }
  return found;
}

/** A function: path in a stack → path in the repository. The host does not know at which absolute path the program ran. */
function createLocator(root: string | undefined, known: ReadonlySet<string>, cwd: string) {
  return (path: string): string | undefined => {
    if (FOREIGN.test(path)) return undefined;
    const inside = path.startsWith('/')
      ? root !== undefined && path.startsWith(root)
        ? path.slice(root.length)
        : undefined
      : normalized(cwd === '' ? path : `${cwd}/${path}`);
    return inside !== undefined && known.has(inside) ? inside : undefined;
  };
}

/** The folder, with a slash at its end, under which the stack's paths are those of the repository. */
function rootOf(stackPaths: readonly string[], known: ReadonlySet<string>, script?: string): string | undefined {
  const absolute = stackPaths.filter((path) => path.startsWith('/') && !FOREIGN.test(path));
  const main = script === undefined ? undefined : absolute.find((path) => path.endsWith(`/${script}`));
  if (main !== undefined && script !== undefined) return main.slice(0, -script.length);
  const votes = new Map<string, number>();
  for (const path of absolute) {
    for (let slash = 0; slash !== -1; slash = path.indexOf('/', slash + 1)) {
      if (!known.has(path.slice(slash + 1))) continue;
      const root = path.slice(0, slash + 1);
      votes.set(root, (votes.get(root) ?? 0) + 1);
      break; // the longest path in the repository
    }
  }
  return [...votes].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]?.[0];
}

function normalized(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}
