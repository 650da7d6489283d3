import type { FindNames, NameFinding } from './name-findings.ts';

const REASONS: Readonly<Record<string, NameFinding['reason']>> = {
  'undefined-name': 'undefined_name',
  'unused-import': 'unused_import',
  F821: 'undefined_name',
  F401: 'unused_import',
};

/** Names by ruff (F821, F401). Stub files get no verdict; an unused import of a package's `__init__.py` is how it exports. */
export async function pythonNames(pythonVersion = '3.13'): Promise<FindNames> {
  const { Workspace, PositionEncoding } = await import('@astral-sh/ruff-wasm-nodejs');
  const settings = { 'target-version': `py${pythonVersion.replace('.', '')}`, lint: { select: ['F821', 'F401'] } };
  const workspace = new Workspace(settings, PositionEncoding.Utf16);
  return (text, path) => {
    if (path.endsWith('.pyi')) return undefined;
    const findings: NameFinding[] = [];
    for (const { code, message, start_location } of workspace.check(withoutSuppressions(text))) {
      const reason = REASONS[code ?? ''];
      const isExport = reason === 'unused_import' && /(?:^|\/)__init__\.py$/.test(path);
      if (reason === undefined || isExport) continue;
      const name = /`([^`]+)`/.exec(message)?.[1] ?? message;
      const { row, column } = start_location;
      findings.push({ reason, name, line: row, column: column - 1, code: code ?? '', message });
    }
    return findings;
  };
}

/** `# noqa` and `# ruff: …` would hide findings: the words are blotted out, character for character. */
function withoutSuppressions(text: string): string {
  return text.replace(
    /#(\s*)(noqa|(?:ruff|flake8)\s*:)/gi,
    (_, blanks: string, word: string) => `#${blanks}${'x'.repeat(word.length)}`,
  );
}
