import type { ApplyReason, ApplyRejection, Span } from '@h/contracts';

const SHOWN = 10;

const SENTENCES: Readonly<Record<ApplyReason, string>> = {
  not_found: 'The search text is not in the file.',
  ambiguous_match: 'The search text is not there exactly once.',
  outside_span: 'The search text is in the file, but not in the lines that may be changed.',
  empty_search: 'The search text is empty.',
  overlapping_edits: 'Two edits change the same text; write them as one.',
  no_change: 'The edit changes nothing.',
  already_applied: 'The replacement stands in the file already; this edit is done.',
  stale_file: 'The file was changed since it was read; read it again.',
  path_outside_repo:
    'This path is not a file that may be edited; give one relative to the repository root, without "..".',
  not_text: 'This is no text that can be edited, or the new text has a character that no file can hold.',
  too_large: 'The file is too large.',
  exists: 'There is a file already at this path; edit it, or choose another path.',
  syntax_error: 'The file would not parse any more.',
  undefined_name: 'The edit uses a name that nothing defines.',
  unused_import: 'The edit leaves an import that nothing uses.',
};

/** A rejection in words for whoever wrote the edit: what is wrong, where, and what to do; nothing was changed. */
export function explainRejection(rejection: ApplyRejection): string {
  const { reason, path, block, nearest, diagnostics, matches, apart } = rejection;
  const place = [path, block === undefined ? undefined : `edit ${block + 1}`].filter((part) => part !== undefined);
  const isMissing = reason === 'not_found' && block === undefined && nearest === undefined;
  const lines = [
    `Nothing was changed. ${place.length === 0 ? '' : `${place.join(', ')}: `}${isMissing ? 'There is no such file.' : SENTENCES[reason]}`,
  ];
  if (rejection.already_broken === true)
    lines.push('It did not parse before the edit either; the edit has to mend it.');
  if (nearest !== undefined) lines.push(...explainNearest(nearest));
  if (matches !== undefined) lines.push(...explainMatches(reason, matches, apart));
  for (const { line, message } of (diagnostics ?? []).slice(0, SHOWN))
    lines.push(`Line ${line} of the new text: ${message}`);
  return lines.join('\n');
}

function explainNearest({ span, cause, diff }: NonNullable<ApplyRejection['nearest']>): string[] {
  if (cause === 'elision_comment' && diff.startsWith('+'))
    return [`The replacement leaves text out (${diff.slice(1)}); write that text in full.`];
  return [
    `Nearest: ${range(span)}; what differs: ${cause.replaceAll('_', ' ').replaceAll('+', ' and ')} (- searched, + in the file):`,
    diff,
    'Copy the lines from the file.',
  ];
}

function explainMatches(reason: ApplyReason, matches: readonly Span[], apart: ApplyRejection['apart']): string[] {
  const rest = matches.length > SHOWN ? [`… and ${matches.length - SHOWN} more.`] : [];
  const shown = matches.slice(0, SHOWN).map((span, i) => {
    const sign = apart?.[i];
    return `- ${range(span)}${sign === undefined ? '' : `, told apart by line ${sign.line}: ${sign.text}`}`;
  });
  const advice = reason === 'ambiguous_match' ? ['Add lines around it until it can mean one place only.'] : [];
  return [...shown, ...rest, ...advice];
}

function range([first, last]: Span): string {
  return first === last ? `line ${first}` : `lines ${first} to ${last}`;
}
