import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeAgent, pythonAgent } from '../src/index.ts';

const folder = join(import.meta.dirname, '../agents');

describe.each([
  ['python', pythonAgent],
  ['node', nodeAgent],
])('%s agent', (language, agent) => {
  it('holds the files of agents/, byte for byte (else: npm run embed -w @h/agents)', () => {
    const names = readdirSync(join(folder, language)).filter((name) => /\.(?:py|mjs)$/.test(name));
    const expected = names.sort().map((name) => ({
      path: `.h-agent/${name}`,
      text: readFileSync(join(folder, language, name), 'utf8'),
    }));
    expect(agent()).toEqual(expected);
  });

  it('gives a list of its own each time', () => {
    agent().pop();
    expect(agent()).toEqual(agent());
  });
});
