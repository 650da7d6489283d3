import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { defineConfig, type Options } from 'tsup';
import { libraryConfig } from '../../../tools/tsup-config.ts';

/** The grammars that ship in `dist/grammars`; their packages (70 MB with native builds) stay development dependencies. */
const GRAMMARS = [
  { name: 'tree-sitter-python', files: ['tree-sitter-python.wasm'] },
  { name: 'tree-sitter-javascript', files: ['tree-sitter-javascript.wasm'] },
  { name: 'tree-sitter-typescript', files: ['tree-sitter-typescript.wasm', 'tree-sitter-tsx.wasm'] },
];

async function shipGrammars(): Promise<void> {
  const target = join(import.meta.dirname, 'dist', 'grammars');
  await mkdir(target, { recursive: true });
  const notices: string[] = [];
  for (const { name, files } of GRAMMARS) {
    const source = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    for (const file of files) await copyFile(join(source, file), join(target, file));
    const { version, repository } = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'));
    const license = (await readFile(join(source, 'LICENSE'), 'utf8')).trim();
    const origin = typeof repository === 'string' ? repository : repository.url;
    notices.push(`${name} ${version} (${files.join(', ')})\n${origin}\n\n${license}\n`);
  }
  const title = 'Files of others in this package, with their licences.\n';
  await writeFile(join(import.meta.dirname, 'dist', 'THIRD_PARTY_NOTICES'), [title, ...notices].join('\n----\n\n'));
}

export default defineConfig({ ...(libraryConfig(['index']) as Options), onSuccess: shipGrammars });
