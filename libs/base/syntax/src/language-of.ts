/** A language this library reads. `javascript` includes JSX; `tsx` is TypeScript with JSX. */
export type Language = 'python' | 'javascript' | 'typescript' | 'tsx';

/** All of them. */
export const LANGUAGES: readonly Language[] = ['python', 'javascript', 'typescript', 'tsx'];

/** A language that only its tree-sitter grammar is known of: whether a text parses, and no more. */
export type GrammarLanguage = 'bash' | 'c' | 'go' | 'java' | 'rust';

const GRAMMAR_EXTENSIONS: Readonly<Record<string, GrammarLanguage>> = {
  bash: 'bash',
  sh: 'bash',
  c: 'c',
  go: 'go',
  java: 'java',
  rs: 'rust',
};

/** Names such a language by a file's extension (`.sh .bash .c .go .java .rs`), case-sensitively. */
export function grammarLanguageOf(path: string): GrammarLanguage | undefined {
  const extension = /[^/\\]\.([a-z]+)$/.exec(path)?.[1];
  return extension !== undefined && Object.hasOwn(GRAMMAR_EXTENSIONS, extension)
    ? GRAMMAR_EXTENSIONS[extension]
    : undefined;
}

const EXTENSIONS: Readonly<Record<string, Language>> = {
  py: 'python',
  pyi: 'python',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'tsx',
};

/** Names the language of a file by its extension, case-sensitively; `undefined` for every other file. */
export function languageOf(path: string): Language | undefined {
  const match = /[^/\\]\.([a-z]+)$/.exec(path);
  const extension = match?.[1];
  return extension !== undefined && Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : undefined;
}

export function isLanguage(name: string): name is Language {
  return LANGUAGES.some((language) => language === name);
}
