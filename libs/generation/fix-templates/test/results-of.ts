import { createParser, type Parser } from '@h/syntax';
import { ALL_TEMPLATES, type ProposedEdit, proposeEdits, type Template } from '../src/index.ts';

let parser: Promise<Parser> | undefined;

export function sharedParser(): Promise<Parser> {
  parser ??= createParser();
  return parser;
}

export interface Case {
  /** Default `case.py`. */
  path?: string;
  /** 1-based first line of the target; default: the last line. */
  line?: number;
  /** Default: `line`. */
  last?: number;
}

export async function candidatesOf(
  templates: readonly Template[],
  text: string,
  { path = 'case.py', line, last }: Case = {},
): Promise<ProposedEdit[]> {
  const first = line ?? text.split('\n').length;
  const targets = [{ file: path, first, last: last ?? first, score: 1 }];
  const files = [{ path, text }];
  return [...proposeEdits({ files, targets, parser: await sharedParser(), templates })].flatMap(
    (batch) => batch.candidates,
  );
}

/** The target's line or lines as each candidate leaves them, trimmed, in code unit order. */
export async function resultsOf(template: string, text: string, options: Case = {}): Promise<string[]> {
  const chosen = ALL_TEMPLATES.filter(({ name }) => name === template);
  if (chosen.length === 0) throw new Error(`no template ${template}`);
  const candidates = await candidatesOf(chosen, text, options);
  const first = options.line ?? text.split('\n').length;
  const grows = (after: string) => after.split('\n').length - text.split('\n').length;
  return candidates
    .map((candidate) => {
      const after = appliedTo(text, candidate);
      const last = (options.last ?? first) + grows(after);
      return after
        .split('\n')
        .slice(first - 1, last)
        .join('\n')
        .trim();
    })
    .sort();
}

/** The text after the candidate; throws unless its block is in its span exactly once. Line ends are LF afterwards. */
export function appliedTo(text: string, { span = [1, 1], blocks = [] }: ProposedEdit): string {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const region = lines.slice(span[0] - 1, span[1]).join('\n');
  const [block] = blocks;
  const at = block ? region.indexOf(block.search) : -1;
  if (!block || blocks.length !== 1 || at < 0) throw new Error('the block is not in its span');
  if (region.indexOf(block.search, at + 1) >= 0) throw new Error('the block is in its span twice');
  const changed = region.slice(0, at) + block.replace + region.slice(at + block.search.length);
  return [...lines.slice(0, span[0] - 1), changed, ...lines.slice(span[1])].join('\n');
}

/** The whole text as each candidate leaves it, by variant of the template, in the order proposed. */
export async function textsOf(template: string, text: string, options: Case = {}): Promise<Record<string, string[]>> {
  const chosen = ALL_TEMPLATES.filter(({ name }) => name === template);
  if (chosen.length === 0) throw new Error(`no template ${template}`);
  const texts: Record<string, string[]> = {};
  for (const candidate of await candidatesOf(chosen, text, options)) {
    const variant = candidate.template?.slice(template.length + 1) ?? '';
    texts[variant] = [...(texts[variant] ?? []), appliedTo(text, candidate)];
  }
  return texts;
}
