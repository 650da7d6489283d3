import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { renderLlms } from '../write-llms.ts';

const root = resolve(import.meta.dirname, '../..');
const text = readFileSync(join(root, 'llms.txt'), 'utf8');

it('is what the READMEs say now (npm run llms)', () => expect(text).toBe(renderLlms(root)));

it('links to files that are there', () => {
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path ?? '');
  expect(links.length).toBeGreaterThan(15);
  for (const path of links) expect(existsSync(join(root, path)), path).toBe(true);
});
