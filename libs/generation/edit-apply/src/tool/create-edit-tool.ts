import type { EditPackage } from '@h/contracts';
import { type ApplyOptions, type ApplyResult, applyEdits, type ChangedFile } from '../apply-edits.ts';
import { openSnapshot } from '../open-snapshot.ts';
import { isRepositoryPath } from '../plan-files.ts';
import { explainRejection } from './explain-rejection.ts';

/** Where the tool reads and writes: a map in memory, an editor's buffers, a folder behind checks of the caller's own. */
export interface EditToolFiles {
  /** Undefined where there is no such file. */
  readonly read: (path: string) => Promise<string | Uint8Array | undefined>;
  /** All of them or none; what it throws is passed on. */
  readonly write: (files: readonly ChangedFile[]) => Promise<void>;
}

export interface EditToolOptions extends ApplyOptions {
  /** Default `edit_files`. */
  readonly name?: string;
}

export interface ToolAnswer {
  /** For the model. */
  readonly text: string;
  readonly isError: boolean;
  /** For the harness; absent where the call has not the form of an edit. */
  readonly result?: ApplyResult;
}

/** One tool in the forms that harnesses take; plain data but for `execute`. */
export interface EditTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** As OpenAI's chat completions take it. */
  readonly openai: { readonly type: 'function'; readonly function: object };
  /** As Anthropic's messages take it. */
  readonly anthropic: { readonly name: string; readonly description: string; readonly input_schema: object };
  /** As a server of the Model Context Protocol lists it. */
  readonly mcp: { readonly name: string; readonly description: string; readonly inputSchema: object };
  /** Applies the arguments of one call, given as a value or as JSON text. Never throws for what the model wrote. */
  readonly execute: (call: unknown) => Promise<ToolAnswer>;
}

const DESCRIPTION =
  'Edits files of the repository, all or none. Each edit replaces `search`, which has to be copied exactly from the file and be there exactly ' +
  'once, with `replace`. All searches are looked up in the files as they are now. `content` with op "create" makes a file. A refusal says why, and where the text nearest to it is.';

const text = { type: 'string' };
const PARAMETERS = {
  type: 'object',
  additionalProperties: false,
  required: ['files'],
  properties: {
    files: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['path', 'op'],
        properties: {
          path: { ...text, minLength: 1, description: 'Relative to the repository root, with "/".' },
          op: { enum: ['edit', 'create', 'delete', 'move'] },
          to: { ...text, description: 'New path; only with op "move".' },
          content: { ...text, description: 'The whole text of the file; with op "create", or instead of edits.' },
          edits: {
            type: 'array',
            minItems: 1,
            items: {
              type: 'object',
              additionalProperties: false,
              required: ['search', 'replace'],
              properties: {
                search: { ...text, minLength: 1, description: 'Exact text of the file, there exactly once.' },
                replace: { ...text, description: 'What takes its place; "" deletes.' },
                expected_count: {
                  type: 'integer',
                  minimum: 1,
                  description: 'Replace this many matches; there must be just as many.',
                },
              },
            },
          },
        },
      },
    },
  },
} as const;

/** Applies one package and says what came of it, such as `(edit) => applyToFolder(root, edit, { gate })`. */
export type ApplyPackage = (edit: EditPackage) => Promise<ApplyResult>;

/** An edit tool over the files of a port, or over a function that applies a package; then `name` is the only option that counts. */
export function createEditTool(files: EditToolFiles | ApplyPackage, options: EditToolOptions = {}): EditTool {
  const { name = 'edit_files', ...applyOptions } = options;
  const apply = typeof files === 'function' ? files : (edit: EditPackage) => applyTo(files, edit, applyOptions);
  const described = { name, description: DESCRIPTION };
  return {
    ...described,
    parameters: PARAMETERS,
    openai: { type: 'function', function: { ...described, parameters: PARAMETERS } },
    anthropic: { ...described, input_schema: PARAMETERS },
    mcp: { ...described, inputSchema: PARAMETERS },
    execute: (call) => execute(call, apply),
  };
}

async function applyTo(files: EditToolFiles, edit: EditPackage, options: ApplyOptions): Promise<ApplyResult> {
  const result = applyEdits(openSnapshot(await readFiles(files, edit)), edit, options);
  if (result.status === 'applied') await files.write(result.files);
  return result;
}

async function execute(call: unknown, apply: ApplyPackage): Promise<ToolAnswer> {
  const edit = readCall(call);
  if (typeof edit === 'string') return { text: `Nothing was changed. ${edit}`, isError: true };
  const result = await apply(edit);
  if (result.status === 'rejected') return { text: explainRejection(result.rejection), isError: true, result };
  return { text: describeChange(result.record), isError: false, result };
}

/** The named files, and those that stand where a folder would have to be. */
async function readFiles(
  files: EditToolFiles,
  { files: entries }: EditPackage,
): Promise<Record<string, string | Uint8Array>> {
  const paths = new Set<string>();
  for (const path of entries.flatMap(({ path, to }) => (to === undefined ? [path] : [path, to]))) {
    if (!isRepositoryPath(path)) continue;
    const segments = path.split('/');
    for (const depth of segments.keys()) paths.add(segments.slice(0, depth + 1).join('/'));
  }
  const found: [string, string | Uint8Array][] = [];
  for (const path of paths) {
    const content = await files.read(path);
    if (content !== undefined) found.push([path, content]);
  }
  return Object.fromEntries(found);
}

function describeChange({ files }: Extract<ApplyResult, { status: 'applied' }>['record']): string {
  const shown = files.map(({ path, op, hunks }) => {
    const lines = hunks
      .map(({ after: [first, end] }) => (end > first + 1 ? `${first}-${end - 1}` : `${first}`))
      .join(', ');
    return op === 'edit'
      ? `${path}: edited, now lines ${lines}`
      : `${path}: ${{ create: 'created', delete: 'deleted', move: 'moved' }[op]}`;
  });
  return ['Done.', ...shown].join('\n');
}

/** The package of a call, or what is wrong with its form. */
function readCall(call: unknown): EditPackage | string {
  let value = call;
  if (typeof call === 'string') {
    try {
      value = JSON.parse(call);
    } catch (error) {
      return `The arguments are no JSON (${(error as Error).message}).`;
    }
  }
  const files = fieldsOf(value, ['files'])?.files;
  if (!Array.isArray(files) || files.length === 0)
    return 'The arguments are { "files": [ … ] } with at least one file.';
  const entries: EditPackage['files'] = [];
  for (const [at, file] of files.entries()) {
    const entry = readFile(file);
    if (typeof entry === 'string') return `files[${at}]: ${entry}`;
    entries.push(entry);
  }
  return { files: entries };
}

type Entry = EditPackage['files'][number];
type Block = NonNullable<Entry['blocks']>[number];

function readFile(file: unknown): Entry | string {
  const fields = fieldsOf(file, ['path', 'op', 'to', 'content', 'edits']);
  if (fields === undefined) return 'a file is an object with path, op and either edits or content, and nothing else.';
  const { path, op, to, content, edits } = fields;
  if (typeof path !== 'string') return 'path has to be a text.';
  if (op !== 'edit' && op !== 'create' && op !== 'delete' && op !== 'move')
    return 'op has to be edit, create, delete or move.';
  if (to !== undefined && typeof to !== 'string') return 'to has to be a text.';
  if (content !== undefined && typeof content !== 'string') return 'content has to be a text.';
  if ((op === 'move') !== (to !== undefined)) return 'to belongs to op "move", which needs it.';
  if (op === 'create' && (content === undefined || edits !== undefined))
    return 'op "create" needs content, and no edits.';
  if (op === 'delete' && (content !== undefined || edits !== undefined)) return 'op "delete" changes nothing else.';
  if (content !== undefined && edits !== undefined) return 'either edits or content, not both.';
  if (op === 'edit' && content === undefined && edits === undefined) return 'op "edit" needs edits or content.';
  const blocks = edits === undefined ? undefined : readBlocks(edits);
  if (typeof blocks === 'string') return blocks;
  return {
    path,
    op,
    ...(to === undefined ? {} : { to }),
    ...(content === undefined ? {} : { content }),
    ...(blocks === undefined ? {} : { blocks }),
  };
}

function readBlocks(edits: unknown): Block[] | string {
  if (!Array.isArray(edits) || edits.length === 0) return 'edits has to be a list of at least one edit.';
  const blocks: Block[] = [];
  for (const [at, edit] of edits.entries()) {
    const { search, replace, expected_count } = fieldsOf(edit, ['search', 'replace', 'expected_count']) ?? {};
    if (typeof search !== 'string' || typeof replace !== 'string')
      return `edits[${at}] has to be { search, replace }, both texts.`;
    if (expected_count === undefined) blocks.push({ search, replace });
    else if (typeof expected_count === 'number' && Number.isSafeInteger(expected_count) && expected_count > 0)
      blocks.push({ search, replace, expected_count });
    else return `edits[${at}].expected_count has to be a whole number from 1.`;
  }
  return blocks;
}

/** The fields of an object that has no others. */
function fieldsOf(value: unknown, known: readonly string[]): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.keys(value).every((key) => known.includes(key))
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}
