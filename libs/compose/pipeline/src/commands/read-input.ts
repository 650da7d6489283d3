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

/** The JSON documents of a file or of stdin: one, or one a line, as the stage commands write them. */
export async function readDocuments(source: string): Promise<unknown[]> {
  const text = await readSource(source);
  try {
    return [JSON.parse(text)];
  } catch (error) {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    try {
      if (lines.length > 1) return lines.map((line) => JSON.parse(line) as unknown);
    } catch {
      // what is wrong with the whole says more
    }
    throw badInput(
      `${nameOf(source)} is not JSON: ${(error as Error).message}`,
      'Give one JSON document, or one a line.',
      error,
    );
  }
}

/** The one JSON document of a file or of stdin. */
export async function readJson(source: string): Promise<unknown> {
  const [document, ...more] = await readDocuments(source);
  if (more.length > 0) throw badInput(`${nameOf(source)} holds ${more.length + 1} JSON documents.`, 'Give one.');
  return document;
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

/** As `openRecord`, from a file or stdin; of several documents the first that is of one of these kinds. */
export async function readRecord<Name extends RecordName>(
  source: string,
  ...names: readonly Name[]
): Promise<ReadRecord<Name>> {
  const documents = await readDocuments(source);
  const wanted = new Set(names.map((name) => schemaName(name)));
  const found = documents.find((one) => wanted.has((one as { schema?: string } | null)?.schema ?? ''));
  return openRecord(source, found ?? documents[0], names);
}

const CANDIDATES =
  'Give {"schema":"h/edit-package/1","data":{"files":[{"path":"a.py","op":"edit","blocks":[{"search":"…","replace":"…"}]}]}} or an h/candidate-batch/1.';

/** Candidates from a file, or from stdin for "-": an enveloped edit package, or a candidate batch; of batches, one a line, all. */
export async function readCandidates(source: string): Promise<CandidateBatch | EditPackage> {
  const [first, ...more] = (await readDocuments(source)).map(
    (one) => openRecord(source, one, ['CandidateBatch', 'EditPackage'], CANDIDATES).data,
  );
  if (first === undefined) throw badInput(`${nameOf(source)} is empty.`, CANDIDATES);
  if (more.length === 0) return first;
  const batches = [first, ...more].map((one) => {
    if (!('candidates' in one)) throw badInput(`${nameOf(source)} holds several edit packages.`, 'Give one at a time.');
    return one;
  });
  const [batch] = batches;
  return { ...(batch as CandidateBatch), candidates: batches.flatMap(({ candidates }) => candidates) };
}

function nameOf(source: string): string {
  return source === '-' ? 'stdin' : source;
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
