// Replies with status 200 whose body is a completion, or nearly.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { ANSWER, answers, completion, GOOD, type HostileCase, KEY } from './case.ts';

const said = (content: unknown, choice = {}, message = {}) => answers(completion(content, choice, message));
const one = (name: string, kind: HostileCase['kind'], behave: HostileCase['behave']): HostileCase => ({
  name,
  kind,
  behave,
});
const choiceOf = (body: string) => (JSON.parse(body) as { choices: unknown[] }).choices[0];
const candidates = (count: number) =>
  JSON.stringify({ candidates: Array.from({ length: count }, () => ({ search: 'a', replace: 'b' })) });
const CALL = { tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: ANSWER } }] };

/** How the choice ended. */
const ENDS: readonly HostileCase[] = [
  one('length', 'truncated', said(ANSWER, { finish_reason: 'length' })),
  one('length, and half an answer', 'truncated', said(ANSWER.slice(0, 20), { finish_reason: 'length' })),
  one('length, and no content: all went into reasoning', 'truncated', said('', { finish_reason: 'length' })),
  one('content_filter', 'refusal', said('', { finish_reason: 'content_filter' })),
  one('content_filter, and a good answer', 'refusal', said(ANSWER, { finish_reason: 'content_filter' })),
  one('a refusal', 'refusal', said(null, {}, { refusal: 'I cannot help with that.' })),
  one('a refusal beside content', 'refusal', said(ANSWER, {}, { refusal: 'no' })),
  one('an empty refusal', 'ok', said(ANSWER, {}, { refusal: '' })),
  one('a refusal that is null', 'ok', said(ANSWER, {}, { refusal: null })),
  one('a refusal among the parts', 'refusal', said([{ type: 'refusal', refusal: 'no' }])),
  one('tool_calls', 'tool_call', said(null, { finish_reason: 'tool_calls' }, CALL)),
  one('tool_calls without a call', 'tool_call', said(ANSWER, { finish_reason: 'tool_calls' })),
  one('a call, and stop', 'tool_call', said(ANSWER, {}, CALL)),
  one('an empty list of calls', 'ok', said(ANSWER, {}, { tool_calls: [] })),
  one(
    'function_call',
    'tool_call',
    said(null, { finish_reason: 'function_call' }, { function_call: { name: 'f', arguments: '{}' } }),
  ),
  one('a function call, and stop', 'tool_call', said(ANSWER, {}, { function_call: { name: 'f' } })),
  one('no finish_reason', 'transport', said(ANSWER, { finish_reason: undefined })),
  one('finish_reason null', 'transport', said(ANSWER, { finish_reason: null })),
  one('finish_reason of another server', 'transport', said(ANSWER, { finish_reason: 'eos_token' })),
  one('finish_reason end_turn', 'transport', said(ANSWER, { finish_reason: 'end_turn' })),
  one('finish_reason in capitals', 'transport', said(ANSWER, { finish_reason: 'STOP' })),
  one('finish_reason that is a number', 'transport', said(ANSWER, { finish_reason: 1 })),
  one('finish_reason error', 'transport', said(ANSWER, { finish_reason: 'error' })),
];

/** What the message holds. */
const CONTENTS: readonly HostileCase[] = [
  one('a good answer', 'ok', answers(GOOD)),
  one('no content', 'json', said(null)),
  one('content left out', 'json', said(undefined)),
  one('empty content', 'json', said('')),
  one('blank content', 'json', said(' \n ')),
  one('prose', 'json', said('I am only a language model.')),
  one('prose before JSON', 'json', said(`Here you are:\n${ANSWER}`)),
  one('prose after JSON', 'json', said(`${ANSWER}\nGood luck!`)),
  one('a fence', 'json', said(`\`\`\`json\n${ANSWER}\n\`\`\``)),
  one('a fence without end', 'json', said(`\`\`\`json\n${ANSWER}`)),
  one('thinking before JSON', 'json', said(`<think>hm</think>${ANSWER}`)),
  one('two values', 'json', said(`${ANSWER}${ANSWER}`)),
  one('two lines of values', 'json', said(`${ANSWER}\n${ANSWER}`)),
  one('a key twice', 'json', said(`{"candidates":[],${ANSWER.slice(1)}`)),
  one('a key twice, once in escapes', 'json', said(`{"c\\u0061ndidates":[],${ANSWER.slice(1)}`)),
  one('half an answer, and stop', 'json', said(ANSWER.slice(0, -4))),
  one('a trailing comma', 'json', said(`${ANSWER.slice(0, -1)},}`)),
  one('single quotes', 'json', said(ANSWER.replaceAll('"', "'"))),
  one('a comment', 'json', said(`/* a */${ANSWER}`)),
  one('NaN', 'json', said('{"candidates":NaN}')),
  one('a byte order mark', 'json', said(`\ufeff${ANSWER}`)),
  one('half a surrogate pair', 'json', said('{"candidates":[{"search":"\\ud83d","replace":""}]}')),
  one('deep nesting', 'json', said(`${'['.repeat(5_000)}${']'.repeat(5_000)}`)),
  one('a number beyond all', 'json', said('{"candidates":[],"n":1e999}')),
  one('eleven candidates', 'schema', said(candidates(11))),
  one('ten candidates', 'ok', said(candidates(10))),
  one('a field too many', 'schema', said(`{"note":"hi",${ANSWER.slice(1)}`)),
  one('a field too few', 'schema', said('{"candidates":[{"search":"a"}]}')),
  one('a number for a text', 'schema', said('{"candidates":[{"search":1,"replace":"b"}]}')),
  one('a list', 'schema', said(`[${ANSWER}]`)),
  one('null as JSON', 'schema', said('null')),
  one('JSON as text in JSON', 'schema', said(JSON.stringify(ANSWER))),
  one('the schema itself', 'schema', said('{"type":"object","properties":{}}')),
  one('__proto__', 'schema', said(`{"__proto__":{"a":1},${ANSWER.slice(1)}`)),
  one(
    'an answer that is too large',
    'budget',
    said(JSON.stringify({ candidates: [{ search: 'a', replace: 'b'.repeat(300_000) }] })),
  ),
  one(
    'text parts',
    'ok',
    said([
      { type: 'text', text: ANSWER.slice(0, 9) },
      { type: 'text', text: ANSWER.slice(9) },
    ]),
  ),
  one('an image among the parts', 'transport', said([{ type: 'text', text: ANSWER }, { type: 'image_url' }])),
  one('an object for content', 'transport', said({ text: ANSWER })),
  one('a number for content', 'transport', said(7)),
  one('reasoning beside the answer', 'ok', said(ANSWER, {}, { reasoning_content: 'hm' })),
  one(
    'an answer that repeats the key',
    'transport',
    said(JSON.stringify({ candidates: [{ search: KEY, replace: '' }] })),
  ),
  one(
    'an answer that repeats the key in escapes',
    'transport',
    said(`{"candidates":[{"search":"\\u0073${KEY.slice(1)}","replace":""}]}`),
  ),
];

/** The completion around it. */
const ENVELOPES: readonly HostileCase[] = [
  one('an empty body', 'transport', answers('')),
  one('a page', 'transport', answers('<html>login</html>', '200 OK', ['content-type: text/html'])),
  one('a page that claims to be JSON', 'transport', answers('<!DOCTYPE html>')),
  one('a good body as plain text', 'ok', answers(GOOD, '200 OK', ['content-type: text/plain'])),
  one('a good body without a type', 'ok', answers(GOOD, '200 OK', [])),
  one(
    'a good body under two types',
    'ok',
    answers(GOOD, '200 OK', ['content-type: text/html', 'content-type: application/json']),
  ),
  one('half a body', 'transport', answers(GOOD.slice(0, 90))),
  one('two bodies', 'transport', answers(GOOD + GOOD)),
  one('lines of JSON', 'transport', answers(`${GOOD}\n${GOOD}\n`)),
  one('a list around it', 'transport', answers(`[${GOOD}]`)),
  one('null', 'transport', answers('null')),
  one('a text', 'transport', answers('"ok"')),
  one('no choices', 'transport', answers('{"choices":[]}')),
  one('choices that are none', 'transport', answers('{"choices":{"0":{}}}')),
  one('two choices', 'transport', answers(JSON.stringify({ choices: [choiceOf(GOOD), choiceOf(GOOD)] }))),
  one('a choice that is null', 'transport', answers('{"choices":[null]}')),
  one('no message', 'transport', answers('{"choices":[{"finish_reason":"stop"}]}')),
  one('a message that is a text', 'transport', answers('{"choices":[{"finish_reason":"stop","message":"hi"}]}')),
  one(
    'a text completion',
    'transport',
    answers(JSON.stringify({ choices: [{ finish_reason: 'stop', text: ANSWER }] })),
  ),
  one(
    'an answer of Anthropic',
    'transport',
    answers(JSON.stringify({ type: 'message', content: [{ type: 'text', text: ANSWER }], stop_reason: 'end_turn' })),
  ),
  one(
    'an answer of Ollama',
    'transport',
    answers(JSON.stringify({ message: { role: 'assistant', content: ANSWER }, done: true })),
  ),
  one('an answer of the responses API', 'transport', answers(JSON.stringify({ object: 'response', output: [] }))),
  one('the request again', 'transport', answers('{"model":"tiny","messages":[]}')),
  one('usage that is none', 'ok', answers(completion(ANSWER, {}, {}, { usage: 'many' }))),
  one(
    'usage below zero',
    'ok',
    answers(completion(ANSWER, {}, {}, { usage: { prompt_tokens: -1, completion_tokens: 1e99 } })),
  ),
  one('bytes that are not UTF-8', 'transport', answers(Buffer.concat([Buffer.from(GOOD), Buffer.from([0xff])]))),
  one('Latin-1', 'transport', answers(Buffer.from(GOOD.replace('👍', ''), 'latin1'))),
  one(
    'UTF-16',
    'transport',
    answers(Buffer.from(GOOD, 'utf16le'), '200 OK', ['content-type: application/json; charset=utf-16']),
  ),
  one('a byte order mark before the body', 'ok', answers(`\ufeff${GOOD}`)),
  one('blank lines before the body', 'ok', answers(`\n\n\n${GOOD}`)),
  one('a guard before the body', 'transport', answers(`)]}',\n${GOOD}`)),
  one('gzip', 'ok', answers(gzipSync(GOOD), '200 OK', ['content-encoding: gzip'])),
  one('deflate', 'ok', answers(deflateSync(GOOD), '200 OK', ['content-encoding: deflate'])),
  one('brotli', 'ok', answers(brotliCompressSync(GOOD), '200 OK', ['content-encoding: br'])),
  one('gzip that is none', 'transport', answers(GOOD, '200 OK', ['content-encoding: gzip'])),
  one('gzip that is cut', 'transport', answers(gzipSync(GOOD).subarray(0, 60), '200 OK', ['content-encoding: gzip'])),
  one(
    'an encoding nobody knows',
    'transport',
    answers(Buffer.from(GOOD).toString('base64'), '200 OK', ['content-encoding: base64']),
  ),
  one('a gzip bomb', 'budget', answers(gzipSync(Buffer.alloc(30_000_000, 32)), '200 OK', ['content-encoding: gzip'])),
  one(
    'a gzip bomb in gzip',
    'budget',
    answers(gzipSync(gzipSync(Buffer.alloc(30_000_000, 32))), '200 OK', ['content-encoding: gzip, gzip']),
  ),
  one('a body of two megabytes', 'budget', answers(Buffer.alloc(2_000_000, 32))),
  one(
    'a good answer after a megabyte of blanks',
    'budget',
    answers(Buffer.concat([Buffer.alloc(1_100_000, 32), Buffer.from(GOOD)])),
  ),
];

export const BODIES: readonly HostileCase[] = [...ENDS, ...CONTENTS, ...ENVELOPES];
