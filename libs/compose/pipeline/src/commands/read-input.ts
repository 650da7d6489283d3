import { readFile } from 'node:fs/promises';
import {
  type CandidateBatch,
  type EditPackage,
  openEnvelope,
  type RecordName,
  type RecordOf,
  schemaName,
} from '@h/contracts';
import { badInput } from '../errors.ts';

/** Text given inline, or `@file`. */
export async function readText(value: string): Promise<string> {
  return value.startsWith('@') ? readSource(value.slice(1)) : value;
}

/** Text of a file, or of stdin for "-". */
export async function readSource(source: string): Promise<string> {
  if (source === '-') return readStdin();
  return readFile(source, 'utf8').catch((error: Error) => {
    throw badInput(`Cannot read ${source}: ${error.message}`, 'Name a readable file, or "-" for stdin.', error);
  });
}

/** JSON of a file or of stdin. */
export async function readJson(source: string): Promise<unknown> {
  const text = await readSource(source);
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    throw badInput(`${nameOf(source)} is not JSON: ${message}`, 'Give one JSON document.', error);
  }
}

/** A record of one of these kinds, by the schema its envelope names. */
export type ReadRecord<Name extends RecordName> = {
  [N in Name]: { readonly name: N; readonly data: RecordOf<N> };
}[Name];

/** Opens an envelope that holds one of these records. */
export function openRecord<Name extends RecordName>(
  source: string,
  value: unknown,
  names: readonly Name[],
  example?: string,
): ReadRecord<Name> {
  const schema = (value as { schema?: unknown } | null)?.schema;
  const name = names.find((one) => schemaName(one) === schema) ?? names[0];
  try {
    if (name === undefined) throw new TypeError('no record is expected');
    return { name, data: openEnvelope(name, value) } as ReadRecord<Name>;
  } catch (error) {
    const { message } = error as Error;
    const wanted = names.map((one) => schemaName(one)).join(' or an ');
    throw badInput(
      `${nameOf(source)} cannot be used: ${message}`,
      example ?? `Give {"schema":"${wanted}","data":…}.`,
      error,
    );
  }
}

/** As `openRecord`, from a file or stdin. */
export async function readRecord<Name extends RecordName>(
  source: string,
  ...names: readonly Name[]
): Promise<ReadRecord<Name>> {
  return openRecord(source, await readJson(source), names);
}

const CANDIDATES =
  'Give {"schema":"h/edit-package/1","data":{"files":[{"path":"a.py","op":"edit","blocks":[{"search":"…","replace":"…"}]}]}} or an h/candidate-batch/1.';

/** Candidates from a file, or from stdin for "-": one enveloped candidate batch or edit package. */
export async function readCandidates(source: string): Promise<CandidateBatch | EditPackage> {
  return openRecord(source, await readJson(source), ['CandidateBatch', 'EditPackage'], CANDIDATES).data;
}

function nameOf(source: string): string {
  return source === '-' ? 'stdin' : source;
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
