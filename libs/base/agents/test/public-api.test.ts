import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as api from '../src/index.ts';
import { readmeExample } from './readme-example.ts';

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');

describe('public API', () => {
  it('is this list', () => {
    expect(Object.keys(api).sort()).toMatchInlineSnapshot(`
      [
        "AGENT_FOLDER",
        "AGENT_PROTOCOL",
        "AgentsError",
        "PROBE_EVENTS_FILE",
        "PROBE_PROTOCOL",
        "PROBE_TABLE_FILE",
        "createProbeInjector",
        "createStatementInjector",
        "nodeAgent",
        "pythonAgent",
        "readAgentEvents",
        "readProbeEvents",
      ]
    `);
  });

  it('has a README heading for each error code', () => {
    expect(readme).toContain('### `unsupported_protocol`');
  });

  it('has a README example that runs as it says', async () => {
    const source = readFileSync(join(import.meta.dirname, 'readme-example.ts'), 'utf8');
    const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
    const body = source.slice(source.indexOf('// begin\n') + 9, source.indexOf('  // end'));
    expect(body.replace(/^ {2}/gm, '')).toBe(example.replace(/^import .*\n/gm, '').trimStart());
    expect(await readmeExample()).toEqual(['const a = 1', '[1,2]', ['run-start', 'unreadable']]);
  });
});
