import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyToFolder } from '../../src/fs.ts';
import type { ApplyOptions, ChangedFile, Gate } from '../../src/index.ts';
import { createEditTool } from '../../src/tool.ts';

const START = { 'a.py': 'x = 1\ny = 2\nx = 1\n', 'b.py': 'def f():\n    return 1\n' };

function toolOver(options: ApplyOptions = {}) {
  const files = new Map<string, string>(Object.entries(START));
  const written: (readonly ChangedFile[])[] = [];
  const tool = createEditTool(
    {
      read: async (path) => files.get(path),
      async write(changes) {
        written.push(changes);
        for (const { path, after } of changes)
          after === undefined ? files.delete(path) : files.set(path, new TextDecoder().decode(after));
      },
    },
    options,
  );
  return { tool, files, written };
}

const one = (search: string, replace: string, path = 'a.py') => ({
  files: [{ path, op: 'edit', edits: [{ search, replace }] }],
});

describe('the definition', () => {
  test('is plain data in three dialects, with a schema that is one', () => {
    const { tool } = toolOver();
    const { openai, anthropic, mcp, parameters, name, description } = tool;
    expect(JSON.parse(JSON.stringify({ openai, anthropic, mcp }))).toEqual({
      openai: { type: 'function', function: { name, description, parameters } },
      anthropic: { name, description, input_schema: parameters },
      mcp: { name, description, inputSchema: parameters },
    });
    expect(new Ajv2020({ strict: true, strictRequired: false }).validateSchema(parameters)).toBe(true);
  });
});

describe('a call', () => {
  test('is applied and written, given as a value or as JSON', async () => {
    const { tool, files, written } = toolOver();
    expect(await tool.execute(one('y = 2', 'y = 3'))).toMatchObject({
      isError: false,
      text: 'Done.\na.py: edited, now lines 2',
    });
    expect(
      await tool.execute(
        JSON.stringify({
          files: [
            { path: 'c/d.py', op: 'create', content: 'c\n' },
            { path: 'b.py', op: 'move', to: 'e.py' },
          ],
        }),
      ),
    ).toMatchObject({
      isError: false,
      text: 'Done.\nb.py: moved\nc/d.py: created',
    });
    expect(Object.fromEntries(files)).toEqual({
      'a.py': 'x = 1\ny = 3\nx = 1\n',
      'c/d.py': 'c\n',
      'e.py': START['b.py'],
    });
    expect(written).toHaveLength(2);
  });

  test('that is refused writes nothing and says why, where, and what to do', async () => {
    const { tool, written } = toolOver();
    const said = async (call: unknown) => (await tool.execute(call)).text;
    expect(await said(one('x = 1', 'x = 2'))).toBe(
      'Nothing was changed. a.py, edit 1: The search text is not there exactly once.\n- line 1, told apart by line 2: y = 2\n- line 3, told apart by line 2: y = 2\nAdd lines around it until it can mean one place only.',
    );
    expect(await said(one('\treturn 1', '\treturn 2', 'b.py'))).toBe(
      'Nothing was changed. b.py, edit 1: The search text is not in the file.\nNearest: line 2; what differs: tabs (- searched, + in the file):\n-→return·1\n+····return·1\nCopy the lines from the file.',
    );
    expect(await said(one('a', 'b', 'none.py'))).toBe('Nothing was changed. none.py: There is no such file.');
    expect(await said(one('a', 'b', '../none.py'))).toContain('not a file that may be edited');
    expect(await said({ files: [{ path: 'a.py/x', op: 'create', content: '' }] })).toContain('There is a file already');
    expect(written).toEqual([]);
  });

  test('that a gate refuses carries the gate’s finding', async () => {
    const diagnostics = [{ line: 2, column: 0, code: 'x', message: 'bad' }];
    const gate: Gate = { check: () => ({ status: 'refused', stage: 'parse', reason: 'syntax_error', diagnostics }) };
    const { tool } = toolOver({ gate });
    expect((await tool.execute(one('y = 2', 'y = ('))).text).toBe(
      'Nothing was changed. a.py: The file would not parse any more.\nLine 2 of the new text: bad',
    );
  });

  test.each([
    ['no JSON', '{"files":'],
    ['at least one file', { files: [] }],
    ['at least one file', 'null'],
    ['at least one file', { file: 'a' }],
    ['files[0]: a file is an object', { files: ['a.py'] }],
    ['nothing else', { files: [{ path: 'a.py', op: 'edit', search: 'x', replace: 'y' }] }],
    ['op has to be', { files: [{ path: 'a.py', op: 'patch' }] }],
    ['needs edits or content', { files: [{ path: 'a.py', op: 'edit' }] }],
    ['not both', { files: [{ path: 'a.py', op: 'edit', content: '', edits: [] }] }],
    ['needs content', { files: [{ path: 'n.py', op: 'create' }] }],
    ['changes nothing else', { files: [{ path: 'a.py', op: 'delete', content: '' }] }],
    ['belongs to op "move"', { files: [{ path: 'a.py', op: 'move' }] }],
    ['both texts', { files: [{ path: 'a.py', op: 'edit', edits: [{ search: 'x' }] }] }],
    [
      'whole number',
      { files: [{ path: 'a.py', op: 'edit', edits: [{ search: 'x = 1', replace: 'y', expected_count: 0 }] }] },
    ],
  ])('without the form of one is told: %s', async (words, call) => {
    const { tool, written } = toolOver();
    const answer = await tool.execute(call);
    expect(answer.isError).toBe(true);
    expect(answer.text).toContain(words);
    expect(written).toEqual([]);
  });

  test('goes through a function that applies, such as one for a folder', async () => {
    const root = mkdtempSync(join(tmpdir(), 'h-tool-'));
    writeFileSync(join(root, 'a.py'), 'y = 2\n');
    const tool = createEditTool((edit) => applyToFolder(root, edit), { name: 'edit' });
    expect(await tool.execute(one('y = 2', 'y = 3'))).toMatchObject({ isError: false });
    expect(readFileSync(join(root, 'a.py'), 'utf8')).toBe('y = 3\n');
    expect((await tool.execute(one('y', 'x', '../a.py'))).text).toContain('not a file that may be edited');
    expect(tool.name).toBe('edit');
    rmSync(root, { recursive: true });
  });

  test('with expected_count replaces as many', async () => {
    const { tool, files } = toolOver();
    await tool.execute({
      files: [{ path: 'a.py', op: 'edit', edits: [{ search: 'x = 1', replace: 'x = 2', expected_count: 2 }] }],
    });
    expect(files.get('a.py')).toBe('x = 2\ny = 2\nx = 2\n');
  });

  test('never throws, whatever it is', async () => {
    const { tool } = toolOver();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.jsonValue(),
          fc.string(),
          fc.record({
            files: fc.array(
              fc.record(
                {
                  path: fc.string(),
                  op: fc.constantFrom('edit', 'create', 'delete', 'move'),
                  content: fc.string(),
                  to: fc.string(),
                  edits: fc.array(fc.record({ search: fc.string(), replace: fc.string() })),
                },
                { requiredKeys: [] },
              ),
            ),
          }),
        ),
        async (call) => {
          expect(typeof (await tool.execute(call)).text).toBe('string');
        },
      ),
      { numRuns: 500 },
    );
  });
});
