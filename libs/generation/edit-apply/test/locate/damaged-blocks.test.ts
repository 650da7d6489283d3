import { expect, test } from 'vitest';
import type { Gate } from '../../src/index.ts';
import { measureRefusals, measureTolerance } from './damaged-blocks.ts';

const seeds = (count: number) => Array.from({ length: count }, (_, seed) => seed);
/** Takes every text: what is measured is where the lines are found. */
const lenient: Gate = { check: () => ({ status: 'passed', syntax: 'passed', lint: 'not_run' }) };

test('of blocks with one to three damages the true place comes first in 97 %, and the cause is named in 95 %', () => {
  const { blocks, nearest_first, cause_named } = measureRefusals(seeds(700));
  expect(blocks).toBeGreaterThan(300);
  expect(nearest_first / blocks).toBeGreaterThanOrEqual(0.97);
  expect(cause_named / blocks).toBeGreaterThanOrEqual(0.95);
});

test('of blocks that differ in blanks a tolerant tier applies 90 %, and none wrongly', () => {
  const { blocks, recovered, wrong_writes } = measureTolerance(seeds(500), lenient);
  expect(blocks).toBeGreaterThan(150);
  expect(wrong_writes).toBe(0);
  expect(recovered / blocks).toBeGreaterThanOrEqual(0.9);
});
