import { type EditBlock, type EditPackage, hashRecord, type Sha } from '@h/contracts';

/** What names a candidate: the file, the bytes it was made for, and the change. */
export interface CandidateContent {
  readonly file: string;
  /** SHA-256 of the file's bytes in the snapshot (`sha256Hex`); absent when the snapshot has no such file. */
  readonly before?: Sha;
  readonly span?: readonly [first: number, last: number];
  readonly blocks?: readonly EditBlock[];
  readonly content?: string;
}

/**
 * `candidate_id` of a one-file edit: SHA-256 of the RFC 8785 form of `{ file, before, span?, blocks?, content? }`.
 *
 * Keys that are absent stay absent. A block counts with `search` and `replace` as they were given, line ends included. Half of a
 * surrogate pair, which neither JSON nor a file can hold, counts as U+FFFD: such an edit is never applied, but its rejection has a name.
 */
export function candidateId({ file, before, span, blocks, content }: CandidateContent): Sha {
  return hashRecord({
    file: wellFormed(file),
    ...(before === undefined ? {} : { before }),
    ...(span === undefined ? {} : { span: [span[0], span[1]] }),
    ...(blocks === undefined
      ? {}
      : {
          blocks: blocks.map(({ search, replace }) => ({ search: wellFormed(search), replace: wellFormed(replace) })),
        }),
    ...(content === undefined ? {} : { content: wellFormed(content) }),
  });
}

/** `candidate_id` of a package: SHA-256 of the RFC 8785 form of its `files`, each with the hash it was applied to as `before`. */
export function packageId(pack: EditPackage, before: (path: string) => Sha | undefined): Sha {
  const files = pack.files.map(({ path, to, content, blocks, ...rest }) => {
    const sha = before(path);
    return {
      ...rest,
      path: wellFormed(path),
      ...(to === undefined ? {} : { to: wellFormed(to) }),
      ...(content === undefined ? {} : { content: wellFormed(content) }),
      ...(blocks === undefined
        ? {}
        : {
            blocks: blocks.map(({ search, replace, ...more }) => ({
              ...more,
              search: wellFormed(search),
              replace: wellFormed(replace),
            })),
          }),
      ...(sha === undefined ? {} : { before: sha }),
    };
  });
  return hashRecord({ files });
}

function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}
