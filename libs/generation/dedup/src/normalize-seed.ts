import type { Language } from '@h/syntax';

/**
 * Seed 09 §3.6 to the letter: strips each line, collapses white space inside it, removes comment lines and empty ones.
 *
 * It merges different programs (indentation, blanks inside strings, lines of a string that look like a comment): for ablation only.
 */
export function normalizeSeed(text: string, language: Language | undefined): string[] {
  const isComment = language === 'python' ? /^#/ : language === undefined ? /^(?:#|\/\/)/ : /^\/\//;
  return text
    .split(/\r\n?|\n/)
    .map((line) => line.trim().replace(/\s+/g, ' '))
    .filter((line) => line !== '' && !isComment.test(line));
}
