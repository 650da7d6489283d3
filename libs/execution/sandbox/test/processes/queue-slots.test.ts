import { expect, it } from 'vitest';
import { queueSlots } from '../../src/processes/queue-slots.ts';

it('hands out places in order, the longest free first, and to those who wait in order', async () => {
  const queue = queueSlots(2);
  expect([await queue.take(), await queue.take()]).toEqual([0, 1]);
  const order: string[] = [];
  const waiting = ['a', 'b', 'c'].map(async (name) => order.push(`${name}${await queue.take()}`));
  queue.release(1);
  queue.release(0);
  await Promise.all(waiting.slice(0, 2));
  queue.release(0);
  await Promise.all(waiting);
  expect(order).toEqual(['a1', 'b0', 'c0']);
  queue.release(1);
  queue.release(0);
  expect(await queue.take()).toBe(1);
});

it('lets one who waits leave, without losing the place', async () => {
  const queue = queueSlots(1);
  await queue.take();
  const controller = new AbortController();
  const left = queue.take(controller.signal);
  const stayed = queue.take();
  controller.abort();
  expect(await left).toBeUndefined();
  queue.release(0);
  expect(await stayed).toBe(0);
  expect(await queue.take(AbortSignal.abort())).toBeUndefined();
});

it('is idle when all places are free and tracked work is done, failed or not', async () => {
  const queue = queueSlots(1);
  await queue.idle();
  await queue.take();
  let idle = false;
  const waiting = queue.idle().then(() => {
    idle = true;
  });
  let fail = (_error: Error) => {};
  queue.track(
    new Promise((_, reject) => {
      fail = reject;
    }),
  );
  queue.release(0);
  await Promise.resolve();
  expect(idle).toBe(false);
  fail(new Error('removal failed'));
  await waiting;
  expect(idle).toBe(true);
});
