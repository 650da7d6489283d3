// `npm run llms`: writes llms.txt (https://llmstxt.org), the index that a language model reads first. tools/test/llms.test.ts fails when it is stale.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listLibraries } from './workspace.ts';

/** Text of llms.txt, from the root README, each library's manifest and README, and the titles of the recipes. */
export function renderLlms(root: string): string {
  const read = (...path: string[]) => readFileSync(join(root, ...path), 'utf8');
  const libraries = listLibraries(root).map(
    ({ name, path, manifest }) => `- [${name}](${path}/README.md): ${manifest.description ?? ''}`,
  );
  const recipes = readdirSync(join(root, 'docs', 'recipes'))
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => `- [${titleOf(read('docs', 'recipes', file))}](docs/recipes/${file})`);
  return [
    '# H',
    '',
    `> ${firstParagraph(read('README.md'))}`,
    '',
    'Each library stands alone: its README has a runnable example, inputs and outputs, guarantees and what does not hold, error codes and',
    'measured cost. Records that cross a boundary are JSON Schemas in libs/base/contracts/schemas. Stages run no process and call no model.',
    '',
    '## Libraries',
    '',
    ...libraries,
    '',
    '## Recipes',
    '',
    ...recipes,
    '',
    '## More',
    '',
    '- [README](README.md): what H is, a captured run, the commands',
    '- [Architecture](ARCHITECTURE.md): code map, invariants and the check that guards each',
    '- [Contributing](CONTRIBUTING.md)',
    '',
  ].join('\n');
}

function titleOf(markdown: string): string {
  return /^# (.*)$/m.exec(markdown)?.[1] ?? '';
}

function firstParagraph(markdown: string): string {
  const paragraphs = markdown.split('\n\n').map((text) => text.replaceAll('\n', ' ').trim());
  return paragraphs.find((text) => text !== '' && !text.startsWith('#')) ?? '';
}

if (process.argv[1] === import.meta.filename) writeFileSync('llms.txt', renderLlms('.'));
