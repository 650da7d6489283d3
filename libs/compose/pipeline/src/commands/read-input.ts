import { readFile } from 'node:fs/promises';
import { type CandidateBatch, type EditPackage, readEnvelope } from '@h/contracts';
import { badInput } from '../errors.ts';

/** Text given inline, or `@file`. */
export async function readText(value: string): Promise<string> {
  if (!value.startsWith('@')) return value;
  const path = value.slice(1);
  return readFile(path, 'utf8').catch((error: Error) => {
    throw badInput(
      `Cannot read ${path}: ${error.message}`,
      'Either name a readable file after "@" or give the text itself.',
      error,
    );
  });
}

/** Candidates from a file, or from stdin for "-": one enveloped candidate batch or edit package. */
export async function readCandidates(source: string): Promise<CandidateBatch | EditPackage> {
  const text = source === '-' ? await readStdin() : await readText(`@${source}`);
  const name = source === '-' ? 'stdin' : source;
  try {
    return schemaOf(text) === 'h/edit-package/1'
      ? readEnvelope('EditPackage', text)
      : readEnvelope('CandidateBatch', text);
  } catch (error) {
    const { message } = error as Error;
    throw badInput(
      `Candidates from ${name} cannot be used: ${message}`,
      'Give {"schema":"h/edit-package/1","data":{"files":[{"path":"a.py","op":"edit","blocks":[{"search":"…","replace":"…"}]}]}} or an h/candidate-batch/1.',
      error,
    );
  }
}

function schemaOf(text: string): unknown {
  return (JSON.parse(text) as { schema?: unknown } | null)?.schema;
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
