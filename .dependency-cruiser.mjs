// The walls between libraries (ARCHITECTURE.md, invariants 1, 3, 4 and 11). tools/test/walls.test.ts plants a violation of each.
// A rule that needs an exception gets it here, by path and with the reason, never in the offending file.

const stage = '^libs/(?:execution|diagnosis|generation|protection|evaluation)/([^/]+)/src/';
const anySource = '^libs/[^/]+/([^/]+)/src/';
const packageNamed = (names) => `node_modules/(?:${names.join('|')})/`;
const builtin = (names) => `^(?:node:)?(?:${names.join('|')})(?:/|$)`;

const processLaunchers = [
  packageNamed(['execa', 'cross-spawn', 'tinyexec', 'tinypool', 'nano-spawn', 'shelljs', 'zx', 'node-pty', 'piscina']),
  builtin(['child_process', 'cluster', 'worker_threads']),
];
const databases = [
  packageNamed([
    'libsql',
    '@libsql',
    'better-sqlite3',
    'sqlite3',
    'pg',
    'postgres',
    'mysql2',
    'kysely',
    '@electric-sql',
    'ioredis',
  ]),
  builtin(['sqlite']),
];
const modelClients = packageNamed([
  'openai',
  '@anthropic-ai',
  'ai',
  '@ai-sdk',
  '@google',
  '@langchain',
  'ollama',
  'undici',
  'axios',
  'got',
]);
const network = builtin(['http', 'https', 'http2', 'net', 'tls', 'dgram', 'dns']);

/** Sources whose IO column in ARCHITECTURE.md allows Node's own modules. */
const mayUseNode = [
  '^libs/execution/sandbox/src/',
  '^libs/generation/llm-stub/src/',
  '^libs/base/journal/src/',
  '^libs/compose/pipeline/src/',
  '^libs/base/agents/src/', // reads the files that travel into the target
  '^libs/base/contracts/src/artifact-stores\\.ts$', // directoryArtifacts(dir)
  '^libs/base/syntax/src/load-[^/]+\\.ts$', // finds the grammars it ships
  '^libs/generation/edit-apply/src/fs/', // the file adapter
];

const forbidden = [
  {
    name: 'stage-imports-stage',
    comment:
      'Invariant 1: a stage imports contracts, syntax, agents, coverage and itself. Either take what you need as a parameter or wire the two in @h/pipeline.',
    from: { path: stage },
    to: {
      path: ['^libs/', '^@h/'],
      pathNot: [
        '^libs/[^/]+/$1/',
        '^libs/base/(?:contracts|syntax|agents|coverage)/',
        '^@h/(?:contracts|syntax|agents|coverage)(?:/|$)',
        '^libs/base/journal/',
        '^@h/journal(?:/|$)',
      ],
    },
  },
  {
    name: 'stage-imports-journal',
    comment: 'Invariant 1: of the stages only ledger, micro-debug and debugger-report may import @h/journal.',
    from: { path: stage, pathNot: '^libs/[^/]+/(?:ledger|micro-debug|debugger-report)/' },
    to: { path: ['^libs/base/journal/', '^@h/journal(?:/|$)'] },
  },
  {
    name: 'base-imports-stage',
    comment: 'Invariant 1: the base knows no stage and no wiring.',
    from: { path: '^libs/base/' },
    to: {
      path: ['^libs/', '^@h/'],
      pathNot: ['^libs/base/', '^@h/(?:contracts|syntax|agents|coverage|journal)(?:/|$)'],
    },
  },
  {
    name: 'contracts-import-nothing-of-ours',
    comment: 'Contracts are the bottom: records and ports, no behaviour of another library.',
    from: { path: '^libs/base/contracts/' },
    to: { path: ['^libs/', '^@h/'], pathNot: ['^libs/base/contracts/', '^@h/contracts(?:/|$)'] },
  },
  {
    name: 'process-outside-sandbox',
    comment: 'Invariant 3: only @h/sandbox starts processes or threads. Take an Executor as a parameter.',
    from: { path: anySource, pathNot: '^libs/execution/sandbox/src/' },
    to: { path: processLaunchers },
  },
  {
    name: 'git-outside-pipeline',
    comment: 'Invariant 3: git is used through simple-git, in @h/pipeline only.',
    from: { path: anySource, pathNot: '^libs/compose/pipeline/src/' },
    to: { path: packageNamed(['simple-git', 'isomorphic-git', 'dugite', 'nodegit']) },
  },
  {
    name: 'database-outside-journal',
    comment: 'Invariant 3: only @h/journal opens a database. Take a Journal or a store port as a parameter.',
    from: { path: anySource, pathNot: '^libs/base/journal/src/' },
    to: { path: databases },
  },
  {
    name: 'model-outside-llm-stub',
    comment: 'Invariant 3: only @h/llm-stub calls a model. Take a ModelCall as a parameter.',
    from: { path: anySource, pathNot: '^libs/generation/llm-stub/src/' },
    to: { path: modelClients },
  },
  {
    name: 'network-outside-llm-stub',
    comment:
      'Invariant 3: no library but @h/llm-stub opens a connection. The sandbox listens to see whether a run gets through.',
    from: {
      path: anySource,
      pathNot: ['^libs/generation/llm-stub/src/', '^libs/base/journal/src/', '^libs/execution/sandbox/src/probe-'],
    },
    to: { path: network },
  },
  {
    name: 'node-in-pure-code',
    comment:
      'Invariant 4: this source reads no file, clock, environment or random source. Take bytes, paths or a port as a parameter.',
    from: { path: anySource, pathNot: mayUseNode },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'import-cycle',
    comment: 'Two files that need each other are one file, or a third is missing.',
    from: { path: '^(?:libs|tools|e2e)/' },
    // A type-only import is erased: it may point back at the file that uses it.
    to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
  },
  {
    name: 'own-index',
    comment: 'The index is for callers. Inside a library import the file itself.',
    from: { path: anySource },
    to: { path: '^libs/[^/]+/$1/src/index\\.ts$' },
  },
  {
    name: 'relative-into-another-library',
    comment: 'Import another library by its package name, so that its exports hold.',
    from: { path: '^libs/[^/]+/([^/]+)/' },
    to: { path: '^libs/', pathNot: '^libs/[^/]+/$1/', dependencyTypes: ['local'] },
  },
  {
    name: 'source-imports-tests-or-tools',
    comment: 'What is published depends on nothing that is not.',
    from: { path: anySource },
    to: { path: ['^libs/[^/]+/[^/]+/(?:test|bench|check)/', '^(?:tools|e2e|fixtures)/'] },
  },
  {
    name: 'undeclared-dependency',
    comment: "Write the package into this library's own package.json.",
    from: { path: anySource },
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['npm', 'npm-peer', 'npm-optional'] },
  },
  {
    name: 'dev-dependency-in-source',
    comment: 'Published source needs it under dependencies or peerDependencies.',
    from: { path: anySource },
    to: {
      dependencyTypes: ['npm-dev'],
      pathNot: packageNamed(['@types']),
      dependencyTypesNot: ['npm', 'npm-peer', 'type-only'],
    },
  },
  {
    name: 'unresolvable-import',
    comment:
      "No such module: a deep import that the other library's exports do not allow, a missing file, or a package that is not installed.",
    from: { path: '^(?:libs|tools|e2e)/' },
    to: { couldNotResolve: true, pathNot: builtin(['sqlite', 'test', 'test/reporters']) },
  },
];

export default {
  forbidden: forbidden.map((rule) => ({ severity: 'error', ...rule })),
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(?:libs|tools|e2e)/.*(?:^|/)(?:dist|fixtures|cases)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@h/source', 'import', 'node', 'default', 'types'],
    },
  },
};
