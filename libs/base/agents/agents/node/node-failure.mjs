// What is told of a failure. No getter and no method of the target runs for it: only data properties are read.
const MESSAGE_UNITS = 8192;
const FRAMES = 100;
const { getOwnPropertyDescriptor, getPrototypeOf } = Object;
const { isArray } = Array;
const { stringify } = JSON;

/** A function that makes a failure record from vitest's own form of an error and, where they were seen, the operands. */
export function createDescriber(rootPath, relative) {
  const prefix = `${rootPath.replace(/\/+$/, '')}/`;
  const clean = (text) => bounded(stripColors(String(text)).split(prefix).join(''));
  return (error, operands) => {
    const frames = framesOf(String(error?.stack ?? error?.stackStr ?? ''), relative);
    const failure = { class: String(error?.name || 'Error'), message: clean(error?.message ?? ''), frames };
    if (frames.length > 0) failure.location = frames[0];
    return Object.assign(failure, operands);
  };
}

/** What a failed comparison compared, where both are plain data: `{ expected, actual }` as text, else undefined. */
export function operandsOf(thrown) {
  // jest's own errors hold them one level down
  const result = typeof thrown === 'object' && thrown !== null ? dataOf(thrown, 'matcherResult') : undefined;
  const holder = typeof result === 'object' && result !== null ? result : thrown;
  const [expected, actual] = [operand(holder, 'expected'), operand(holder, 'actual')];
  return expected === undefined || actual === undefined ? undefined : { expected, actual };
}

/** The parts of an error that are told, each read once; a getter that throws counts as absent. */
export function partsOf(error) {
  if (typeof error !== 'object' || error === null) return { message: String(error) };
  const read = (name) => {
    const value = safely(() => error[name]);
    return typeof value === 'string' ? value : undefined;
  };
  return { name: read('name'), message: read('message'), stack: read('stack') };
}

function bounded(text) {
  return text.length <= MESSAGE_UNITS ? text : `${text.slice(0, MESSAGE_UNITS)}…`;
}

function stripColors(text) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what terminal colours are
  return text.replace(/\u001b\[[0-9;]*m/g, '');
}

/** Frames inside the repository, innermost first. */
function framesOf(stack, relative) {
  const found = [];
  for (const line of stack.split('\n')) {
    const match = /^\s*at (?:.*\()?(.*?):(\d+):\d+\)?$/.exec(line);
    const path = match === null ? undefined : relative(match[1].replace(/^async /, ''));
    if (path !== undefined && Number(match[2]) > 0) found.push(`${path}:${match[2]}`);
    if (found.length === FRAMES) break;
  }
  return found;
}

function dataOf(object, name) {
  return safely(() => getOwnPropertyDescriptor(object, name)?.value);
}

function operand(thrown, name) {
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  const property = safely(() => getOwnPropertyDescriptor(thrown, name));
  return property !== undefined && 'value' in property && safely(() => isPlain(property.value))
    ? safely(() => render(property.value, 0))
    : undefined;
}

function safely(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function isPlain(value) {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function' && typeof value !== 'symbol';
  return isArray(value) || isPlainObject(value);
}

function isPlainObject(value) {
  const prototype = getPrototypeOf(value);
  return (
    prototype === null ||
    (getPrototypeOf(prototype) === null && getOwnPropertyDescriptor(prototype, 'isPrototypeOf') !== undefined)
  );
}

function render(value, depth) {
  if (typeof value === 'string') return value.length <= 200 ? stringify(value) : `${stringify(value.slice(0, 200))}…`;
  if (typeof value === 'bigint') return `${value}n`.slice(0, 200);
  if (Object.is(value, -0)) return '-0';
  if (typeof value === 'function' || typeof value === 'symbol') return `<${typeof value}>`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (depth > 4) return '…';
  if (isArray(value)) return `[${items(value, depth)}]`;
  return isPlainObject(value) ? `{${fields(value, depth)}}` : '<object>';
}

function items(list, depth) {
  const parts = [];
  for (let index = 0; index < list.length && index < 20; index += 1) parts.push(slot(list, index, depth));
  if (list.length > 20) parts.push('…');
  return parts.join(', ');
}

function fields(object, depth) {
  const names = Object.keys(object);
  const parts = names.slice(0, 20).map((name) => `${name}: ${slot(object, name, depth)}`);
  if (names.length > 20) parts.push('…');
  return parts.join(', ');
}

function slot(holder, name, depth) {
  const property = getOwnPropertyDescriptor(holder, name);
  if (property === undefined) return '<empty>';
  return 'value' in property ? render(property.value, depth + 1) : '<getter>';
}
