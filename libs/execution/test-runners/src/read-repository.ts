import type { SourceReader } from '@h/contracts';

/** Paths of a repository in code-unit order, and the text of those that are asked for, each read once. */
export interface Repository {
  readonly paths: readonly string[];
  /** `undefined` when there is no such file, or it cannot be read. */
  text(path: string): Promise<string | undefined>;
}

const IGNORED =
  /(?:^|\/)(?:node_modules|\.git|\.h|\.h-agent|\.venv|venv|\.tox|\.nox|\.eggs|__pycache__|site-packages)(?:\/|$)/;

export async function readRepository(reader: SourceReader): Promise<Repository> {
  const paths: string[] = [];
  for await (const path of reader.list('**/*')) if (!IGNORED.test(path)) paths.push(path);
  paths.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const present = new Set(paths);
  const texts = new Map<string, Promise<string | undefined>>();
  return {
    paths,
    text(path) {
      if (!present.has(path)) return Promise.resolve(undefined);
      const known = texts.get(path);
      if (known !== undefined) return known;
      const read = reader.read(path).then(
        (bytes) => new TextDecoder().decode(bytes),
        () => undefined,
      );
      texts.set(path, read);
      return read;
    },
  };
}
