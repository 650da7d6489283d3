import { readdirSync, realpathSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { badRequest } from '../errors.ts';

/** A dependency folder of the host that appears at `at` in every workspace as a real folder of symbolic links. */
export interface WorkspaceLink {
  /** Relative to the workspace, such as "node_modules". */
  readonly at: string;
  /** Absolute path on the host. */
  readonly target: string;
}

/** What one `WorkspaceLink` becomes. */
export interface LinkPlan {
  readonly folders: readonly string[];
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** Host folders that the links lead to. */
  readonly readOnlyPaths: readonly string[];
}

/** Hidden folders that hold packages; the others (.vite, .cache …) are caches of tools, which get an empty place of their own. */
const HIDDEN_PACKAGE_FOLDERS = new Set(['.bin', '.pnpm', '.store']);

/**
 * Reads the host folder once. Scoped packages and `.bin` are real folders one level deeper. A package that is itself a link into
 * the repository around the folder (an npm workspace) is linked to the same place in the workspace, so that the run sees the tree's copy.
 */
export function planLinks({ at, target }: WorkspaceLink): LinkPlan {
  const place = posix.normalize(at).replace(/\/$/, '');
  if (place.startsWith('/') || place.startsWith('..') || place === '.') {
    throw badRequest(
      `link "${at}" is not inside the workspace`,
      'give `at` relative to the workspace, as "node_modules"',
    );
  }
  if (!statSync(target, { throwIfNoEntry: false })?.isDirectory()) {
    throw badRequest(`link target "${target}" is not a folder`, 'install the packages first, or leave the link out');
  }
  const repository = target.endsWith(`/${place}`) ? target.slice(0, -place.length - 1) : undefined;
  const context: Context = {
    target: realpathSync(target),
    repository: repository && realpathSync(repository),
    outside: new Set(),
  };
  const folders: string[] = [place];
  const links: { path: string; target: string }[] = [];
  for (const entry of readdirSync(target, { withFileTypes: true })) {
    const path = `${place}/${entry.name}`;
    const host = `${target}/${entry.name}`;
    const nested = entry.isDirectory() && (entry.name.startsWith('@') || entry.name === '.bin');
    if (entry.isDirectory() && entry.name.startsWith('.') && !HIDDEN_PACKAGE_FOLDERS.has(entry.name)) continue;
    if (!nested) {
      links.push({ path, target: resolveTarget(context, path, host) });
      continue;
    }
    folders.push(path);
    for (const name of readdirSync(host)) {
      links.push({ path: `${path}/${name}`, target: resolveTarget(context, `${path}/${name}`, `${host}/${name}`) });
    }
  }
  return { folders, links, readOnlyPaths: [target, ...context.outside] };
}

interface Context {
  readonly target: string;
  readonly repository: string | undefined;
  readonly outside: Set<string>;
}

function resolveTarget(context: Context, path: string, host: string): string {
  let real: string;
  try {
    real = realpathSync(host);
  } catch {
    return host;
  }
  if (isInside(real, context.target)) return host;
  if (context.repository !== undefined && isInside(real, context.repository)) {
    return posix.relative(posix.dirname(path), posix.relative(context.repository, real));
  }
  if (statSync(real).isDirectory()) context.outside.add(real);
  return real;
}

/** Whether `path` is `folder` or below it; both absolute and normalized. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
