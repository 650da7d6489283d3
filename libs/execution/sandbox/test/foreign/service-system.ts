import type { ForeignSystem } from '@h/sandbox';

interface Answer {
  exitCode?: number;
  endedBy?: 'wall_limit';
  stdout: string;
  stderr: string;
  files: { path: string; content: string }[];
}

const encode = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const decode = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));

/** A service that takes files and a command in one request, and answers with how it ended and the files that were asked for. */
export const serviceSystem = (url: string): ForeignSystem => ({
  name: 'service',
  // What you have tried over there, and nothing else.
  capabilities: { concurrency: 4, persistent: false, enforces: ['network_denied'] },
  async run({ files, argv, cwd, env, stdin, wallMs, collect, signal }) {
    const given = files.map(({ path, mode, bytes }) => ({ path, mode, content: encode(bytes) }));
    const body = JSON.stringify({ files: given, argv, cwd, env, stdin, wallMs, collect });
    const response = await fetch(url, { method: 'POST', body, signal });
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
    const { files: back, ...exit } = (await response.json()) as Answer;
    return { ...exit, files: back.map(({ path, content }) => ({ path, bytes: decode(content) })) };
  },
});
