import { runPipeline } from '../src/index.ts';

/** The README's example, on a repository of the test's choice. */
export async function readmeExample(repo: string, out: string): Promise<unknown[]> {
  const logged: unknown[] = [];
  const console = { error: (_message: string) => undefined, log: (...values: unknown[]) => logged.push(...values) };
  // begin
  const { summary, dir } = await runPipeline({
    command: 'run',
    repo,
    out,
    environment: process.env,
    onEvent: ({ message }) => console.error(message),
  });
  console.log(summary.localization?.top[0]?.location, summary.patches[0]?.diff, dir);
  // end
  return logged;
}
