import type { ProgressEvent } from '@h/contracts';
import pc from 'picocolors';

export interface Progress {
  readonly onEvent: (event: ProgressEvent) => void;
  /** Ends the line that is being rewritten. */
  end(): void;
}

const SILENCE_MS = 5_000;

/**
 * Progress on stderr. On a terminal one line is rewritten; elsewhere each stage is a line, and a counted
 * event is a line at most every five seconds.
 */
export function showProgress(stream: NodeJS.WriteStream, quiet: boolean): Progress {
  if (quiet) return { onEvent: () => undefined, end: () => undefined };
  const started = Date.now();
  const seconds = () => `${((Date.now() - started) / 1000).toFixed(1)}s`.padStart(7);
  return stream.isTTY ? rewriteLine(stream, seconds) : printLines(stream, seconds);
}

function printLines(stream: NodeJS.WriteStream, seconds: () => string): Progress {
  let last = 0;
  return {
    onEvent: (event) => {
      const due = event.kind === 'stage' || event.kind === 'partial' || Date.now() - last >= SILENCE_MS;
      if (!due) return;
      last = Date.now();
      stream.write(`${seconds()}  ${describe(event)}\n`);
    },
    end: () => undefined,
  };
}

function rewriteLine(stream: NodeJS.WriteStream, seconds: () => string): Progress {
  let stage = '';
  const show = (text: string) => {
    stream.write(`\r\u001b[2K${pc.dim(seconds())}  ${text.slice(0, Math.max(20, (stream.columns ?? 80) - 12))}`);
  };
  return {
    onEvent: (event) => {
      if (event.kind === 'stage') stage = event.message;
      show(event.kind === 'stage' ? stage : `${stage} ${pc.dim(describe(event))}`);
    },
    end: () => {
      if (stage !== '') stream.write('\r\u001b[2K');
    },
  };
}

function describe({ message, done, total }: ProgressEvent): string {
  if (done === undefined) return message;
  return total === undefined ? `${message} (${done})` : `${message} (${done}/${total})`;
}
