import { isRepositoryPath } from '../plan-files.ts';
import { addBlock, type Fault, fault, isFault, type PackageBlock, type PackageEntry, shown } from './edit-text.ts';

const PATHS = ['path', 'file_path'] as const;
const OLD = ['old_str', 'old_string'] as const;
const NEW = ['new_str', 'new_string'] as const;
const KNOWN = new Set<string>(['command', 'expected_count', 'file_text', 'replace_all', ...PATHS, ...OLD, ...NEW]);

/**
 * JSON: one `{ path, old_str, new_str }` or a list of them, also in the spelling `file_path`, `old_string`, `new_string`; with
 * `command: 'create'`, `{ path, file_text }`. Every match of a text is replaced only where `expected_count` says how many there are.
 */
export function readStrReplace(text: string, given: string | undefined): PackageEntry[] | Fault {
  const repeated = repeatedKey(text);
  if (repeated !== undefined)
    return fault('bad_json', repeated.line, `${shown(repeated.key)} is given twice in one object.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return fault('bad_json', 1, `This is no JSON (${(error as Error).message}).`);
  }
  const calls = Array.isArray(value) ? value : [value];
  if (calls.length === 0) return [];
  const entries: PackageEntry[] = [];
  for (const call of calls) {
    const refused = addCall(entries, call, given);
    if (refused !== undefined) return refused;
  }
  return entries;
}

type Fields = Readonly<Record<string, unknown>>;

function addCall(entries: PackageEntry[], call: unknown, given: string | undefined): Fault | undefined {
  if (typeof call !== 'object' || call === null || Array.isArray(call))
    return fault('bad_field', 1, 'An edit is an object with path, old_str and new_str.');
  const fields = call as Fields;
  const unknown = Object.keys(fields).find((key) => !KNOWN.has(key));
  if (unknown !== undefined) return fault('bad_field', 1, `${shown(unknown)} is no field of an edit.`);
  const path = textOf(fields, PATHS) ?? given;
  if (path === undefined) return fault('no_path', 1, 'The edit names no path.');
  if (typeof path !== 'string' || !isRepositoryPath(path))
    return fault('bad_path', 1, `${shown(String(path))} is no path inside the repository.`);
  const command = fields.command ?? (fields.file_text === undefined ? 'str_replace' : 'create');
  if (command === 'create') return addCreated(entries, path, fields);
  if (command !== 'str_replace')
    return fault(
      'unsupported',
      1,
      `Only the commands "str_replace" and "create" are edits, not ${shown(String(command))}.`,
    );
  const block = readBlock(fields);
  if (isFault(block)) return block;
  if (entries.some((entry) => entry.path === path && entry.op === 'create'))
    return fault('bad_field', 1, `${shown(path)} is created and edited at once.`);
  addBlock(entries, path, block);
  return undefined;
}

function addCreated(entries: PackageEntry[], path: string, { file_text, ...rest }: Fields): Fault | undefined {
  if (typeof file_text !== 'string') return fault('bad_field', 1, 'A created file needs its "file_text".');
  if ([...OLD, ...NEW].some((key) => rest[key] !== undefined))
    return fault('bad_field', 1, 'A created file has a file_text and nothing to replace.');
  if (entries.some((entry) => entry.path === path)) return fault('bad_field', 1, `${shown(path)} is written twice.`);
  entries.push({ path, op: 'create', content: file_text });
  return undefined;
}

function readBlock(fields: Fields): PackageBlock | Fault {
  const [search, replace] = [textOf(fields, OLD), textOf(fields, NEW)];
  if (typeof search !== 'string') return fault('bad_field', 1, '"old_str" has to be a text, given once.');
  if (typeof replace !== 'string') return fault('bad_field', 1, '"new_str" has to be a text, given once; "" deletes.');
  const { expected_count, replace_all, file_text } = fields;
  if (file_text !== undefined) return fault('bad_field', 1, '"file_text" belongs to the command "create".');
  if (replace_all !== undefined && replace_all !== false && expected_count === undefined)
    return fault('unsupported', 1, 'Say with "expected_count" how many matches "replace_all" means.');
  if (expected_count === undefined) return { search, replace };
  return typeof expected_count === 'number' && Number.isSafeInteger(expected_count) && expected_count > 0
    ? { search, replace, expected_count }
    : fault('bad_field', 1, '"expected_count" has to be a whole number from 1.');
}

/** The one of two spellings that is there; null when both are. */
function textOf(fields: Fields, [one, other]: readonly [string, string]): unknown {
  const [a, b] = [fields[one], fields[other]];
  return a !== undefined && b !== undefined ? null : (a ?? b);
}

/** The first key that an object has twice: JSON.parse would keep the last and say nothing. */
function repeatedKey(text: string): { readonly key: string; readonly line: number } | undefined {
  const objects: Set<string>[] = [];
  for (const token of text.matchAll(/"((?:[^"\\]|\\.)*)"(\s*:)?|[{}]/g)) {
    const [all, key = '', colon] = token;
    if (all === '{') objects.push(new Set());
    else if (all === '}') objects.pop();
    else if (colon !== undefined) {
      const keys = objects.at(-1);
      const name = unescaped(key);
      if (keys?.has(name)) return { key: name, line: text.slice(0, token.index).split('\n').length };
      keys?.add(name);
    }
  }
  return undefined;
}

function unescaped(key: string): string {
  try {
    return String(JSON.parse(`"${key}"`));
  } catch {
    return key; // not JSON: JSON.parse of the whole text says so
  }
}
