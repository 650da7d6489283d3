// Records of execution: what may run, what ran, and what the tests said.
import { z } from 'zod';
import { bytes, count, LineSet, Loc, milliseconds, optional, RepoPath, record, Sha, TestId } from './define-record.ts';

export const IsolationProperty = z
  .enum([
    'workspace_private',
    'scratch_private',
    'host_files_hidden',
    'host_files_read_only',
    'network_denied',
    'network_loopback_only',
    'environment_allow_list',
    'inherited_fds_closed',
    'no_new_privileges',
    'capabilities_dropped',
    'non_root',
    'user_namespace',
    'pid_namespace',
    'ipc_namespace',
    'uts_namespace',
    'mount_namespace',
    'cpu_cores_limit',
    'cpu_time_limit',
    'memory_limit',
    'pids_limit',
    'wall_limit',
    'stream_cap',
    'disk_limit',
    'inodes_limit',
    'no_survivors',
    'hash_seed',
    'time_zone',
    'locale',
    'no_aslr',
    'fixed_clock',
  ])
  .meta({
    id: 'IsolationProperty',
    description: 'One promise of an isolation policy that a backend may or may not be able to keep.',
  });
export type IsolationProperty = z.infer<typeof IsolationProperty>;

const EnvironmentVariables = z.record(z.string(), z.string());

export const IsolationPolicy = record('IsolationPolicy', 'What a run may use and touch.', {
  cpu_cores: z.number().min(0).describe('Processor cores, 1.0 by default.'),
  memory_bytes: bytes.describe(
    'Resident memory in bytes, 536870912 by default; 2 GiB for JavaScript runners and surface tools.',
  ),
  wall_ms: milliseconds.describe('Wall-clock limit in milliseconds.'),
  cpu_ms: optional(milliseconds.describe('Processor-time limit in milliseconds; absent: none.')),
  pids_max: count.describe('Processes and threads at once.'),
  stream_bytes: bytes.describe('Bytes retained of stdout and of stderr, each; 65536 by default.'),
  disk_bytes: bytes.describe('Bytes the workspace and the scratch folder may grow to together.'),
  inodes_max: count.describe('Files and folders the workspace and the scratch folder may hold.'),
  network: z.enum(['deny', 'loopback', 'external']),
  filesystem: z.strictObject({
    workspace: z.literal('private_copy'),
    scratch: z.literal('rw'),
    extra_ro: z.array(z.string()).describe('Host folders readable at their own absolute path, in any order.'),
  }),
  env_allow: z.array(z.string()).describe('Names of host variables passed on, in any order.'),
  env_set: EnvironmentVariables.describe('Variables set, by name, over those passed on.'),
  determinism: z.strictObject({
    hash_seed: z.string().describe('Value of PYTHONHASHSEED.'),
    tz: z.string().describe('IANA time zone, such as "UTC".'),
    locale: z.string().describe('POSIX locale, such as "C.UTF-8".'),
    clock: optional(z.string().describe('ISO 8601 instant the run should see; absent: the real clock.')),
    no_aslr: z.boolean().describe('Whether address randomization is off.'),
  }),
  require: z.array(IsolationProperty).describe('Properties without which the run does not start, in any order.'),
});
export type IsolationPolicy = z.infer<typeof IsolationPolicy>;

export const ExecutionMode = z.enum(['verdict', 'instrumented', 'net', 'differential', 'surface']);
export type ExecutionMode = z.infer<typeof ExecutionMode>;

export const ExecutionRequest = record('ExecutionRequest', 'One run of one command in a private copy of one tree.', {
  mode: ExecutionMode,
  argv: z.array(z.string()).min(1).describe('Program and arguments, in order; no shell reads them.'),
  cwd: z.string().describe('Folder in the tree, relative to its root; "" is the root.'),
  stdin: optional(z.string().describe('Text written to standard input as UTF-8; absent: closed at once.')),
  interpreter: optional(z.string().describe('Absolute path of the interpreter, where argv[0] is one.')),
  policy: IsolationPolicy,
  tree: Sha.describe('Hash of the TreeManifest the run sees.'),
  artifact_version: Sha.describe('What is being run: the tree before agents and probes were added.'),
  ordinal: count.describe('Tells equal requests apart, from 0.'),
  collect: z.array(z.string()).describe('Globs, relative to the tree, of files to bring back.'),
});
export type ExecutionRequest = z.infer<typeof ExecutionRequest>;

export const TreeEntry = z
  .strictObject({
    path: RepoPath,
    mode: z
      .int()
      .min(0)
      .max(0o777777)
      .describe(
        'POSIX mode of the file: 0o100644, 0o100755, or 0o120000 for a symbolic link whose bytes are its target.',
      ),
    sha: Sha,
  })
  .meta({ id: 'TreeEntry', description: 'One file of a tree; folders are implied by the paths.' });
export type TreeEntry = z.infer<typeof TreeEntry>;

export const TreeManifest = z.array(TreeEntry).meta({
  id: 'TreeManifest',
  description: 'What a run sees, sorted by path in code-unit order; named by the SHA-256 of its canonical JSON.',
});
export type TreeManifest = z.infer<typeof TreeManifest>;

export const Stream = record('Stream', 'A captured output stream: observed_bytes = retained_bytes + dropped_bytes.', {
  text: z
    .string()
    .describe('The retained beginning and, behind it, the retained end; bytes that are not UTF-8 appear as U+FFFD.'),
  gap_at: optional(
    count.describe(
      'UTF-16 offset in `text` where the dropped bytes are missing; absent: behind it, if any were dropped.',
    ),
  ),
  observed_bytes: bytes.describe('Bytes the process wrote.'),
  retained_bytes: bytes.describe('Bytes that `text` was decoded from.'),
  dropped_bytes: bytes.describe('Bytes over the cap.'),
});
export type Stream = z.infer<typeof Stream>;

export const PropertyState = z.enum(['enforced', 'unmet', 'unknown']);
export type PropertyState = z.infer<typeof PropertyState>;

export const Receipt = record('Receipt', 'Which isolation properties held for one run.', {
  backend: z.string(),
  properties: z.partialRecord(IsolationProperty, PropertyState).describe('By property; an absent one is unknown.'),
});
export type Receipt = z.infer<typeof Receipt>;

export const DeterminismVerdict = record('DeterminismVerdict', 'What re-running the same request showed.', {
  verdict: z.enum(['deterministic', 'nondeterministic', 'not_checked']),
  runs: count.describe('Runs compared.'),
  field: optional(z.string().describe('First field of the result that differed.')),
  first_difference: optional(z.string().describe('The two values, or the place in the field, where they part.')),
  likely_cause: optional(z.string()),
});
export type DeterminismVerdict = z.infer<typeof DeterminismVerdict>;

export const EndedBy = z.enum([
  'exit',
  'signal',
  'wall_limit',
  'cpu_limit',
  'memory_limit',
  'pids_limit',
  'output_limit',
  'disk_limit',
  'cancelled',
  'policy_unmet',
]);
export type EndedBy = z.infer<typeof EndedBy>;

export const CollectedFile = z
  .strictObject({ path: RepoPath, sha: Sha, bytes: bytes.describe('Size in bytes.') })
  .meta({ id: 'CollectedFile', description: 'A file brought back from a run.' });
export type CollectedFile = z.infer<typeof CollectedFile>;

export const ExecutionResult = record('ExecutionResult', 'How one run ended and what it left.', {
  execution_id: Sha.describe('SHA-256 over artifact version, environment, request and ordinal: names one run.'),
  artifact_version: optional(Sha.describe('As in the request.')),
  exit_code: optional(z.int().describe('As the process returned it; absent when it did not exit by itself.')),
  signal: optional(z.string().describe('Name of the signal that ended it, such as "SIGKILL".')),
  ended_by: EndedBy,
  wall_ms: optional(milliseconds.describe('Wall-clock time in milliseconds.')),
  cpu_ms: optional(milliseconds.describe('Processor time of the whole process tree in milliseconds.')),
  peak_memory_bytes: optional(bytes.describe('Greatest resident memory in bytes.')),
  stdout: Stream,
  stderr: Stream,
  files: z.array(CollectedFile).describe('What `collect` matched, sorted by path in code-unit order.'),
  receipt: optional(Receipt.describe('Absent from a foreign executor: every property is unknown.')),
  deterministic: optional(DeterminismVerdict.describe('Absent: not asked for.')),
});
export type ExecutionResult = z.infer<typeof ExecutionResult>;

export const TestCommand = record('TestCommand', 'How to start a test runner in a tree.', {
  argv: z.array(z.string()).min(1).describe('Program and arguments, in order; no shell reads them.'),
  cwd: z.string().describe('Folder in the tree, relative to its root; "" is the root.'),
  env_set: EnvironmentVariables.describe('Variables set, by name, over those of the policy.'),
  report_path: RepoPath.describe('Where the agent writes its events, relative to the tree.'),
  agent_entry: optional(RepoPath.describe('The agent file that the command loads, relative to the tree.')),
});
export type TestCommand = z.infer<typeof TestCommand>;

export const TestOutcome = z.enum(['passed', 'failed', 'error', 'skipped', 'xfailed', 'xpassed', 'timeout', 'not_run']);
export type TestOutcome = z.infer<typeof TestOutcome>;

export const TestFailure = record('TestFailure', 'Why a test did not pass.', {
  class: z.string().describe('Name of the exception class or error constructor.'),
  message: z.string(),
  location: optional(Loc.describe('Innermost frame inside the repository; absent when there is none.')),
  frames: z.array(Loc).describe('Frames inside the repository, innermost first.'),
  expected: optional(z.string().describe('The expected side of a failed comparison, as the runner printed it.')),
  actual: optional(z.string().describe('The actual side of a failed comparison, as the runner printed it.')),
});
export type TestFailure = z.infer<typeof TestFailure>;

export const FileLines = z
  .strictObject({ file: RepoPath, lines: LineSet })
  .meta({ id: 'FileLines', description: 'Lines of one file, statements counted by their first line.' });
export type FileLines = z.infer<typeof FileLines>;

const ContentIdentity = z.strictObject({
  path: z.string().describe('Relative to the repository root, else absolute.'),
  sha: Sha,
});

export const TestDependencies = record('TestDependencies', 'Everything a test was seen to read.', {
  files: z.array(ContentIdentity).describe('Source files loaded, sorted by path.'),
  data: z.array(ContentIdentity).describe('Other files opened, sorted by path.'),
  env: z
    .array(z.strictObject({ name: z.string(), value_sha: Sha.describe('SHA-256 of the value; an unset one is "".') }))
    .describe('Variables read, sorted by name.'),
  listings: z.array(ContentIdentity).describe('Folders listed, with the hash of the sorted names, sorted by path.'),
  missing: z.array(z.string()).describe('Paths that were looked for and did not exist, sorted.'),
  children: z
    .array(z.strictObject({ argv0: z.string(), followed: z.boolean().describe('Whether its reads are listed too.') }))
    .describe('Processes started, in order.'),
  packages: z
    .array(z.strictObject({ name: z.string(), version: z.string(), sha: Sha }))
    .describe('Installed packages loaded, sorted by name.'),
  complete: z.boolean(),
  why_incomplete: optional(z.array(z.string()).describe('What could not be seen; only where not complete.')),
});
export type TestDependencies = z.infer<typeof TestDependencies>;

export const SubtestResult = record(
  'SubtestResult',
  'A part of a test that its runner judges apart and cannot run alone.',
  {
    name: z.string().describe('As the runner writes it: `[message] (name=value)`; two parts may have one name.'),
    outcome: TestOutcome,
    failure: optional(TestFailure),
  },
);
export type SubtestResult = z.infer<typeof SubtestResult>;

export const TestResult = record('TestResult', 'One test of one run.', {
  test: TestId,
  file: RepoPath.describe('File the test is written in, relative to the repository root.'),
  outcome: TestOutcome,
  duration_ms: optional(milliseconds.describe('Milliseconds; absent where measured values are kept in a file apart.')),
  failure: optional(TestFailure),
  coverage: optional(
    z
      .array(FileLines)
      .describe('Statements executed by this test, by first line, sorted by file; absent: not recorded.'),
  ),
  last_lines: optional(z.array(Loc).describe('Statements in the order of their last execution, most recent first.')),
  dependencies: optional(TestDependencies),
  subtests: optional(z.array(SubtestResult).describe('Parts in the order in which they ended; absent: it has none.')),
  flaky: optional(z.boolean().describe('Its outcome differed between equal runs.')),
});
export type TestResult = z.infer<typeof TestResult>;

export const CollectionError = record(
  'CollectionError',
  'An error outside any test: a file or suite that could not be loaded, or what failed in it after its tests.',
  {
    file: optional(RepoPath),
    message: z.string(),
  },
);
export type CollectionError = z.infer<typeof CollectionError>;

export const TestRunReport = record('TestRunReport', 'What one or more executions of a test runner said.', {
  runner: z.string(),
  environment: Sha.describe(
    'SHA-256 over OS, architecture, interpreter version, installed packages with versions, and policy.',
  ),
  execution_ids: z.array(Sha).describe('In the order of the executions.'),
  tests: z.array(TestResult).describe('In the order the runner reported them.'),
  collection_errors: z.array(CollectionError).describe('In the order the runner reported them.'),
  import_coverage: optional(
    z.array(FileLines).describe('Statements executed while modules were loaded, outside any test, sorted by file.'),
  ),
  notes: optional(z.array(z.string()).describe('What the report cannot show, and why.')),
});
export type TestRunReport = z.infer<typeof TestRunReport>;
