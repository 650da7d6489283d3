// The files that the patterns of a command line mean, found among the paths of a repository.
import { inFolder, isInside } from './detection.ts';

/**
 * What one pattern means in a folder: a file, the test files below a folder (`isTest` says which), else a glob, which the
 * shell expands first where it is not quoted.
 */
export function expandPattern(
  paths: readonly string[],
  folder: string,
  pattern: string,
  quoted: boolean,
  isTest: (path: string) => boolean,
): string[] {
  const plain = inFolder(folder, pattern.replace(/^\.\//, '').replace(/\/+$/, ''));
  const named = paths.filter((path) => path === plain);
  if (named.length > 0) return named;
  const below = paths.filter((path) => isInside(path, plain) && isTest(path));
  if (below.length > 0 || pattern === '.') return below;
  // the shell expands what is not quoted, and for it `**` is no more than `*`
  const byShell = quoted ? [] : paths.filter((path) => globExpression(plain.replaceAll('**', '*')).test(path));
  return byShell.length > 0 ? byShell : paths.filter((path) => globExpression(plain).test(path));
}

/** A glob as an expression: `**`, `*`, `?`, `[…]`, `{a,b}`. */
export function globExpression(glob: string): RegExp {
  let source = '';
  let braces = 0;
  for (let at = 0; at < glob.length; at += 1) {
    const sign = glob[at] ?? '';
    if (glob.startsWith('**/', at)) [source, at] = [`${source}(?:[^/]+/)*`, at + 2];
    else if (glob.startsWith('**', at)) [source, at] = [`${source}.*`, at + 1];
    else if (sign === '*') source += '[^/]*';
    else if (sign === '?') source += '[^/]';
    else if (sign === '{') [source, braces] = [`${source}(?:`, braces + 1];
    else if (sign === '}' && braces > 0) [source, braces] = [`${source})`, braces - 1];
    else if (sign === ',' && braces > 0) source += '|';
    else source += /[\w/-]/.test(sign) ? sign : `\\${sign}`;
  }
  return braces > 0 ? /(?!)/ : new RegExp(`^${source}$`);
}
