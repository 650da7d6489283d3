// What a program of the check consists of, drawn from a seed.
import { type Code, code, type Part, type Program, type Statement, type Value } from './write-program.ts';

/** A stream of numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Scope {
  readonly numbers: readonly string[];
  readonly lists: readonly string[];
  readonly boxes: readonly string[];
  /** How deep blocks may still nest. */
  readonly depth: number;
  /** Whether functions may be called, and a loop may be left. */
  readonly calls: boolean;
  readonly inLoop: boolean;
}

export function generateProgram(seed: number): Program {
  return new Generator(randomFrom(seed)).program();
}

class Generator {
  readonly next: () => number;

  constructor(next: () => number) {
    this.next = next;
  }

  program(): Program {
    const inner: Scope = {
      numbers: ['a', 'b', 'c'],
      lists: ['p'],
      boxes: ['o'],
      depth: 1,
      calls: false,
      inLoop: false,
    };
    const self = { ...inner, numbers: ['a', 'self.x', 'self.y'], lists: ['self.items'], boxes: [] };
    const statements = [
      this.write(code('total = ', 'let total = '), number(this.int())),
      this.class(self),
      this.function('helper', ['a', 'p', 'o'], inner),
      this.function('globally', ['a'], { ...inner, numbers: ['a', 'total'], lists: [], boxes: [] }, 'global total'),
      this.generator(inner),
      this.recursion(),
      this.risky(),
      this.main(),
    ];
    return { statements };
  }

  class(self: Scope): Statement {
    const init = part(code('def __init__(self, x):', 'constructor(x) {'), [
      this.write(code('self.x = ', 'this.x = '), number('x')),
      this.write(code('self.y = ', 'this.y = '), number(this.int())),
      this.write(code('self.items = ', 'this.items = '), list('[x]')),
    ]);
    const add = part(code('def add(self, a):', 'add(a) {'), [
      ...this.block(self, 3),
      this.write(code('return '), this.expression(self)),
    ]);
    return block(part(code('class Box:', 'class Box {'), [block(init), block(add)]));
  }

  function(name: string, parameters: readonly string[], scope: Scope, declaration = ''): Statement {
    const locals = ['b', 'c'].filter((local) => !parameters.includes(local) && scope.numbers.includes(local));
    const head = code(`def ${name}(${parameters.join(', ')}):`, `function ${name}(${parameters.join(', ')}) {`);
    return block(
      part(head, [
        { kind: 'plain', code: code(declaration, '') },
        ...locals.map((local) => this.write(code(`${local} = `, `let ${local} = `), number(this.int()))),
        ...this.block(scope, 4),
        this.write(code('return '), this.expression(scope)),
      ]),
    );
  }

  /** Yields in a loop, and in half of the cases also returns a value. */
  generator(scope: Scope): Statement {
    const only: Scope = { ...scope, numbers: ['a', 'b'], lists: [], boxes: [] };
    const loop = block(
      part(code('for b in range(2):', 'for (let b = 0; b < 2; b++) {'), [
        this.write(code('yield '), this.expression(only)),
        ...(this.chance(0.5) ? [this.write(code('a = '), this.expression(only))] : []),
      ]),
    );
    const end = this.chance(0.5) ? [this.write(code('return '), number('a'))] : [];
    return block(part(code('def gives(a):', 'function* gives(a) {'), [loop, ...end]));
  }

  recursion(): Statement {
    const stop = block(
      part(
        code('if ', 'if ('),
        [this.write(code('return '), number(this.int()))],
        code(':', ') {'),
        condition('n', '<', '1'),
      ),
    );
    const again = sum(number('n'), number('again(n - 1)'));
    return block(part(code('def again(n):', 'function again(n) {'), [stop, this.write(code('return '), again)]));
  }

  /** Raises where its argument is large. */
  risky(): Statement {
    const raise: Statement = { kind: 'plain', code: code('raise ValueError(a)', 'throw new Error(a)') };
    const decide = part(code('if ', 'if ('), [raise], code(':', ') {'), condition('a', '>', this.int()));
    const result = this.write(code('return '), sum(number('a'), number('1')));
    return block(part(code('def risky(a):', 'function risky(a) {'), [block(decide), result]));
  }

  main(): Statement {
    const scope: Scope = {
      numbers: ['a', 'b', 'c', 'd'],
      lists: ['p', 'q'],
      boxes: ['o', 'u'],
      depth: 2,
      calls: true,
      inLoop: false,
    };
    const bump = block(
      part(code('def bump(e):', 'function bump(e) {'), [
        { kind: 'plain', code: code('nonlocal c', '') },
        this.write(code('c = '), sum(number('c'), number('e'))),
        this.write(code('return '), this.expression({ ...scope, numbers: ['a', 'c', 'e'], calls: false })),
      ]),
    );
    const start = [
      ...scope.numbers.map((name) => this.write(code(`${name} = `, `let ${name} = `), number(this.int()))),
      ...scope.lists.map((name) =>
        this.write(code(`${name} = `, `let ${name} = `), list(`[${this.int()}, ${this.int()}]`)),
      ),
      ...scope.boxes.map((name) => this.write(code(`${name} = `, `let ${name} = `), boxOf(this.int()))),
    ];
    const count = 6 + Math.floor(this.next() * 8);
    const result = this.write(code('return '), this.expression(scope));
    return block(
      part(code('def main():', 'function main() {'), [...start, bump, ...this.block(scope, count, count), result]),
    );
  }

  block(scope: Scope, most: number, least = 1): Statement[] {
    const count = least + Math.floor(this.next() * (most - least + 1));
    return Array.from({ length: count }, () => this.statement(scope));
  }

  statement(scope: Scope): Statement {
    const kinds: [number, () => Statement][] = [
      [6, () => this.write(assign(this.pick(scope.numbers)), this.expression(scope))],
      [scope.lists.length * 2, () => this.changeList(scope)],
      [scope.boxes.length, () => this.changeBox(scope)],
      [scope.depth * 2, () => this.branch(scope)],
      [scope.depth * 1.5, () => this.loop(scope)],
      [scope.depth, () => this.attempt(scope)],
      [scope.calls ? 4 : 0, () => this.call(scope)],
      [scope.inLoop ? 0.7 : 0, () => this.leave(scope)],
    ];
    let place = this.next() * kinds.reduce((all, [weight]) => all + weight, 0);
    const chosen = kinds.find(([weight]) => {
      place -= weight;
      return place < 0;
    });
    return (chosen ?? kinds[0])?.[1]() ?? { kind: 'plain', code: code('') };
  }

  changeList(scope: Scope): Statement {
    const target = this.pick(scope.lists);
    const value = this.expression(scope);
    const [of, at] = [self(target), self(`${target}[0]`)];
    switch (Math.floor(this.next() * 5)) {
      case 0:
        return this.write(code(`${at.python} = `, `${at.javascript} = `), value);
      case 1:
        return this.write(code(`${of.python} = `, `${of.javascript} = `), this.listValue(scope));
      case 2:
        return this.write(
          code(`${of.python}.extend(`, `${of.javascript}.push(...`),
          list(`[${this.int()}]`),
          code(')'),
        );
      default:
        return this.write(code(`${of.python}.append(`, `${of.javascript}.push(`), value, code(')'));
    }
  }

  changeBox(scope: Scope): Statement {
    const target = this.pick(scope.boxes);
    switch (Math.floor(this.next() * 5)) {
      case 0:
        return this.write(code(`${target} = `), boxOf(this.int()));
      case 1:
        return this.write(code(`${target} = `), { ...code(this.pick(scope.boxes)), mistake: boxOf(this.int()) });
      case 2:
        return this.write(code(`${target}.items = `), this.listValue(scope));
      default:
        return this.write(code(`${target}.${this.pick(['x', 'y'])} = `), this.expression(scope));
    }
  }

  branch(scope: Scope): Statement {
    const inner = { ...scope, depth: scope.depth - 1 };
    const yes = part(code('if ', 'if ('), this.block(inner, 3), code(':', ') {'), this.condition(scope));
    if (this.chance(0.5)) return block(yes);
    return block(yes, part(code('else:', '} else {'), this.block(inner, 3)));
  }

  loop(scope: Scope): Statement {
    const inner = { ...scope, depth: scope.depth - 1, inLoop: true };
    const name = `i${scope.depth}`;
    if (scope.lists.length > 0 && this.chance(0.4)) {
      const of = self(this.pick(scope.lists));
      const head = code(`for ${name} in `, `for (let ${name} of `);
      const upTo = (most: number) => code(`list(${of.python})[:${most}]`, `[...${of.javascript}].slice(0, ${most})`);
      const body = this.block({ ...inner, numbers: [...inner.numbers, name] }, 3);
      return block(part(head, body, code(':', ') {'), { ...upTo(4), mistake: upTo(1) }));
    }
    const head = code(`for ${name} in range(`, `for (let ${name} = 0; ${name} < `);
    const value = { ...code(String(1 + Math.floor(this.next() * 3))), mistake: code('4') };
    const body = this.block({ ...inner, numbers: [...scope.numbers] }, 3);
    return block(part(head, body, code('):', `; ${name}++) {`), value));
  }

  /** An exception that may be raised here, or in a function called here. */
  attempt(scope: Scope): Statement {
    const inner = { ...scope, depth: scope.depth - 1 };
    const raise: Statement = { kind: 'plain', code: code('raise ValueError(1)', 'throw new Error(1)') };
    const decide = block(part(code('if ', 'if ('), [raise], code(':', ') {'), this.condition(scope)));
    const from = scope.calls && this.chance(0.5);
    const call = this.write(
      assign(this.pick(scope.numbers)),
      number(`risky(${self(this.pick(scope.numbers)).python})`),
    );
    return block(
      part(code('try:', 'try {'), [...this.block(inner, 2), from ? call : decide, ...this.block(inner, 2)]),
      part(code('except ValueError:', '} catch (error) {'), this.block(inner, 2)),
    );
  }

  call(scope: Scope): Statement {
    const given = this.pick(scope.numbers);
    const target = assign(this.pick(scope.numbers));
    const box = this.pick(scope.boxes);
    const calls: Code[] = [
      code(`helper(${given}, ${this.pick(scope.lists)}, ${box})`),
      code(`globally(${given})`),
      code(`bump(${given})`),
      code(`again(${Math.floor(this.next() * 4)})`),
      code(`${box}.add(${given})`),
      code(`sum(gives(${given}))`, `[...gives(${given})].reduce((s, v) => s + v, 0)`),
      code(`list(gives(${given}))[0]`, `[...gives(${given})][0]`),
    ];
    const chosen = calls[Math.floor(this.next() * calls.length)] ?? code(given);
    if (this.chance(0.2)) return { kind: 'plain', code: chosen };
    return this.write(target, { ...chosen, mistake: code(given) });
  }

  leave(scope: Scope): Statement {
    const word = this.pick(['break', 'continue']);
    return block(
      part(code('if ', 'if ('), [{ kind: 'plain', code: code(word) }], code(':', ') {'), this.condition(scope)),
    );
  }

  write(before: Code, value: Value, after = code('')): Statement {
    return { kind: 'write', before, value, after };
  }

  condition(scope: Scope): Value {
    const [left, right] = [self(this.pick(scope.numbers)), self(this.leaf(scope))];
    const sign = this.pick(['<', '>']);
    const plain = condition(left.python, sign, right.python, left.javascript, right.javascript);
    if (this.chance(0.8)) return plain;
    const other = self(this.pick(scope.numbers));
    const both = (one: Code): Code =>
      code(`${one.python} and ${other.python} > 0`, `${one.javascript} && ${other.javascript} > 0`);
    return { ...both(plain), mistake: both(plain.mistake) };
  }

  expression(scope: Scope): Value {
    const [left, right] = [self(this.leaf(scope)), self(this.leaf(scope))];
    switch (Math.floor(this.next() * 10)) {
      case 0:
        return { ...combine(left, '*', right), mistake: combine(left, '+', right) };
      case 1:
        return { ...combine(left, '-', right), mistake: combine(right, '-', left) };
      case 2: {
        const test = self(this.pick(scope.numbers));
        const choose = (yes: Code, no: Code): Code =>
          code(
            `${yes.python} if ${test.python} > 3 else ${no.python}`,
            `${test.javascript} > 3 ? ${yes.javascript} : ${no.javascript}`,
          );
        return { ...choose(left, right), mistake: choose(right, left) };
      }
      case 3:
        return {
          ...code(`${left.python} or ${right.python}`, `${left.javascript} || ${right.javascript}`),
          mistake: code(`${left.python} and ${right.python}`, `${left.javascript} && ${right.javascript}`),
        };
      case 4:
        if (scope.lists.length > 0) return this.listSum(scope, right);
        return sum(left, right);
      case 5:
        return { ...left, mistake: right };
      default:
        return sum(left, right);
    }
  }

  listSum(scope: Scope, plus: Code): Value {
    const of = self(this.pick(scope.lists));
    const over = (sign: string): Code =>
      code(
        `sum([v ${sign} ${plus.python} for v in ${of.python}])`,
        `${of.javascript}.map((v) => v ${sign} ${plus.javascript}).reduce((s, v) => s + v, 0)`,
      );
    return { ...over('+'), mistake: over('-') };
  }

  listValue(scope: Scope): Value {
    const of = self(this.pick(scope.lists));
    const item = self(this.leaf(scope));
    if (this.chance(0.3)) return { ...of, mistake: code('[0]') };
    if (this.chance(0.5)) return list(`[${item.python}]`, `[${item.javascript}]`);
    const filter = (sign: string): Code =>
      code(
        `[v for v in ${of.python} if v ${sign} ${item.python}] + [1]`,
        `[...${of.javascript}.filter((v) => v ${sign} ${item.javascript}), 1]`,
      );
    return { ...filter('<'), mistake: filter('>') };
  }

  /** A number as it is written in Python. */
  leaf(scope: Scope): string {
    const roll = this.next();
    if (roll < 0.25) return this.int();
    if (roll < 0.65) return this.pick(scope.numbers);
    if (roll < 0.75 && scope.lists.length > 0) return `len(${this.pick(scope.lists)})`;
    if (roll < 0.85 && scope.lists.length > 0) return `${this.pick(scope.lists)}[0]`;
    if (scope.boxes.length > 0) return `${this.pick(scope.boxes)}.${this.pick(['x', 'y'])}`;
    return this.pick(scope.numbers);
  }

  int(): string {
    return String(Math.floor(this.next() * 9));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.next() * items.length)] as Item;
  }
}

/** `self.x`, `len(p)` in both languages. */
function self(python: string): Code {
  return code(python, python.replace(/\bself\b/g, 'this').replace(/len\(([^)]*)\)/, '$1.length'));
}

function assign(name: string): Code {
  const { python, javascript } = self(name);
  return code(`${python} = `, `${javascript} = `);
}

function number(python: string): Value {
  const same = self(python);
  const isConstant = /^\d+$/.test(python);
  return {
    ...same,
    mistake: isConstant ? code(String(Number(python) + 1)) : code(`${same.python} + 1`, `${same.javascript} + 1`),
  };
}

function list(python: string, javascript = python): Value {
  return { python, javascript, mistake: code('[9]') };
}

function boxOf(value: string): Value {
  return { ...code(`Box(${value})`, `new Box(${value})`), mistake: code('Box(9)', 'new Box(9)') };
}

function sum(left: Code, right: Code): Value {
  return { ...combine(left, '+', right), mistake: combine(left, '-', right) };
}

function combine(left: Code, sign: string, right: Code): Code {
  const bound = (text: string) => `(${text}) % 1009`;
  return code(bound(`${left.python} ${sign} ${right.python}`), bound(`${left.javascript} ${sign} ${right.javascript}`));
}

function condition(left: string, sign: string, right: string, ...[jsLeft = left, jsRight = right]: string[]): Value {
  const other = sign === '<' ? '>' : '<';
  return {
    ...code(`${left} ${sign} ${right}`, `${jsLeft} ${sign} ${jsRight}`),
    mistake: code(`${left} ${other} ${right}`, `${jsLeft} ${other} ${jsRight}`),
  };
}

function part(before: Code, body: readonly Statement[], after = code(''), value?: Value): Part {
  return { before, body, after, ...(value === undefined ? {} : { value }) };
}

function block(...parts: readonly Part[]): Statement {
  return { kind: 'block', parts };
}
