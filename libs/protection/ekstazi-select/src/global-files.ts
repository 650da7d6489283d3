// Files that every test depends on, whatever was seen of it: a table.
import type { PathChange, TreeDifference } from './compare-trees.ts';
import { folderOf } from './compare-trees.ts';

/** One row: what a change of a file with such a name means for every test. */
export interface GlobalFile {
  /** Matched against the file's name; where it holds a `/`, against the path. */
  readonly pattern: RegExp;
  /** Completes "… , which …". */
  readonly why: string;
}

export const GLOBAL_FILES: readonly GlobalFile[] = [
  {
    pattern: /^(?:pyproject\.toml|setup\.(?:cfg|py)|tox\.ini|noxfile\.py|\.?pytest\.(?:ini|toml)|MANIFEST\.in)$/,
    why: 'configures the project or its tests',
  },
  { pattern: /^(?:conftest|sitecustomize|usercustomize)\.py$|\.pth$/, why: 'runs before the tests' },
  {
    pattern: /^(?:requirements|constraints)[\w.-]*\.(?:txt|in)$|^Pipfile(?:\.lock)?$|^(?:poetry|pdm|uv)\.lock$/,
    why: 'says which packages are installed',
  },
  { pattern: /^(?:environment|conda)[\w.-]*\.ya?ml$|^\.python-version$/, why: 'says which packages are installed' },
  { pattern: /(?:^|\/)requirements\/[^/]+\.(?:txt|in)$/, why: 'says which packages are installed' },
  {
    pattern: /^(?:package|package-lock|npm-shrinkwrap)\.json$|^(?:yarn\.lock|pnpm-lock\.yaml|bun\.lockb?)$/,
    why: 'says which packages are installed, and how modules are found',
  },
  {
    pattern: /^pnpm-workspace\.yaml$|^\.(?:npmrc|nvmrc|node-version|yarnrc(?:\.yml)?)$/,
    why: 'says which packages are installed',
  },
  {
    pattern:
      /^(?:vitest|vite|jest|babel|postcss|tailwind|svelte|rollup|webpack|esbuild)\.[\w.-]+$|^\.mocharc(?:\.\w+)?$/,
    why: 'configures the tests or how sources are compiled',
  },
  { pattern: /^\.(?:babelrc|swcrc|browserslistrc)(?:\.\w+)?$/, why: 'configures how sources are compiled' },
  { pattern: /^(?:ts|js)config[\w.-]*\.json$/, why: 'configures how sources are compiled' },
  { pattern: /^\.env(?:\.[\w.-]+)?$/, why: 'sets environment variables' },
  {
    pattern: /\.(?:so|pyd|dll|dylib|node|pyc|egg-link)$|^entry_points\.txt$/,
    why: 'may be loaded in the place of a source',
  },
];

/** Changes that concern every test, in words, sorted by path. */
export function globalChanges(difference: TreeDifference, table: readonly GlobalFile[]): string[] {
  const found: string[] = [];
  for (const [path, change] of difference.changes) {
    const why = whyGlobal(path, change, difference, table);
    if (why !== undefined) found.push(`${path} was ${change}, which ${why}`);
  }
  return found;
}

function whyGlobal(
  path: string,
  change: PathChange,
  difference: TreeDifference,
  table: readonly GlobalFile[],
): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (path.includes('__pycache__/')) return undefined;
  for (const { pattern, why } of table) if (pattern.test(pattern.source.includes('\\/') ? path : name)) return why;
  return change === 'added' && shadowsPython(path, difference)
    ? 'has the name of a module of the standard library'
    : undefined;
}

/** Whether an added file may be imported by a name of the standard library: it does not lie in a package of the baseline. */
function shadowsPython(path: string, difference: TreeDifference): boolean {
  if (!path.endsWith('.py')) return false;
  const module = path.endsWith('/__init__.py') ? folderOf(path) : path.slice(0, -3);
  const folder = folderOf(module);
  const name = module.slice(folder === '' ? 0 : folder.length + 1);
  const inPackage = folder !== '' && difference.state(`${folder}/__init__.py`)?.before !== undefined;
  return !inPackage && STANDARD_LIBRARY.has(name);
}

/** Top-level modules of CPython 3.8 to 3.13 that a file can shadow. */
const STANDARD_LIBRARY = new Set(
  `abc aifc argparse array ast asynchat asyncio asyncore base64 bdb binascii binhex bisect bz2 cProfile calendar cgi cgitb
  chunk cmath cmd code codecs codeop collections colorsys compileall concurrent configparser contextlib contextvars copy
  copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip
  enum fcntl filecmp fileinput fnmatch formatter fractions ftplib functools genericpath getopt getpass gettext glob graphlib
  grp gzip hashlib heapq hmac html http imaplib imghdr imp importlib inspect io ipaddress json keyword linecache locale
  logging lzma macpath mailbox mailcap math mimetypes mmap modulefinder multiprocessing netrc nis nntplib ntpath numbers
  opcode operator optparse os ossaudiodev parser pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib
  posixpath pprint profile pstats pty py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib
  resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket
  socketserver spwd sqlite3 ssl stat statistics string stringprep struct subprocess sunau symbol symtable sysconfig syslog
  tabnanny tarfile telnetlib tempfile termios textwrap threading timeit tkinter token tokenize tomllib trace traceback
  tracemalloc tty turtle types typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser wsgiref
  xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo`.split(/\s+/),
);
