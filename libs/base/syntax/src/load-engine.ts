// Finds and starts the tree-sitter engine. web-tree-sitter keeps one WebAssembly heap per process, so what is
// loaded from our own files is kept per process too; injected bytes are loaded for the caller alone.
import type * as TreeSitter from 'web-tree-sitter';
import { engineUnavailable } from './errors.ts';
import type { GrammarLanguage, Language } from './language-of.ts';

type TreeSitterModule = typeof TreeSitter;

/** The first four ship with this package; the others are found where their own package is installed. */
const GRAMMARS: Readonly<Record<Language | GrammarLanguage, { file: string; package: string }>> = {
  python: { file: 'tree-sitter-python.wasm', package: 'tree-sitter-python' },
  javascript: { file: 'tree-sitter-javascript.wasm', package: 'tree-sitter-javascript' },
  typescript: { file: 'tree-sitter-typescript.wasm', package: 'tree-sitter-typescript' },
  tsx: { file: 'tree-sitter-tsx.wasm', package: 'tree-sitter-typescript' },
  bash: { file: 'tree-sitter-bash.wasm', package: 'tree-sitter-bash' },
  c: { file: 'tree-sitter-c.wasm', package: 'tree-sitter-c' },
  go: { file: 'tree-sitter-go.wasm', package: 'tree-sitter-go' },
  java: { file: 'tree-sitter-java.wasm', package: 'tree-sitter-java' },
  rust: { file: 'tree-sitter-rust.wasm', package: 'tree-sitter-rust' },
};

let runtime: Promise<TreeSitterModule> | undefined;
const shipped = new Map<Language | GrammarLanguage, Promise<TreeSitter.Language>>();

/** Starts tree-sitter once per process: two concurrent starts would leave parsers pointing into a dead heap. */
export function startRuntime(bytes?: Uint8Array): Promise<TreeSitterModule> {
  runtime ??= startTreeSitter(bytes).catch((cause: unknown) => {
    runtime = undefined;
    throw cause;
  });
  return runtime;
}

/** Loads one grammar, from the given bytes or from the files that ship with this package. */
export function loadGrammar(
  treeSitter: TreeSitterModule,
  language: Language | GrammarLanguage,
  bytes?: Uint8Array,
): Promise<TreeSitter.Language> {
  if (bytes) return compileGrammar(treeSitter, language, bytes);
  let loading = shipped.get(language);
  if (!loading) {
    loading = readGrammar(language).then((found) => compileGrammar(treeSitter, language, found));
    shipped.set(language, loading);
    loading.catch(() => shipped.delete(language));
  }
  return loading;
}

async function startTreeSitter(bytes?: Uint8Array): Promise<TreeSitterModule> {
  const treeSitter = await import('web-tree-sitter');
  const wasmBinary = bytes ?? (await readFirst('web-tree-sitter.wasm', ['web-tree-sitter/web-tree-sitter.wasm']));
  try {
    await treeSitter.Parser.init({ wasmBinary: Uint8Array.from(wasmBinary).buffer });
  } catch (cause) {
    throw engineUnavailable('the web-tree-sitter runtime', cause);
  }
  return treeSitter;
}

async function compileGrammar(treeSitter: TreeSitterModule, language: Language | GrammarLanguage, bytes: Uint8Array) {
  try {
    return await treeSitter.Language.load(bytes);
  } catch (cause) {
    throw engineUnavailable(`the tree-sitter grammar of ${language}`, cause);
  }
}

function readGrammar(language: Language | GrammarLanguage): Promise<Uint8Array> {
  const { file, package: name } = GRAMMARS[language];
  return readFirst(file, [`@h/syntax/grammars/${file}`, `${name}/${file}`]);
}

/** Beside this file (dist), then through Node's resolver: our own package (in a bundle), then a development dependency (in source). */
async function readFirst(file: string, specifiers: readonly string[]): Promise<Uint8Array> {
  const [{ readFile }, { createRequire }] = await Promise.all([import('node:fs/promises'), import('node:module')]);
  const failures: unknown[] = [];
  const places = [
    () => new URL(`./grammars/${file}`, import.meta.url),
    ...specifiers.map((specifier) => () => createRequire(import.meta.url).resolve(specifier)),
  ];
  for (const place of places) {
    try {
      return await readFile(place());
    } catch (cause) {
      failures.push(cause);
    }
  }
  throw engineUnavailable(file, new AggregateError(failures, `No ${file} at ${places.length} places.`));
}
