// What the scripts of a package.json call.

/** A word of a line of shell. */
export interface Word {
  readonly text: string;
  readonly quoted: boolean;
}

/** A command line of a script. */
export interface ScriptCommand {
  readonly script: string;
  readonly words: readonly Word[];
}

/** The commands of all scripts: those of `test` before others, then in the order of the manifest. */
export function scriptCommands(text: string | undefined): ScriptCommand[] {
  const scripts = readScripts(text).sort(([a], [b]) => Number(b === 'test') - Number(a === 'test'));
  return scripts.flatMap(([script, line]) => commandsOf(line).map((words) => ({ script, words })));
}

function readScripts(text: string | undefined): [string, string][] {
  try {
    const manifest = JSON.parse(text ?? '{}') as { scripts?: Record<string, unknown> } | null;
    return Object.entries(manifest?.scripts ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
  } catch {
    return [];
  }
}

/** The simple commands of a line of shell, as words. Substitutions and redirections stay words that nothing knows. */
function commandsOf(line: string): Word[][] {
  const commands: Word[][] = [[]];
  let end = -1;
  for (const match of line.matchAll(/(&&|\|\|?|;)|'([^']*)'|"((?:\\.|[^"\\])*)"|([^\s;&|'"]+)/g)) {
    const [whole, joint, single, double, bare] = match;
    const words = commands.at(-1) ?? [];
    const last = words.at(-1);
    const text = single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? bare ?? '';
    if (joint !== undefined) commands.push([]);
    else if (match.index === end && last !== undefined)
      words[words.length - 1] = { text: last.text + text, quoted: last.quoted || bare === undefined };
    else words.push({ text, quoted: bare === undefined });
    end = joint === undefined ? match.index + whole.length : -1;
  }
  return commands;
}

/** A call of a program in a script. */
export interface ScriptCall {
  readonly script: string;
  /** Options of Node that stand before the program. */
  readonly nodeArgs: readonly string[];
  /** Variables set before it, by the shell or through `cross-env`. */
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly Word[];
}

const WRAPPER = /^(?:cross-env(?:-shell)?|env|npx|yarn|pnpm|npm|bunx?|exec|dotenv|c8|nyc|node|time|run|x|--|-.*)$/;

/**
 * The first call of a program by name, by its path in `node_modules`, or through a wrapper such as `c8` or `cross-env`, which is
 * left out.
 */
export function findScriptCall(text: string | undefined, program: string): ScriptCall | undefined {
  const path = new RegExp(`(?:^|/)node_modules/(?:\\.bin/${program}|${program}/bin/_?${program}(?:\\.[cm]?js)?)$`);
  for (const { script, words } of scriptCommands(text)) {
    const at = words.findIndex(({ text: word }) => word === program || word === `_${program}` || path.test(word));
    const call = at < 0 ? undefined : readPrefix(words.slice(0, at));
    if (call !== undefined) return { script, ...call, args: words.slice(at + 1) };
  }
  return undefined;
}

/** What stands before a program; `undefined` where the program's name is an argument of something else. */
function readPrefix(words: readonly Word[]): Pick<ScriptCall, 'nodeArgs' | 'env'> | undefined {
  const env: Record<string, string> = {};
  const nodeArgs: string[] = [];
  let isNode = false;
  for (const [index, { text }] of words.entries()) {
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
    if (name !== undefined) env[name] = value ?? '';
    else if (!WRAPPER.test(text) && !words[index - 1]?.text.startsWith('-')) return undefined;
    else if (isNode) nodeArgs.push(text);
    else isNode = text === 'node';
  }
  return { env, nodeArgs };
}

/** The arguments of a call without some options: `isDropped` tells by name, and whether a value that is a word of its own goes too. */
export function keepArguments(words: readonly Word[], isDropped: (name: string) => boolean | 'with value'): string[] {
  const kept: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const { text, quoted } = words[index] ?? { text: '', quoted: false };
    const dropped = isDropped(text.split('=', 1)[0] ?? '');
    const isShell = !quoted && /[<>$]/.test(text);
    if (dropped === false && !isShell) kept.push(text);
    else if (dropped === 'with value' && !text.includes('=') && !(words[index + 1]?.text.startsWith('-') ?? true))
      index += 1;
  }
  return kept;
}

/** A part of a package.json that is a record, else an empty one. */
export function manifestPart(text: string | undefined, name: string): Record<string, unknown> {
  try {
    const value = (JSON.parse(text ?? '{}') as Record<string, unknown> | null)?.[name];
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Whether a package.json names a package among its dependencies. */
export function dependsOn(text: string | undefined, name: string): boolean {
  return ['dependencies', 'devDependencies'].some((part) => name in manifestPart(text, part));
}
