// A suite of unittest tests over modules as people write them: a tokenizer with an evaluator, a report over records, a graph, a cache. Each
// test works for about half a millisecond, part of it in statements, part in what is written in C.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TESTS = 30;

/** Writes the suite into a folder, and returns how many tests it has: 120 for each copy of the modules. */
export function writeSuite(folder: string, copies: number): number {
  mkdirSync(join(folder, 'shop'), { recursive: true });
  mkdirSync(join(folder, 'tests'), { recursive: true });
  writeFileSync(join(folder, 'shop/__init__.py'), '');
  writeFileSync(join(folder, 'tests/__init__.py'), '');
  let tests = 0;
  for (const [name, { source, call, expected }] of Object.entries(MODULES))
    for (let copy = 0; copy < copies; copy += 1) {
      const module = `${name}_${copy}`;
      writeFileSync(join(folder, `shop/${module}.py`), source);
      const methods = Array.from(
        { length: TESTS },
        (_, n) => `    def test_${n}(self):\n        self.assertEqual(${call(n)}, ${expected(n)})\n`,
      );
      const head = `import unittest\n\nfrom shop import ${module} as m\n\n\nclass Test${name}(unittest.TestCase):\n`;
      writeFileSync(join(folder, `tests/test_${module}.py`), head + methods.join('\n'));
      tests += TESTS;
    }
  return tests;
}

interface Module {
  readonly source: string;
  readonly call: (n: number) => string;
  readonly expected: (n: number) => string;
}

const MODULES: Record<string, Module> = {
  calc: {
    source: `import re

TOKEN = re.compile(r'\\s*(?:(\\d+)|(.))')


def tokens(text):
    found = []
    for number, sign in TOKEN.findall(text):
        if number:
            found.append(int(number))
        elif sign.strip():
            found.append(sign)
    return found


class Parser:
    def __init__(self, text):
        self.items = tokens(text)
        self.at = 0

    def peek(self):
        return self.items[self.at] if self.at < len(self.items) else None

    def take(self):
        item = self.peek()
        self.at += 1
        return item

    def total(self):
        value = self.term()
        while self.peek() in ('+', '-'):
            if self.take() == '+':
                value += self.term()
            else:
                value -= self.term()
        return value

    def term(self):
        value = self.factor()
        while self.peek() == '*':
            self.take()
            value *= self.factor()
        return value

    def factor(self):
        item = self.take()
        if item == '(':
            value = self.total()
            self.take()
            return value
        return item


def evaluate(text):
    return Parser(text).total()
`,
    call: (n) => `m.evaluate(${JSON.stringify(Array(30).fill(`(${n} + 2) * 3 - 1`).join(' + '))})`,
    expected: (n) => String(30 * ((n + 2) * 3 - 1)),
  },
  report: {
    source: `import json
from collections import defaultdict


def parse(lines):
    rows = []
    for line in lines:
        name, _, rest = line.partition(',')
        amount, _, region = rest.partition(',')
        if not name:
            continue
        rows.append({'name': name.strip().title(), 'amount': float(amount), 'region': region.strip().lower()})
    return rows


def summarize(rows):
    totals, best = defaultdict(float), {}
    for row in rows:
        totals[row['region']] += row['amount']
        known = best.get(row['region'])
        if known is None or row['amount'] > known['amount']:
            best[row['region']] = row
    return [{'region': region, 'total': round(totals[region], 2), 'best': best[region]['name']} for region in sorted(totals)]


def report(count):
    lines = ['person %d, %d.5, region %d' % (n, n * 7 % 13, n % 4) for n in range(count)]
    text = json.dumps(summarize(parse(lines)), indent=1, sort_keys=True)
    return len(json.loads(text)), text.count('total')
`,
    call: (n) => `m.report(${160 + n})`,
    expected: () => '(4, 4)',
  },
  graph: {
    source: `import heapq


class Graph:
    def __init__(self):
        self.edges = {}

    def connect(self, start, end, weight):
        self.edges.setdefault(start, []).append((end, weight))
        self.edges.setdefault(end, []).append((start, weight))

    def distance(self, start, goal):
        queue, done = [(0, start)], set()
        while queue:
            length, place = heapq.heappop(queue)
            if place == goal:
                return length
            if place in done:
                continue
            done.add(place)
            for neighbour, weight in self.edges.get(place, ()):
                if neighbour not in done:
                    heapq.heappush(queue, (length + weight, neighbour))
        return None


def ring(size):
    graph = Graph()
    for place in range(size):
        graph.connect('n%d' % place, 'n%d' % ((place + 1) % size), 1 + place % 3)
    return graph


def half_way(size):
    return ring(size).distance('n0', 'n%d' % (size // 2)) > 0
`,
    call: (n) => `m.half_way(${180 + n})`,
    expected: () => 'True',
  },
  cache: {
    source: `from collections import OrderedDict


class Cache:
    def __init__(self, size):
        self.size, self.items, self.hits = size, OrderedDict(), 0

    def get(self, key, make):
        if key in self.items:
            self.hits += 1
            self.items.move_to_end(key)
            return self.items[key]
        value = make(key)
        self.items[key] = value
        if len(self.items) > self.size:
            self.items.popitem(last=False)
        return value


def describe(key):
    words = sorted(str(key * 7919).split('1'))
    return '-'.join(word.zfill(3) for word in words if word)


def work(turns):
    cache = Cache(16)
    seen = [cache.get(turn * turn % 23, describe) for turn in range(turns)]
    return len(seen), cache.hits > 0
`,
    call: (n) => `m.work(${320 + n})`,
    expected: (n) => `(${320 + n}, True)`,
  },
};
