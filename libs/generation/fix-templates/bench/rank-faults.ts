// Everything proposed for a faulty statement and its neighbours, and which of it is the true fix.
import { type Language, type Parser, statementAt } from '@h/syntax';
import { changeKey } from '../src/choose-block.ts';
import { glue } from '../src/fit-text.ts';
import type { ProposedEdit } from '../src/index.ts';
import { readSites } from '../src/read-sites.ts';
import type { Replacement, Site } from '../src/template.ts';
import { ALL_TEMPLATES } from '../src/templates/all-templates.ts';
import { type Fault, KIND_WEIGHTS, type Program } from './inject-faults.ts';

export const RANKS = [1, 2, 3, 4, 5] as const;
const TARGETS = 20;
/** Characters by which layout alone makes texts differ. */
const MAX_LAYOUT = 400;
const NODES_PER_STATEMENT = 4_000;

/** Proposals of one statement, in the order of their templates and fits; kinds as numbers of `kindNames`. */
export interface Proposals {
  kinds: Uint16Array;
  fits: Float32Array;
  /** Index of the true fix, or -1. */
  fix: number;
}

/** A fault with everything proposed for the statements around it. */
export interface RankedFault {
  fault: Fault;
  /** Weight of the fault, so that kinds count by their share whatever their number. */
  weight: number;
  /** The faulty statement, then its neighbours, nearest first. */
  statements: Proposals[];
}

/** `<template>/<variant>` by number. */
export const kindNames: string[] = [];
const kindNumbers = new Map<string, number>();

/** What `learn` keeps, so that shares and rules can be tried without proposing again. */
export interface KeptFaults {
  kinds: string[];
  faults: { fault: Omit<Fault, 'faulty'>; statements: { kinds: number[]; fits: number[]; fix: number }[] }[];
}

export function keepFaults(faults: readonly RankedFault[]): KeptFaults {
  return {
    kinds: kindNames,
    faults: faults.map(({ fault: { faulty: _, ...fault }, statements }) => ({
      fault,
      statements: statements.map(({ kinds, fits, fix }) => ({
        kinds: [...kinds],
        fits: Array.from(fits, (fit) => Number(fit.toFixed(4))),
        fix,
      })),
    })),
  };
}

export function restoreFaults({ kinds, faults }: KeptFaults): RankedFault[] {
  for (const kind of kinds) numberOf(kind);
  return faults.map(({ fault, statements }) => ({
    fault: { ...fault, faulty: '' },
    weight: 1,
    statements: statements.map(({ kinds: own, fits, fix }) => ({
      kinds: Uint16Array.from(own),
      fits: Float32Array.from(fits),
      fix,
    })),
  }));
}

/** Proposes for the faulty statement and its nearest neighbours, each as if it were the only target. */
export function rankFault(program: Program, fault: Fault, parser: Parser): RankedFault | undefined {
  const { statements } = parser.outline(fault.faulty, program.language);
  const index = statementAt({ statements } as Parameters<typeof statementAt>[0], fault.at);
  const faulty = index === undefined ? undefined : statements[index];
  if (!faulty || index === undefined) return undefined;
  const near = statements
    .map((statement, position) => ({ statement, distance: Math.abs(position - index), position }))
    .filter(({ statement }) => statement.kind === 'statement')
    .sort((left, right) => left.distance - right.distance || left.position - right.position)
    .slice(0, TARGETS);
  const targets = near.map(({ statement: { first, last } }) => ({ first, last }));
  const sites = readSites(program.path, fault.faulty, targets, parser, NODES_PER_STATEMENT);
  if (!sites) return undefined;
  const seen = new Set<string>();
  return {
    fault,
    weight: 1,
    statements: targets.map((target, position) => {
      const found = sites.sitesOf(target).flatMap((site) => replacementsOf(site, seen));
      found.sort((left, right) => (right.fit ?? 1) - (left.fit ?? 1));
      return {
        kinds: Uint16Array.from(found, ({ kind }) => numberOf(kind)),
        fits: Float32Array.from(found, ({ fit = 1 }) => fit),
        fix: position === 0 ? found.findIndex((replacement) => isFix(replacement, fault, program)) : -1,
      };
    }),
  };
}

interface KindOfReplacement extends Replacement {
  kind: string;
}

/** As the library proposes, without blocks, hashes and scores: a third of the time. */
function replacementsOf(site: Site, seen: Set<string>): KindOfReplacement[] {
  const { source } = site;
  return ALL_TEMPLATES.flatMap((template) =>
    [...template.propose(site)].flatMap((replacement) => {
      const { start, end } = replacement;
      const text = glue(source.slice(Math.max(0, start - 1), start), replacement.text, source.slice(end, end + 1));
      const key = changeKey(source, start, end, text);
      if (source.slice(start, end) === replacement.text || seen.has(key)) return [];
      seen.add(key);
      return [{ ...replacement, text, kind: `${template.name}/${replacement.variant}` }];
    }),
  );
}

function numberOf(kind: string): number {
  let number = kindNumbers.get(kind);
  if (number === undefined) {
    number = kindNames.push(kind) - 1;
    kindNumbers.set(kind, number);
  }
  return number;
}

/** The original text, but for blank lines and for how a branch of one statement is written. */
function isFix(edit: Replacement, { faulty, kind }: Fault, { text, language }: Program): boolean {
  const after = faulty.slice(0, edit.start) + edit.text + faulty.slice(edit.end);
  if (after === text) return true;
  if (Math.abs(after.length - text.length) > MAX_LAYOUT) return false;
  const [left, right] = differing(after, text);
  // For a value that is missing, `||` and `??` are the same.
  const read = (part: string) =>
    kind === 'default-dropped'
      ? plain(part, language).replaceAll('||', '??').replaceAll('"', "'")
      : plain(part, language);
  return read(left) === read(right);
}

/** Whole lines in which two texts differ, with the line before and after. */
function differing(left: string, right: string): [string, string] {
  const shorter = Math.min(left.length, right.length);
  let head = 0;
  while (head < shorter && left[head] === right[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail += 1;
  const start = left.lastIndexOf('\n', left.lastIndexOf('\n', head - 1) - 1) + 1;
  const to = (text: string) => {
    const line = text.indexOf('\n', text.length - tail);
    const end = line < 0 ? -1 : text.indexOf('\n', line + 1);
    return end < 0 ? text.length : end;
  };
  return [left.slice(start, to(left)), right.slice(start, to(right))];
}

function plain(text: string, language: Language): string {
  if (language === 'python') {
    const lines = text.split('\n').map((line) => line.replace(/\s*(#.*)?$/, '').replace(/return None$/, 'return'));
    return lines.filter((line) => line !== '').join('\n');
  }
  return text
    .replace(/\s+/g, '')
    .replace(/\{((?:return|continue|break|throw)[^{};]*);?\}/g, '$1;')
    .replace(/([!=])==?(null|undefined)/g, '$1=null')
    .replace(/;(?=[;}])/g, '');
}

/** The file after the edit; the programs end their lines with LF. */
export function applied(text: string, { span = [1, 1], blocks = [] }: ProposedEdit): string {
  const lines = text.split('\n');
  const head = lines.slice(0, span[0] - 1).map((line) => `${line}\n`);
  const region = lines.slice(span[0] - 1, span[1]).join('\n');
  const [block] = blocks;
  const at = block ? region.indexOf(block.search) : -1;
  if (!block || at < 0) throw new Error('the block is not there');
  const start = head.join('').length + at;
  return text.slice(0, start) + block.replace + text.slice(start + block.search.length);
}

/** Gives every kind its share of the whole. */
export function weighFaults(faults: readonly RankedFault[]): RankedFault[] {
  const counts = new Map<string, number>();
  for (const { fault } of faults) counts.set(fault.kind, (counts.get(fault.kind) ?? 0) + 1);
  return faults.map((ranked) => {
    const share = KIND_WEIGHTS[ranked.fault.kind] ?? 0;
    return { ...ranked, weight: share / (counts.get(ranked.fault.kind) ?? 1) };
  });
}
