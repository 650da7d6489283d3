import type { RunSummary } from '@h/contracts';

/** The summary a person reads, in Markdown; also what `h` prints. No measured value, no path of the host. */
export function renderSummary(summary: RunSummary): string {
  const sections = [
    header(summary),
    tests(summary),
    localization(summary),
    observation(summary),
    model(summary),
    candidates(summary),
    patches(summary),
    list('Warnings', summary.warnings),
    list('What this version does not do yet', summary.not_built),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

const OUTCOMES: Record<Exclude<RunSummary['outcome'], 'plausible_patch'>, string> = {
  no_patch: 'No patch: the failure was localized, but no candidate within the budget mended it.',
  divergent: 'DIVERGENT: the patch mends the failing tests and breaks behaviour that worked.',
  nothing_failing: 'Nothing fails: every test asked for passes, with and without coverage.',
  diagnosed: 'Diagnosed: statements are ranked; no candidate was made.',
  proposed: 'Proposed: candidates are listed; none was run.',
  interrupted: 'Interrupted: this run is partial.',
};

function header(summary: RunSummary): string {
  const { run_id, runner, isolation, h_version } = summary;
  const where = runner.cwd === '' ? '' : ` in ${runner.cwd}`;
  const lines = [
    `# h ${summary.command} ${run_id}`,
    '',
    outcomeText(summary),
    '',
    `- h ${h_version}, ${runner.name}${where} (${runner.reason})`,
    `- isolation: ${isolation.backend}`,
  ];
  return [...lines, ...isolation.downgrades.map((text) => `  - downgrade: ${text}`)].join('\n');
}

function outcomeText(summary: RunSummary): string {
  const {
    outcome,
    tests: { excluded },
    localization: found,
    candidates: counts,
    patches,
  } = summary;
  if (outcome === 'nothing_failing' && excluded.length > 0) return waveringText(excluded);
  if (outcome === 'no_patch' && (found?.statements ?? 0) === 0)
    return 'No patch, and no place: no statement was seen to run in a failing test.';
  if (outcome === 'plausible_patch') return plausibleText(patches);
  if (outcome === 'no_patch' && counts?.validated === 0) return 'No patch: no candidate could be run.';
  return OUTCOMES[outcome];
}

/** A test that only one of the runs came to says nothing of whether it fails each time. */
function waveringText(excluded: RunSummary['tests']['excluded']): string {
  const missed = excluded.filter(({ why }) => /\bnot_run\b/.test(why)).length;
  return missed === 0
    ? 'Nothing fails each time: the tests below fail in one run and pass in another, so there is nothing to explain.'
    : `Nothing was seen to fail each time, but ${missed} of the tests below did not run in both runs (the warnings say why): whether they fail is not known.`;
}

function plausibleText(patches: RunSummary['patches']): string {
  const several = `${patches.length} plausible patches: with each the failing tests pass and no other test that was run broke. At most one is meant.`;
  return patches.length > 1
    ? several
    : 'A plausible patch: the failing tests pass and no other test that was run broke.';
}

const STOPPED: Record<string, string> = {
  exhausted: 'all were run',
  budget: 'the budget is spent',
  enough_plausible: 'enough plausible ones, or enough runs since the first',
  deadline: 'the time budget is spent',
};

const SHOWN_TESTS = 10;

function tests({ tests: { total, passed, failing, other, excluded } }: RunSummary): string {
  const lines = [
    '## Tests',
    '',
    `${total} tests: ${passed} passed, ${failing.length} failing${other === 0 ? '' : `, ${other} other`}`,
  ];
  lines.push(...failing.slice(0, SHOWN_TESTS).map((test) => `- failing: \`${test}\``));
  if (failing.length > SHOWN_TESTS) lines.push(`- and ${failing.length - SHOWN_TESTS} more failing`);
  lines.push(...excluded.slice(0, SHOWN_TESTS).map(({ test, why }) => `- left out: \`${test}\`: ${why}`));
  if (excluded.length > SHOWN_TESTS) lines.push(`- and ${excluded.length - SHOWN_TESTS} more left out`);
  return lines.join('\n');
}

const SHOWN_STATEMENTS = 10;

function localization({ localization: found }: RunSummary): string {
  if (found === undefined) return '';
  const note =
    found.verdict === 'no_contrast'
      ? '\n\nNo test passes, so nothing tells statements apart: the order is by how late each ran before the failure.'
      : '';
  const isObserved = found.top.some(({ spectrum_rank }) => spectrum_rank !== undefined);
  const rows = found.top
    .slice(0, SHOWN_STATEMENTS)
    .map(({ rank, location, suspiciousness, tie_size, text, spectrum_rank, depth }) => {
      const seen = isObserved ? [`${spectrum_rank ?? ''}`, `${depth ?? '–'}`] : [];
      const code = `\`${text.replaceAll('|', '\\|').replaceAll('`', "'")}\``;
      return `| ${[rank, location, suspiciousness.toFixed(3), tie_size, ...seen, code].join(' | ')} |`;
    });
  const reserve = found.top.slice(0, SHOWN_STATEMENTS).some(({ suspiciousness }) => suspiciousness === 0);
  const legend = reserve
    ? '\n\n0.000: every test runs it, so that nothing tells it apart. It may hold the fault all the same.'
    : '';
  const heads = [
    ...['rank', 'statement', 'suspiciousness', 'tied'],
    ...(isObserved ? ['by tests alone', 'steps to the failure'] : []),
    'text',
  ];
  const table = [`| ${heads.join(' | ')} |`, `|${'---|'.repeat(heads.length)}`, ...rows];
  const order = isObserved
    ? '\n\nOrdered by what the tests tell and by one observed failure. Steps: dependences between the statement and the failure; –: none was seen.'
    : '';
  return `## Where\n\n${found.statements} statements ran in a failing test.${note}${order}\n\n${table.join('\n')}${legend}`;
}

const REASONS: Record<string, string> = {
  not_reproduced: 'the observed run did not fail',
  observer_effect: 'the observed run failed otherwise than the test does without probes',
  nondeterministic: 'two runs of the same test took different paths',
  no_passing_sibling: 'no passing test runs the same functions',
  sibling_not_passing: 'the passing test did not pass while it was observed',
  not_checked: 'a run was not repeated',
  truncated: 'events of a run are missing, and the first difference may be among them',
  no_divergence: 'the two runs do not differ in what the failure depends on',
};

/** Why a hypothesis stays open. */
const OPEN: Record<string, string> = {
  not_in_pack: 'the pack has no observation at its point',
  undecidable: 'the recorded text cannot tell',
  run_not_given: 'contradicted by the step shown; the run is not at hand',
  run_incomplete: 'contradicted by the step shown; events of the run are missing',
  other_step: 'contradicted by the step shown; another step there may meet it',
};

function observation({ observation: seen }: RunSummary): string {
  if (seen === undefined) return '';
  const { first_divergence: first, sibling, reason, primary_suspects } = seen;
  // A decision's value says its own name: "false (branch)".
  const name = first?.name === undefined || first.name === 'branch' ? '' : `${first.name} = `;
  const lines = [`observed \`${seen.test}\` at ${seen.probe_points} points`];
  if (sibling !== undefined) lines.push(`beside the passing \`${sibling.test}\`. ${sibling.why}`);
  if (first !== undefined)
    lines.push(
      '',
      `First divergence: **${first.location}** \`${first.text}\``,
      `- passing: ${name}${first.passing}`,
      `- failing: ${name}${first.failing}`,
      '- the two tests may rightly hand in different values: then this is where that shows, not the fault',
    );
  if (reason !== undefined) lines.push('', `No first divergence: ${REASONS[reason] ?? reason}.`);
  if (primary_suspects.length > 0) lines.push(`- suspects: ${primary_suspects.slice(0, SHOWN_SUSPECTS).join(', ')}`);
  const { wavering = [] } = seen;
  if (wavering.length > 0)
    lines.push(
      `- nothing is concluded from ${wavering.length} values that differ between equal runs: ${wavering.slice(0, SHOWN_SUSPECTS).join(', ')}${wavering.length > SHOWN_SUSPECTS ? ', …' : ''}`,
    );
  for (const { claim, verdict, why } of seen.hypotheses)
    lines.push(`- ${verdict}: ${claim}${why === undefined ? '' : ` (${OPEN[why] ?? why})`}`);
  if (seen.slice_text !== '')
    lines.push(
      '',
      'What the failing value depends on, with the value each statement last gave:',
      '',
      '```text',
      seen.slice_text,
      '```',
    );
  lines.push('', packSize(seen));
  return `## What was observed\n\n${lines.join('\n')}`;
}

function packSize(seen: NonNullable<RunSummary['observation']>): string {
  if (seen.pack_observations === 0) return `No evidence pack; ${seen.raw_events} raw events were observed.`;
  const share = ((100 * seen.pack_bytes) / Math.max(1, seen.raw_bytes)).toFixed(1);
  return `The evidence pack holds ${seen.pack_observations} observations in ${seen.pack_bytes} bytes: ${share} % of the ${seen.raw_bytes} bytes of ${seen.raw_events} raw events.`;
}

const SHOWN_SUSPECTS = 5;

function model({ model: questions = [] }: RunSummary): string {
  const said = questions.map(
    ({ entry, status, detail }) => `${entry}: ${status.replace('_', '-')}${detail === undefined ? '' : ` (${detail})`}`,
  );
  return list('Model', said);
}

const SHOWN_CANDIDATES = 5;

function candidates({ candidates: counts }: RunSummary): string {
  if (counts === undefined) return '';
  const { proposed, parsing, distinct, validated, plausible, neighbour_broken, executions, stopped, first } = counts;
  const run =
    validated === 0
      ? ''
      : `\n${validated} validated in ${executions} test runs: ${plausible} plausible, ${neighbour_broken} mend the failure but break another test (stopped: ${STOPPED[stopped] ?? stopped})`;
  const head = `## Candidates\n\n${proposed} proposed, ${parsing} apply and parse, ${distinct} distinct${run}`;
  if (validated > 0 || first.length === 0) return head;
  const shown = first
    .slice(0, SHOWN_CANDIDATES)
    .map(({ path, line, origin, diff }) => `- ${path}:${line} (${origin})\n${fence(diff)}`);
  return `${head}\n\n${shown.join('\n')}`;
}

const SHOWN_PATCHES = 3;

function patches({ patches: found }: RunSummary): string {
  if (found.length === 0) return '';
  const rows = found.map((patch, index) => {
    const counts = `${patch.obligations} obligations, ${patch.untested_obligations} untested, ${patch.unexpected_differences} unexpected differences${(patch.tests_not_run ?? 0) === 0 ? '' : `; ${patch.tests_not_run} tests not run: it cannot reach them`}`;
    return `${index + 1}. **${patch.regression_status}** ${patch.path}:${patch.line} (${patch.origin}) → ${patch.file}\n   ${counts}; fix completeness ${patch.fix}${index < SHOWN_PATCHES ? `\n\n${fence(patch.diff)}\n` : ''}`;
  });
  return `## Patches, best first\n\n${rows.join('\n')}`;
}

/** A fenced diff, indented so that it belongs to its list item; the fence is longer than any in the text. */
function fence(diff: string): string {
  const longest = Math.max(2, ...[...diff.matchAll(/`+/g)].map(([run]) => run.length));
  const ticks = '`'.repeat(longest + 1);
  return [`${ticks}diff`, ...diff.replace(/\n$/, '').split('\n'), ticks].map((text) => `   ${text}`).join('\n');
}

function list(title: string, items: readonly string[]): string {
  return items.length === 0 ? '' : `## ${title}\n\n${items.map((item) => `- ${item}`).join('\n')}`;
}
