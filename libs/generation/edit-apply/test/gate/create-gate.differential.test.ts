// The gate's verdict on edited texts against the languages' own tools. These tests start processes; the library never does.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LANGUAGES, type Language, sampleOf } from '../../check/edit-samples.ts';
import { applyEdits, createGate, type GateLanguage, type OwnedGate } from '../../src/index.ts';
import { randomSource } from '../random-edits.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'h-gate-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PIECES = [
  '(',
  ')',
  '{',
  '}',
  ':',
  ';',
  ',',
  '=',
  '+',
  'x',
  '1',
  '"',
  ' ',
  '\n',
  'return',
  'if',
  'else',
  '[',
  ']',
  '.',
  '*',
  '!',
  '@',
  '\\',
];

interface Edited {
  readonly text: string;
  readonly status: 'applied' | 'rejected';
}

/** Texts that one random edit of a sample would give, and whether the gate lets it pass. */
function editedTexts(language: Language, gate: OwnedGate, count: number): Edited[] {
  const sample = sampleOf(language);
  const texts: Edited[] = [];
  for (let seed = 0; texts.length < count; seed++) {
    const { below, pick } = randomSource(seed * 31 + 5);
    const start = below(sample.text.length - 30);
    const search = sample.text.slice(start, start + 12 + below(18));
    const at = below(search.length);
    const replace = search.slice(0, at) + pick([...PIECES, '']) + search.slice(at + below(3));
    const edit = { file: sample.path, blocks: [{ search, replace }] };
    const ungated = applyEdits({ [sample.path]: sample.text }, edit);
    if (ungated.status === 'rejected') continue;
    const { status } = applyEdits({ [sample.path]: sample.text }, edit, { gate, lint: false });
    texts.push({ text: new TextDecoder().decode(ungated.files[0]?.after), status });
  }
  return texts;
}

const languageNamed = (name: string) => LANGUAGES.find((language) => language.name === name) as Language;

const COMPILE = `
import json, sys, warnings
warnings.simplefilter('ignore')
def ok(text):
    try:
        compile(text, 'x', 'exec', dont_inherit=True)
        return True
    except (SyntaxError, ValueError):
        return False
print(json.dumps([ok(text) for text in json.load(open(sys.argv[1]))]))
`;

function interpreters(): [minor: string, path: string][] {
  const versions = join(homedir(), '.pyenv', 'versions');
  const found = (existsSync(versions) ? readdirSync(versions) : []).flatMap((name): [string, string][] => {
    const minor = /^3\.(?:8|9|1[0-3])(?=\.)/.exec(name)?.[0];
    return minor === undefined ? [] : [[minor, join(versions, name, 'bin', 'python')]];
  });
  // The oldest and the newest: the versions between are compared in @h/syntax, whose verdict this is.
  found.sort(([one], [other]) => Number(one.slice(2)) - Number(other.slice(2)));
  const ends = found.filter((_, i) => i === 0 || i === found.length - 1);
  if (ends.length > 0) return ends;
  const own = spawnSync('python3', ['-c', 'import sys; print("3.%d" % sys.version_info[1])'], { encoding: 'utf8' });
  return own.status === 0 ? [[own.stdout.trim(), 'python3']] : [];
}

describe.each(interpreters())('Python %s', (minor, python) => {
  test('compiles what the gate lets pass, and nothing that it refuses', async () => {
    const gate = await createGate(['python'], { pythonVersion: minor as `3.${number}` });
    const texts = editedTexts(languageNamed('python'), gate, 60);
    gate.dispose();
    const input = join(folder, 'texts.json');
    writeFileSync(input, JSON.stringify(texts.map(({ text }) => text)));
    const { stdout } = spawnSync(python, ['-c', COMPILE, input], { encoding: 'utf8' });
    const compiles: boolean[] = JSON.parse(stdout);
    const differing = texts.filter(({ status }, i) => (status === 'applied') !== compiles[i]);
    expect(differing).toEqual([]);
    expect(compiles.filter((ok) => !ok).length).toBeGreaterThan(12);
    expect(compiles.filter((ok) => ok).length).toBeGreaterThan(4);
  });
});

test('node --check takes what the gate lets pass, and nothing that it refuses', async () => {
  const gate = await createGate(['javascript']);
  const texts = editedTexts(languageNamed('javascript'), gate, 8);
  gate.dispose();
  const path = join(folder, 'a.mjs');
  const differing = texts.filter(({ text, status }) => {
    writeFileSync(path, text);
    return (spawnSync(process.execPath, ['--check', path]).status === 0) !== (status === 'applied');
  });
  expect(differing).toEqual([]);
});

/** A grammar is not the language: the share of texts that its own tool takes and the grammar may refuse. `bash -n` reads no arithmetic, gcc takes K&R's C. */
const TOOLS: readonly [name: GateLanguage, tool: string, args: readonly string[], mayRefuse: number][] = [
  ['go', existsSync('/usr/local/go/bin/gofmt') ? '/usr/local/go/bin/gofmt' : 'gofmt', ['-e'], 0],
  ['bash', 'bash', ['-n'], 0.4],
  ['c', 'gcc', ['-fsyntax-only', '-w'], 0.15],
];
const installed = TOOLS.filter(([, tool]) => spawnSync(tool, ['--help']).error === undefined);

test('bash at least is here', () => expect(installed.length).toBeGreaterThan(0));

/** What a tool refuses and the grammar may pass, of all texts: names and types are no syntax to a grammar. */
const MAY_PASS = 0.35;

describe.each(installed)('%s', (name, tool, args, mayRefuse) => {
  test('by its grammar refuses hardly any text that its own tool takes, and most that it does not', async () => {
    const gate = await createGate([name]);
    const language = languageNamed(name);
    const texts = editedTexts(language, gate, 25);
    gate.dispose();
    const path = join(folder, `a.${language.extension}`);
    const verdicts = texts.map(({ text, status }) => {
      writeFileSync(path, text);
      return { passes: status === 'applied', ok: spawnSync(tool, [...args, path]).status === 0, text };
    });
    const [ok, broken] = [verdicts.filter((one) => one.ok), verdicts.filter((one) => !one.ok)];
    const wronglyRefused = ok.filter(({ passes }) => !passes);
    expect(wronglyRefused.length, JSON.stringify(wronglyRefused)).toBeLessThanOrEqual(mayRefuse * ok.length);
    const wronglyPassed = broken.filter(({ passes }) => passes);
    expect(wronglyPassed.length, JSON.stringify(wronglyPassed.map((one) => one.text))).toBeLessThanOrEqual(
      MAY_PASS * texts.length,
    );
  });
});
