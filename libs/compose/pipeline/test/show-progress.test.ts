import { describe, expect, it } from 'vitest';
import { showProgress } from '../src/commands/show-progress.ts';

function stream(isTTY: boolean) {
  const written: string[] = [];
  const fake = { isTTY, columns: 60, write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream;
  return { fake, written };
}

describe('showProgress', () => {
  it('prints a line per stage where no terminal is', () => {
    const { fake, written } = stream(false);
    const progress = showProgress(fake, false);
    progress.onEvent({ kind: 'stage', message: 'ranking' });
    for (let done = 1; done <= 50; done += 1)
      progress.onEvent({ kind: 'candidate', message: 'validated', done, total: 50 });
    expect(written).toHaveLength(1);
    expect(written[0]).toMatch(/^ +\d+\.\ds {2}ranking\n$/);
  });

  it('rewrites one line on a terminal and clears it at the end', () => {
    const { fake, written } = stream(true);
    const progress = showProgress(fake, false);
    progress.onEvent({ kind: 'stage', message: 'validating' });
    progress.onEvent({ kind: 'candidate', message: 'validated', done: 3, total: 50 });
    progress.end();
    expect(written[1]).toContain('3/50');
    expect(written.every((text) => text.startsWith('\r') && !text.includes('\n'))).toBe(true);
    expect(written.at(-1)).toBe('\r\u001b[2K');
  });

  it('says nothing when it is told to be quiet', () => {
    const { fake, written } = stream(false);
    showProgress(fake, true).onEvent({ kind: 'stage', message: 'x' });
    expect(written).toEqual([]);
  });
});
